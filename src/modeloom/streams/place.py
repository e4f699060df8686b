# SPDX-License-Identifier: Apache-2.0
"""Places the units and the parts of the state in the pipeline, and determines the number of tokens of each step.

A token enters a pipeline that never stalls. In stage t, it is t cycles old::

    stage 0        E             E + cipher            M         M + multiplier
    ├─ entry ──────┼─ cipher ────┼───────── ... ───────┼─ product ─┤
    state: counter                                     y           mask: from the stage on in which start has it

Every unit has one stage for all steps. Each part of the state has a stage, its *home*. It is read there, and its new value is ready
there, so the next token may follow in the next cycle. If the operations of a step do not fit into one token, the step takes several
tokens. The operations of ``start`` may run in any order, each as soon as its operands are ready.

A ``start`` of one token *runs ahead*: its token enters at any time before the message, between tokens of other messages, and what it
computes waits in a memory.  A ``tag`` that waits for results of blocks and then takes one token *follows*: this token enters a fixed
number of cycles after the last block, between tokens of the messages behind it::

    S2  B1  B1  S3  B2  B2  T1  B3  B3  T2  B3  B3  T3

If a block uses the cipher on what the cipher has made of it, its token *returns* to the cipher: it goes on through the pipeline, whose
later stages have no unit of their own, and has the cipher again a fixed number of cycles later.  In this cycle, no other token has it.
Such a step takes a place for each use, and the places between belong to others::

    cycle          0   1   2   3   4  ...      a latency of 5 cycles: pairs of blocks, two uses each
    first use      P1      P2      P3      P4      P5
    second use                         P1      P2      P3

With a cadence, it has its own place in a later batch, and so has a tag that follows::

    4 blocks every 40 cycles, a latency of 41 cycles
    cycle          0  1  2  3  ...  40 41 42 43  ...  80 81 82 83
    first use      P1 P2 P3 P4      P5 P6 P7 P8
    second use                                        P1 P2 P3 P4

A chain through the cipher is read at its home, but written a latency later.  The next token of the message waits until then.  There may
be several ciphers: the links of chains have the first one, and the other ciphers of a step have the ones behind it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from modeloom.spec import DefinitionError
from modeloom.spec.cadence import EVERY_CYCLE, Cadence
from modeloom.spec.kinds import CIPHER, Operation
from modeloom.spec.stream import BETWEEN
from modeloom.streams.steps import Form, Step, chain_operations, chains_of, horner_operation

if TYPE_CHECKING:
    from modeloom.streams.plan import StreamPlan, StreamRequest

__all__ = ["Pass", "Placement", "Starts", "cipher_units", "place", "unit_of"]


@dataclass(frozen=True)
class Pass:
    """A token of a step.

    Attributes
    ----------
    at : int
        Cycles after the first token of the step.
    operations : tuple of int
        The operations of the step that this token does.
    """

    at: int
    operations: tuple[int, ...]


@dataclass(frozen=True)
class Starts:
    """How each ``start`` enters.  If parts of the state wait in a memory, ``stored``, it is early: it runs ahead of its message, between
    tokens of others.  Stored are the parts that depend on the nonce.  Otherwise it enters in the sequence of its message."""

    stored: tuple[str, ...] = ()

    @property
    def early(self) -> bool:
        """Whether it runs ahead."""
        return bool(self.stored)

    def free(self, starts: list[Step], passes: Mapping[str, tuple[Pass, ...]]) -> list[Step]:
        """The starts that take no token among those of messages, by class of nonces; all early ones are one."""
        return starts[:1] if self.early else [step for step in starts if not passes[step.title]]

    def waiting(self, updates: Mapping[str, Form]) -> Mapping[str, Form]:
        """What a ``start`` computes that waits until its message begins."""
        return updates if self.early else {}


@dataclass
class Placement:
    """The pipeline of a stream mode.

    Attributes
    ----------
    stages : dict
        The stage at which each unit takes its operands.
    latencies : dict
        The latency of each unit in cycles.
    homes : dict
        The home stage of each part of the state.
    passes : dict
        The tokens of each step, by the title of the step.
    ready : dict
        For each step, the stage at which each of its operations has its result, counted from the first token.
    outputs : dict
        For each step with text or a tag, the stage at which this output is ready, counted from the last token.
    ahead : dict
        Cycles from the first token of a ``start`` to the first block of the message, by its title.
    depth : int
        Number of stages of the pipeline.
    units : dict
        For each step, the unit of each of its operations; "" for wires and adders.
    written : dict
        For each chain through the cipher, the stage in which it gets its new value, counted from the last token of a block.
    turn : int
        Cycles from the last token of a block that writes such a chain to the first token of the next step of its message.
    starts : Starts
        How each ``start`` enters.
    follows : bool
        Whether the token of ``tag`` enters later than the last block, and other tokens before it.
    behind : int
        The number of cycles from the last block of a message to the token of a tag that follows; else 0.
    cadence : Cadence
        The cycles in which tokens that use the cipher enter.
    returns : dict
        For each step whose token returns to the cipher, the number of cycles after its entry at which it begins each of its operations.
    """

    stages: dict[str, int]
    latencies: dict[str, int]
    homes: dict[str, int]
    passes: dict[str, tuple[Pass, ...]] = field(default_factory=dict)
    ready: dict[str, tuple[int, ...]] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)
    ahead: dict[str, int] = field(default_factory=dict)
    depth: int = 0
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    turn: int = 1
    starts: Starts = field(default_factory=Starts)
    follows: bool = False
    behind: int = 0
    cadence: Cadence = EVERY_CYCLE
    returns: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def later(self, title: str, operation: int) -> int:
        """The number of cycles by which an operation of a step begins later than when its token first comes by its unit."""
        return self.returns[title][operation] if title in self.returns else 0

    def uses(self, step: Step) -> tuple[int, ...]:
        """The cycles after the entry of a step's token in which it takes the cipher, counted from the first possible one."""
        keyed = {number for number, one in enumerate(step.operations) if one.operation.keyed}
        if step.name not in self.returns:
            return tuple(each.at for each in self.passes[step.title] if keyed & set(each.operations))
        return tuple(sorted({self.later(step.title, number) for number in keyed}))

    def takes_block(self, cycle: int) -> bool:
        """Whether the cipher takes a block in a cycle, counted from the entry of a token."""
        return self.cadence.takes(cycle)

    def cipher_tokens(self, step: Step) -> tuple[int, ...]:
        """For each token of a step that uses the cipher, the number of cycles after the first token."""
        return tuple(each.at for each in self.passes[step.title] if any(step.operations[n].operation.keyed for n in each.operations))


