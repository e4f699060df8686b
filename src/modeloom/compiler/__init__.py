# SPDX-License-Identifier: Apache-2.0
"""From a definition to a proved program, for the units that a user chooses."""
