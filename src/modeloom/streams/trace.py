# SPDX-License-Identifier: Apache-2.0
"""Runs each step of a stream mode once on symbols.  Each gives a small graph with the state at both ends.

::

    nonce ──start──▶ state          one graph for each class of nonces
    state, associated ──▶ state
    state, text ──encrypt / decrypt──▶ state, text
    state, lengths ──tag──▶ tag

In a mode with two passes, what ``tagged`` makes of the tag is a part of ``start``.  The first pass does not know the tag, and its steps
read nothing of it::

    nonce, tag ──start, tagged──▶ state
    state, text ──absorb──▶ state
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NoReturn, SupportsIndex, TypeAlias

from modeloom.ir.graph import NOWHERE, Trace, definition_file
from modeloom.ir.trace import Tracer, Value
from modeloom.spec import CipherKey, DefinitionError, Keys, blame
from modeloom.spec.counters import Amount, checked_order
from modeloom.spec.importable import importable
from modeloom.spec.mode import KeyParts
from modeloom.spec.stream import ABSORB, BLOCKS, LAST, PARTIAL, Lengths, Nonce, State, StreamMode

__all__ = ["Known", "Length", "SOME", "StepTrace", "StreamTrace", "StreamTracer", "lengths_in_start", "trace_stream"]


# -- lengths -----------------------------------------------------------------------------------------------------------------------------

# Lengths of a message as a definition sees them while it is traced, and small numbers that it computes of them.
#
#     14 - nonce.nbytes      a table: nonce of 7 bytes ─▶ 7, of 8 bytes ─▶ 6, ...
#     n.associated > 0       a table of two entries
#     n.text                 a number that only goes into a block
#
# A length that has a few values may be computed with.  The result is a table of all cases, which is what the core has.

SOME = "some"
"""The name of the number that is 1 if there are associated data."""

MOST_CASES = 1 << 12
"""Entries of a table."""

Operand: TypeAlias = "SupportsIndex | Known | Length"
"""What a definition adds to a number that depends on lengths, or multiplies it by."""


@dataclass(frozen=True)
class Known:
    """A number that depends on lengths of which there are a few.

    Attributes
    ----------
    mode : str
    names : tuple of str
        The lengths that it depends on: "nonce", "tag" or ``SOME``.
    cases : tuple of (tuple of int, int)
        For all values of these, the number.
    """

    mode: str
    names: tuple[str, ...]
    cases: tuple[tuple[tuple[int, ...], int], ...]

    def value(self, lengths: Mapping[str, int]) -> int:
        """The number for a message with these lengths."""
        return dict(self.cases)[tuple(lengths[name] for name in self.names)]

    def _with(self, function: Callable[[int, int], int], other: Operand, turned: bool = False) -> Known:
        if isinstance(other, Length):
            other = other.known()
        if not isinstance(other, Known):
            other = Known(self.mode, (), (((), operator.index(other)),))
        left, right = (other, self) if turned else (self, other)
        values: dict[str, list[int]] = {}
        for one in (left, right):
            for at, name in enumerate(one.names):
                values[name] = sorted({case[at] for case, _ in one.cases})
        names, cases = tuple(values), []
        for case in product(*values.values()):
            lengths = dict(zip(names, case, strict=True))
            try:
                cases.append((case, operator.index(function(left.value(lengths), right.value(lengths)))))
            except ZeroDivisionError:
                raise DefinitionError(f"{self.mode}: a number that depends on lengths is divided by 0") from None
        if len(cases) > MOST_CASES:
            raise DefinitionError(f"{self.mode}: a number depends on lengths in {len(cases)} cases; a core has tables of {MOST_CASES}")
        return Known(self.mode, names, tuple(cases))

    def _refuse(self, *_: object) -> NoReturn:
        raise DefinitionError(
            f"{self.mode}: a number that depends on lengths is known when a message comes; a definition adds to it, multiplies it, and "
            "gives it to o.number()"
        )

    def __add__(self, other: Operand) -> Known:
        return self._with(operator.add, other)

    def __radd__(self, other: Operand) -> Known:
        return self._with(operator.add, other, True)

    def __sub__(self, other: Operand) -> Known:
        return self._with(operator.sub, other)

    def __rsub__(self, other: Operand) -> Known:
        return self._with(operator.sub, other, True)

    def __mul__(self, other: Operand) -> Known:
        return self._with(operator.mul, other)

    def __rmul__(self, other: Operand) -> Known:
        return self._with(operator.mul, other, True)

    def __floordiv__(self, other: Operand) -> Known:
        return self._with(operator.floordiv, other)

    def __mod__(self, other: Operand) -> Known:
        return self._with(operator.mod, other)

    __bool__ = __index__ = __int__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


class Length:
    """A number of bytes that is known when the core runs.

    Parameters
    ----------
    mode : str
        Name of the mode, for messages.
    name : str
        "nonce", "associated", "text" or "tag".
    values : collection of int or None
        The possible values if there are only a few.  It may then be compared with a value that it never has, and computed with.
    first : bool
        Whether it is known before the message begins, so that it may be asked whether it is 0.
    """

    def __init__(self, mode: str, name: str, values: Iterable[int] | None = None, first: bool = False):
        self.mode, self.name, self.first = mode, name, first
        self.values = None if values is None else frozenset(values)

    def known(self) -> Known:
        """The number, for computing with it."""
        if self.values is None:
            self._refuse()
        return Known(self.mode, (self.name,), tuple(((value,), value) for value in sorted(self.values)))

    def _refuse(self, *_: object) -> NoReturn:
        raise DefinitionError(
            f"{self.mode}: the bytes of {self.name} are known when a message comes; a definition gives them to o.bit_lengths(), and "
            "compares those of a nonce with what divides its classes (nonce_bytes)"
        )

    def __eq__(self, other: object) -> bool:
        if self.values is None or not isinstance(other, int) or other in self.values:
            self._refuse()
        return False

    def __gt__(self, other: object) -> Known:
        if not self.first or self.name != "associated" or not isinstance(other, int) or other != 0:
            self._refuse()
        return Known(self.mode, (SOME,), (((0,), 0), ((1,), 1)))

    def __add__(self, other: Operand) -> Known:
        return self.known() + other

    def __radd__(self, other: Operand) -> Known:
        return self.known().__radd__(other)

    def __sub__(self, other: Operand) -> Known:
        return self.known() - other

    def __rsub__(self, other: Operand) -> Known:
        return self.known().__rsub__(other)

    def __mul__(self, other: Operand) -> Known:
        return self.known() * other

    def __rmul__(self, other: Operand) -> Known:
        return self.known().__rmul__(other)

    def __floordiv__(self, other: Operand) -> Known:
        return self.known() // other

    def __mod__(self, other: Operand) -> Known:
        return self.known() % other

    __bool__ = __index__ = __int__ = __lt__ = __le__ = __ge__ = _refuse


def lengths_in_start(nonce: int, associated: int, text: int, tag: int) -> dict[str, int]:
    """The lengths of a message by the names that numbers in ``start`` use."""
    return {"nonce": nonce, "associated": associated, "text": text, "tag": tag, SOME: int(associated > 0)}


# -- trace -------------------------------------------------------------------------------------------------------------------------------

MOST_AMOUNT_BITS = 8
"""Widest number by which a block is moved or scaled."""


@dataclass
class StepTrace:
    """A step.

    Attributes
    ----------
    name : str
        "start", "associated", "absorb", "encrypt", "decrypt" or "tag", or one for a partial last block, such as "partial_encrypt".
    nonce_class : int
        For ``start``: its class of nonces.
    updates : dict
        The node of the new value of each name of the state.
    output : int or None
        The node of the text or of the tag that is its output.
    second : int or None
        The node of the second block of text, of a step that takes pairs.
    """

    name: str
    nonce_class: int = 0
    updates: dict[str, int] = field(default_factory=dict)
    output: int | None = None
    second: int | None = None


@dataclass
class StreamTrace(Trace):
    """The traced steps of a definition.

    Attributes
    ----------
    state : tuple of str
        Names of the state, in the order in which ``start`` wrote them.
    tagged : tuple of str
        Those that depend on the tag of a message, in a mode with two passes.
    steps : list of StepTrace
    """

    state: tuple[str, ...] = ()
    tagged: tuple[str, ...] = ()
    steps: list[StepTrace] = field(default_factory=list)

    def step(self, name: str, nonce_class: int = 0) -> StepTrace:
        """A step by its name."""
        return next(step for step in self.steps if (step.name, step.nonce_class) == (name, nonce_class))


class StreamTracer(Tracer):
    """The operations ``o`` of a stream mode, which record nodes without duplicates."""

    trace: StreamTrace

    piece: Value | None = None
    """The block of the step that is traced, the second one of a pair."""

    paired: tuple[Value, ...] = ()
    """The blocks of a pair."""

    of_text = False
    """Whether this block is text."""

    partial = False
    """Whether the step takes partial last blocks."""

    most = (0, 0)
    """Most bytes of associated data and of text."""

    starting = False
    """Whether ``start`` is traced."""

    def cut(self, a: Value, piece: object) -> Value:
        """See ``StreamNumbers.cut``."""
        node = self._id(a)
        if not self.of_text or (piece is not self.piece and piece not in self.paired):
            raise DefinitionError(f"{self.trace.mode}: o.cut(block, p) takes the text of encrypt or decrypt as its second operand")
        return self._value("cut", node) if piece is self.piece else a

    def pad10(self, a: Value, piece: object) -> Value:
        """See ``StreamNumbers.pad10``."""
        node = self._id(a)
        self._check_piece("pad10(block, p)", piece, " as its second operand")
        return self.xor(Value(self, node), self._value("mark")) if self.partial and piece is self.piece else a

    def if_whole(self, a: Value, piece: object) -> Value:
        """See ``StreamNumbers.if_whole``."""
        node = self._id(a)
        self._check_piece("if_whole(block, p)", piece, " as its second operand")
        return self._value("whole", node) if self.partial and piece is self.piece else a

    def _check_piece(self, word: str, piece: object, how: str = "") -> None:
        """Raises ``DefinitionError`` for anything but a block that the step was given.  The first one of a pair is always whole."""
        if self.piece is None or not any(piece is each for each in (self.piece, *self.paired)):
            raise DefinitionError(f"{self.trace.mode}: o.{word} takes the block of the step{how}")

    def pad01(self, nonce: object) -> Value:
        """See ``StreamNumbers.pad01``."""
        if not isinstance(nonce, Nonce):
            raise DefinitionError(f"{self.trace.mode}: o.pad01() takes the nonce of start")
        return self.leaf("nonce", 1)

    def index(self, piece: object) -> Amount[int]:
        """See ``StreamNumbers.index``."""
        self._check_piece("index(block)", piece)
        if self.of_text and self.paired:
            raise DefinitionError(f"{self.trace.mode}: o.index(block) is not for pairs of blocks")
        return Amount("index")

    def ntz(self, number: object) -> Amount[int]:
        """See ``StreamNumbers.ntz``."""
        if not isinstance(number, Amount) or number.kind != "index":
            raise DefinitionError(f"{self.trace.mode}: o.ntz() takes the number of a block, o.index(block)")
        most = max(self.most) // self.trace.block_bytes
        return Amount("ntz", None, max(1, (most.bit_length() - 1).bit_length()))

    def last_bits(self, block: Value, bits: int) -> Amount[int]:
        """See ``StreamNumbers.last_bits``."""
        return Amount("bits", self._id(block), self._number("last_bits", bits, 1, MOST_AMOUNT_BITS))

    def double(self, a: Value, times: int | Amount[int] = 1) -> Value:
        """See ``Numbers.double``."""
        node = self.trace.nodes[self._id(a)]
        if isinstance(times, Amount):
            return self._value("scale", node.id, self._usable("double", times))
        if node.kind != "scale" or not isinstance(node.args[1], Amount):
            return super().double(a, times)
        times = self._number("double", times)
        return self._value("scale", node.id, times) if times else a

    def _usable(self, word: str, amount: Amount[int]) -> Amount[int]:
        if amount.kind == "index":
            raise DefinitionError(f"{self.trace.mode}: o.{word}() takes o.ntz(o.index(block)), not the whole number of a block")
        return amount

    def shift(self, a: Value, bits: int | Amount[int]) -> Value:
        """See ``StreamNumbers.shift``."""
        width, node = 8 * self.trace.block_bytes, self._id(a)
        if isinstance(bits, Amount):
            return self._value("shift", node, self._usable("shift", bits))
        bits = self._number("shift", bits, -width, width)
        return self.const(0) if abs(bits) == width else self._value("shift", node, bits) if bits else a

    def window(self, first: Value, second: Value, start: int | Amount[int]) -> Value:
        """See ``StreamNumbers.window``."""
        width = 8 * self.trace.block_bytes
        if isinstance(start, Amount):
            rest: int | Amount[int] = replace(start, plus=start.plus - width)
        else:
            start = self._number("window", start, 0, width)
            rest = start - width
        return self.xor(self.shift(first, start), self.shift(second, rest))

    def prefix(self, a: Value, bits: int) -> Value:
        """See ``StreamNumbers.prefix``."""
        rest = 8 * self.trace.block_bytes - self._number("prefix", bits, 0, 8 * self.trace.block_bytes)
        return self.shift(self.shift(a, -rest), rest)

    def mul(self, a: Value, b: Value) -> Value:
        """See ``Numbers.mul``."""
        if self.trace.field.bytes_reversed:
            field = self.trace.field.name
            raise DefinitionError(f"{self.trace.mode}: o.mul() has no multiplier for the order of bytes of the field {field}")
        return super().mul(a, b)

    def number(self, value: object, first: int, nbytes: int) -> Value:
        """See ``StreamNumbers.number``."""
        size = self.trace.block_bytes
        first, nbytes = self._number("number", first, 0, size - 1), self._number("number", nbytes, 1, size)
        if first + nbytes > size:
            raise DefinitionError(f"{self.trace.mode}: o.number() has no {nbytes} bytes from byte {first} on in a block of {size} bytes")
        if isinstance(value, Length) and value.values is not None:
            value = value.known()
        if not isinstance(value, Known | Length):
            value = self._number("number", value, 0, (1 << 8 * nbytes) - 1)
            return self.const(int.from_bytes(value.to_bytes(nbytes, "big"), "little") << 8 * first)
        if not self.starting:
            raise DefinitionError(f"{self.trace.mode}: o.number() takes lengths in start() alone; other steps give them to o.bit_lengths()")
        if isinstance(value, Known):
            for case, number in value.cases:
                if not 0 <= number < 1 << 8 * nbytes:
                    which = ", ".join(f"{name} {n}" for name, n in zip(value.names, case, strict=True))
                    raise DefinitionError(f"{self.trace.mode}: o.number(): {number} does not fit into {nbytes} bytes ({which})")
            return self._value("number", value, first, nbytes)
        if not value.first:
            value._refuse()
        return self._value("number", value.name, first, nbytes)

    def bit_lengths(self, first: object, second: object, order: str = "big") -> Value:
        """See ``StreamNumbers.bit_lengths``."""
        parts = [part.name if isinstance(part, Length) else self._number("bit_lengths", part, 0, 1 << 60) for part in (first, second)]
        return self._value("lengths", checked_order(order, f"{self.trace.mode}: "), *parts)


def trace_stream(mode: StreamMode, key_bytes: int, only: str | None = None) -> StreamTrace:
    """Traces set-up and all steps of a mode for cipher keys of ``key_bytes`` bytes.

    With ``only``, the name of a step for blocks, no other such step is traced.  What it shares with others then has its own lines.

    Raises
    ------
    DefinitionError
        If a step does something that a core cannot do: it branches on a length, reads or writes an unknown name of the state, or
        returns a value of another form than it should.
    """
    size = mode.block_bytes
    result = StreamTrace(mode.name, mode.field, size, 0, size, file=definition_file(mode))
    o = StreamTracer(result, key_bytes)
    o.most = mode.most_associated, mode.most_text
    result.raw_names = tuple(part for part in mode.key_parts if part not in mode.cipher_keys)
    result.cipher_keys = list(mode.cipher_keys)
    result.cipher_bits = [mode.fixed_key_bits.get(name, 0) for name in mode.cipher_keys]
    o.line = NOWHERE
    given = {name: CipherKey(number) for number, name in enumerate(mode.cipher_keys)}
    raw = KeyParts(**{name: given[name] if name in given else o.leaf("raw", name) for name in mode.key_parts})
    o.line = None
    with o.setting_up(), importable(mode.folder), blame(mode.name, mode.setup):
        made = mode.setup(o, raw)
    if not isinstance(made, Keys):
        raise _wrong(mode, "setup", made, "Keys(...)")
    for name, value in made.items():
        if isinstance(value, Value):
            result.key_names.setdefault(value.id, name)
        elif not isinstance(value, CipherKey):
            raise DefinitionError(f"{mode.name}: setup(): the value {name} is {value!r}, which is no block and no cipher key")
    for number, lengths in enumerate(mode.nonce_bytes):
        nonce = Nonce(o.leaf("nonce", 0), _of_few(mode, "nonce", lengths), _of_few(mode, "tag", mode.tag_bytes))
        _start(mode, o, made, number, nonce)
    for name in mode.block_steps() if only is None else (only,):
        _loop(mode, o, made, name)
    if only is None:
        _tag(mode, o, made)
        _check_first_pass(mode, result)
    return result


def _of_few(mode: StreamMode, name: str, lengths: tuple[int, ...]) -> int | Length:
    """A length that has some values, or one."""
    return lengths[0] if len(lengths) == 1 else Length(mode.name, name, lengths)


def _wrong(mode: StreamMode, step: str, got: object, wanted: str) -> DefinitionError:
    return DefinitionError(f"{mode.name}: {step}() returns a {type(got).__name__}, not {wanted}")


def _state(o: StreamTracer) -> State:
    return State(**{name: o.leaf("state", name) for name in o.trace.state})


def _updates(mode: StreamMode, o: StreamTracer, step: str, state: object) -> dict[str, int]:
    if not isinstance(state, State):
        raise _wrong(mode, step, state, "State(...)" if step == "start" else "s.replace(...)")
    for name, value in state.items():
        if not isinstance(value, Value):
            raise DefinitionError(f"{mode.name}: {step}(): the state {name} is {value!r}, which is no block")
    return {name: value.id for name, value in state.items()}


def _start(mode: StreamMode, o: StreamTracer, keys: Keys, number: int, nonce: Nonce) -> None:
    trace = o.trace
    n = Lengths(Length(mode.name, "associated", first=True), Length(mode.name, "text", first=True), _of_few(mode, "tag", mode.tag_bytes))
    o.starting = True
    with importable(mode.folder), blame(mode.name, mode.start):
        state = mode.begin(o, keys, nonce, n)
    o.starting = False
    updates = _updates(mode, o, "start", state)
    if mode.has("tagged"):
        with importable(mode.folder), blame(mode.name, mode.tagged):
            state = mode.tagged(o, keys, state, o.leaf("tag", 0))
        before, updates = updates, _updates(mode, o, "tagged", state)
        trace.tagged = tuple(name for name in updates if updates[name] != before.get(name) or name in trace.tagged)
    if number and tuple(updates) != trace.state:
        raise DefinitionError(f"{mode.name}: start() writes {', '.join(updates)} for some nonces, and {', '.join(trace.state)} for others")
    trace.state = tuple(updates)
    trace.steps.append(StepTrace("start", number, updates))


def _loop(mode: StreamMode, o: StreamTracer, keys: Keys, name: str) -> None:
    trace = o.trace
    of_text, gives_text = not name.endswith("associated"), not name.endswith(("associated", ABSORB))
    pair = mode.takes_pair(name)
    kind = "text" if of_text else "associated"
    blocks = [o.leaf(kind, at) for at in ((1, 2) if pair else (0,))]
    block, o.paired = blocks[-1], tuple(blocks) if pair else ()
    o.piece, o.of_text, o.partial = block, of_text, _can_be_partial(mode, name)
    step = getattr(mode, name)
    with importable(mode.folder), blame(mode.name, step):
        given = step(o, keys, _state(o), o.paired if pair else block)
    o.piece, o.of_text, o.paired = None, False, ()
    if not gives_text:
        trace.steps.append(StepTrace(name, 0, _updates(mode, o, name, given)))
        return
    wanted = "(the state, a pair of blocks)" if pair else "(the state, a block)"
    if not (isinstance(given, tuple) and len(given) == 2):
        raise _wrong(mode, name, given, wanted)
    state, text = given[0], given[1]
    texts: tuple[object, ...] = text if pair and isinstance(text, tuple) and len(text) == 2 else (text,)
    ids = [each.id for each in texts if isinstance(each, Value)]
    if len(texts) != 1 + pair or len(ids) != len(texts):
        raise _wrong(mode, name, given, wanted)
    trace.steps.append(StepTrace(name, 0, _updates(mode, o, name, state), ids[0], ids[1] if pair else None))


def _can_be_partial(mode: StreamMode, name: str) -> bool:
    """Whether a step takes blocks that are not whole."""
    if name not in BLOCKS:
        # Its last block may be partial, unless it is a step for partial blocks alone.
        return True
    return not mode.has(PARTIAL + name) and not mode.has(LAST + name)


def _tag(mode: StreamMode, o: StreamTracer, keys: Keys) -> None:
    trace = o.trace
    n = Lengths(Length(mode.name, "associated"), Length(mode.name, "text"))
    with importable(mode.folder), blame(mode.name, mode.tag):
        given = mode.tag(o, keys, _state(o), n)
    if not isinstance(given, Value):
        raise _wrong(mode, "tag", given, "a block")
    trace.steps.append(StepTrace("tag", output=given.id))


def _check_first_pass(mode: StreamMode, trace: StreamTrace) -> None:
    """Raises ``DefinitionError`` if a step of the first pass reads what ``tagged`` has made of the tag, which is not known then."""
    for step in trace.steps:
        if step.name.removeprefix(PARTIAL) not in ("associated", ABSORB, "tag"):
            continue
        held = [node for name, node in step.updates.items() if name not in trace.tagged]
        reached, waiting = set[int](), [*held, *([step.output] if step.output is not None else [])]
        while waiting:
            node = trace.nodes[waiting.pop()]
            if node.id not in reached:
                reached.add(node.id)
                waiting += node.inputs
        states = {trace.nodes[n].args[0] for n in reached if trace.nodes[n].kind == "state"}
        read = [name for name in trace.tagged if name in states]
        if read:
            why = "the first pass has no tag yet"
            raise DefinitionError(f"{mode.name}: {step.name}() reads the state {read[0]}, which tagged() writes: {why}")
