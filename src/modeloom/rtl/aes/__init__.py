# SPDX-License-Identifier: Apache-2.0
"""AES for hardware (FIPS 197): pipelines, sequential cores, a key schedule."""

from modeloom.rtl.aes.cores.pipeline import AESCombinedPipeline, AESDecryptPipeline, AESEncryptPipeline
from modeloom.rtl.aes.cores.sequential import AESDecryptSequential, AESSequential
from modeloom.rtl.aes.keys.key_schedule import KeySchedule

__all__ = ["AESCombinedPipeline", "AESDecryptPipeline", "AESDecryptSequential", "AESEncryptPipeline", "AESSequential", "KeySchedule"]
