# SPDX-License-Identifier: Apache-2.0
"""Block ciphers beside AES as circuits: SM4, Deoxys-BC and LED."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from modeloom.rtl.aes.parameters import CORES, Direction
from modeloom.rtl.aes.rounds import STREAMS as ROUND_STREAMS
from modeloom.rtl.deoxys.multistream import SCHEDULES, DeoxysBCMultiStream
from modeloom.rtl.deoxys.rounds import DeoxysBCPipeline, DeoxysKeySchedule
from modeloom.rtl.led import KEY_BITS, STREAMS, LEDRounds
from modeloom.rtl.sm4 import STAGES, SM4Pipeline, SM4Sequential
from modeloom.spec import InputError
from modeloom_circuits.contract import Built, Circuit, Operation, Option, number_of
from modeloom_golden.deoxys_bc import DeoxysBC256, key_parts
from modeloom_golden.led import LED
from modeloom_golden.sm4 import SM4, round_keys

__all__ = ["DEOXYS_CIRCUITS", "LED_CIRCUITS", "SM4_CIRCUITS"]


# -- SM4 ---------------------------------------------------------------------------------------------------------------------------------

# SM4 as circuits: a pipeline and a sequential core.

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

SM4_CIRCUITS = (
    Circuit(
        "sm4-pipeline", "SM4 pipeline, one block per cycle, round keys written from outside", _SOURCE,
        (_DIRECTION, _STAGES, _SLOTS), _pipeline,
    ),
    Circuit(
        "sm4-sequential", "SM4 core for one block at a time, with key memory", _SOURCE,
        (_DIRECTION, _STAGES, _SLOTS), _sequential,
    ),
)  # fmt: skip


# -- Deoxys-BC-256 -----------------------------------------------------------------------------------------------------------------------

# Deoxys-BC-256 as circuits: a pipeline, a round core for several streams, and the key's part of its subtweakeys.

def _result(key: bytes, decrypt: bool, block: bytes, tweak: bytes) -> int:
    cipher = DeoxysBC256(key)
    return number_of((cipher.decrypt_block if decrypt else cipher.encrypt_block)(block, tweak))


def _deoxys_pipeline(direction: str, stages: int = 1, slots: int = 1) -> Built:
    component = DeoxysBCPipeline(stages, slots, direction, whole_sboxes=True)
    keys = [Random(slot).randbytes(16) for slot in range(slots)]
    writes = [
        {"key_we": 1, "key_slot": slot, "key_round": number, "key_data": number_of(part)}
        for slot, key in enumerate(keys) for number, part in enumerate(key_parts(key))
    ]  # fmt: skip

    def operation(random: Random) -> Operation:
        slot, block, tweak = random.randrange(slots), random.randbytes(16), random.randbytes(16)
        decrypt, port = component.direction.draw(random)
        inputs = {"i": number_of(block), "tweak": number_of(tweak), "slot": slot, **port}
        return Operation([inputs], [{"o": _result(keys[slot], decrypt, block, tweak)}])

    return Built(component, operation, prepare=writes, figures={"rounds": component.rounds})


def _multistream(direction: str, streams: int = 4, schedule: str = "stored") -> Built:
    only = InputError("--schedule srl is for --direction encrypt: it makes the subtweakeys in this order only")
    Direction.of(direction).require(SCHEDULES[schedule], only)
    component = DeoxysBCMultiStream(streams, direction, schedule)
    one_key = Random(streams).randbytes(16)
    prepare: list[Mapping[str, int]] = []
    if schedule == "stored":
        prepare = [{"load": 1, "key": number_of(one_key)}, *[{}] * (component.load_cycles - 1)]

    def operation(random: Random) -> Operation:
        decrypt, port = component.direction.draw(random)
        begin, lag = component.key_ahead, component.tweak_lag
        inputs: list[dict[str, int]] = [{} for _ in range(begin + streams + lag)]
        outputs = []
        inputs[begin] |= {"start": 1, **port}
        for n in range(streams):
            block, tweak = random.randbytes(16), random.randbytes(16)
            key = one_key if schedule == "stored" else random.randbytes(16)
            inputs[begin + n]["i"] = number_of(block)
            inputs[n]["tweak"] = number_of(tweak)
            if schedule == "stored":
                inputs[n + lag]["tweak_again"] = number_of(tweak)
            else:
                inputs[n] |= {"key_start": 1, "key": number_of(key)}
            outputs.append({"o": _result(key, decrypt, block, tweak), "valid": 1})
        return Operation(inputs, outputs)

    figures = {"rounds": component.rounds, "streams": streams, "cycles_per_block": component.interval / streams}
    return Built(component, operation, prepare=prepare, figures=figures)


_FORMS: dict[str, tuple[Callable[..., Built], Sequence[str]]] = {
    "pipeline": (_deoxys_pipeline, ("stages", "slots")),
    "multistream": (_multistream, ("streams", "schedule")),
}
"""For each form: its maker, and the options that it alone has."""


def _cipher(form: str, direction: str, **own: int | str | None) -> Built:
    make, names = _FORMS[form]
    given = {name: value for name, value in own.items() if value is not None}
    for name in given:
        if name not in names:
            other = next(form for form, (_, theirs) in _FORMS.items() if name in theirs)
            raise InputError(f"--{name} is for --form {other}, not {form}")
    return make(direction, **given)


def _schedule() -> Built:
    def operation(random: Random) -> Operation:
        key = random.randbytes(16)
        writes = [{"we": 1, "round": number, "data": number_of(part)} for number, part in enumerate(key_parts(key))]
        return Operation([{"start": 1, "key": number_of(key)}], writes)

    component = DeoxysKeySchedule()
    # The contract counts from the start to the first write, the component to the last one.
    component.latency = 1
    return Built(component, operation, figures={"rounds": component.rounds, "erase_cycles": component.erase_latency})


DEOXYS_CIRCUITS = (
    Circuit(
        "deoxys-bc", "Deoxys-BC-256, a tweakable block cipher: pipeline, or round core for several blocks at a time",
        "luts2017, sections 2.3 and 4.2; Deoxys v1.41, section 2",
        (
            Option("form", "multistream", "A round for several blocks at a time, or one block per cycle", choices=tuple(_FORMS)),
            Option("direction", "encrypt", "Direction of the core. With both, each block selects its direction", choices=CORES),
            Option("streams", None, "Number of blocks in a batch of the round core (default: 4)", choices=tuple(ROUND_STREAMS)),
            Option(
                "schedule", None, "Key of the round core: stored, or with each block and shifted (default: stored)",
                choices=tuple(SCHEDULES),
            ),
            Option("stages", None, "Registers in a round of the pipeline (default: 1)", low=1, high=4),
            Option("slots", None, "Number of keys that the pipeline holds (default: 1)", low=1, high=64),
        ),
        _cipher,
    ),
    Circuit(
        "deoxys-key-schedule", "the key's part of the subtweakeys of Deoxys-BC-256, one in each cycle", "Deoxys v1.41, section 2.3",
        (), _schedule,
    ),
)  # fmt: skip


# -- LED ---------------------------------------------------------------------------------------------------------------------------------

# LED as circuits: a round core for one block at a time, and one for several.

def _led_multistream(key_bits: int, streams: int, lut_inputs: int) -> Built:
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
_LED_SOURCE = "eprint 2012/600; luts2017, section 4.3"

LED_CIRCUITS = (
    Circuit(
        "led", "LED round core for one block at a time, key from outside", _LED_SOURCE, (_KEY_BITS, _LUT_INPUTS),
        lambda key_bits, lut_inputs: _led_multistream(key_bits, 1, lut_inputs),
    ),
    Circuit(
        "led-multistream", "LED round core for several blocks at a time, key from outside", _LED_SOURCE,
        (_KEY_BITS, Option("streams", 3, "Number of blocks in a batch", choices=tuple(STREAMS)), _LUT_INPUTS), _led_multistream,
    ),
)  # fmt: skip
