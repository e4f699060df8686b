# SPDX-License-Identifier: Apache-2.0
"""The compiler of stream modes: from the steps of a definition to a pipeline of tokens."""
