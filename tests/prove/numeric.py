# SPDX-License-Identifier: Apache-2.0
"""The machine on numbers: a cycle-accurate software model of the engine, for many independent runs at a time.

A value is an array of shape (runs, width / 64), the polynomial of each run's block in 64-bit words, lowest first::

    words[r, 0]   coefficients x^0 … x^63        words[r, 1]   x^64 … x^127

Blocks are converted from and to the bit order of the field where they enter, pass through the cipher, are truncated, and leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modeloom.allocate.program import Program
from modeloom.prove.execute import make_sectors
from modeloom.prove.machine import Machine, Plan, Sector
from modeloom.spec import Cipher, Field
from modeloom.spec.kinds import Kind
from modeloom.spec.numbers import Numbers as Operations

__all__ = ["Batch", "NumericField", "Numbers", "NumericMachine", "Result"]

Batch = NDArray[np.uint64]


class NumericField:
    """Field operations on batches.

    Parameters
    ----------
    field : Field
        Its width is a multiple of 64.
    """

    def __init__(self, field: Field):
        if field.width % 64:
            raise ValueError(f"numbers run in words of 64 bits, and the field has {field.width}")
        self.field = field
        self.words = field.width // 64
        self.block_bytes = field.width // 8
        # What the 4 bits that a shift carries out stand for, upwards and downwards.
        self._carry = np.stack([self.words_of(field.poly_mul(i, field.x_power(field.width))) for i in range(16)])
        self._borrow = np.stack([self.words_of(field.poly_mul(i, field.x_power(-4))) for i in range(16)])
        self._factor = field.x_power(field.factor)
        order = [field.to_polynomial(byte) & 255 for byte in range(256)]
        self._bytes = np.array(order, dtype=np.uint8)

    def words_of(self, polynomial: int) -> Batch:
        """The words of one polynomial."""
        return np.array([polynomial >> 64 * i & ((1 << 64) - 1) for i in range(self.words)], dtype=np.uint64)

    def from_bytes(self, blocks: bytes) -> Batch:
        """Polynomials of blocks that follow one another."""
        return self._bytes[np.frombuffer(blocks, dtype=np.uint8)].view("<u8").reshape(-1, self.words)

    def to_bytes(self, values: Batch) -> bytes:
        """Blocks of polynomials, one after another."""
        return self._bytes[np.ascontiguousarray(values).view(np.uint8)].tobytes()

    def mul(self, a: Batch, b: Batch) -> Batch:
        """The field's product, a * b * x^factor, of each row."""
        a, b = np.broadcast_arrays(a, b)
        if self.field.factor == -self.field.width:
            table, nibbles, rows = self._multiples(a, b)
            result = np.zeros(b.shape, dtype=np.uint64)
            for nibble in nibbles:
                result = self._unshifted(result ^ table[nibble, rows])
            return result
        product = self._plain(a, b)
        return self.times(product, self._factor) if self.field.factor else product

    def times(self, a: Batch, constant: int) -> Batch:
        """Each row times one polynomial."""
        return self._plain(np.broadcast_to(self.words_of(constant), a.shape), a)

    def _multiples(self, a: Batch, b: Batch) -> tuple[Batch, NDArray[np.intp], NDArray[np.intp]]:
        """The 16 small multiples of b, the digits of a from the lowest, and the numbers of the rows."""
        table = np.zeros((16, *b.shape), dtype=np.uint64)
        table[1] = b
        for i in range(2, 16):
            table[i] = self._shifted(table[i // 2], 1) if i % 2 == 0 else table[i - 1] ^ b
        nibbles = np.stack([(a[:, i // 16] >> np.uint64(4 * (i % 16))) & np.uint64(15) for i in range(16 * self.words)])
        return table, nibbles.astype(np.intp), np.arange(len(a))

    def _plain(self, a: Batch, b: Batch) -> Batch:
        table, nibbles, rows = self._multiples(a, b)
        result = np.zeros(b.shape, dtype=np.uint64)
        for nibble in nibbles[::-1]:
            result = self._shifted(result, 4) ^ table[nibble, rows]
        return result

    def _unshifted(self, a: Batch) -> Batch:
        """a * x^-4."""
        result = a >> np.uint64(4)
        result[:, :-1] |= a[:, 1:] << np.uint64(60)
        return result ^ self._borrow[(a[:, 0] & np.uint64(15)).astype(np.intp)]

    def _shifted(self, a: Batch, k: int) -> Batch:
        """a * x^k, k from 1 to 4."""
        out = a[:, -1] >> np.uint64(64 - k)
        result = a << np.uint64(k)
        result[:, 1:] |= a[:, :-1] >> np.uint64(64 - k)
        return result ^ self._carry[out.astype(np.intp)]

    def scale(self, a: Batch, k: int) -> Batch:
        """a * x^k; plain, without the field's factor."""
        if 0 <= k <= 4:
            return self._shifted(a, k) if k else a
        return self.times(a, self.field.x_power(k))

    def head(self, a: Batch, nbytes: int) -> Batch:
        """The first bytes of each block (0: all; below 0: all but the first)."""
        if not nbytes:
            return a
        octets = np.ascontiguousarray(a).view(np.uint8).copy()
        if nbytes > 0:
            octets[:, nbytes:] = 0
        else:
            octets[:, :-nbytes] = 0
        return octets.view(np.uint64)


class Numbers:
    """The ``Values`` of a machine on batches.  Undefined values are random.

    Parameters
    ----------
    field : NumericField
    ciphers : sequence of Cipher
        The cipher under each of its keys, which takes any number of whole blocks.
    runs : int
        Rows of a batch.
    """

    def __init__(self, field: NumericField, ciphers: Sequence[Cipher], runs: int):
        self.field, self.ciphers, self.runs = field, list(ciphers), runs
        self.single = Operations(field.field, (), key_bytes=field.block_bytes)
        self.single.ciphers = self.ciphers
        self._noise = np.random.default_rng(1)
        self._consts: dict[int, Batch] = {}
        self._zero = np.zeros((runs, field.words), dtype=np.uint64)

    def form(self, terms: list[tuple[Batch, int, int]]) -> Batch:
        """XOR of terms."""
        total: Batch | None = None
        for value, k, keep in terms:
            value = self.field.scale(self.field.head(value, keep), k)
            total = value if total is None else total ^ value
        return self._zero if total is None else total

    def term(self, form: Batch, k: int, keep: int) -> tuple[Batch, int, int]:
        """A form as a term."""
        return form, k, keep

    def step(self, form: Batch, stride: int) -> Batch:
        """form * x^stride."""
        return self.field.scale(form, stride)

    def operate(self, core: Kind, operands: list[Batch], number: int) -> Batch:
        """An operation on some forms, with its number; block by block if there is no faster way."""
        if core.operation.name in FASTER:
            return FASTER[core.operation.name](self, operands, number)
        size = self.field.block_bytes
        data = [self.field.to_bytes(np.broadcast_to(operand, self._zero.shape)) for operand in operands]
        blocks = zip(*([int.from_bytes(each[at : at + size], "little") for at in range(0, len(each), size)] for each in data))
        results = (core.operation.on_numbers(self.single, run, number) for run in blocks)
        return self.field.from_bytes(b"".join(block.to_bytes(size, "little") for block in results))

    def result(self, raw: Batch, keep: int, post: Batch) -> Batch:
        """The kept bytes of a core's result, and the post form."""
        return self.field.head(raw, keep) ^ post

    def store(self, form: Batch) -> Batch:
        """The form itself."""
        return form

    def const(self, number: int) -> Batch:
        """A constant in every run."""
        if number not in self._consts:
            words = self.field.words_of(self.field.field.to_polynomial(number))
            self._consts[number] = np.broadcast_to(words, (self.runs, self.field.words))
        return self._consts[number]

    def undefined(self, what: str) -> Batch:
        """Random values, because registers and memories may hold anything."""
        return self._noise.integers(0, 1 << 64, size=(self.runs, self.field.words), dtype=np.uint64)


FASTER: dict[str, Callable[[Numbers, list[Batch], int], Batch]] = {
    "enc": lambda o, x, n: o.field.from_bytes(o.ciphers[n].encrypt(o.field.to_bytes(x[0]))),
    "dec": lambda o, x, n: o.field.from_bytes(o.ciphers[n].decrypt(o.field.to_bytes(x[0]))),
    "mul": lambda o, x, n: o.field.mul(*x), "sqr": lambda o, x, n: o.field.mul(x[0], x[0]),
    "acc": lambda o, x, n: x[0], "out": lambda o, x, n: x[0],
}  # fmt: skip
"""Operations on many blocks at once, for those that have a faster way than block by block."""


@dataclass(frozen=True)
class Result:
    """Sectors that left: for each run, the bytes of each sector's blocks; and the cycles they took."""

    sectors: list[list[bytes]]
    cycles: int


class NumericMachine:
    """Runs sectors through a program on numbers.

    Parameters
    ----------
    program : Program
    field : spec.Field
        The mode's field.
    ciphers : sequence of BlockCipher
        The cipher under each key of the host.
    raw_words : sequence of bytes
        The key blocks that the host loads, in the order of ``program.key_words``.
    out_delay, key_delay : int
        The cycles from an output network until its block leaves, and from the leaving of a key word to its first use.
    runs : int
        Independent runs at a time.
    keyed : callable or None
        ``keyed(key)``: the cipher under a key of bytes, for the keys that set-up makes.
    key_bytes : int
        Bytes of a cipher key.

    Raises
    ------
    ValueError
        The number of key words is wrong, or a word is 0 that must not be 0.
    """

    def __init__(
        self, program: Program, field: Field, ciphers: Sequence[Cipher], raw_words: Sequence[bytes] = (), *,
        out_delay: int, key_delay: int, runs: int = 1, keyed: Callable[[bytes], Cipher] | None = None, key_bytes: int = 16,
    ):  # fmt: skip
        if len(raw_words) != program.raw_words:
            raise ValueError(f"the host loads {program.raw_words} key words, not {len(raw_words)}")
        self.program, self.runs = program, runs
        self.delays = out_delay, key_delay
        self.field = NumericField(field)
        self.values = Numbers(self.field, ciphers, runs)
        self.memory: dict[str, list[Batch | None]] = {bank.name: [None] * bank.cells for bank in program.banks.values()}
        given = [np.repeat(self.field.from_bytes(word), runs, axis=0) for word in raw_words]
        words = dict(enumerate(given))
        plan = Plan(program, program.tables["setup"], *self.delays)
        loaded: list[Batch | None] = [*given, *[None] * (len(program.key_words) - len(given))]
        setup = Machine(plan, self.values, loaded, memory=self.memory)
        sector = Sector[Batch, Batch](0, "setup", 0)
        setup.run([sector])
        for index, form in sector.outputs.items():
            words[index] = form
        self.words = [words[i] for i in range(len(program.key_words))]
        values = [self.field.to_bytes(word)[: self.field.block_bytes] for word in self.words]
        if not all(any(values[i]) for i in program.nonzero):
            raise ValueError(f"{program.name}: a key word that must not be 0 is")
        for derived in program.derived:
            if keyed is None:
                raise ValueError(f"{program.name}: set-up makes cipher keys, and nothing takes them")
            self.values.ciphers.append(keyed(b"".join(values[i] for i in derived)[:key_bytes]))

    def run(
        self, directions: Sequence[str], entries: Sequence[int], tweaks: Sequence[Sequence[bytes]],
        data: Sequence[Sequence[bytes]], *, early: bool = True, turn: int = 0,
    ) -> Result:  # fmt: skip
        """Runs sectors, the same directions and entries in every run.

        Parameters
        ----------
        directions, entries : sequence
            Direction and cycle 0 of each sector.
        tweaks, data : sequence
            ``tweaks[run][n]``, ``data[run][n]``: bytes of the n-th sector of a run.
        early : bool
            Whether blocks come as early as the bus can bring them, or as late.
        turn : int
            What the banks' counters show (modulo their cells) for the first sector.
        """
        result: list[list[bytes]] = [[] for _ in range(self.runs)]
        last = 0
        for sector, blocks in self.stream(directions, entries, tweaks, data, early=early, turn=turn):
            for run in range(self.runs):
                result[run].append(blocks[run])
            last = max(last, sector.entry)
        return Result(result, last + self.program.main.latency + 1)

    def stream(
        self, directions: Sequence[str], entries: Sequence[int], tweaks: Sequence[Sequence[bytes]],
        data: Sequence[Sequence[bytes]], *, early: bool = True, turn: int = 0,
    ) -> Iterator[tuple[Sector[Batch, Batch], list[bytes]]]:  # fmt: skip
        """Like ``run``: each sector with its bytes in each run, in the order of entry, as soon as it is complete."""
        program = self.program
        padded_tweaks = [self._blocks([row[n] for row in tweaks], program.tweak_blocks) for n in range(len(entries))]
        padded_data = [self._blocks([row[n] for row in data], program.blocks) for n in range(len(entries))]
        sectors: list[Sector[Batch, Batch]] = make_sectors(
            program,
            directions,
            entries,
            lambda n: early,
            lambda n, i: padded_data[n][i],
            lambda n, j: padded_tweaks[n][j],
        )
        plan = Plan(program, program.main, *self.delays)
        machine = Machine(plan, self.values, self.words, lambda cells: turn % cells, self.memory)
        done: list[Sector[Batch, Batch]] = []
        for _ in machine.steps(sectors):
            while len(done) < len(sectors) and machine.t > sectors[len(done)].entry + plan.last + plan.out_delay:
                yield sectors[len(done)], self._bytes(sectors[len(done)])
                done.append(sectors[len(done)])
        for sector in sectors[len(done) :]:
            yield sector, self._bytes(sector)

    def _blocks(self, rows: list[bytes], count: int) -> list[Batch]:
        """Batches of the blocks of one sector in every run; a partial last block is filled with zeros."""
        size = self.program.block_bytes
        joined = b"".join(row.ljust(count * size, b"\0") for row in rows)
        values = self.field.from_bytes(joined).reshape(len(rows), count, self.field.words)
        return [np.ascontiguousarray(values[:, i]) for i in range(count)]

    def _bytes(self, sector: Sector[Batch, Batch]) -> list[bytes]:
        size, nbytes = self.program.block_bytes, self.program.nbytes
        missing = self.values.undefined("a block that never left")
        blocks = [np.ascontiguousarray(sector.outputs.get(i, missing)) for i in range(self.program.blocks)]
        joined = self.field.to_bytes(np.ascontiguousarray(np.stack(blocks, axis=1)))
        row = size * self.program.blocks
        return [joined[run * row : run * row + nbytes] for run in range(self.runs)]
