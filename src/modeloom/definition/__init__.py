# SPDX-License-Identifier: Apache-2.0
"""Running a definition on numbers, and checking it before it is compiled."""
