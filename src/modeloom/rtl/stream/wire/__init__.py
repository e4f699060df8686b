# SPDX-License-Identifier: Apache-2.0
"""Packets as they are on the wire: header, text and tag touch each other at any byte, in front of the core and behind it."""
