# SPDX-License-Identifier: Apache-2.0
"""Functional units, bounds, the schedulers and the legality checker."""
