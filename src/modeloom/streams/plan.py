# SPDX-License-Identifier: Apache-2.0
"""The plan for the hardware of a stream mode: steps, recurrences, the placement, and the words of the key memory.

A token has one block of input. Depending on its step, it is a piece of the message, the nonce, or the block of lengths.

::

    trace ──▶ steps ──▶ order ──▶ retime ──▶ lazy ──▶ left ──▶ words ──▶ place ──▶ tokens

``modeloom explain --dump NAME`` prints what a pass has made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from modeloom.spec import DefinitionError, InputError
from modeloom.spec.cadence import EVERY_CYCLE, Cadence
from modeloom.spec.errors import paced
from modeloom.spec.kinds import CIPHER, DEC, ENC, MUL, TDEC, TENC, Operation
from modeloom.spec.stream import ASSOCIATED_FIRST, BETWEEN, BLOCKS, LAST, PARTIAL, LengthPrefix, StreamMode, variants
from modeloom.streams.derive import Preparation, Word, prepare
from modeloom.streams.place import Placement, place, unit_of
from modeloom.streams.reservation import ReservationTable
from modeloom.streams.rewrite import ORDERED, Order, move_to_tag, retime, with_left
from modeloom.streams.steps import Form, Recurrence, Source, Step, chains_of, horner_operation, key_word, recurrences, steps_of
from modeloom.streams.trace import Known, StreamTrace, trace_stream

__all__ = ["MULTIPLIER_REGISTERS", "PASSES", "StreamPass", "StreamPlan", "StreamRequest", "TokenKind", "plan_stream"]

MULTIPLIER_REGISTERS = 2
"""Registers around a multiplier: at its operands, and after its product."""

CHAIN_CYCLES = 2
"""Cycles from a product to the first one that may read its chain: a memory is written, and then read into a register."""

OUTER = ("associated", "text", "nonce", "lengths")


@dataclass(frozen=True)
class TokenKind:
    """A kind of tokens, which belongs to a step.

    Attributes
    ----------
    title : str
        Title of the step.
    part : int
        The index of the token in the step.
    operations : tuple of int
        The operations of the step that this token does.
    ends : bool
        Whether it is the last token of the step, which writes the state and has the output.
    source : Source or None
        The kind of its block, or None if it needs none.
    """

    title: str
    part: int
    operations: tuple[int, ...]
    ends: bool
    source: Source | None


@dataclass
class StreamPlan:
    """A compiled stream mode.

    Attributes
    ----------
    mode : StreamMode
    trace : StreamTrace
    steps : list of Step
    kinds : dict
        The recurrence of each part of the state.
    placed : Placement
    chains : int
        Number of chains of a Horner hash in all lanes together.
    lanes : int
        Blocks in a cycle.
    tokens : list of TokenKind
    words : list of (int, int)
        Words of the key memory of a slot, beginning with those from the host: a key value by its node, and its power.
    preparations : list of Preparation
        The operations of the set-up, in order.
    cores : int
        Ciphers of a lane.
    prefixes : tuple of LengthPrefix
        What comes before associated data.
    order : Order
        The order of the parts of a message (``streams.rewrite``).
    shared : dict
        If text comes first: the parts of the state that have the register of another one, which ends before they begin, with its name.
    """

    mode: StreamMode
    trace: StreamTrace
    steps: list[Step]
    kinds: dict[str, Recurrence]
    placed: Placement
    chains: int
    tokens: list[TokenKind] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    preparations: list[Preparation] = field(default_factory=list)
    lanes: int = 1
    cores: int = 1
    prefixes: tuple[LengthPrefix, ...] = ()
    order: Order = ORDERED[ASSOCIATED_FIRST]
    shared: dict[str, str] = field(default_factory=dict)
    state: tuple[str, ...] = ()
    made: dict[str, StreamPlan] = field(default_factory=dict, repr=False, compare=False)

    @property
    def text_first(self) -> bool:
        """Whether messages have their text before their associated data."""
        return self.order.parts[0] == "text"

    @property
    def chained(self) -> bool:
        """Whether a block of a message waits for the cipher of the one before it."""
        return bool(chains_of(self.kinds))

    def turn_after(self, step: Step) -> int:
        """Cycles from the last token of a step to the first token of the next step of its message."""
        links = step.name != "start" and any(self.kinds[name].chained for name in step.updates)
        return self.placed.turn if links else 1

    @property
    def free_starts(self) -> list[Step]:
        """The starts that take no token among those of messages, by class of nonces; one of them if starts run ahead."""
        return self.placed.starts.free([step for step in self.steps if step.name == "start"], self.placed.passes)

    @property
    def known_lengths(self) -> tuple[str, ...]:
        """The lengths of a message that its ``start`` reads, in a fixed order."""
        # The length of the nonce tells which of several starts without tokens it is.
        read = {"nonce"} if len(self.free_starts) > 1 else set[str]()
        for term in (term for step in self.steps if step.name == "start" for form in step.forms() for term in form):
            if term.source.kind == "number":
                assert isinstance(term.source.what, tuple)
                of = term.source.what[0]
                read |= set(of.names) if isinstance(of, Known) else {of}
        return tuple(sorted(read))

    @property
    def times_bits(self) -> int:
        """The width of the number of trailing zeros of the number of a block; 0 if no step reads it."""
        return max((amount.bits for step in self.steps for amount in step.amounts() if amount.kind == "ntz"), default=0)

    @property
    def joins_tag(self) -> bool:
        """Whether the last blocks of a message say that it ends, so that its tag takes no place behind them."""
        return self.shares_tag or self.follows

    @property
    def tag_lengths(self) -> bool:
        """Whether a tag that follows reads the lengths of its message."""
        return self.follows and any(term.source.kind == "lengths" for form in self.step("tag").forms() for term in form)

    @property
    def nonce_form(self) -> str | None:
        """The form of the nonce that ``start`` reads: "01", or None for the nonce at the front of a block."""
        return next((str(source.what) for step in self.steps for source in step.sources() if source.kind == "nonce" and source.what), None)

    @property
    def nonce_end(self) -> int:
        """The number of bytes at the end of a nonce that numbers are taken from."""
        bits = (amount.bits for step in self.steps for amount in step.amounts() if amount.kind == "bits")
        return -(-max(bits, default=0) // 8)

    @property
    def carries_keys(self) -> bool:
        """Whether key values are terms of the state or of outputs, or are multiplied by what is known when a message comes.

        If tokens return to the cipher, they have their key values with them.
        """
        uses = self.uses
        for step in self.steps:
            others = [*step.updates.values(), *step.outputs()]
            keys_read = [(term, form in others) for form in step.forms() for term in form if term.source.kind == "key"]
            if any(step.title in uses or of_form or any(term.amounts()) for term, of_form in keys_read):
                return True
        return False

    @property
    def lane_chains(self) -> int:
        """The number of chains of a lane."""
        return self.chains // self.lanes

    @property
    def shares_tag(self) -> bool:
        """Whether the tag may use a lane that the last blocks of a message leave free."""
        return self.lanes > 1 and [token.at for token in self.placed.passes["tag"]] == [0]

    def tag_joins(self, blocks: int) -> bool:
        """Whether the tag of a message uses a lane of the cycle that has its last blocks, so many."""
        return self.shares_tag and blocks < self.lanes

    @property
    def runs_ahead(self) -> bool:
        """Whether ``start`` runs ahead of its message (``Placement``)."""
        return self.placed.starts.early

    @property
    def follows(self) -> bool:
        """Whether the token of ``tag`` follows its message (``Placement``)."""
        return self.placed.follows

    @property
    def behind(self) -> int:
        """The number of cycles from the last block of a message to the token of a tag that follows; else 0."""
        return self.placed.behind

    @property
    def started(self) -> tuple[str, ...]:
        """The parts of the state that wait in a memory after a ``start`` that runs ahead."""
        return self.placed.starts.stored

    @property
    def cadence(self) -> Cadence | None:
        """The cycles in which tokens that use the cipher enter; None if they may enter in every cycle."""
        return self.placed.cadence.batched

    @property
    def pace(self) -> str:
        """The blocks that enter in each cycle, or those that the cipher takes if it does not take one in every cycle."""
        return paced(self.lanes * self.placed.cadence.blocks, self.placed.cadence.interval)

    @property
    def all_ciphered(self) -> bool:
        """Whether every token of a message keeps the cadence: it uses the cipher when it enters, or when it returns to it, or is a tag
        behind such tokens."""
        return self._ciphered(self.tokens) or self.tag_keeps

    def _ciphered(self, tokens: Iterable[TokenKind]) -> bool:
        return all(any(self.step(each.title).operations[n].operation.keyed for n in each.operations) for each in tokens)

    @property
    def tag_keeps(self) -> bool:
        """Whether a tag that only reads the state keeps the cadence, so that every token does: it costs less than what waits otherwise."""
        rest = [each for each in self.tokens if each.title != "tag"]
        return self.cadence is not None and self.text_first and bool(rest) and self._ciphered(rest)

    @property
    def reservations(self) -> ReservationTable:
        """What each step takes, and the first cycle in which it may enter."""
        return ReservationTable(self)

    def step(self, title: str) -> Step:
        """A step by its title."""
        return next(step for step in self.steps if step.title == title)

    def kind_of(self, title: str, part: int = 0) -> int:
        """The number of the kind of a token of a step."""
        return next(n for n, token in enumerate(self.tokens) if (token.title, token.part) == (title, part))

    @property
    def horner(self) -> Recurrence | None:
        """The recurrence of the hash."""
        return next((kind for kind in self.kinds.values() if kind.kind == "horner"), None)

    def hashed(self, step: Step) -> int | None:
        """The operation of a step that is a product of the hash."""
        return None if self.horner is None else horner_operation(step, self.horner)

    @property
    def uses_multiplier(self) -> bool:
        """Whether a step or the set-up has a product."""
        of_steps = {unit_of(one.operation) for step in self.steps for one in step.operations}
        return unit_of(MUL.operation) in of_steps | {unit_of(one.operation) for one in self.preparations}

    def word(self, node: int, exponent: int = 1) -> int:
        """The index of a word in the key memory of a slot."""
        return self.words.index((node, exponent))

    def word_name(self, node: int, exponent: int = 1) -> str:
        """The name of a word of the key memory, such as "H^2"."""
        name = key_word(self.trace, node)
        return name if exponent == 1 else f"{name}^{exponent}"

    def tokens_of(self, name: str) -> int:
        """The number of tokens of a step.

        The steps are "start" with nonces of the default length, "associated", "text" in the direction or pass that needs more tokens,
        "tag", and those that some plans alone have.  A token that returns to the cipher counts as one for each time.
        """
        names = self.mode.text_steps() if name == "text" else (name,)
        return max(
            (max(len(self.placed.passes[step.title]), self.places_of(step.name)) for step in self.steps
            if step.name in names and not step.nonce_class),
            default=0,
        )  # fmt: skip

    def places_of(self, name: str) -> int:
        """If tokens return to the cipher: the cycles in which a block of a step, or of one for a last block, has it, in the mean over a
        pair and rounded up.  It is 0 if no token returns.
        """
        every, uses = (name, *self.last_steps.get(name, ())), self.uses
        return max((-(-len(uses[each]) // (1 + self.mode.takes_pair(each))) for each in every if each in uses), default=0)

    @property
    def last_steps(self) -> dict[str, tuple[str, ...]]:
        """For each step of whole blocks, the other steps that a last block may take."""
        names = {step.name for step in self.steps}
        found = {step: tuple(name for name in variants(step) if name in names and name != step) for step in BLOCKS}
        return {step: others for step, others in found.items() if others}

    @property
    def ends(self) -> bool:
        """Whether a step takes the last block of associated data, or of text, even if it is whole."""
        return any(step.name.startswith(LAST) for step in self.steps)

    @property
    def pairs(self) -> bool:
        """Whether a token of text has two blocks."""
        return self.mode.text_blocks == 2

    @property
    def uses(self) -> dict[str, tuple[int, ...]]:
        """For each step whose tokens enter between those that return to the cipher: the cycles after its entry in which it has the
        cipher.  It is empty if no token returns.
        """
        table = self.reservations
        return {step.title: table.uses(step.title)[CIPHER] for step in self.steps} if table.shares(CIPHER) else {}

    @property
    def returning(self) -> bool:
        """Whether tokens return to the cipher (``Placement``)."""
        return bool(self.placed.returns)

    @property
    def text_stage(self) -> int:
        """The stage in which all steps have their text."""
        return max(stage for title, stage in self.placed.outputs.items() if title != "tag")


@dataclass(frozen=True)
class StreamRequest:
    """What a plan is made for: the parameters of :func:`plan_stream`."""

    mode: StreamMode
    key_bytes: int
    latencies: dict[str, int]
    lanes: int = 1
    cores: int = 1
    cadence: Cadence = EVERY_CYCLE
    order: str = ASSOCIATED_FIRST


@dataclass(frozen=True)
class StreamPass:
    """A pass.

    Attributes
    ----------
    run : callable
        ``run(plan, request)`` returns the plan with the results of the pass.  It does not change its argument.
    makes : tuple of str
        The members of the plan that it computes.
    """

    name: str
    run: Callable[[StreamPlan, StreamRequest], StreamPlan]
    makes: tuple[str, ...]


def _steps(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """Unit operations of each step."""
    steps = steps_of(plan.trace)
    return replace(plan, steps=steps, kinds=recurrences(plan.mode.name, steps, plan.state))


def _order(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """The steps for messages with their parts in the order of the plan."""
    made = plan.order.arrange(plan.mode, plan.steps, plan.kinds)
    kinds = recurrences(plan.mode.name, made.steps, made.state)
    plan = replace(plan, steps=made.steps, kinds=kinds, state=made.state, shared=made.shared)
    if sum(kind.kind == "horner" for kind in plan.kinds.values()) > 1:
        raise DefinitionError(f"{plan.mode.name}: two parts of the state are polynomial hashes; a pipeline has one")
    for step in plan.steps:
        for one in step.operations:
            _check_unit(plan.mode, step.name, one.operation, request.latencies)
    return plan


def _retime(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """The cipher of a chain at the beginning of the next step."""
    steps = retime(plan.steps, plan.kinds)
    return replace(plan, steps=steps, kinds=recurrences(plan.mode.name, steps, plan.state))


def _lazy(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """What ``start`` computes and only the tag reads, in the tag."""
    return replace(plan, steps=move_to_tag(plan.steps, plan.kinds))


def _left(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """Sums that are new values of the state, read as such."""
    return replace(plan, steps=with_left(plan.steps))


def _words(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """The words of the key memory, and the operations of set-up."""
    chains = request.lanes * (request.latencies.get("mul", 0) + CHAIN_CYCLES)
    preparations, words = prepare(plan.trace, _wanted(plan.steps, plan.kinds, chains))
    for made in preparations:
        _check_unit(plan.mode, "setup", made.operation, request.latencies)
    return replace(plan, chains=chains, preparations=preparations, words=words)


def _place(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """The stages of units and state, and the tokens of each step."""
    of_words = ((made, term.source) for made in plan.preparations for form in made.operands for term in form)
    reading = {unit_of(made.operation) for made, source in of_words if source.kind == "word"}
    placed = place(plan, request, reading)
    _check_reads(plan.mode, plan.steps, plan.kinds)
    return replace(plan, placed=placed)


def _kinds_of_tokens(plan: StreamPlan, request: StreamRequest) -> StreamPlan:
    """The kinds of tokens."""
    _check_lanes(plan)
    _check_last(plan)
    _check_between(plan)
    return replace(plan, tokens=list(_tokens(plan)))


PASSES = (
    StreamPass("steps", _steps, ("steps", "kinds")),
    StreamPass("order", _order, ("steps", "kinds", "state", "shared")),
    StreamPass("retime", _retime, ("steps", "kinds")),
    StreamPass("lazy", _lazy, ("steps",)),
    StreamPass("left", _left, ("steps",)),
    StreamPass("words", _words, ("chains", "preparations", "words")),
    StreamPass("place", _place, ("placed",)),
    StreamPass("tokens", _kinds_of_tokens, ("tokens",)),
)
"""The passes in order."""


def plan_stream(
    mode: StreamMode, key_bytes: int, latencies: dict[str, int], lanes: int = 1, cores: int = 1, cadence: Cadence | None = None,
    order: str = ASSOCIATED_FIRST,
) -> StreamPlan:  # fmt: skip
    """Compiles a stream mode: traces it, and runs ``PASSES``.

    Parameters
    ----------
    key_bytes : int
        Number of bytes of a cipher key.
    latencies : dict
        Cycles of the units "cipher" and "mul".
    lanes : int
        Blocks in a cycle.
    cores : int
        Ciphers of a lane.
    cadence : Cadence, optional
        The cycles in which the cipher takes blocks, if it does not take one in every cycle.
    order : str
        One of ``spec.stream.ORDERS``.

    Raises
    ------
    DefinitionError
        If the definition is wrong, or no pipeline can run it.
    InputError
        If the mode cannot take several blocks in a cycle, or messages in this order.
    """
    request = StreamRequest(mode, key_bytes, latencies, lanes, cores, cadence or EVERY_CYCLE, order)
    trace = trace_stream(mode, key_bytes)
    plan = StreamPlan(
        mode, trace, [], {}, Placement({}, {}, {}), 0, lanes=lanes, cores=cores, prefixes=mode.associated_prefix,
        order=ORDERED[order], state=trace.state,
    )  # fmt: skip
    made = {}
    for one in PASSES:
        plan = made[one.name] = one.run(plan, request)
    return replace(plan, made=made)


def _tokens(plan: StreamPlan) -> Iterator[TokenKind]:
    for step in plan.steps:
        passes = plan.placed.passes[step.title]
        for number, part in enumerate(passes):
            ends = number == len(passes) - 1
            forms = [form for n in part.operations for form in step.operations[n].operands]
            forms += [*step.updates.values(), *step.outputs()] if ends else []
            # Both blocks of a pair are the text of its token.
            found = {Source("text") if source.kind == "text" else source for form in forms for source in _outer(form)}
            if len(found) > 1:
                raise DefinitionError(f"{plan.mode.name}: {step.name}() needs {' and '.join(s.kind for s in found)} at once")
            yield TokenKind(step.title, number, part.operations, ends, next(iter(found), None))


def _outer(form: Form) -> Iterator[Source]:
    for term in form:
        if term.source.kind in OUTER:
            yield term.source


def _wanted(steps: list[Step], kinds: dict[str, Recurrence], chains: int) -> list[Word]:
    words: list[Word] = []
    for kind in kinds.values():
        if kind.key is not None:
            words += [(kind.key, exponent) for exponent in range(1, chains + 1)]
    for step in steps:
        for form in step.forms():
            for term in form:
                if term.source.kind == "key" and isinstance(term.source.what, int) and (term.source.what, 1) not in words:
                    words.append((term.source.what, 1))
    return words


# -- checks ---------------------------------------------------------------------------------------------------------------------------


def _check_last(plan: StreamPlan) -> None:
    """Raises ``DefinitionError`` for a last block that takes other tokens than the others."""
    for whole, last in ((whole, each) for whole, others in plan.last_steps.items() for each in others):
        at = [[each.at for each in plan.placed.passes[name]] for name in (whole, last)]
        if at[0] != at[1]:
            what = "partial last" if last.startswith(PARTIAL) else "last"
            tokens = " and ".join(f"{len(each)} of {name}()" for each, name in zip(at, (whole, last), strict=True))
            raise DefinitionError(f"{plan.mode.name}: a {what} block takes as many tokens as a whole one, not {tokens}")
        if (plan.hashed(plan.step(whole)) is None) != (plan.hashed(plan.step(last)) is None):
            raise DefinitionError(f"{plan.mode.name}: the hash takes whole blocks and partial ones of {whole}(), or neither of them")


def _check_between(plan: StreamPlan) -> None:
    """Raises ``InputError`` for a step between text and associated data for which the entry has no place."""
    passes, name = plan.placed.passes.get(BETWEEN, ()), plan.mode.name
    if len(passes) > 1:
        raise InputError(f"--order text-first is not for {name}: its tag takes the cipher several times; leave it out")
    if any(one.at < use for one in passes for uses in plan.placed.returns.values() for use in uses):
        raise InputError(f"--order text-first is not for {name}: blocks return to the cipher after its tag has had it; leave it out")


def _check_lanes(plan: StreamPlan) -> None:
    """Raises ``DefinitionError`` or ``InputError`` for steps that cannot run in several lanes."""
    names = ("associated", *plan.mode.text_steps(), "tag")
    first, *texts, last = (plan.hashed(plan.step(name)) is not None for name in names)
    if plan.horner is not None and (len(set(texts)) > 1 or (first and last and not texts[0])):
        raise DefinitionError(f"{plan.mode.name}: the hash takes blocks of text in one direction alone, or leaves them out between others")
    if plan.lanes == 1:
        return
    reasons = {"takes text in pairs": any(map(plan.mode.takes_pair, names)), "returns to the cipher with a block": bool(plan.uses)}
    for why, holds in reasons.items():
        if holds:
            raise InputError(f"{plan.mode.name} {why}, which is for one block per cycle; leave out --blocks-per-cycle")
    for name in names[:-1]:
        if len(plan.placed.passes[name]) > 1:
            raise InputError(f"{plan.mode.name}: {name}() needs a unit twice, so that several blocks per cycle are impossible")
    for whole, part in ((whole, each) for whole, others in plan.last_steps.items() for each in others):
        counted = [_counted(plan, plan.step(name)) for name in (whole, part)]
        if all(counted) and counted[0] != counted[1]:
            raise InputError(f"{plan.mode.name}: {part}() adds another number to a counter than {whole}(); it takes one block per cycle")
    if chains_of(plan.kinds):
        raise InputError(f"{plan.mode.name}: each block waits for the result of the one before; it takes one block per cycle at most")
    if plan.cores > 1 or plan.prefixes:
        raise InputError(f"{plan.mode.name}: several ciphers, and a prefix of associated data, are for one block per cycle")


def _counted(plan: StreamPlan, step: Step) -> set[tuple[str, int]]:
    """The counters of the state that a step reads with an adder, and what it adds."""
    found = set()
    for operation in step.operations:
        for term in operation.operands[0]:
            if operation.operation.counter and term.source.kind == "state" and plan.kinds[str(term.source.what)].kind == "counter":
                found.add((str(term.source.what), operation.number))
    return found


def _check_unit(mode: StreamMode, step: str, operation: Operation, units: Collection[str]) -> None:
    """Raises ``DefinitionError`` for an operation of a step, or of the set-up, that no unit of the pipeline performs."""
    unit = unit_of(operation)
    # Set-up enciphers only, so that the cipher of a core without deciphering steps has one direction.
    ciphers = (ENC,) if step == "setup" else (ENC, DEC, TENC, TDEC)
    if (operation.keyed and operation.name not in ciphers) or (unit and unit not in units):
        raise DefinitionError(f"{mode.name}: {step}() uses o.{operation.name}(), for which the pipeline of a stream mode has no unit")


def _check_reads(mode: StreamMode, steps: list[Step], kinds: dict[str, Recurrence]) -> None:
    """Raises ``DefinitionError`` for steps that read a nonce, a key value or the hash where the pipeline has none."""
    nonces = {source.what for step in steps for source in step.sources() if source.kind == "nonce"}
    if len(nonces) > 1:
        raise DefinitionError(f"{mode.name}: start() reads nonce.block and o.pad01(nonce); let it read the nonce in one form")
    for step in steps:
        for name, form in step.updates.items() if step.name == "start" else ():
            if any(term.source.kind == "key" for term in form):
                raise DefinitionError(f"{mode.name}: start() adds a key value to the state {name}; let the steps that read {name} add it")
        for name, kind in kinds.items():
            if kind.kind != "horner":
                continue
            if step.name == "start" and step.updates[name]:
                raise DefinitionError(f"{mode.name}: start() gives the hash {name} a value; let it begin with 0, and hash a first block")
            own = horner_operation(step, kind)
            others = [form for number, one in enumerate(step.operations) if number != own for form in one.operands]
            others += [*step.updates.values(), *step.outputs()]
            if any(term.source == Source("state", name) for form in others for term in form):
                raise DefinitionError(
                    f"{mode.name}: {step.name}() reads the hash {name} without a product; let tag() hash a last block, such as "
                    "o.bit_lengths(n.associated, n.text), and read the product"
                )
