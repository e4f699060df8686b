# SPDX-License-Identifier: Apache-2.0
"""AES for hardware (FIPS 197): pipelines, a sequential decrypter, the key schedule."""

from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.pipeline import AESDecryptPipeline, AESEncryptPipeline
from modeloom.rtl.aes.sequential import AESDecryptSequential

__all__ = ["AESDecryptPipeline", "AESDecryptSequential", "AESEncryptPipeline", "KeySchedule"]
