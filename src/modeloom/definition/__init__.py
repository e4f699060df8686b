# SPDX-License-Identifier: Apache-2.0
"""What is asked of a definition: its run on numbers, and the checks before it is compiled."""
