# SPDX-License-Identifier: Apache-2.0
"""Pipelines of tokens: the hardware of stream modes."""