def unit_of(operation: Operation) -> str:
    """The unit of an operation: "cipher", "mul", or "" for wires and adders within a cycle."""
    return CIPHER if operation.keyed else "" if operation.counter else operation.unit.name


def cipher_units(cores: int) -> list[str]:
    """The names of the ciphers of a lane."""
    return [f"{CIPHER}_{number}" if number else CIPHER for number in range(cores)]


def place(plan: StreamPlan, request: StreamRequest, keyed: Collection[str]) -> Placement:
    """Places units and state.

    Parameters
    ----------
    request : StreamRequest
        It has the latencies of the units "cipher" and "mul", from the operands to the cycle in which the result can be read.
    keyed : collection of str
        Units whose operands are words of the key memory in the set-up.

    Raises
    ------
    DefinitionError
        The steps of a block use their units in an order that is impossible in a pipeline.
    """
    return _Placer(plan, request, keyed).run()


class _Placer:
    def __init__(self, plan: StreamPlan, request: StreamRequest, keyed: Collection[str]):
        self.mode, self.steps, self.kinds, self.chains = plan.mode.name, plan.steps, plan.kinds, chains_of(plan.kinds)
        latencies = {**request.latencies, **{unit: request.latencies[CIPHER] for unit in cipher_units(request.cores)[1:]}}
        # A word of the key memory is read into a register, one stage earlier.
        stages, homes = {unit: int(unit in keyed) for unit in latencies}, dict.fromkeys(plan.kinds, 0)
        self.placed = Placement(stages, latencies, homes, cadence=request.cadence)
        self.placed.units = {step.title: self._assigned(step, request.cores) for step in plan.steps}
        self.loops = [step for step in plan.steps if step.name != "start"]
        # By title, the operations whose operands come from the cipher, if tokens return to it.
        self.late: dict[str, set[int]] = {}
        self.computed = self._computed()
        for name in self.computed:
            # What ``start`` has computed is read from a memory into a register.
            self.placed.homes[name] = 1

    def run(self) -> Placement:
        placed = self.placed
        blocks = [step for step in self.loops if step.name not in (BETWEEN, "tag")]
        self._find_stages(blocks)
        starts = [step for step in self.steps if step.name == "start"]
        if any(token for step in starts for token in self._timed(step)[0]):
            self.computed = []
        placed.starts = Starts(tuple(self.computed))
        for name in self.kinds:
            self._settle(name)
        tag = next(step for step in self.steps if step.name == "tag")
        for step in self.steps:
            if step is not tag:
                self._passes(step)
        # What waits in a memory is ready there a cycle later.
        placed.ahead = {title: cycles + placed.starts.early for title, cycles in placed.ahead.items()}
        placed.follows = self._follows(tag, self._starts_free(starts))
        self._passes(tag)
        placed.behind = placed.passes[tag.title][-1].at * placed.follows
        if self.late and not self._alone(starts, tag):
            raise DefinitionError(
                f"{self.mode}: a block enciphers what the cipher has made of it, so that start() and tag() may encipher one block each"
            )
        placed.returns = {step.title: tuple(self._timed(step)[0]) for step in blocks if step.title in self.late}
        self._turn()
        last = max(stage + placed.latencies[unit] for unit, stage in placed.stages.items())
        # What a tag that follows reads goes through the pipeline before it.
        later = placed.outputs[tag.title] + placed.behind
        placed.depth = max(last, later, *placed.homes.values(), *placed.outputs.values(), *placed.written.values()) + 1
        return placed

    def _find_stages(self, blocks: Sequence[Step]) -> None:
        """Finds the stages of units and state for the steps of blocks, and if that is possible, for the tag, too."""
        placed = self.placed
        before = dict(placed.stages), dict(placed.homes)
        if not self._converges(blocks) and not self._return(blocks, *before):
            raise placed.cadence.no_order(self.mode)
        before = dict(placed.stages), dict(placed.homes)
        if not self._converges(self.loops):
            # The tag uses units in another order than blocks, so it takes a token for each pass.
            placed.stages, placed.homes = before

    def _computed(self) -> list[str]:
        """The parts of the state that wait in a memory if each ``start`` has one operation of a unit, which computes some of them."""
        starts = [step for step in self.steps if step.name == "start"]
        if any(sum(bool(unit_of(one.operation)) for one in step.operations) != 1 for step in starts) or self.chains:
            return []
        if any(term.source.kind == "tag" for step in starts for form in step.forms() for term in form):
            # The tag of a message is known when it begins.
            return []
        made = any(term.source.kind == "op" for step in starts for form in step.updates.values() for term in form)
        forms = {name: {step.updates[name] for step in starts} for name in self.kinds}
        # Only a sum of constants that is the same for all nonces need not wait.
        waits = {name: len(each) > 1 or any(term.source.kind != "const" for form in each for term in form) for name, each in forms.items()}
        return [name for name in self.kinds if waits[name]] if made else []

    def _follows(self, tag: Step, free: bool) -> bool:
        """Whether the tag follows the message, if nothing else takes several tokens in a row."""
        used = {token for token, one in zip(self._timed(tag)[0], tag.operations, strict=True) if unit_of(one.operation)}
        blocks = (self.placed.passes[step.title] for step in self.loops if step is not tag)
        # A core with a cadence waits for the cipher anyway: there, a tag follows only where other tokens enter beside those of messages.
        free = free and (not self.placed.cadence.gaps or self.placed.starts.early or bool(self.late))
        hashes = any(kind.kind == "horner" for kind in self.kinds.values())
        alone = all([one.at for one in each] == [0] for each in blocks)
        return free and alone and not hashes and not self.chains and len(used) == 1 and 0 not in used

    def _converges(self, steps: Sequence[Step]) -> bool:
        """Whether each of the given steps fits into one token, if units and homes are late enough."""
        placed = self.placed
        steps = [*steps, *(step for step in self.loops if step.name == BETWEEN and step not in steps)]
        operations = sum(len(step.operations) for step in steps)
        for _ in range(2 * (operations + len(placed.homes)) + 2):
            before = dict(placed.stages), dict(placed.homes)
            for step in steps:
                self._raise(step)
            if (placed.stages, placed.homes) == before:
                return True
        return False

    def _alone(self, starts: Sequence[Step], tag: Step) -> bool:
        """Whether start and tag take no tokens after one another, between which others would have the cipher."""
        return self._starts_free(starts) and (self.placed.follows or [each.at for each in self.placed.passes[tag.title]] == [0])

    def _starts_free(self, starts: Sequence[Step]) -> bool:
        """Whether no start takes a token in the sequence of its message."""
        return self.placed.starts.early or not any(self.placed.passes[step.title] for step in starts)

    def _return(self, blocks: Sequence[Step], stages: dict[str, int], homes: dict[str, int]) -> bool:
        """Whether each block fits into a token that returns to the cipher."""
        units = {unit for step in blocks for unit in self.placed.units[step.title] if unit}
        if units != {CIPHER} or self.chains:
            return False
        self.placed.stages, self.placed.homes = dict(stages), dict(homes)
        self.late = _waiting(blocks)
        return self._converges(blocks)

    # -- stages ---------------------------------------------------------------------------------------------------------------

    def _raise(self, step: Step) -> None:
        """Moves units and homes to later stages until a step fits into one token, as far as possible."""
        placed = self.placed
        if step.name == BETWEEN:
            self._raise_between(step)
            return
        if self.late:
            self._raise_returning(step)
            return
        ready: list[int] = []
        for number, operation in enumerate(step.operations):
            at = max((self._ready(step, operand, ready) for operand in operation.operands), default=0)
            if unit := placed.units[step.title][number]:
                at = max(at, int(any(term.source.kind == "key" for operand in operation.operands for term in operand)))
                placed.stages[unit] = max(placed.stages[unit], at)
                at = placed.stages[unit] + placed.latencies[unit]
                for kind in self.chains:
                    if number in chain_operations(step, kind):
                        placed.homes[kind.name] = max(placed.homes[kind.name], placed.stages[unit])
                for name, kind in self.kinds.items():
                    if kind.kind == "horner" and horner_operation(step, kind) == number:
                        placed.homes[name] = placed.stages[unit]
            ready.append(at)
        for name, form in step.updates.items():
            if self.kinds[name].kind in ("wires", "counter"):
                placed.homes[name] = max(placed.homes[name], self._ready(step, form, ready))

    def _raise_between(self, step: Step) -> None:
        """Moves homes of what the step between text and associated data leaves.  Its tokens wait for what the text leaves."""
        ready, homes = self._ready_of(step), self.placed.homes
        for name, form in step.updates.items():
            homes[name] = max(homes[name], self._ready(step, form, ready))

    def _raise_returning(self, step: Step) -> None:
        """The same for a step whose token may return to the cipher."""
        placed = self.placed
        ready = self._timed(step)[1]
        for number, operation in enumerate(step.operations):
            unit = placed.units[step.title][number]
            if unit and number not in self.late.get(step.title, ()):
                keys = int(any(term.source.kind == "key" for operand in operation.operands for term in operand))
                at = max((self._ready(step, operand, ready) for operand in operation.operands), default=0)
                placed.stages[unit] = max(placed.stages[unit], at, keys)
        ready = self._timed(step)[1]
        for name, form in step.updates.items():
            placed.homes[name] = max(placed.homes[name], self._ready(step, form, ready))

    def _ready(self, step: Step, form: Form, ready: Sequence[int]) -> int:
        """The stage at which all terms of a form are ready."""
        stages = [0]
        for term in form:
            if term.source.kind == "op":
                assert isinstance(term.source.what, int)
                stages.append(ready[term.source.what])
            elif term.source.kind in ("state", "left"):
                stages.append(self.placed.homes[str(term.source.what)])
            elif term.source.kind == "key":
                # Words come from a memory into a register; what a number of the message makes of them has another one.
                stages.append(2 if any(term.amounts()) else 1)
        return max(stages)

    def _settle(self, name: str) -> None:
        """The home of a part that the steps never change is the stage at which ``start`` has it, if this is early enough for all
        readers."""
        if self.kinds[name].kind != "held":
            return
        latest = min((self._read_at(step, name) for step in self.loops), default=0)
        wanted = max((self._started(step, name) for step in self.steps if step.name == "start"), default=0)
        # What waits in a memory is read where it is needed, so that it waits nowhere else.
        self.placed.homes[name] = max(1, latest) if name in self.computed else min(latest, wanted)

    def _read_at(self, step: Step, name: str) -> int:
        """The first stage at which a step reads a part of the state; a large number if it does not read it."""
        placed, stages = self.placed, [1 << 30]
        ready = self._ready_of(step)
        for operation, unit in zip(step.operations, placed.units[step.title], strict=True):
            if any(term.source.what == name and term.source.kind == "state" for operand in operation.operands for term in operand):
                stages.append(placed.stages.get(unit, 0))
        for form in [*step.updates.values(), *step.outputs()]:
            if any(term.source.kind == "state" and term.source.what == name for term in form):
                stages.append(self._ready(step, tuple(t for t in form if t.source.what != name), ready))
        return min(stages)

    def _ready_of(self, step: Step) -> list[int]:
        """The stages at which the results of a step with one token are ready."""
        ready: list[int] = []
        for operation, unit in zip(step.operations, self.placed.units[step.title], strict=True):
            at = max((self._ready(step, operand, ready) for operand in operation.operands), default=0)
            ready.append(self.placed.stages[unit] + self.placed.latencies[unit] if unit else at)
        return ready

    def _started(self, step: Step, name: str) -> int:
        """The stage at which a ``start`` has computed a part of the state, counted from its first token."""
        return self._ready(step, step.updates[name], self._timed(step)[1])

    # -- tokens ---------------------------------------------------------------------------------------------------------------

    def _timed(self, step: Step) -> tuple[list[int], list[int]]:
        """For each operation, the cycle of its token, and the cycle in which its result is ready."""
        placed = self.placed
        ready: list[int] = []
        tokens: list[int] = []
        taken: set[tuple[str, int]] = set()
        ciphered: set[int] = set()
        fits, grid = placed.cadence.phases, self._grid(step)
        for operation, unit in zip(step.operations, placed.units[step.title], strict=True):
            at = max((self._ready(step, operand, ready) for operand in operation.operands), default=0)
            token = max(0, at - placed.stages.get(unit, at))
            # Behind a message there is time for a register before the unit.
            token += token > 0 and placed.follows and step.name == "tag"
            keyed = operation.operation.keyed
            while unit and ((unit, token) in taken or (keyed and not fits({*ciphered, token})) or token % grid):
                token += 1
            taken.add((unit, token))
            ciphered |= {token} if keyed else set()
            tokens.append(token)
            ready.append(token + placed.stages[unit] + placed.latencies[unit] if unit else at)
        return tokens, ready

    def _grid(self, step: Step) -> int:
        """The cycles between those in which a token may return to the cipher, or follow its message.

        With a cadence, it does so at its own place of a later batch: then no place of a batch is left free because nothing fits into it.
        """
        apart = self.placed.follows if step.name == "tag" else bool(self.late) and step.name not in ("start", BETWEEN)
        return self.placed.cadence.interval if apart else 1

    def _passes(self, step: Step) -> None:
        placed = self.placed
        tokens, ready = self._timed(step)
        used = sorted({token for token, operation in zip(tokens, step.operations, strict=True) if unit_of(operation.operation)})
        if step.name != "start" and not used:
            used = [0]
        placed.passes[step.title] = tuple(
            Pass(token, tuple(n for n, at in enumerate(tokens) if at == token or (token == used[0] and at < token))) for token in used
        )
        placed.ready[step.title] = tuple(ready)
        if step.title in self.late:
            # It is one token, which comes by again.
            placed.passes[step.title], used = (Pass(0, tuple(range(len(tokens)))),), [0]
        last = used[-1] if used else 0
        if step.output is not None:
            placed.outputs[step.title] = max(0, *(self._ready(step, form, ready) - last for form in step.outputs()))
        if step.name == "start":
            written = {name: self._ready(step, form, ready) for name, form in step.updates.items()}
            if used:
                # Chains are written at one stage, so that no two tokens write in a cycle.
                written |= {kind.name: max(written[kind.name], self._written(kind.name)) for kind in self.chains}
            late = [ready_at - placed.homes[name] for name, ready_at in written.items()]
            # The state is in registers, so a value that is ready in one cycle is read in the next.
            placed.ahead[step.title] = max(late, default=0) + 1 if max(late, default=0) > 0 else 0

    # -- chains through the cipher --------------------------------------------------------------------------------------------

    def _assigned(self, step: Step, cores: int) -> tuple[str, ...]:
        """The unit of each operation of a step."""
        links = {number for kind in self.chains for number in chain_operations(step, kind)}
        ciphers, others = cipher_units(cores), len(links) % cores
        units = []
        for number, operation in enumerate(step.operations):
            unit = unit_of(operation.operation)
            if unit == CIPHER and number not in links:
                unit, others = ciphers[others], (others + 1) % cores
            units.append(unit)
        return tuple(units)

    def _written(self, name: str) -> int:
        """The stage in which blocks write a chain, counted from their last tokens."""
        stages = [0]
        for step in self.loops:
            if name in step.updates:
                tokens, ready = self._timed(step)
                stages.append(self._ready(step, step.updates[name], ready) - max(tokens, default=0))
        return max(stages)

    def _turn(self) -> None:
        """The stages in which chains are written, and the turn of a message."""
        placed = self.placed
        for kind in self.chains:
            placed.written[kind.name] = self._written(kind.name)
            first = [
                part.at for step in self.loops for part in placed.passes[step.title]
                if any(number in part.operations for number in chain_operations(step, kind))
            ]  # fmt: skip
            # It is written at the end of a cycle, and read at its home.
            placed.turn = max(placed.turn, placed.written[kind.name] + 1 - placed.homes[kind.name] - min(first, default=0))


