# SPDX-License-Identifier: Apache-2.0
"""AES as circuits that no core of a mode has yet: pipelines with a key for each block, rounds for several streams, key schedules."""
