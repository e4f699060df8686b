# SPDX-License-Identifier: Apache-2.0
"""Many configurations of modes and circuits: what ``modeloom sweep``, ``modeloom compare`` and ``modeloom choose`` do."""