def _waiting(blocks: Sequence[Step]) -> dict[str, set[int]]:
    """For each step of a block, the operations of the cipher whose operands come from the cipher, in this step or through the state::

        pair       E(M1 ^ mask) ──▶ C1 ──▶ E(C1 ^ other mask)                 in a step
        state      sum ^ E(block) ──▶ sum ──▶ last block: E(sum ^ block)      from step to step
    """
    parts: set[str] = set()
    found: dict[str, set[int]] = {step.title: set() for step in blocks}
    before = -1
    while before != len(parts):
        before = len(parts)
        for step in blocks:
            for number, one in enumerate(step.operations):
                if one.operation.keyed and any(_made(step, operand, parts) for operand in one.operands):
                    found[step.title].add(number)
            parts |= {name for name, form in step.updates.items() if _made(step, form, parts)}
    return found


def _made(step: Step, form: Form, parts: set[str]) -> bool:
    """Whether a form comes from the cipher.  ``parts`` are those of the state that do."""
    for term in form:
        kind, what = term.source
        if kind == "op":
            assert isinstance(what, int)
            one = step.operations[what]
            if one.operation.keyed or any(_made(step, operand, parts) for operand in one.operands):
                return True
        elif kind in ("state", "left") and what in parts:
            return True
    return False
