# SPDX-License-Identifier: Apache-2.0
"""AES as circuits: a round, pipelines, sequential and serial cores, and a round for several streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from amaranth.lib.wiring import Component

from modeloom.rtl.aes.iterative_schedule import ALL, check_sizes
from modeloom.rtl.aes.parameters import CORES, Direction
from modeloom.rtl.aes.pipeline import KEY_MEMORIES, AESPipeline
from modeloom.rtl.aes.rounds import MIXCOLUMNS, SBOXES, STREAMS
from modeloom.rtl.aes.sequential import WIDTHS, AESSequential, AESSerial
from modeloom.spec import InputError
from modeloom_circuits.aes.rounds import AESMultiStream, AESRound, AESSerialEncrypter
from modeloom_circuits.contract import Built, Circuit, Operation, Option, number_of
from modeloom_golden.aes import AES
from modeloom_golden.aes_steps import decrypt_round, encrypt_round, inverse_form, round_keys

__all__ = ["AES_CIRCUITS"]


class _Keys:
    """A random key in every slot, in the forms for ports and for software.  It is the same for every build.

    Several key sizes are those of the slots in turn.
    """

    def __init__(self, sizes: Sequence[int], slots: int) -> None:
        random = Random(sizes[0])
        self.sizes = sizes
        self.lengths = [slot % len(sizes) for slot in range(slots)]
        keys = [random.randbytes(sizes[length] // 8) for length in self.lengths]
        self.software = [AES(key) for key in keys]
        self.forward = [round_keys(key) for key in keys]
        self.backward = [inverse_form(expanded) for expanded in self.forward]

    def writes(self, direction: Direction) -> Sequence[Mapping[str, int]]:
        """Values of the key ports, with one write per cycle."""
        cycles = []
        for slot, forms in enumerate(zip(self.forward, self.backward, strict=True)):
            for index, (plain, inverse) in enumerate(zip(*forms, strict=True)):
                cycle = {"key_we": 1, "key_slot": slot, "key_round": index}
                for name, backward in zip(("key_data", "key_data_dec"), direction.ways, strict=False):
                    cycle[name] = number_of(inverse if backward else plain)
                if len(self.sizes) > 1:
                    cycle["key_length"] = self.lengths[slot]
                cycles.append(cycle)
        return cycles

    def result(self, slot: int, decrypt: bool, block: bytes) -> bytes:
        cipher = self.software[slot]
        return cipher.decrypt_block(block) if decrypt else cipher.encrypt_block(block)


def _keyed(component: Component, sizes: Sequence[int], slots: int, **always: int) -> Built:
    """A core with a key memory."""
    keys = _Keys(sizes, slots)

    def operation(random: Random) -> Operation:
        slot, block = random.randrange(slots), random.randbytes(16)
        decrypt, port = component.direction.draw(random)
        inputs = {"i": number_of(block), "slot": slot, **port, **always}
        return Operation([inputs], [{"o": number_of(keys.result(slot, decrypt, block))}])

    return Built(component, operation, prepare=keys.writes(component.direction), figures={"rounds": component.rounds})


def _sequential(key_bits: int, direction: str, stages: int, sbox: str, mixcolumns: str, slots: int) -> Built:
    if sbox == "table" and stages > 2:
        raise InputError(f"--stages {stages}: with --sbox table a round has one or two registers")
    component = AESSequential(key_bits, slots, stages, direction=direction, sbox=sbox, mixcolumns=mixcolumns)
    return _keyed(component, (key_bits,), slots, start=1)


def _serial_core(key_bits: int, direction: str, bits: int, slots: int) -> Built:
    return _keyed(AESSerial(key_bits, slots, bits=bits, direction=direction), (key_bits,), slots, start=1)


def _serial(bits: int) -> Built:
    component = AESSerialEncrypter(bits)
    size = bits // 8

    def operation(random: Random) -> Operation:
        key, block = random.randbytes(16), random.randbytes(16)
        parts = [[number_of(data[at : at + size]) for at in range(0, 16, size)] for data in (key, block, AES(key).encrypt_block(block))]
        inputs: list[dict[str, int]] = [{} for _ in range(len(parts[0]) + component.lead)]
        inputs[0]["start"] = 1
        for n, (key_part, part) in enumerate(zip(*parts[:2], strict=True)):
            inputs[n]["key"], inputs[n + component.lead]["i"] = key_part, part
        return Operation(inputs, [{"o": part} for part in parts[2]])

    return Built(component, operation, figures={"rounds": component.rounds})


def _pipeline(
    key_bits: int | str, direction: str, stages: int, sbox: str, mixcolumns: str, slots: int, key_memory: str
) -> Built:
    sizes = check_sizes(key_bits)[::-1]
    component = AESPipeline(
        sizes[0], stages, slots, direction=direction, sbox=sbox, mixcolumns=mixcolumns, more_key_bits=sizes[1:],
        key_memory=key_memory,
    )  # fmt: skip
    return _keyed(component, sizes, slots)


def _round(direction: str, stages: int, sbox: str, mixcolumns: str, last: str) -> Built:
    if sbox == "bram" and not stages:
        raise InputError("--sbox bram needs --stages 1 or more: a block memory registers its address")
    component = AESRound(stages, direction, sbox, last=last == "yes", mixcolumns=mixcolumns)

    def operation(random: Random) -> Operation:
        state, key = random.randbytes(16), random.randbytes(16)
        decrypt, port = component.direction.draw(random)
        inputs: list[dict[str, int]] = [{} for _ in range(component.key_cycle + 1)]
        inputs[0] |= {"i": number_of(state), **port}
        inputs[-1]["key"] = number_of(key)
        return Operation(inputs, [{"o": number_of((decrypt_round if decrypt else encrypt_round)(state, key, last=last == "yes"))}])

    return Built(component, operation)


def _multistream(key_bits: int, direction: str, streams: int) -> Built:
    component = AESMultiStream(key_bits, streams, direction)
    keys = _Keys((key_bits,), 1)

    def operation(random: Random) -> Operation:
        blocks = [random.randbytes(16) for _ in range(streams)]
        decrypt, port = component.direction.draw(random)
        places = keys.backward[0][::-1] if decrypt else keys.forward[0]
        # Round r of stream n ends in cycle r * streams + n.  The last round coincides with the next batch at the input.
        inputs = [{"key": number_of(places[cycle // streams])} for cycle in range(streams * (component.rounds + 1))]
        for n, block in enumerate(blocks):
            inputs[n] = {"i": number_of(block), "key_first": number_of(places[0]), **({"start": 1, **port} if n == 0 else {})}
        return Operation(inputs, [{"o": number_of(keys.result(0, decrypt, block)), "valid": 1} for block in blocks])

    return Built(component, operation, figures={"rounds": component.rounds, "streams": streams})


_KEY_BITS = Option("key_bits", 128, "Key size in bits", choices=(128, 192, 256))
_DIRECTION = Option("direction", "encrypt", "Direction of the core. With both, each block selects its direction", choices=CORES)
_STAGES = Option("stages", 1, "Pipeline registers in a round", low=1, high=4)
_SLOTS = Option("slots", 1, "Number of keys that the core holds", low=1, high=16)
_SBOX = Option("sbox", "lut", "Form of the S-boxes: logic or block memories", choices=SBOXES)
_MIX = Option("mixcolumns", "lut6", "MixColumns as the mapper arranges it, or divided into LUTs with six inputs", choices=MIXCOLUMNS)
_BITS = Option("bits", 32, "Width of the data path in bits", choices=WIDTHS)

MOST_SLOTS = 1024

AES_CIRCUITS = (
    Circuit(
        "aes-round", "one round of AES, as pipelines have it", "FIPS 197, 5.1 and 5.3.5; luts2017, section 3",
        (
            _DIRECTION, Option("stages", 1, "Pipeline registers; 0 is combinational", high=4), _SBOX, _MIX,
            Option("last", "no", "Whether this is the last round, which has no MixColumns", choices=("no", "yes")),
        ),
        _round,
    ),
    Circuit(
        "aes-pipeline", "AES pipeline, one block per cycle, round keys written from outside", "gcm2008, section 4.2",
        (
            Option("key_bits", 128, "Key size in bits. With all, each slot has its own", choices=(128, 192, 256, ALL)),
            _DIRECTION, _STAGES, _SBOX, _MIX, Option("slots", 1, "Number of keys that the core holds", low=1, high=MOST_SLOTS),
            Option("key_memory", KEY_MEMORIES[0], "Memories of the round keys of several slots", choices=KEY_MEMORIES),
        ),
        _pipeline,
    ),
    Circuit(
        "aes-multistream", "AES round core for several blocks at a time, round keys from outside", "luts2017, section 3.3",
        (_KEY_BITS, _DIRECTION, Option("streams", 4, "Number of blocks in a batch", choices=tuple(STREAMS))), _multistream,
    ),
    Circuit(
        "aes-sequential", "AES core for one block at a time, with key memory", "tes2010, section 7; luts2017, section 3.1",
        (
            _KEY_BITS, _DIRECTION, _STAGES,
            Option("sbox", "lut", "Form of the S-boxes: logic or block memories. table includes MixColumns", choices=(*SBOXES, "table")),
            _MIX, _SLOTS,
        ),
        _sequential,
    ),
    Circuit(
        "aes-serial", "AES-128 encrypter with ports and a data path of 32 or 8 bits, round keys on the fly", "FIPS 197, 5.1 and 5.2",
        (_BITS,), _serial,
    ),
    Circuit(
        "aes-serial-core", "AES core with a data path of 32 or 8 bits and a key memory, as in cores of modes", "FIPS 197, 5.1 and 5.3.5",
        (_KEY_BITS, _DIRECTION, _BITS, _SLOTS), _serial_core,
    ),
)  # fmt: skip
