# SPDX-License-Identifier: Apache-2.0
"""The entries of the catalogue, a file for each family."""
