# SPDX-License-Identifier: Apache-2.0
"""Makers of cores: hardware around compiled modes."""
