# SPDX-License-Identifier: Apache-2.0
"""Rounds of AES: layers with registers between them."""
