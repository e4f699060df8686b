# SPDX-License-Identifier: Apache-2.0
"""SM4 (GB/T 32907-2016) in Amaranth: a pipeline, a sequential core, and the key schedule."""

from modeloom.rtl.sm4.pipeline import SM4KeySchedule, SM4Pipeline, SM4Sequential

__all__ = ["SM4KeySchedule", "SM4Pipeline", "SM4Sequential"]
