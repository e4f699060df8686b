# SPDX-License-Identifier: Apache-2.0
"""Functional units, bounds, schedulers, and the legality checker of schedules."""
