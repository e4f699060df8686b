# SPDX-License-Identifier: Apache-2.0
"""Proves that messages of different channels may interleave at every token: none of them sees anything of another one.

Pairs of messages run on symbols, with the tokens of two channels in turn and in random order, and are compared with the definition::

    channel 0   A0      A1      A2      A-tag
    channel 1       B0      B1      B-tag

Each token enters as soon as the pipeline has a place, and its channel has waited as long as a chain through the cipher asks for.

Longer messages and other interleavings follow by induction, which ``prove_apart`` shows. Let the states of two channels be arbitrary. A
token of one of them leaves the state of the other as it is, and leaves in its own state, and gives, what it would if the other channel were
not there. So each message goes on as if it were alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from modeloom.prove.polynomials import Polynomial
from modeloom.prove.symbols import ProofError
from modeloom.spec.stream import PARTIAL
from modeloom.streams.forms import tag_block
from modeloom.streams.known import lengths_in_start
from modeloom.streams.machine import BlockOrPair, Machine, Token
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import Definition, Forms, Message, input_block, named_blocks, run_token, tokens_of

__all__ = ["prove_apart", "prove_channels"]

INTERLEAVED = "channels interleaved: "

MakeMachine = Callable[..., Machine]


def prove_channels(plan: StreamPlan, seed: int = 1, machine: MakeMachine = Machine) -> int:
    """Proves that channels do not mix.  Returns the number of pairs of messages, and raises ``ProofError``.

    Parameters
    ----------
    machine : callable
        The machine that runs the pipeline; another one for tests.
    """
    prove_apart(plan, machine)
    rng = random.Random(seed)
    pairs = list(_pairs(plan, rng))
    forms = Forms(plan)
    definition = Definition(plan, forms)
    running = machine(plan.steps, plan.kinds, plan.placed, plan.chains, forms)
    cycle, free, ended = 0, [0, 0], [0, 0]
    for number, pair in enumerate(pairs):
        units = [list(_units(plan, forms, 2 * number + channel, message, channel)) for channel, message in enumerate(pair)]
        given: list[list[BlockOrPair[Polynomial]]] = [[], []]
        waiting: dict[int, Token] = {}

        def run(token: Token, given: list[list[BlockOrPair[Polynomial]]] = given) -> None:
            output = run_token(plan, running, token, INTERLEAVED)
            if output is not None:
                given[token.channel].append(output)

        # Starts that run ahead are over before the first message begins.
        for each in units:
            for token in each.pop(0)[0] if plan.reservations.beside(each[0][0][0].step) else ():
                begun = plan.reservations.begins(cycle, token.step)
                run(replace(token, cycle=begun))
                cycle = begun + 1 + plan.placed.ahead[token.step]
        for channel in _order(rng, [len(each) for each in units]):
            while cycle in waiting:
                run(waiting.pop(cycle))
                cycle += 1
            unit, cycles, turn = units[channel].pop(0)
            cycle = _begins(plan, unit, max(cycle, free[channel]))
            while cycle in waiting:
                run(waiting.pop(cycle))
                cycle = _begins(plan, unit, cycle + 1)
            for token in unit:
                if token.step == "tag" and not token.closes:
                    # It enters behind the last token of its message, whatever enters in between.
                    waiting[ended[channel] + plan.behind] = replace(token, cycle=ended[channel] + plan.behind)
                    cycles = 0
                    continue
                ended[channel] = cycle + token.cycle
                run(replace(token, cycle=cycle + token.cycle))
            cycle += cycles
            free[channel] = cycle - cycles + turn
        for at, token in sorted(waiting.items()):
            run(token)
            cycle = at + 1
        for channel, message in enumerate(pair):
            wanted, tag = definition.run(2 * number + channel, message)
            if given[channel] != [*wanted, tag]:
                raise ProofError(f"{plan.mode.name}: {message}: interleaved with {pair[1 - channel]}, the pipeline gives something else")
    return len(pairs)


def _begins(plan: StreamPlan, unit: Sequence[Token], cycle: int) -> int:
    """The first cycle from *cycle* on in which the first token of some steps that share their tokens may enter."""
    table = plan.reservations
    titles = {token.step for token in unit if token.step} | {"tag" for token in unit if token.closes and table.beside("tag")}
    first = next((token for token in unit if token.step), None)
    if first is None:
        return table.begins(cycle, *titles)
    # A step may wait before its first token, and the tokens of some steps count from where the wait begins.
    waits = plan.placed.passes[first.step][first.part].at - first.cycle if first.part >= 0 else 0
    return table.begins(cycle - waits, *titles) + waits


def _pairs(plan: StreamPlan, rng: random.Random) -> Iterator[tuple[Message, Message]]:
    """Messages of all numbers of blocks up to a turn of the chains, each beside another one."""
    size, most, tags = plan.mode.block_bytes, plan.chains + 3, random.Random(3)

    def one(blocks: int) -> Message:
        associated = rng.randrange(blocks + 1)
        lengths = [max(0, count * size - (rng.randrange(size) if count else 0)) for count in (associated, blocks - associated)]
        number = rng.randrange(len(plan.mode.nonce_bytes))
        nonce = rng.choice(plan.mode.nonce_bytes[number])
        tag = tags.choice(plan.mode.tag_bytes)
        return Message(rng.randrange(3), number, rng.choice(plan.mode.text_steps()), nonce, lengths[0], lengths[1], tag=tag)

    for blocks in range(most):
        for other in (blocks, rng.randrange(most)):
            yield one(blocks), one(other)


def _order(rng: random.Random, counts: Sequence[int]) -> Iterator[int]:
    """The channels in turn, or at random."""
    left, turns, channel = list(counts), rng.random() < 0.5, 0
    while any(left):
        channel = 1 - channel if turns else rng.randrange(2)
        if left[channel]:
            left[channel] -= 1
            yield channel


def _units(plan: StreamPlan, forms: Forms, number: int, message: Message, channel: int) -> Iterator[tuple[list[Token], int, int]]:
    """The tokens of a message, in groups that nothing parts: those of a step, with cycles from the first one on.

    Each comes with the cycles that it takes of the pipeline, and with those after which the next one of its message may begin.
    """
    block = named_blocks(plan, forms, number, message)
    tokens = [replace(token, channel=channel) for token in tokens_of(plan, message, 0, block, number, tag_block(forms, number))]
    # A tag that waits begins before its first token, unless it follows its message.
    waits = plan.placed.passes["tag"][0].at
    begins = sorted({token.cycle - waits * (token.step == "tag" and token.closes) for token in tokens if token.part <= 0})
    for begin, end in zip(begins, [*begins[1:], max(token.cycle for token in tokens) + 1], strict=True):
        mine = [replace(token, cycle=token.cycle - begin) for token in tokens if begin <= token.cycle < end]
        turn = max([1, *(plan.turn_after(plan.step(token.step)) for token in mine if token.step)])
        yield mine, end - begin - turn + 1, end - begin


def prove_apart(plan: StreamPlan, machine: MakeMachine = Machine) -> None:
    """Proves the step of the induction at the head of this file.  Raises ``ProofError`` if it does not hold."""
    forms = Forms(plan)
    size = plan.mode.block_bytes
    usual = plan.mode.nonce_bytes[0][0]
    for step in (*plan.mode.block_steps(), "tag"):
        nbytes = size - step.startswith(PARTIAL)
        alone, beside = (_loaded(plan, forms, machine, channels) for channels in ((0,), (0, 1)))
        before = beside.state_of(1)
        results = []
        closes, cycle = not plan.reservations.beside(step), plan.reservations.begins(1000, step)
        for running in (alone, beside):
            run_token(plan, running, Token(cycle, "", closes=True), INTERLEAVED)
            outputs = [
                run_token(plan, running, Token(
                    cycle + each.at, step, part, block=input_block(forms, 0, 0, nbytes), nbytes=nbytes, power=1, closing=True, slot=0,
                    lengths=lengths_in_start(usual, size, size, plan.mode.tag_bytes[0]), index=1, closes=closes,
                ), INTERLEAVED)
                for part, each in enumerate(plan.placed.passes[step])
            ]  # fmt: skip
            results.append((outputs, running.state_of(0)))
        if results[0] != results[1]:
            raise ProofError(f"{plan.mode.name}: {step}: a token reads the state of another channel")
        if beside.state_of(1) != before:
            raise ProofError(f"{plan.mode.name}: {step}: a token writes the state of another channel")


def _loaded(plan: StreamPlan, forms: Forms, machine: MakeMachine, channels: Sequence[int]) -> Machine:
    """A machine with an arbitrary state in some channels."""
    made = machine(plan.steps, plan.kinds, plan.placed, plan.chains, forms)
    horner = plan.horner
    for channel in channels:
        state = {name: forms.algebra.atom("state", channel, name) for name in plan.trace.state}
        chains = [forms.algebra.atom("chain", channel, place) for place in range(plan.chains)] if horner is not None else []
        kept = made.loaded(state, horner.name if horner is not None else "", chains, channel)
        kept.total = 0, forms.algebra.atom("total", channel)
    return made
