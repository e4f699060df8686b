# SPDX-License-Identifier: Apache-2.0
"""LED as circuits: a round core for one block at a time, and one for several."""

from __future__ import annotations

from random import Random

from modeloom.golden.led import LED
from modeloom.rtl.led.rounds import KEY_BITS, STREAMS, LEDRounds
from modeloom_circuits.contract import Built, Circuit, Operation, Option, number_of

__all__ = ["CIRCUITS"]


def _multistream(key_bits: int, streams: int, lut_inputs: int) -> Built:
    """The core with a random key, which is the same for every build."""
    component = LEDRounds(key_bits, streams, lut_inputs)
    key = Random(key_bits).randbytes(key_bits // 8)
    cipher = LED(key)

    def operation(random: Random) -> Operation:
        blocks = [random.randbytes(8) for _ in range(streams)]
        # The sum with the last subkey coincides with the next batch at the input.
        inputs = [{"key": number_of(key)} for _ in range(component.interval + streams)]
        for n, block in enumerate(blocks):
            inputs[n] |= {"i": number_of(block), "start": int(n == 0)}
        return Operation(inputs, [{"o": number_of(cipher.encrypt_block(block)), "valid": 1} for block in blocks])

    return Built(component, operation, figures={"rounds": component.rounds, "streams": streams})


_KEY_BITS = Option("key_bits", 64, "Key size in bits", choices=tuple(KEY_BITS))
_LUT_INPUTS = Option(
    "lut_inputs", 6, "Inputs of a LUT (default: those of the target, if it has LUTs)", choices=(4, 6), on_luts={4: 4, 6: 6}
)
_SOURCE = "eprint 2012/600; luts2017, section 4.3"

CIRCUITS = (
    Circuit(
        "led", "LED round core for one block at a time, key from outside", _SOURCE, (_KEY_BITS, _LUT_INPUTS),
        lambda key_bits, lut_inputs: _multistream(key_bits, 1, lut_inputs),
    ),
    Circuit(
        "led-multistream", "LED round core for several blocks at a time, key from outside", _SOURCE,
        (_KEY_BITS, Option("streams", 3, "Number of blocks in a batch", choices=tuple(STREAMS)), _LUT_INPUTS), _multistream,
    ),
)  # fmt: skip
