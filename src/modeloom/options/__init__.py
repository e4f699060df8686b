# SPDX-License-Identifier: Apache-2.0
"""The options of cores: a row for each, from which commands, sweeps, checks, names of cores and documents take what they need."""
