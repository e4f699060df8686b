# SPDX-License-Identifier: Apache-2.0
"""Lifetimes, storage binding, the program and its listing."""
