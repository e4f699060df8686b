# SPDX-License-Identifier: Apache-2.0
"""How the key of a message is made of a master key and a nonce, as calls of the cipher and sums of their results.

::

    nonce ──linear maps, constants──▶ operand of each call ──cipher under the master key──▶ results ──linear maps──▶ blocks of the key
    all at once                                                                                      beats of a key packet

The calls and the sums are those of ``derive`` in the definition of a mode.  ``prove_derivation`` compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from modeloom.ir.graph import Node, definition_file
from modeloom.ir.trace import Value
from modeloom.prove.execute import ProofError
from modeloom.spec import Cipher, DefinitionError, InputError, blame
from modeloom.spec.importable import importable
from modeloom.spec.kinds import ENC, MUL, Operation
from modeloom.spec.stream import MessageKeys, Nonce, StreamMode
from modeloom.streams.steps import WIRES, Form, Source, Term, forms_of
from modeloom.streams.trace import StreamTrace, StreamTracer

__all__ = ["Derivation", "Preparation", "Word", "derivation_of", "prepare", "prove_derivation"]


# -- setup -----------------------------------------------------------------------------------------------------------------------------

# The computation for each key: operations on the same units, one token each, whose results are words of the key memory.
#
# Each operation reads constants and existing words, and enters after the previous word has been written.

Word = tuple[int, int]
"""A key value by its node, and its power."""


@dataclass(frozen=True)
class Preparation:
    """An operation of the set-up.

    Attributes
    ----------
    operation : Operation
    operands : tuple of Form
        Sums of constants and of words: ``Source("word", (node, power))``.
    number : int
        The number of the node: that of the cipher key, or the number to add to a counter.
    word : (int, int)
        The word that is its result.
    """

    operation: Operation
    operands: tuple[Form, ...]
    number: int
    word: Word


def prepare(trace: StreamTrace, wanted: Iterable[Word]) -> tuple[list[Preparation], list[Word]]:
    """The operations that compute some words, and all words in the order of their addresses, beginning with those from the host.

    Raises
    ------
    DefinitionError
        The set-up needs an operation that the units of the pipeline do not have.
    """
    return _Preparer(trace).run(wanted)


class _Preparer:
    def __init__(self, trace: StreamTrace):
        self.trace = trace
        self.done: dict[Word, Preparation | None] = {}

    def run(self, wanted: Iterable[Word]) -> tuple[list[Preparation], list[Word]]:
        for node in self.trace.nodes:
            if node.kind == "raw":
                self.done[node.id, 1] = None
        for word in wanted:
            self._need(word)
        return [made for made in self.done.values() if made is not None], list(self.done)

    def _need(self, word: Word) -> None:
        node, exponent = word
        if word in self.done:
            return
        if exponent > 1:
            self._need((node, exponent - 1))
            self._need((node, 1))
            factors = tuple((Term(Source("word", (node, e))),) for e in (exponent - 1, 1))
            self.done[word] = Preparation(MUL.operation, factors, 0, word)
            return
        made = self._operation(self.trace.nodes[node])
        for form in made.operands:
            for term in form:
                kind, what = term.source
                if kind == "word":
                    assert isinstance(what, tuple)
                    self._need(what)
        self.done[word] = made

    def _operation(self, node: Node) -> Preparation:
        if node.operation is None:
            raise DefinitionError(f"{self.trace.mode}: setup() uses o.{node.kind}(), which stream modes do not have")
        operands = tuple(self._form(self.trace.nodes[i]) for i in node.inputs)
        return Preparation(node.operation, operands, node.number, (node.id, 1))

    def _form(self, node: Node) -> Form:
        if node.kind == "const":
            return (Term(Source("const", node.args[0])),) if node.args[0] else ()
        if node.kind == "xor":
            a, b = (self._form(self.trace.nodes[i]) for i in node.args)
            return tuple(term for term in (*a, *b) if (term in a) != (term in b))
        if node.kind in WIRES:
            wire = (node.kind, *node.args[1:])
            return tuple(Term(term.source, (*term.maps, wire)) for term in self._form(self.trace.nodes[node.args[0]]))
        return (Term(Source("word", (node.id, 1))),)


# -- derive ----------------------------------------------------------------------------------------------------------------------------

MAPS = ("shift", "keep")
"""Linear maps that operands and blocks may have."""


@dataclass(frozen=True)
class Derivation:
    """The derivation of the keys of messages of master keys of one size.

    Attributes
    ----------
    operands : tuple of Form
        For each call of the cipher its operand, made of the nonce.
    blocks : tuple of Form
        The blocks of the key of a message in the order of its bytes, made of the results of the calls.
    nbytes : int
        Bytes of this key.  Blocks have no more bytes, but in the last one.
    """

    operands: tuple[Form, ...]
    blocks: tuple[Form, ...]
    nbytes: int

    @property
    def calls(self) -> int:
        """The number of calls of the cipher."""
        return len(self.operands)


def derivation_of(mode: StreamMode, key_bytes: int) -> Derivation:
    """The derivation of a mode, for master keys of this number of bytes.

    Raises
    ------
    DefinitionError
        ``derive`` does not give the parts of the key.
    InputError
        It does something that the hardware for it does not do.
    """
    size = mode.block_bytes
    (nonce_bytes, *more), *others = mode.nonce_bytes
    if more or others:
        raise InputError(f"--keys derived is for modes with nonces of one length, unlike {mode.name}; build it with --keys inline")
    trace = StreamTrace(mode.name, mode.field, size, 0, size, file=definition_file(mode))
    trace.cipher_keys, trace.cipher_bits = ["master"], [0]
    o = StreamTracer(trace, key_bytes)
    with importable(mode.folder), blame(mode.name, mode.derive):
        made = mode.derive(o, Nonce[Value, int](o.leaf("nonce", 0), nonce_bytes), -(-key_bytes // size))
    parts = made.blocks() if isinstance(made, MessageKeys) else {}
    if set(parts) != set(mode.key_parts):
        raise DefinitionError(f"{mode.name}: derive() returns MessageKeys(...) with the parts {', '.join(mode.key_parts)}")
    nodes, nbytes = [], 0
    for name in mode.key_parts:
        if nbytes % size:
            raise InputError(f"--keys derived: a part of the key of {mode.name} does not begin a block; build it with --keys inline")
        length = mode.part_bytes(name, key_bytes)
        nodes += [block.id for block in parts[name]][: -(-length // size)]
        nbytes += length
    if len(nodes) * size < nbytes:
        raise DefinitionError(f"{mode.name}: derive() gives {len(nodes) * size} bytes of keys, which have {nbytes}")
    operations, blocks = forms_of(trace, "derive", nodes)
    operands = [operation.operands[0] for operation in operations]
    if any(operation.operation.name != ENC for operation in operations):
        raise InputError(f"--keys derived: derive() of {mode.name} uses more than o.enc(); build it with --keys inline")
    for forms, kinds, what in ((operands, ("nonce", "const"), "the nonce"), (blocks, ("op", "const"), "results of o.enc()")):
        for term in (term for form in forms for term in form):
            if term.source.kind not in kinds or any(name not in MAPS for name, *_ in term.maps):
                raise InputError(
                    f"--keys derived: what derive() of {mode.name} uses must be a sum of parts of {what}; build it with --keys inline"
                )
    return Derivation(tuple(operands), tuple(blocks), nbytes)


# -- on numbers ---------------------------------------------------------------------------------------------------------------------


def _mapped(value: int, maps: Sequence[tuple[object, ...]], size: int) -> int:
    """A block behind linear maps.  Its string begins with the highest bit of byte 0."""
    for kind, number in maps:
        data = value.to_bytes(size, "little")
        assert isinstance(number, int)
        if kind == "keep":
            value = int.from_bytes(data[:number] if number >= 0 else bytes(-number) + data[-number:], "little")
            continue
        string = int.from_bytes(data, "big")
        string = string << number if number >= 0 else string >> -number
        value = int.from_bytes((string & (1 << 8 * size) - 1).to_bytes(size, "big"), "little")
    return value


def _form(form: Form, sources: Mapping[str, Sequence[int]], size: int) -> int:
    values = []
    for term in form:
        kind, what = term.source
        number = what if isinstance(what, int) else 0
        values.append(_mapped(number if kind == "const" else sources[kind][number], term.maps, size))
    return reduce(xor, values, 0)


class _Chosen:
    """A cipher whose results are chosen: those of the calls of a derivation, in their order."""

    def __init__(self, results: Mapping[int, int], size: int):
        self.results, self.size, self.asked = results, size, list[int]()

    def encrypt(self, block: bytes, /, *tweak: bytes) -> bytes:
        operand = int.from_bytes(block, "little")
        self.asked.append(operand)
        return self.results.get(operand, 0).to_bytes(self.size, "little")

    def decrypt(self, block: bytes, /, *tweak: bytes) -> bytes:
        raise ProofError("derive() of the hardware uses o.enc() alone")


def _bits(width: int) -> Iterator[int]:
    yield 0
    yield from (1 << bit for bit in range(width))


def prove_derivation(mode: StreamMode, derivation: Derivation, derived: Callable[[Cipher, bytes], bytes]) -> int:
    """Proves that a derivation is ``derive`` of the definition, run on numbers.  Returns the number of comparisons.

    ``derived`` gives the key of a message that the definition derives with a cipher and of a nonce.

    Operands are affine in the nonce, and blocks are affine in the results, so that zeros and each single bit decide: of the nonce for
    operands, and of each result for blocks.

    Raises
    ------
    ProofError
        An operand or a block differs.
    """
    size, nonce_bytes, compared = mode.block_bytes, mode.nonce_bytes[0][0], 0

    def run(nonce: int, results: Sequence[int]) -> list[int]:
        operands = [_form(form, {"nonce": [nonce]}, size) for form in derivation.operands]
        if len(set(operands)) < len(operands):
            raise ProofError(f"{mode.name}: two calls of derive() have the same operand")
        cipher = _Chosen(dict(zip(operands, results, strict=True)), size)
        given = derived(cipher, nonce.to_bytes(nonce_bytes, "little"))
        if set(cipher.asked) != set(operands):
            raise ProofError(f"{mode.name}: the operands of derive() are not those of the hardware (nonce {nonce:#x})")
        made = [_form(form, {"op": results}, size) for form in derivation.blocks]
        if b"".join(block.to_bytes(size, "little") for block in made)[: derivation.nbytes] != given:
            raise ProofError(f"{mode.name}: the keys of messages are not those of derive() (nonce {nonce:#x})")
        return operands

    for nonce in _bits(8 * nonce_bytes):
        run(nonce, [0] * derivation.calls)
        compared += 1
    for call in range(derivation.calls):
        for result in _bits(8 * size):
            run(0, [result if number == call else 0 for number in range(derivation.calls)])
            compared += 1
    return compared
