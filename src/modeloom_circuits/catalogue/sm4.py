# SPDX-License-Identifier: Apache-2.0
"""SM4 as circuits: a pipeline and a sequential core."""

from __future__ import annotations

from random import Random

from modeloom.golden.sm4 import SM4, round_keys
from modeloom.rtl.aes.parameters import CORES
from modeloom.rtl.sm4.pipeline import STAGES, SM4Pipeline, SM4Sequential
from modeloom_circuits.contract import Built, Circuit, Operation, Option, number_of

__all__ = ["CIRCUITS"]


def _keyed(component: SM4Pipeline | SM4Sequential, slots: int, **always: int) -> Built:
    """A core with a random key in every slot.  The keys are the same for every build."""
    random = Random(slots)
    keys = [random.randbytes(16) for _ in range(slots)]
    ciphers = [SM4(key) for key in keys]
    writes = [
        {"key_we": 1, "key_slot": slot, "key_round": index, "key_data": word}
        for slot, key in enumerate(keys) for index, word in enumerate(round_keys(key))
    ]  # fmt: skip

    def operation(random: Random) -> Operation:
        slot, block = random.randrange(slots), random.randbytes(16)
        decrypt, port = component.direction.draw(random)
        cipher = ciphers[slot]
        result = cipher.decrypt_block(block) if decrypt else cipher.encrypt_block(block)
        return Operation([{"i": number_of(block), "slot": slot, **port, **always}], [{"o": number_of(result)}])

    return Built(component, operation, prepare=writes, figures={"rounds": 32})


def _pipeline(direction: str, stages: int, slots: int) -> Built:
    return _keyed(SM4Pipeline(direction, stages, slots), slots)


def _sequential(direction: str, stages: int, slots: int) -> Built:
    return _keyed(SM4Sequential(direction, stages, slots), slots, start=1)


_STAGES = Option("stages", 1, "Pipeline registers in a round", low=1, high=STAGES)
_DIRECTION = Option("direction", "encrypt", "Direction of the core. With both, each block selects its direction", choices=CORES)
_SLOTS = Option("slots", 1, "Number of keys that the core holds", low=1, high=16)
_SOURCE = "GB/T 32907-2016"

CIRCUITS = (
    Circuit(
        "sm4-pipeline", "SM4 pipeline, one block per cycle, round keys written from outside", _SOURCE,
        (_DIRECTION, _STAGES, _SLOTS), _pipeline,
    ),
    Circuit(
        "sm4-sequential", "SM4 core for one block at a time, with key memory", _SOURCE,
        (_DIRECTION, _STAGES, _SLOTS), _sequential,
    ),
)  # fmt: skip
