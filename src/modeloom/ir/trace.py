# SPDX-License-Identifier: Apache-2.0
"""Runs a definition on symbols and returns its graph.

Both directions and the set-up are traced into one list of nodes without duplicates.  A value that depends on the key alone
is therefore the same node everywhere::

    raw, const ──setup──▶ key values ──┐
    block i, tweak j ──────────────────┴─encrypt / decrypt──▶ outputs[direction]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NoReturn, SupportsIndex

from modeloom.ir.graph import MESSAGE_LEAVES, NOWHERE, OF_PIECES, Line, Node, Trace, definition_file, running_line
from modeloom.spec import Blocks, CipherKey, DefinitionError, Keys, Mode, Numbers, UnknownName, blame
from modeloom.spec.attributes import attribute_place
from modeloom.spec.counters import Amount, counter_name
from modeloom.spec.errors import place_of
from modeloom.spec.importable import importable
from modeloom.spec.kinds import ACC, DEC, ENC, MUL, OPERATIONS, OUT, SQR, Operation
from modeloom.spec.mode import KeyParts

__all__ = ["DIRECTIONS", "Tracer", "Value", "trace"]

# A block of a definition while it is traced. It stands for every value, so XOR is its only operator.
#
# It refuses everything else that Python does with numbers, and names the operation for blocks.  Otherwise ``if x:`` would take one branch
# in the core and both in the software model, where blocks are numbers.

_BRANCH = "a definition may branch on lengths and positions only, because a core does the same for all values"

_REFUSED = {
    "has no truth value": (_BRANCH, "bool"),
    "cannot be compared": (_BRANCH, "eq ne lt le gt ge contains"),
    "has no hash, so it cannot be in a dict or set": ("use its number in the list", "hash"),
    "has no length": ("o.head() and o.tail() take parts of it; len(p), p.nbytes and p.tail belong to the sector", "len"),
    "has no parts by index": ("o.head() and o.tail() take parts of it", "getitem iter reversed"),
    "is not a number, because it stands for every value": (
        "o.const() makes a block of a number",
        "int index float complex round trunc format bytes",
    ),
    "cannot be added or subtracted": (
        "a ^ b is the sum in the field, and o.add32() and o.add() add to a counter",
        "add radd sub rsub neg pos abs",
    ),
    "cannot be multiplied with *": ("write o.mul(a, b), or o.double(a, k) for a * x^k", "mul rmul matmul rmatmul"),
    "cannot be divided": (
        "o.inverse() in setup() inverts a key value",
        "truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod",
    ),
    "has no powers with **": ("write o.power(h, e) for a key value, or products", "pow rpow"),
    "cannot be shifted": ("o.double(a, k) is a * x^k, and moves bytes if k is a multiple of 8", "lshift rlshift rshift rrshift"),
    "does not support &, | and ~": ("o.head() and o.tail() take parts, and a ^ o.const(n) changes bits", "and rand or ror invert"),
    "cannot be changed": ("make a new one", "setitem delitem"),
    "cannot be called": ("it is a block", "call"),
}
"""What a block cannot do, what to write instead, and the operations of Python that this refuses."""


class Value:
    """A block of the definition while it is traced: node ``id`` of a tracer."""

    __slots__ = ("tracer", "id")

    def __init__(self, tracer: Tracer, id: int):
        self.tracer = tracer
        self.id = id

    def __xor__(self, other: object) -> Value:
        return self.tracer.xor(self, other)

    __rxor__ = __xor__

    def __repr__(self) -> str:
        return "<block>"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a block has no {name!r}: it stands for every value, and the words of o work on it")


def _refusal(what: str, instead: str) -> Callable[..., NoReturn]:
    def refuse(self: Value, *_: object) -> NoReturn:
        raise DefinitionError(f"{self.tracer.trace.mode}: a block {what}; {instead}")

    return refuse


for _what, (_instead, _names) in _REFUSED.items():
    for _name in _names.split():
        setattr(Value, f"__{_name}__", _refusal(_what, _instead))


# -- trace -------------------------------------------------------------------------------------------------------------------------

DIRECTIONS = ("encrypt", "decrypt")

WORDS = tuple(name for name in vars(Numbers) if not name.startswith("_"))
"""The operations of ``o``."""

INNER = (ACC, OUT, SQR)
"""Operations that the compiler makes itself."""


class Tracer:
    """The operations ``o`` of a definition.  They record nodes without duplicates.

    Parameters
    ----------
    trace : Trace
    key_bytes : int
        Bytes of a cipher key.
    """

    def __init__(self, trace: Trace, key_bytes: int):
        self.trace = trace
        self.blocks = trace.blocks
        self._key_bytes = key_bytes
        self._setting_up = False
        self.line: Line | None = None  # the line of new nodes; None: that of the definition which is running
        self._index: dict[tuple[str, tuple[object, ...]], int] = {}

    @contextmanager
    def setting_up(self) -> Iterator[None]:
        """While set-up is traced."""
        self._setting_up = True
        try:
            yield
        finally:
            self._setting_up = False

    def node(self, kind: str, *args: object) -> int:
        """The node of this kind with these arguments.  It is created if it is new."""
        key = (kind, args)
        if key not in self._index:
            nodes = self.trace.nodes
            line = self._running_line() if self.line is None else self.line
            draft = Node(len(nodes), kind, args, False, line)
            key_only = kind in ("raw", "const") or (
                kind not in ("block", "tweak", *MESSAGE_LEAVES, *OF_PIECES) and all(nodes[i].key_only for i in draft.inputs)
                and not any(isinstance(arg, Amount) for arg in args)
            )
            self._index[key] = draft.id
            nodes.append(Node(draft.id, kind, args, key_only, draft.line))
        return self._index[key]

    def _running_line(self) -> Line:
        line, text = running_line(self.trace.file)
        if line:
            self.trace.text[line] = text
        return line

    def _id(self, value: object) -> int:
        if not isinstance(value, Value):
            hint = "; use o.const() for constants" if isinstance(value, int) else ""
            raise DefinitionError(f"{self.trace.mode}: an operation got {_short(value)}, which is not a block{hint}")
        if value.tracer is not self:
            raise DefinitionError(f"{self.trace.mode}: a block comes from another run of the definition; keep blocks in Keys, not in self")
        return value.id

    def _number(self, word: str, value: object, least: int | None = None, most: int | None = None, unit: str = "") -> int:
        """A whole number of any type, as ``int``."""
        try:
            if not isinstance(value, SupportsIndex):
                raise TypeError
            number = operator.index(value)
        except TypeError:
            raise DefinitionError(f"{self.trace.mode}: o.{word}() takes whole numbers, not {_short(value)}") from None
        if (least is not None and number < least) or (most is not None and number > most):
            raise DefinitionError(f"{self.trace.mode}: o.{word}() takes {least} to {most}{unit}, not {number}")
        return number

    def __getattr__(self, name: str) -> Callable[..., Value]:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in OPERATIONS and name not in INNER:
            return partial(self._operate, OPERATIONS[name])
        raise DefinitionError(f"{self.trace.mode}: {UnknownName('word', f'o.{name}', [f'o.{word}' for word in WORDS])}")

    def _operate(self, operation: Operation, *args: object, key: CipherKey | None = None) -> Value:
        """An operation that has no word of its own in ``Numbers``."""
        operands, rest = args[: operation.operands], args[operation.operands :]
        if len(operands) < operation.operands or len(rest) != bool(operation.numbers) or (key and not operation.keyed):
            raise DefinitionError(f"{self.trace.mode}: o.{operation.name}() takes {operation.signature}")
        nodes = [self._id(value) for value in operands]
        numbers = [self._number(operation.name, value, operation.numbers.start, operation.numbers.stop - 1) for value in rest]
        if operation.commutes:
            nodes.sort()
        return self._value(operation.name, *nodes, *([self._key(key)] if operation.keyed else numbers))

    def _value(self, kind: str, *args: object) -> Value:
        return Value(self, self.node(kind, *args))

    def leaf(self, kind: str, arg: object) -> Value:
        """An input block, a tweak block or a key block."""
        return self._value(kind, arg)

    def const(self, value: int) -> Value:
        """See ``Numbers.const``."""
        value = self._number("const", value)
        if not 0 <= value < 1 << 8 * self.trace.block_bytes:
            raise DefinitionError(f"{self.trace.mode}: constant {value} does not fit into a block")
        return self._value("const", value)

    def xor(self, a: Value, b: object) -> Value:
        """Sum.  The lowering removes equal terms."""
        left, right = self._id(a), self._id(b)
        return self._value("xor", min(left, right), max(left, right))

    def enc(self, a: Value, key: CipherKey | None = None) -> Value:
        """See ``Numbers.enc``."""
        return self._value(ENC, self._id(a), self._key(key))

    def dec(self, a: Value, key: CipherKey | None = None) -> Value:
        """See ``Numbers.dec``."""
        return self._value(DEC, self._id(a), self._key(key))

    def _key(self, key: CipherKey | None) -> int:
        if key is None:
            return 0
        if not isinstance(key, CipherKey):
            raise DefinitionError(
                f"{self.trace.mode}: {key!r} is not a cipher key; name it in cipher_keys, or make one "
                "with o.cipher_key()"
            )
        if self._setting_up and key.number >= self.trace.host_keys:
            raise DefinitionError(
                f"{self.trace.mode}: the set-up uses a cipher key that it makes itself; only encrypt() "
                "and decrypt() can use it"
            )
        return key.number

    def cipher_key(self, *blocks: Value) -> CipherKey:
        """See ``Numbers.cipher_key``."""
        needed = -(-self._key_bytes // self.trace.block_bytes)
        if not self._setting_up or len(blocks) < needed:
            raise DefinitionError(f"{self.trace.mode}: o.cipher_key() is for setup() only, and takes {needed} or more blocks")
        self.trace.derived.append(tuple(self._computed(block, "cipher_key") for block in blocks[:needed]))
        self.trace.cipher_keys.append("")
        self.trace.cipher_bits.append(0)
        return CipherKey(len(self.trace.cipher_keys) - 1)

    def add32(self, a: Value, number: int) -> Value:
        """See ``Numbers.add32``."""
        return self.add(a, number)

    def add64(self, a: Value, number: int) -> Value:
        """See ``Numbers.add64``."""
        return self.add(a, number, 64)

    def add128(self, a: Value, number: int) -> Value:
        """See ``Numbers.add128``."""
        return self.add(a, number, 128)

    def add(self, a: Value, number: int, bits: int = 32, order: str = "big") -> Value:
        """See ``Numbers.add``."""
        name = counter_name(bits, order, self.trace.block_bytes)
        number = self._number("add", number) & (1 << bits) - 1
        return self._value(name, self._id(a), number) if number else a

    def inverse(self, a: Value, what: str) -> Value:
        """See ``Numbers.inverse``."""
        node = self._computed(a, "inverse")
        self.trace.nonzero[node] = what
        return self._value("inverse", node)

    def _computed(self, a: Value, word: str) -> int:
        """The node of a key value that set-up computes."""
        node = self.trace.nodes[self._id(a)]
        if not node.key_only or node.kind in ("raw", "const"):
            raise DefinitionError(f"{self.trace.mode}: o.{word}() takes key values that the set-up computes, not a part of the key itself")
        return node.id

    def mul(self, a: Value, b: Value) -> Value:
        """See ``Numbers.mul``."""
        left, right = self._id(a), self._id(b)
        return self._value(MUL, min(left, right), max(left, right))

    def double(self, a: Value, times: int = 1) -> Value:
        """See ``Numbers.double``."""
        node, times = self.trace.nodes[self._id(a)], self._number("double", times)
        if node.kind == "scale":
            return self._value("scale", node.args[0], node.args[1] + times) if node.args[1] + times else Value(self, node.args[0])
        return self._value("scale", node.id, times) if times else a

    def power(self, h: Value, exponent: int) -> Value:
        """See ``Numbers.power``."""
        if not self.trace.nodes[self._id(h)].key_only:
            raise DefinitionError(f"{self.trace.mode}: o.power() takes a key value; multiply with o.mul() instead")
        exponent = self._number("power", exponent)
        if exponent < 1:
            raise DefinitionError(f"{self.trace.mode}: o.power() takes exponents of at least 1, not {exponent}")
        return h if exponent == 1 else self._value("power", h.id, exponent)

    def poly(self, h: Value, blocks: Sequence[Value], last: Value | None = None) -> Value:
        """See ``Numbers.poly``."""
        blocks = list(blocks)
        if not blocks:
            raise DefinitionError(f"{self.trace.mode}: o.poly() takes at least one block")
        return self._value("poly", self._id(h), self._id(h if last is None else last), *(self._id(x) for x in blocks))

    def head(self, a: Value, nbytes: int) -> Value:
        """See ``Numbers.head``."""
        nbytes = self._bytes("head", nbytes)
        if not nbytes:
            return self.const(0)
        return a if nbytes == self.trace.block_bytes else self._value("keep", self._id(a), nbytes)

    def tail(self, a: Value, nbytes: int) -> Value:
        """See ``Numbers.tail``."""
        nbytes = self._bytes("tail", nbytes)
        if nbytes == self.trace.block_bytes:
            return self.const(0)
        return self._value("keep", self._id(a), -nbytes) if nbytes else a

    def _bytes(self, word: str, nbytes: int) -> int:
        return self._number(word, nbytes, 0, self.trace.block_bytes, " bytes")

    def pad(self, a: Value, nbytes: int, byte: int) -> Value:
        """See ``Numbers.pad``."""
        nbytes, byte = self._bytes("pad", nbytes), self._number("pad", byte, 0, 255, " as the byte")
        self._id(a)
        return a if nbytes == self.trace.block_bytes else self.xor(a, self.const(byte << 8 * nbytes))


def _short(value: object) -> str:
    """A short description of a value, for messages."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def trace(
    mode: Mode, nbytes: int, tweak_bytes: int, directions: Sequence[str] | None = None, key_bytes: int | None = None
) -> Trace:
    """Traces the set-up and the directions of a mode for sectors of ``nbytes`` and tweaks of ``tweak_bytes`` bytes.

    Without ``directions``, all directions of the mode are traced.

    ``key_bytes`` is the length of a cipher key.  It decides how many blocks of the set-up make one key.  The default is one block.

    Raises
    ------
    DefinitionError
        The definition reads a key value that the set-up never wrote, uses something that is not a block, or returns the wrong number of
        blocks.
    """
    size = mode.block_bytes
    result = Trace(mode.name, mode.field, nbytes, tweak_bytes, size, file=definition_file(mode))
    tracer = Tracer(result, size if key_bytes is None else key_bytes)
    tracer.line = NOWHERE
    result.raw_names = tuple(part for part in mode.key_parts if part not in mode.cipher_keys)
    result.cipher_keys = list(mode.cipher_keys)
    usual = 8 * (size if key_bytes is None else key_bytes)
    result.cipher_bits = [bits if (bits := mode.fixed_key_bits.get(name, usual)) != usual else 0 for name in mode.cipher_keys]
    given = {name: CipherKey(number) for number, name in enumerate(mode.cipher_keys)}
    raw = KeyParts(**{name: given[name] if name in given else tracer.leaf("raw", name) for name in mode.key_parts})
    tracer.line = None
    with tracer.setting_up(), importable(mode.folder), blame(mode.name, mode.setup):
        computed = _method(mode, "setup")(tracer, raw)
    if not isinstance(computed, Keys):
        raise _wrong(mode, "setup", f"it returns {_short(computed)}, not Keys(...)")
    for name, value in computed.items():
        if isinstance(value, CipherKey):
            result.cipher_keys[value.number] = result.cipher_keys[value.number] or name
        elif not isinstance(value, Value):
            raise _wrong(mode, "setup", f"the value {name} is {_short(value)}, which is neither a block nor a cipher key")
        else:
            result.key_names.setdefault(tracer._id(value), name)
    tracer.line = NOWHERE
    tweak = Blocks([tracer.leaf("tweak", j) for j in range(result.tweak_blocks)], tweak_bytes, size)
    blocks = Blocks([tracer.leaf("block", i) for i in range(result.blocks)], nbytes, size)
    tracer.line = None
    for direction in directions or mode.directions():
        with importable(mode.folder), blame(mode.name, getattr(mode, direction)):
            given_back = _method(mode, direction)(tracer, computed, tweak, blocks)
            if isinstance(given_back, Value) or not isinstance(given_back, Iterable):
                raise _wrong(mode, direction, f"it returns {_short(given_back)}, not a list of blocks")
            outputs = list(given_back)
        if len(outputs) != result.blocks:
            raise _wrong(mode, direction, f"it returns {len(outputs)} blocks for a sector of {result.blocks}; return one for each")
        for number, value in enumerate(outputs):
            if not isinstance(value, Value):
                raise _wrong(mode, direction, f"block {number} of what it returns is {_short(value)}, which is not a block")
        result.outputs[direction] = [tracer._id(value) for value in outputs]
    return result


def _method(mode: Mode, name: str) -> Callable[..., object]:
    if getattr(type(mode), name) is getattr(Mode, name):
        other = "" if name == "setup" else f', or set one_direction = "{"decrypt" if name == "encrypt" else "encrypt"}"'
        place = attribute_place(type(mode), name)
        raise DefinitionError(f"{mode.name}: {place}{type(mode).__name__} has no {name}(); write it{other}", placed=True)
    return getattr(mode, name)


def _wrong(mode: Mode, name: str, text: str) -> DefinitionError:
    """The error text for a method as a whole, with the place where the method begins."""
    return DefinitionError(f"{mode.name}: {place_of(getattr(mode, name))}: {name}(): {text}", placed=True)
