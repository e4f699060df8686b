# SPDX-License-Identifier: Apache-2.0
"""A core as everything behind the makers sees it."""
