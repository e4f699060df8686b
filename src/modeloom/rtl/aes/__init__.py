# SPDX-License-Identifier: Apache-2.0
"""AES for hardware (FIPS 197): pipelines, sequential cores, a round for several streams, the key schedule."""

from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.multistream import AESMultiStream
from modeloom.rtl.aes.pipeline import AESCombinedPipeline, AESDecryptPipeline, AESEncryptPipeline
from modeloom.rtl.aes.round import AESRound
from modeloom.rtl.aes.sequential import AESDecryptSequential, AESSequential

__all__ = [
    "AESCombinedPipeline",
    "AESDecryptPipeline",
    "AESDecryptSequential",
    "AESEncryptPipeline",
    "AESMultiStream",
    "AESRound",
    "AESSequential",
    "KeySchedule",
]
