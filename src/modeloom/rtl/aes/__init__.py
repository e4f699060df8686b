# SPDX-License-Identifier: Apache-2.0
"""AES for hardware (FIPS 197): pipelines, sequential cores, a round for several streams, key schedules."""

from modeloom.rtl.aes.agile_pipeline import AESAgilePipeline
from modeloom.rtl.aes.iterative_schedule import IterativeKeySchedule
from modeloom.rtl.aes.key_ring import KeyRing
from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.key_store import KeyStore
from modeloom.rtl.aes.multistream import AESMultiStream
from modeloom.rtl.aes.pipeline import AESCombinedPipeline, AESDecryptPipeline, AESEncryptPipeline
from modeloom.rtl.aes.round import AESRound
from modeloom.rtl.aes.sequential import AESDecryptSequential, AESSequential
from modeloom.rtl.aes.shifted_schedule import ShiftedKeySchedule
from modeloom.rtl.aes.unrolled_schedule import AESUnrolledPipeline, UnrolledKeySchedule

__all__ = [
    "AESAgilePipeline",
    "AESCombinedPipeline",
    "AESDecryptPipeline",
    "AESDecryptSequential",
    "AESEncryptPipeline",
    "AESMultiStream",
    "AESRound",
    "AESSequential",
    "AESUnrolledPipeline",
    "IterativeKeySchedule",
    "KeyRing",
    "KeySchedule",
    "KeyStore",
    "ShiftedKeySchedule",
    "UnrolledKeySchedule",
]
