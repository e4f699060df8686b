# SPDX-License-Identifier: Apache-2.0
"""AES circuits that no core of a mode uses yet: pipelines with a key for each block, rounds for several streams, key schedules."""
