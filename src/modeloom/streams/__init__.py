# SPDX-License-Identifier: Apache-2.0
"""The compiler of stream modes, which makes a pipeline of tokens of the steps of a definition."""
