# SPDX-License-Identifier: Apache-2.0
"""Rewrites the steps of a message, so that blocks follow each other sooner.

A chain such as a CBC-MAC is y ← E(y ⊕ w).  ``retime`` moves its cipher from the end of a step to the beginning of the next one.  The
state then holds what is to be enciphered, x with y = E(x)::

    before     start: y = E(b)      block: y ← E(y ⊕ w)        tag: ... y ...
    after      start: x = b         block: x ← E(x) ⊕ w        tag: ... E(x) ...

So w may be ready as late as E(x), a cipher's latency after the block has come.  In CCM, w is the plaintext, which a message to open has
no sooner.  Both directions then take one latency for a block, and ``start`` needs no token.

``move_to_tag`` moves values that ``start`` computes and only ``tag`` reads to ``tag``, and a message needs no token for its start.  The
mask E(K, J0) of GCM is such a value. The state holds its operand J0 instead.

``with_left`` lets forms read what the step makes of a part of the state, in place of the sum that it is.  The sum is then computed once,
where this part of the state lives::

    offset' = offset ⊕ k            offset' = offset ⊕ k
    enc(p ⊕ offset ⊕ k)      ──▶    enc(p ⊕ offset')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from modeloom.spec import InputError
from modeloom.spec.stream import ASSOCIATED_FIRST, BETWEEN, LAST, TEXT_FIRST, StreamMode
from modeloom.streams.steps import Form, Recurrence, Source, Step, Term, UnitOperation, chains_of
from modeloom.streams.trace import Known

__all__ = ["ORDERED", "Order", "Ordered", "move_to_tag", "retime", "text_first", "with_left"]

# -- ciphers of chains --------------------------------------------------------------------------------------------------------------


def retime(steps: Sequence[Step], kinds: dict[str, Recurrence]) -> list[Step]:
    """The steps, with the ciphers of their chains moved where that is possible."""
    result = list(steps)
    for name, recurrence in kinds.items():
        if recurrence.kind == "cipher":
            result = _retimed(result, name)
    return result


def _retimed(steps: list[Step], name: str) -> list[Step]:
    made = [_own_operation(step, name) for step in steps if step.name == "start"]
    links = [last_of for step in steps if name in step.updates and (last_of := _link(step, name)) is not None]
    blocks = [step for step in steps if step.name != "start" and name in step.updates]
    first = made[0]
    if first is None or len(links) != len(blocks):
        return steps
    if any(one is None or not one.operation.keyed or (one.operation, one.number) != (first.operation, first.number) for one in made):
        return steps
    if any((step.operations[at].operation, step.operations[at].number) != (first.operation, first.number)
           for step, at in zip(blocks, links, strict=True)):  # fmt: skip
        return steps
    return [_late_cipher(step, name, first) for step in steps]


def _link(step: Step, name: str) -> int | None:
    """The operation of a block that is E(y ⊕ w), if nothing else reads its result or y."""
    form, source = step.updates[name], Source("state", name)
    if step.name == "start" or len(form) != 1 or form[0].maps or form[0].source.kind != "op":
        return None
    number = form[0].source.what
    assert isinstance(number, int)
    reads = [term for each in step.forms() for term in each if term.source in (source, form[0].source)]
    return number if sorted(map(len, (term.maps for term in reads))) == [0, 0] else None


def _late_cipher(step: Step, name: str, enciphers: UnitOperation) -> Step:
    source = Source("state", name)
    if step.name == "start":
        return _without_operation(step, name)
    if name in step.updates:
        number = _link(step, name)
        assert number is not None
        old = step.operations[number]
        operations = list(step.operations)
        operations[number] = replace(old, operands=((Term(source),),))
        # The rest of the operand is added behind the cipher, which is the last operation.
        rest: Form = tuple(term for term in old.operands[0] if term.source != source)
        updates = {**step.updates, name: (Term(Source("op", number)), *rest)}
        order = [*(n for n in range(len(operations)) if n != number), number]
        return _renumbered(replace(step, operations=operations, updates=updates), order)
    if not any(term.source == source for form in step.forms() for term in form):
        return step
    return _with_first(step, source, replace(enciphers, operands=((Term(source),),)))


# -- values for the tag --------------------------------------------------------------------------------------------------------------


def move_to_tag(steps: Sequence[Step], kinds: dict[str, Recurrence]) -> list[Step]:
    """The steps, with operations of one operand moved from ``start`` to ``tag`` if their units are free there.

    With a chain through the cipher they are moved in any case.  Its blocks would wait for a ``start`` that takes a token.
    """
    result = list(steps)
    chains = chains_of(kinds)
    for name, recurrence in kinds.items():
        if recurrence.kind == "held":
            result = _moved(result, name, bool(chains))
    return result


def _moved(steps: list[Step], name: str, anyway: bool) -> list[Step]:
    starts = [step for step in steps if step.name == "start"]
    tag = next(step for step in steps if step.name == "tag")
    source = Source("state", name)
    if any(term.source == source for step in steps if step is not tag for form in step.forms() for term in form):
        return steps
    made = [_own_operation(step, name) for step in starts]
    first = made[0]
    if first is None or any(one is None or (one.operation, one.number) != (first.operation, first.number) for one in made):
        return steps
    busy = any(other.operation.unit is first.operation.unit for other in tag.operations)
    if len(first.operands) > 1 or (busy and not anyway):
        return steps
    moved = UnitOperation(first.operation, ((Term(source),),), first.number, first.line)
    changed = {id(step): _without_operation(step, name) for step in starts} | {id(tag): _with_first(tag, source, moved)}
    return [changed.get(id(step), step) for step in steps]


# -- sums that are new values --------------------------------------------------------------------------------------------------------


def with_left(steps: Sequence[Step]) -> list[Step]:
    """The steps, with sums that are new values of the state read as such."""
    return [step if step.name == "start" else _changed(step) for step in steps]


def _changed(step: Step) -> Step:
    # What waits for an operation is late, and what other new values are made of must be there before them.
    sums = {
        name: form for name, form in step.updates.items()
        if len(form) > 1 and Term(Source("state", name)) in form and not any(term.source.kind == "op" for term in form)
    }  # fmt: skip

    def read(form: Form, but: str = "") -> Form:
        for name, value in sums.items():
            if name != but and set(value) <= set(form):
                form = (Term(Source("left", name)), *(term for term in form if term not in value))
        return form

    return replace(step.mapped(read), updates={name: form if name in sums else read(form, name) for name, form in step.updates.items()})


# -- operations ---------------------------------------------------------------------------------------------------------------------


def _own_operation(step: Step, name: str) -> UnitOperation | None:
    """The operation whose result is a part of the state and is used nowhere else."""
    number = _own(step, name)
    return None if number is None else step.operations[number]


def _own(step: Step, name: str) -> int | None:
    form = step.updates[name]
    if len(form) != 1 or form[0].maps or form[0].source.kind != "op":
        return None
    number = form[0].source.what
    assert isinstance(number, int)
    return number if sum(term.source == form[0].source for each in step.forms() for term in each) == 1 else None


def _without_operation(step: Step, name: str) -> Step:
    """The step without the operation of its own that a part of the state has.  Its operand is then this part."""
    number = _own(step, name)
    assert number is not None
    updates = {**step.updates, name: step.operations[number].operands[0]}
    return _renumbered(replace(step, updates=updates), [n for n in range(len(step.operations)) if n != number])


def _renumbered(step: Step, order: Sequence[int]) -> Step:
    """The step with some of its operations, by their numbers, in this order."""
    place = {old: new for new, old in enumerate(order)}

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("op", place[term.source.what]), term.maps)
            if term.source.kind == "op" and isinstance(term.source.what, int) else term
            for term in old
        )  # fmt: skip

    return replace(step, operations=[step.operations[n] for n in order]).mapped(form)


def _with_first(step: Step, source: Source, moved: UnitOperation) -> Step:
    """The step with an additional operation at its beginning, which replaces a part of the state."""

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("op", 0), term.maps) if term.source == source
            else Term(Source("op", term.source.what + 1), term.maps) if isinstance(term.source.what, int) and term.source.kind == "op"
            else term
            for term in old
        )  # fmt: skip

    changed = step.mapped(form)
    return replace(changed, operations=[moved, *changed.operations])


# -- order -------------------------------------------------------------------------------------------------------------------------

# Lets a message have its text before its associated data, as the paper luts2017 has it, so that checksum and tag share a register.
#
# A mode allows it if its tag is a sum: what the text gives, and what the associated data give, which do not wait for each other:
#
#     tag = E(checksum) ^ sum           sum ^= E(a) for each block a of associated data, from 0 on
#
#     before    associated ─▶ text ─▶ tag                  checksum, sum: two registers
#     after     text ─▶ between ─▶ associated ─▶ tag       one register
#
#                         text          between          associated       tag
#     checksum            ^= p          = E(checksum)    ^= E(a)          is the register
#
# ``between`` is a step of its own.  It does what the tag does to the text.  Parts of the state that only text needs end there, and those
# that only associated data need may begin there, in the same register: offsets, as well as sums.

ASSOCIATED = "associated"


@dataclass(frozen=True)
class Ordered:
    """The steps of a mode for an order of the parts of its messages.

    Attributes
    ----------
    steps : list of Step
        The steps, with ``between`` if text comes first.
    state : tuple of str
        The parts of the state that are left, in the order of the definition.
    shared : dict
        For each part of the state that associated data alone need, and that has no register of its own: the part whose register it has.
    """

    steps: list[Step]
    state: tuple[str, ...]
    shared: dict[str, str] = field(default_factory=dict)


def as_traced(mode: StreamMode, steps: list[Step], kinds: Mapping[str, Recurrence]) -> Ordered:
    """The steps of a mode for messages that have their associated data first, as in its definition."""
    return Ordered(steps, tuple(kinds))


def text_first(mode: StreamMode, steps: list[Step], kinds: Mapping[str, Recurrence]) -> Ordered:
    """The steps of a mode for messages that have their text first.

    Parameters
    ----------
    steps : sequence of Step
        The steps as they were traced.
    kinds : mapping
        The recurrence of each part of the state, in the order of the definition.

    Raises
    ------
    InputError
        The mode does not allow this order.
    """
    return _TextFirst(mode, steps, kinds).run()


@dataclass(frozen=True)
class Order:
    """An order of the parts of a message: the steps of its parts, with "text" for those of text, and what it makes of traced steps."""

    parts: tuple[str, ...]
    arrange: Callable[[StreamMode, list[Step], Mapping[str, Recurrence]], Ordered]

    def is_first(self, step: Step) -> bool:
        """Whether a step of a block, or a tag, is one of the part that comes first: of associated data, or of what is none."""
        return step.name.endswith(ASSOCIATED) is (self.parts[0] == ASSOCIATED)


ORDERED = {ASSOCIATED_FIRST: Order((ASSOCIATED, "text"), as_traced), TEXT_FIRST: Order(("text", BETWEEN, ASSOCIATED), text_first)}
"""The orders by name."""


class _TextFirst:
    def __init__(self, mode: StreamMode, steps: list[Step], kinds: Mapping[str, Recurrence]):
        self.mode, self.steps, self.kinds = mode, steps, kinds
        self.starts = [step for step in steps if step.name == "start"]
        self.of_data = [step for step in steps if step.name.endswith(ASSOCIATED)]
        self.of_text = [step for step in steps if step not in self.of_data and step.name not in ("start", "tag")]
        self.tag = next(step for step in steps if step.name == "tag")
        self.data, self.text = _used(self.of_data), _used(self.of_text)

    def run(self) -> Ordered:
        self._check()
        total, rest = self._sum()
        renamed = self._shared(total)
        begun = {renamed[name]: self.starts[0].updates[name] for name in self.kinds if name in renamed and name != total}
        sums = renamed.get(total, total)
        between = Step(BETWEEN, 0, self.tag.operations, {sums: rest, **begun})
        tag = replace(self.tag, operations=[], output=(Term(Source("state", sums)),))
        ordered = []
        for step in self.steps:
            if step.name == "start":
                step = replace(step, updates={name: form for name, form in step.updates.items() if name not in renamed})
            elif step in self.of_data:
                step = _renamed(_adds(step, total), renamed)
            ordered.append(tag if step is self.tag else step)
        ordered.insert(ordered.index(tag), between)
        return Ordered(ordered, tuple(name for name in self.kinds if name not in renamed), renamed)

    def _wrong(self, why: str) -> InputError:
        return InputError(f"--order text-first is not for {self.mode.name}: {why}; leave it out")

    def _check(self) -> None:
        """Raises ``InputError`` if text and associated data of the mode wait for each other, or it is not for other reasons."""
        chains = chains_of(self.kinds)
        for name, kind in self.kinds.items():
            changes = [any(name in step.updates for step in part) for part in (self.of_data, self.of_text)]
            if name in self.data and name in self.text and any(changes):
                raise self._wrong(f"text and associated data change the same part of the state, {name}")
            if kind.kind == "horner" or kind in chains:
                raise self._wrong(f"the blocks of {name} wait for each other, and so for what comes first")
        if any(term.source.kind == "lengths" for form in self.tag.forms() for term in form):
            raise self._wrong("tag() reads the lengths of the message, which are known only behind it")
        for term in (term for step in self.starts for form in step.forms() for term in form if term.source.kind == "number"):
            assert isinstance(term.source.what, tuple)
            of = term.source.what[0]
            if not {*(of.names if isinstance(of, Known) else (of,))} <= {"nonce", "tag"}:
                raise self._wrong("start() reads the lengths of the message, and a command does not have that of associated data")

    def _sum(self) -> tuple[str, Form]:
        """The sum of associated data that the tag adds, and the rest of the tag."""
        assert self.tag.output is not None
        read = [term.source.what for form in self.tag.forms() for term in form if self._of_data_alone(term)]
        plain = [term for term in self.tag.output if not term.maps and self._of_data_alone(term)]
        if len(read) != 1 or len(plain) != 1:
            raise self._wrong("tag() does more with the associated data than to add a part of the state to what it makes of the text")
        name = str(plain[0].source.what)
        if any(step.updates[name] for step in self.starts):
            raise self._wrong(f"the sum {name} of associated data does not begin with 0")
        self._check_additions(name, plain[0])
        return name, tuple(term for term in self.tag.output if term is not plain[0])

    def _check_additions(self, name: str, total: Term) -> None:
        """Raises the error of a step for associated data that does more with their sum than to add to it."""
        writers = [step for step in self.of_data if name in step.updates]
        for step in self.of_data:
            own = [term for form in step.forms() for term in form if term.source.what == name and term.source.kind == "state"]
            adds = step in writers and own == [total] and total in step.updates[name]
            # A last block may replace a sum that no other block has changed.
            replaces = writers == [step] and not own and step.name.startswith(LAST)
            if not adds and not replaces and (own or step in writers):
                raise self._wrong(f"{step.name}() does more with the part of the state {name} than to add to it")

    def _of_data_alone(self, term: Term) -> bool:
        return term.source.kind == "state" and term.source.what in self.data and term.source.what not in self.text

    def _shared(self, total: str) -> dict[str, str]:
        """For each part that associated data alone need and that takes the register of another one: this other one."""
        left = [
            name for name in self.kinds
            if name in self.text and name not in self.data and any(name in step.updates for step in self.of_text)
        ]  # fmt: skip
        wanted = [total, *(name for name in self.kinds if name in self.data and name not in self.text and name != total)]
        found: dict[str, str] = {}
        for name in wanted:
            fits = [other for other in left if self._fits(name, other, name == total)]
            if fits:
                found[name] = fits[0]
                left.remove(fits[0])
        return found

    def _fits(self, name: str, other: str, is_total: bool) -> bool:
        """Whether a part that begins where another one ends may have its register: both are sums, or both are read by blocks."""
        firsts = {step.updates[name] for step in self.starts}
        constant = len(firsts) == 1 and all(term.source.kind == "const" for term in next(iter(firsts)))
        if not constant or self.kinds[name].kind != "wires" or self.kinds[other].kind != "wires":
            return False
        return _carries(self.of_text, other) and _read(self.of_text, other) == (not is_total and _read(self.of_data, name))


def _used(steps: Sequence[Step]) -> set[str]:
    """The parts of the state that some steps read or change."""
    read = {str(term.source.what) for step in steps for form in step.forms() for term in form if term.source.kind in ("state", "left")}
    return read | {name for step in steps for name in step.updates}


def _carries(steps: Sequence[Step], name: str) -> bool:
    """Whether some step makes the new value of a part of the state of its old one."""
    return any(term.source == Source("state", name) for step in steps for term in step.updates.get(name, ()))


def _read(steps: Sequence[Step], name: str) -> bool:
    """Whether a step reads a part of the state for anything but its own new value."""
    return any(term.source == Source("state", name) for step in steps for form in _others(step, name) for term in form)


def _others(step: Step, name: str) -> Iterator[Form]:
    for operation in step.operations:
        yield from operation.operands
    yield from (form for key, form in step.updates.items() if key != name)
    yield from step.outputs()


def _adds(step: Step, name: str) -> Step:
    """The step, with what it makes of a sum added to what is there: the sum was 0 if the step replaced it."""
    own = Term(Source("state", name))
    if name not in step.updates or own in step.updates[name]:
        return step
    return replace(step, updates={**step.updates, name: (own, *step.updates[name])})


def _renamed(step: Step, names: Mapping[str, str]) -> Step:
    """The step with other names of parts of the state."""

    def form(old: Form) -> Form:
        return tuple(
            Term(Source("state", names[str(term.source.what)]), term.maps)
            if term.source.kind == "state" and term.source.what in names else term
            for term in old
        )  # fmt: skip

    return replace(step.mapped(form), updates={names.get(name, name): form(each) for name, each in step.updates.items()})
