# SPDX-License-Identifier: Apache-2.0
"""The software model of a mode: its definition run on numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from modeloom.ciphers import BlockCipher, cipher_of
from modeloom.ir.graph import Trace
from modeloom.ir.trace import trace
from modeloom.modes import find, find_any
from modeloom.spec import Blocks, CipherKey, DefinitionError, InputError, Keys, Mode, Numbers, blame, checked_mode
from modeloom.spec.counters import Amount
from modeloom.spec.errors import place_of
from modeloom.spec.importable import importable
from modeloom.spec.mode import Definition, KeyParts
from modeloom.spec.numbers import Piece, StreamNumbers
from modeloom.spec.stream import StreamMode
from modeloom.streams.trace import Known, StepTrace, StreamTrace

__all__ = [
    "KeyedDefinition", "Model", "as_bytes", "differs", "expanded_key", "expanded_key_of", "key_lengths", "model", "replay",
    "replay_step", "to_blocks", "to_bytes",
]  # fmt: skip


# -- expanded --------------------------------------------------------------------------------------------------------------------------

# The key packet of a core that takes expanded keys.
#
#     K ‖ word     ──▶ RK0 ‖ RK1 ‖ ... ‖ word        each part padded with zeros to whole beats


def expanded_key(mode: StreamMode, cipher: BlockCipher, key: bytes, beat_bytes: int = 16) -> bytes:
    """The bytes of a key packet with round keys in the place of the cipher key.

    Parameters
    ----------
    mode : StreamMode
    cipher : BlockCipher
    key : bytes
        The mode's whole key, as a core that expands keys takes it.
    beat_bytes : int
        Bytes of a beat; each round key and each other part begins with one.

    Raises
    ------
    InputError
        The key has a wrong length, or the cipher has no software for its round keys.
    """
    if cipher.expand is None:
        raise InputError(f"{cipher.name} has no software that expands a key: its description has no expand")
    parts = mode.split_key(key, tuple(bits // 8 for bits in cipher.key_bits))
    packet = b""
    for name, value in parts.items():
        for each in cipher.expand(value) if name in mode.cipher_keys else (value,):
            packet += each + bytes(-len(each) % beat_bytes)
    return packet


def expanded_key_of(definition: str, folder: str | Path, cipher_name: str, key: bytes) -> bytes:
    """``expanded_key`` for a mode by its name or place, which may be given from a folder, and a cipher by its name."""
    mode = find_any(definition, folder)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{definition} is a mode for sectors, whose cores expand keys themselves")
    return expanded_key(mode, cipher_of(mode, cipher_name), key)


# -- software --------------------------------------------------------------------------------------------------------------------------

# A definition with a key on numbers: the parts of the key, the operations, and the results of the set-up.

def as_bytes(what: str, value: object) -> bytes:
    """Converts bytes, bytearray or memoryview to bytes.  Raises ``TypeError`` for anything else."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    hint = "; bytes.fromhex reads hex digits" if isinstance(value, str) else ""
    raise TypeError(f"{what} must be bytes, not {type(value).__name__}{hint}")


