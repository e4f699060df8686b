# SPDX-License-Identifier: Apache-2.0
"""Packets as they are on the wire: header, text and tag follow each other at any byte, both into the core and out of it."""
