# SPDX-License-Identifier: Apache-2.0
"""The contract between the generators of cores and everything that uses a core."""
