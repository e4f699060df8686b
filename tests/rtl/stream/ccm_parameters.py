# SPDX-License-Identifier: Apache-2.0
"""Sizes of the message control of cores whose blocks wait for the cipher, for tests of its parts."""

from modeloom.modes.ccm import CCM
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.streams.plan import plan_stream


def parameters(mode=CCM, channels=3, cipher=6, cores=2):
    """Those of a mode with this number of channels, cycles of its cipher, and ciphers."""
    bits = 8 * mode.block_bytes
    keys = KeyParameters(
        slots=2, block_bits=bits, cipher_key_bits=bits, round_keys=11, round_key_bits=bits, raw_words_before=0, raw_words_after=0, words=0
    )
    return MessageParameters(plan=plan_stream(mode(), bits // 8, {"cipher": cipher, "mul": 2}, cores=cores), keys=keys, channels=channels)
