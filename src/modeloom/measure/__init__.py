# SPDX-License-Identifier: Apache-2.0
"""Area, depth and clock of built cores and of single circuits."""
