# SPDX-License-Identifier: Apache-2.0
"""Generators of cores: hardware around compiled modes."""
