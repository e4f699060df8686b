# SPDX-License-Identifier: Apache-2.0
"""Parts of AES as circuits: S-boxes, MixColumns and its inverse, and key schedules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from random import Random

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Component, In, Out

from modeloom.rtl.aes.iterative_schedule import ALL, SIZE_CODES, IterativeKeySchedule
from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.mixcolumns_lut6 import (
    both_mix_columns_lut6,
    both_network,
    forward_network,
    inv_mix_columns_lut6,
    inverse_network,
    mix_columns_lut6,
)
from modeloom.rtl.aes.parameters import CORES, LAYERS, Direction
from modeloom.rtl.aes.sboxes import SBOXES, SBox
from modeloom.rtl.logic import XorLuts
from modeloom.spec import InputError
from modeloom_circuits.aes.agile_pipeline import COLLISIONS, AESAgilePipeline, AESUnrolledPipeline, UnrolledKeySchedule
from modeloom_circuits.aes.rounds import KeyRing, KeyStore, ShiftedKeySchedule
from modeloom_circuits.contract import Built, Circuit, Gates, Operation, Option, number_of
from modeloom_golden.aes import AES
from modeloom_golden.aes_steps import inv_mix_column, inv_sub_byte, inverse_round_keys, mix_column, round_keys, sub_byte

__all__ = ["COLUMN_CIRCUITS", "Column", "KEY_SCHEDULES", "OLD_DIRECTIONS", "SBOX_CIRCUITS"]


# -- S-boxes -----------------------------------------------------------------------------------------------------------------------------

# S-boxes of AES as circuits: gcm2008, section 2.2.2; luts2017, section 1.

OLD_DIRECTIONS = {"shared": "both"}
"""An older name of a direction."""

_SOURCES = {
    "lut": "luts2017, section 1; brw2013, appendix A",
    "bram": "tes2010, section 6",
    "composite": "gcm2008, section 2.2.2; Satoh et al., ASIACRYPT 2001",
    "bdd": "gcm2008, section 2.2.2; Morioka and Satoh, IEEE Trans. VLSI Systems 12(7), 2004",
    "compact": "Boyar and Peralta, SEA 2010; tools/compact_sbox.py",
}


def _build(kind: str, direction: str, stages: int) -> Built:
    def operation(random: Random) -> Operation:
        byte = random.getrandbits(8)
        inverse, port = component.direction.draw(random)
        return Operation([{"i": byte, **port}], [{"o": inv_sub_byte(byte) if inverse else sub_byte(byte)}])

    component = SBox(kind, direction, stages)
    form = SBOXES[kind]
    if form.gates is None:
        return Built(component, operation, figures={"direction": direction})
    gates = form.gates(direction)
    return Built(component, operation, Gates(gates.ands, gates.xors, gates.depth), {"direction": direction})


def _make(kind: str, direction: str | None) -> Callable[..., Built]:
    def make(stages: int, direction: str = direction or "") -> Built:
        return _build(kind, direction, stages)

    return make


def _circuits(kind: str) -> tuple[Circuit, Circuit]:
    form = SBOXES[kind]
    stages = Option("stages", form.least, "Pipeline registers", low=form.least, high=form.most)
    about = "The S-box, its inverse, or both, selected by an input"
    direction = Option("direction", "forward", about, choices=LAYERS, old=OLD_DIRECTIONS)
    return (
        Circuit(f"sbox-{kind}", f"S-box: {form.title}", _SOURCES[kind], (stages, direction), _make(kind, None)),
        Circuit(f"inv-sbox-{kind}", f"inverse S-box: {form.title}", _SOURCES[kind], (stages,), _make(kind, "inverse")),
    )


SBOX_CIRCUITS = tuple(circuit for kind in SBOXES for circuit in _circuits(kind))


# -- MixColumns --------------------------------------------------------------------------------------------------------------------------

# MixColumns and its inverse, one column, as circuits: gcm2008, section 2.2.4; luts2017, section 3.2.

class Column(wiring.Component):
    """MixColumns of one column, combinational.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse`` or ``both``.
    levels : int
        LUTs on the longest path of the inverse, 3 or 4.

    Members
    -------
    i : In(32)
        A column, row 0 at [7:0].
    inverse : In(1)
        With direction ``both`` only: 1 for InvMixColumns.
    o : Out(32)
        Its image.
    """

    latency = 0
    interval = 1

    def __init__(self, direction: str, levels: int = 4) -> None:
        self.direction, self.levels = Direction.of_layer(direction), levels
        super().__init__({"i": In(32), "o": Out(32), **self.direction.ports(inverse=In(1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        match self.direction:
            case "forward":
                result = mix_columns_lut6(m, self.i)
            case "inverse":
                result = inv_mix_columns_lut6(m, self.i, levels=self.levels)
            case _:
                result = both_mix_columns_lut6(m, self.i, self.inverse)
        m.d.comb += self.o.eq(result)
        return m


def _linear_build(direction: str, levels: int | None = None) -> Built:
    component = Column(direction, levels or 4)
    if levels is not None:
        component.direction.require(("inverse",), InputError(f"--levels is for direction inverse, not {direction}"))
    networks: dict[str, Callable[[], XorLuts]] = {
        "forward": forward_network, "inverse": lambda: inverse_network(levels or 4), "both": both_network,
    }  # fmt: skip
    network = networks[direction]()

    def operation(random: Random) -> Operation:
        column = random.randbytes(4)
        inverse, port = component.direction.draw(random)
        image = inv_mix_column(column) if inverse else mix_column(column)
        return Operation([{"i": int.from_bytes(column, "little"), **port}], [{"o": int.from_bytes(image, "little")}])

    gates = Gates(network.ands, network.xors, network.depth)
    figures: dict[str, int | float | str] = {"direction": direction, "lut6": network.luts, "lut6_levels": network.levels}
    return Built(component, operation, gates, figures)


_DIRECTION = Option("direction", "forward", "MixColumns, its inverse, or both by an input", choices=LAYERS, old=OLD_DIRECTIONS)
_LEVELS = Option("levels", None, "LUTs on the longest path of the inverse", choices=(3, 4))

COLUMN_CIRCUITS = (
    Circuit("mixcolumns", "MixColumns of one column", "luts2017, section 3.2", (_DIRECTION, _LEVELS), _linear_build),
    Circuit(
        "inv-mixcolumns", "InvMixColumns of one column", "luts2017, section 3.2", (_LEVELS,),
        lambda levels: _linear_build("inverse", levels),
    ),
)  # fmt: skip


# -- key schedules -----------------------------------------------------------------------------------------------------------------------

# AES key schedules as circuits, and a pipeline with a key schedule: gcm2008, sections 2.2.5 and 4.2; luts2017, section 2.3.
#
# An operation of a schedule is a key with all its round keys.  An operation of the pipeline is a block.

Make = Callable[..., tuple[Component, Callable[[Random], Operation]]]


def _keys(key_bits: int | str) -> Callable[[Random], tuple[bytes, dict[str, int]]]:
    """Random keys with the values of the ports.  With "all", the sizes alternate and the longest is the first."""
    sizes = cycle((256, 192, 128) if isinstance(key_bits, str) else (key_bits,))

    def draw(random: Random) -> tuple[bytes, dict[str, int]]:
        bits = next(sizes)
        key = random.randbytes(bits // 8)
        return key, {"key": number_of(key), **({"key_size": SIZE_CODES[bits]} if key_bits == ALL else {})}

    return draw


def _offline(key_bits: int, direction: str, slots: int) -> tuple[Component, Callable[[Random], Operation]]:
    inverse = direction == "decrypt"
    draw = _keys(key_bits)
    expand = inverse_round_keys if inverse else round_keys
    if not slots:
        schedule = KeySchedule(key_bits)

        def last_write(random: Random) -> Operation:
            key, ports = draw(random)
            last = number_of(expand(key)[-1])
            written = {"we": 1, "round": schedule.rounds, "data_dec" if inverse else "data": last, "done": 1}
            return Operation([{"start": 1, **ports}], [written])

        return schedule, last_write
    store = KeyStore(key_bits, slots, inverse=inverse)
    numbers = cycle(range(slots))

    def read_all(random: Random) -> Operation:
        key, ports = draw(random)
        slot = next(numbers)
        reads: list[dict[str, int]] = [{"read_slot": slot, "read_round": r} for r in range(store.rounds + 1)]
        inputs = [{"start": 1, "slot": slot, **ports}, *[{}] * (store.latency - 2), *reads]
        return Operation(inputs, [{"data": number_of(data)} for data in expand(key)])

    return store, read_all


def _iterative(key_bits: int | str, direction: str, _: int) -> tuple[Component, Callable[[Random], Operation]]:
    draw = _keys(key_bits)
    inverse = direction == "decrypt"

    def operation(random: Random) -> Operation:
        key, ports = draw(random)
        writes = [{"we": 1, "round": r, "data": number_of(data)} for r, data in enumerate(round_keys(key))]
        if inverse:
            for write, data in zip(writes, inverse_round_keys(key), strict=True):
                write["data_dec"] = number_of(data)
        return Operation([{"start": 1, **ports}], writes)

    return IterativeKeySchedule(key_bits, inverse=inverse), operation


def _unrolled(key_bits: int, direction: str, _: int) -> tuple[Component, Callable[[Random], Operation]]:
    draw = _keys(key_bits)

    def operation(random: Random) -> Operation:
        key, ports = draw(random)
        return Operation([ports], [{f"key_{r}": number_of(data)} for r, data in enumerate(round_keys(key))])

    return UnrolledKeySchedule(key_bits), operation


def _shifted(key_bits: int, direction: str, streams: int) -> tuple[Component, Callable[[Random], Operation]]:
    draw = _keys(key_bits)

    def operation(random: Random) -> Operation:
        drawn = [draw(random) for _ in range(streams)]
        expanded = [round_keys(key)[1:] for key, _ in drawn]
        shown = [{"data": number_of(data)} for round_ in zip(*expanded, strict=True) for data in round_]
        return Operation([{"start": 1, **ports} for _, ports in drawn], shown)

    return ShiftedKeySchedule(key_bits, streams), operation


def _ring(key_bits: int, direction: str, _: int) -> tuple[Component, Callable[[Random], Operation]]:
    draw = _keys(key_bits)
    inverse = direction == "decrypt"
    ring = KeyRing(key_bits, inverse=inverse)

    def operation(random: Random) -> Operation:
        key, ports = draw(random)
        first, *others = inverse_round_keys(key)[::-1] if inverse else round_keys(key)
        turns: list[dict[str, int]] = [{"advance": 1}] * (ring.rounds - 1)
        shown = [{"first": number_of(first), "data": number_of(others[0])}, *({"data": number_of(data)} for data in others[1:])]
        return Operation([{"start": 1, **ports}, *[{}] * (ring.latency - 1), *turns], shown)

    return ring, operation


_FORMS: dict[str, tuple[Make, bool, Sequence[Direction], str, int]] = {
    "offline": (_offline, False, CORES[:2], "slots", 1),
    "iterative": (_iterative, True, CORES[:2], "", 0),
    "unrolled": (_unrolled, True, CORES[:1], "", 0),
    "srl": (_shifted, False, CORES[:1], "streams", 4),
    "ring": (_ring, False, CORES[:2], "", 0),
}
"""For each form: its maker, whether it mixes key sizes, its directions, and its own option with the default."""


def _schedule(form: str, key_bits: int | str, direction: str, slots: int | None, streams: int | None) -> Built:
    make, mixes, directions, own, default = _FORMS[form]
    if key_bits == ALL and not mixes:
        raise InputError(f"--form {form} takes --key-bits 128, 192 or 256, not all")
    only = InputError(f"--form {form} is for --direction encrypt: it makes the round keys in this order only")
    Direction.of(direction).require(directions, only)
    given = {name: value for name, value in (("slots", slots), ("streams", streams)) if value is not None}
    for name in given:
        if name != own:
            raise InputError(f"--{name} is for --form {'offline' if name == 'slots' else 'srl'}, not {form}")
    component, operation = make(key_bits, direction, given.get(own, default))
    figures = {"rounds": component.rounds, "erase_cycles": component.erase_latency}
    return Built(component, operation, figures=figures)


def _pipeline(form: str, key_bits: int | str, stages: int, collision: str) -> Built:
    random_key = _keys(key_bits)
    if form == "unrolled":
        own_key = AESUnrolledPipeline(key_bits, stages)

        def keyed_block(random: Random) -> Operation:
            key, ports = random_key(random)
            block = random.randbytes(16)
            result = {"o": number_of(AES(key).encrypt_block(block)), "o_valid": 1}
            return Operation([{"i": number_of(block), "i_valid": 1, **ports}], [result])

        return Built(own_key, keyed_block, figures={"key_interval": 1, "erase_cycles": own_key.erase_latency})

    component = AESAgilePipeline(key_bits, stages, collision)
    # The longest of the key sizes, whose latency is that of the component.
    key, ports = random_key(Random(component.latency))
    cipher = AES(key)

    def block(random: Random) -> Operation:
        plain = random.randbytes(16)
        result = {"o": number_of(cipher.encrypt_block(plain)), "o_valid": 1}
        return Operation([{"i": number_of(plain), "i_valid": 1}], [result])

    figures = {
        "key_interval": max(component.key_interval.values()),
        "key_change_stall": max(component.stall.values()),
        "erase_cycles": component.erase_latency,
    }
    return Built(component, block, figures=figures, prepare=({"key_valid": 1, **ports},))


_KEY_BITS = Option("key_bits", 128, "Key size in bits. With all, each key states its size", choices=(128, 192, 256, ALL))

KEY_SCHEDULES = (
    Circuit(
        "aes-key-schedule", "AES key schedule", "gcm2008, sections 2.2.5 and 4.2.2; luts2017, section 2.3",
        (
            Option("form", "iterative", "When the round keys are computed, and where they are stored", choices=tuple(_FORMS)),
            _KEY_BITS,
            Option("direction", "encrypt", "Round keys of the cipher, or of the equivalent inverse cipher", choices=("encrypt", "decrypt")),
            Option("slots", None, "Key slots in the memory of the offline form (default: 1); 0 for no memory", high=64),
            Option("streams", None, "Number of streams of the srl form (default: 4)", low=1, high=32),
        ),
        _schedule,
    ),
    Circuit(
        "aes-pipeline-agile", "AES encrypting pipeline with its key schedule, new keys at full rate", "gcm2008, section 4.2.2",
        (
            Option("form", "iterative", "One key schedule for the pipeline, or one for each block", choices=("iterative", "unrolled")),
            Option("key_bits", ALL, "Key size in bits. With all, each key states its size", choices=(128, 192, 256, ALL)),
            Option("stages", 1, "Pipeline registers in a round", low=1, high=4),
            Option("collision", "delay", "With several key sizes, all take as long as the longest, or shorter wait", choices=COLLISIONS),
        ),
        _pipeline,
    ),
)  # fmt: skip
