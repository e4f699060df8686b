# SPDX-License-Identifier: Apache-2.0
"""AES for hardware (FIPS 197): pipelines, sequential cores, a key schedule."""

from modeloom.rtl.aes.cores.pipeline import AESPipeline
from modeloom.rtl.aes.cores.sequential import AESSequential
from modeloom.rtl.aes.keys.key_schedule import KeySchedule

__all__ = ["AESPipeline", "AESSequential", "KeySchedule"]
