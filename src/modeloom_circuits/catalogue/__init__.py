# SPDX-License-Identifier: Apache-2.0
"""The entries of the catalogue, with one file for each family."""
