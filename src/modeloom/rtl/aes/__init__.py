# SPDX-License-Identifier: Apache-2.0
"""AES for hardware (FIPS 197): pipelines, sequential cores, a key schedule."""

from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.rtl.aes.sequential import AESSequential

__all__ = ["AESPipeline", "AESSequential", "KeySchedule"]
