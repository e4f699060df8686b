# SPDX-License-Identifier: Apache-2.0
"""Gates and networks of sums: lists that are counted, proved and written as hardware, cut into LUTs."""
