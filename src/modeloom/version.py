# SPDX-License-Identifier: Apache-2.0
"""The version of the project, printed into everything that it emits."""

VERSION = "0.1.0"