def key_lengths(mode: Definition, cipher_name: str | None = None) -> list[int]:
    """Lengths in bytes that the whole key of a mode may have, one for each key size of the cipher."""
    sizes = mode.cipher_key_bits or cipher_of(mode, cipher_name).key_bits
    return sorted({mode.keying().key_bytes(mode, bits // 8) for bits in sizes})


O = TypeVar("O", bound=Numbers)


class KeyedDefinition(Generic[O]):
    """A definition with a key.

    Parameters
    ----------
    mode : Definition
        The mode, or its class.
    key : bytes
        The whole key of the mode, with its parts in the order of ``mode.key_parts``.  Its length selects the key size of the cipher.
    cipher_name : str or None
        The block cipher, if it is not that of the mode.

    Attributes
    ----------
    cipher_key_bytes : int
        Bytes of a cipher key, but of those in ``mode.fixed_key_bits``.
    """

    numbers: type[O]
    """The operations."""

    def __init__(self, mode: Definition, key: bytes, cipher_name: str | None = None):
        description = cipher_of(mode, cipher_name)
        parts = mode.split_key(as_bytes("key", key), tuple(bits // 8 for bits in sorted(description.key_bits)))
        free = (len(parts[name]) for name in mode.cipher_keys if name not in mode.fixed_key_bits)
        self.cipher_key_bytes = next(free, mode.block_bytes)
        self.definition = mode
        self._description, self._parts = description, parts

    def operations(self) -> O:
        """The operations with the cipher keys of the mode."""
        keyed, mode = self._description.software, self.definition
        return self.numbers(mode.field, [keyed(self._parts[name]) for name in mode.cipher_keys], keyed, self.cipher_key_bytes)

    @property
    def parts(self) -> dict[str, bytes]:
        """The parts of the key by name."""
        return self._parts

    @property
    def key_blocks(self) -> dict[str, int]:
        """The parts of the key that are blocks."""
        return {name: int.from_bytes(value, "little") for name, value in self._parts.items() if name not in self.definition.cipher_keys}

    def run_setup(self, o: Numbers) -> Keys:
        """Runs the set-up with operations.  Raises ``InputError`` for a key that the mode refuses."""
        mode = self.definition
        raw: dict[str, object] = {**self.key_blocks, **{name: CipherKey(number) for number, name in enumerate(mode.cipher_keys)}}
        with importable(mode.folder), blame(mode.name, mode.setup):
            return mode.setup(o, KeyParts(**raw))


def to_blocks(data: bytes, block_bytes: int) -> Blocks:
    """Splits bytes into blocks.  A partial last block is filled with zeros."""
    values = [int.from_bytes(data[at : at + block_bytes], "little") for at in range(0, len(data), block_bytes)]
    return Blocks(values, len(data), block_bytes)


def to_bytes(blocks: list[int], nbytes: int, block_bytes: int) -> bytes:
    """Joins blocks and returns the first ``nbytes`` bytes."""
    return b"".join(block.to_bytes(block_bytes, "little") for block in blocks)[:nbytes]


class Model(KeyedDefinition[Numbers]):
    """A mode with a key.

    Parameters
    ----------
    mode : Mode
        The mode, or its class.
    key : bytes
        The whole key of the mode, with its parts in the order of ``mode.key_parts``.  Its length selects the key size of the cipher.
    cipher_name : str or None
        The block cipher, if it is not that of the mode.
    """

    numbers = Numbers

    def __init__(self, mode: Mode, key: bytes, cipher_name: str | None = None):
        if isinstance(mode, str):
            raise TypeError(f"mode must be an instance of Mode, not {mode!r}; modeloom.model takes the name of a mode")
        mode = checked_mode(mode)
        super().__init__(mode, key, cipher_name)
        self.mode = mode
        self._ready: dict[int, tuple[Numbers, Keys]] = {}
        self._traced: set[tuple[int, int]] = set()

    def set_up(self, blocks: int) -> tuple[Numbers, Keys]:
        """The operations and key values, for sectors of so many blocks if the set-up depends on that.

        Raises ``InputError`` for a key that the mode refuses.
        """
        blocks = blocks if self.mode.setup_of_size else 0
        if blocks not in self._ready:
            o = self.operations()
            o.blocks = blocks
            self._ready[blocks] = o, self.run_setup(o)
        return self._ready[blocks]

    def blocks(self, direction: str, tweak: bytes, data: bytes) -> list[int]:
        """The blocks that a direction gives for a sector, including whatever the definition leaves behind the bytes of a partial block."""
        tweak, data = as_bytes("tweak", tweak), as_bytes("data", data)
        self.mode.check_sector(len(data))
        self.mode.check_tweak(len(tweak))
        run = self.mode.ways().get(direction)
        if run is None:
            raise InputError(f"{self.mode.name}: the mode has one direction only, {self.mode.one_direction}")
        size = self.mode.block_bytes
        if (len(data), len(tweak)) not in self._traced:
            # What a core cannot do is refused here, too, although numbers can do it.
            trace(self.mode, len(data), len(tweak), key_bytes=self.cipher_key_bytes)
            self._traced.add((len(data), len(tweak)))
        o, keys = self.set_up(-(-len(data) // size))
        with importable(self.mode.folder), blame(self.mode.name, run):
            return list(run(o, keys, to_blocks(tweak, size), to_blocks(data, size)))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Ciphertext of a sector.  Raises ``InputError`` for lengths that the mode does not accept."""
        return to_bytes(self.blocks("encrypt", tweak, data), len(data), self.mode.block_bytes)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Plaintext of a sector.  Raises ``InputError`` for lengths that the mode does not accept."""
        return to_bytes(self.blocks("decrypt", tweak, data), len(data), self.mode.block_bytes)


def model(name: str, key: bytes, cipher: str | None = None) -> Model:
    """The software model of a mode given by name, with a cipher given by name or with that of the mode."""
    return Model(find(name, cipher=cipher), key, cipher)


# -- replay ------------------------------------------------------------------------------------------------------------------------

# Computes a traced definition node by node on numbers.
#
# This is what the core will do.  It is compared with what the definition does when it runs.  Both are the same unless a definition looks at
# the type, the text or the identity of its blocks.  The core would then compute one mode, and the software model, which tests the core,
# another.

def differs(mode: Definition, what: str, step: str) -> DefinitionError:
    """The error for a definition that gives something else on numbers than its trace does.  *what* is a part of what the step gives."""
    return DefinitionError(
        f"{mode.name}: {what} of {step}() differs when the definition runs on numbers; a definition may use blocks only with XOR and the "
        f"words of o, and must not look at their type, text or identity ({place_of(getattr(mode, step))})"
    )


def replay(source: Trace, model: Model, direction: str, tweak: bytes, data: bytes) -> list[int]:
    """The blocks that one direction of a trace gives for a sector, with the key of a model.  Raises ``InputError`` if the key is
    refused."""
    o = model.operations()
    run = _Run(source, o, model.key_blocks, to_blocks(tweak, source.block_bytes), to_blocks(data, source.block_bytes))
    for made in source.derived:
        o.cipher_key(*(run.value(i) for i in made))
    return [run.value(i) for i in source.outputs[direction]]


class _Run:
    def __init__(self, source: Trace, o: Numbers, parts: dict[str, int], tweak: Sequence[int], blocks: Sequence[int]):
        self.source, self.o = source, o
        self.leaves: dict[str, Mapping[str, int] | Mapping[int, int] | Sequence[int]] = {"block": blocks, "tweak": tweak, "raw": parts}
        self.values: dict[int, int] = {}

    def value(self, root: int) -> int:
        """Value of a node, after those that it needs."""
        stack = [root]
        while stack:
            i = stack[-1]
            missing = [j for j in self.source.nodes[i].inputs if j not in self.values]
            if i not in self.values and not missing:
                self.values[i] = self._compute(i)
            if missing:
                stack += missing
            else:
                stack.pop()
        return self.values[root]

    def _compute(self, i: int) -> int:
        node, o = self.source.nodes[i], self.o
        kind, args = node.kind, node.args
        if kind in self.leaves:
            return self.leaves[kind][args[0]]
        if kind == "const":
            return args[0]
        values = [self.values[j] for j in node.inputs]
        if kind == "xor":
            return values[0] ^ values[1]
        if kind == "scale":
            return o.double(values[0], args[1])
        if kind == "keep":
            return o.head(values[0], args[1]) if args[1] > 0 else o.tail(values[0], -args[1])
        if operation := node.operation:
            return operation.on_numbers(o, values, node.number)
        if kind == "inverse":
            return o.inverse(values[0], self.source.nonzero[args[0]])
        if kind == "power":
            return o.power(values[0], args[1])
        if kind == "poly":
            h, last, *blocks = values
            return o.poly(h, blocks, last)
        raise ValueError(f"no meaning is known for a node {kind!r}")


def replay_step(
    source: StreamTrace, step: StepTrace, o: StreamNumbers, parts: Mapping[str, int], state: Mapping[str, int], pieces: Sequence[Piece],
    lengths: Mapping[str, int], tag: int = 0,
) -> tuple[dict[str, int], tuple[int, ...]]:  # fmt: skip
    """The state after a traced step of a message, and the blocks that it gives.

    Parameters
    ----------
    o : StreamNumbers
        The operations, with the cipher keys of a message.
    parts : mapping
        The parts of its key that are blocks, by name.
    pieces : sequence of Piece
        The nonce, the block or the pair that the step takes; none for ``tag``.
    lengths : mapping
        The lengths of the message, by the names that ``known.lengths_in_start`` gives them.
    """
    run = _StepRun(source, o, dict(parts), state, pieces, lengths, tag)
    given = tuple(run.value(node) for node in (step.output, step.second) if node is not None)
    return {name: run.value(node) for name, node in step.updates.items()}, given


class _StepRun(_Run):
    """The nodes of a step of a message."""

    def __init__(
        self, source: StreamTrace, o: StreamNumbers, parts: dict[str, int], state: Mapping[str, int], pieces: Sequence[Piece],
        lengths: Mapping[str, int], tag: int,
    ):  # fmt: skip
        super().__init__(source, o, parts, (), ())
        # A block alone has the number 0, and those of a pair have 1 and 2.
        taken = {0: pieces[0], 1: pieces[0], 2: pieces[-1]} if pieces else {}
        self.leaves |= {"state": state, "associated": taken, "text": taken, "tag": {0: tag}}
        self.last, self.lengths = pieces[-1] if pieces else Piece(b""), lengths

    def _compute(self, i: int) -> int:
        node, o = self.source.nodes[i], self.o
        assert isinstance(o, StreamNumbers)
        kind, args = node.kind, node.args
        if kind == "nonce":
            return o.front01(int(self.last), self.last.nbytes) if args[0] else int(self.last)
        if kind == "mark":
            return o.pad10(0, self.last)
        if kind == "lengths":
            order, *parts = args
            first, second = (self.lengths[part] if isinstance(part, str) else part for part in parts)
            return o.bit_lengths(first, second, order)
        if kind == "number":
            of, first, nbytes = args
            return o.number(of.value(self.lengths) if isinstance(of, Known) else self.lengths[of], first, nbytes)
        if kind == "cut":
            return o.cut(self.values[args[0]], self.last)
        if kind == "whole":
            return o.if_whole(self.values[args[0]], self.last)
        if kind == "shift":
            return o.shift(self.values[args[0]], self._amount(args[1]))
        if kind == "scale":
            return o.double(self.values[args[0]], self._amount(args[1]))
        return super()._compute(i)

    def _amount(self, amount: int | Amount[int]) -> int:
        if not isinstance(amount, Amount):
            return int(amount)
        o = self.o
        assert isinstance(o, StreamNumbers)
        return (o.ntz(o.index(self.last)) if amount.what is None else o.last_bits(self.values[amount.what], amount.bits)) + amount.plus
