# SPDX-License-Identifier: Apache-2.0
"""The sources of published vectors, a file for each, and what ``tools/vectors.py`` writes of them."""
