# SPDX-License-Identifier: Apache-2.0
"""Lists of gates and networks of sums.  They are counted, proved, and written as hardware."""
