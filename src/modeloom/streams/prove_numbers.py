# SPDX-License-Identifier: Apache-2.0
"""Proves steps that depend on the number of a block, for every number that a message may reach.

What such a step reads of the number is the number of its trailing zeros.  From any state, a block with each of these numbers must leave the
state, and give the text, that the definition gives::

    any state, block 1, 2, 4, 8, ...  ──▶  state, text

Longer messages than those of ``prove`` follow by induction: a part of the state that is no hash goes from block to block.
"""

from __future__ import annotations

from modeloom.prove.errors import ProofError
from modeloom.spec.stream import PARTIAL
from modeloom.streams.forms import Definition, Forms, Message, input_block
from modeloom.streams.machine import Machine, MachineError, Token
from modeloom.streams.plan import StreamPlan

__all__ = ["prove_numbers"]


def prove_numbers(plan: StreamPlan) -> int:
    """Compares the steps that read the number of a block.  Returns how many blocks were compared, and raises ``ProofError``."""
    compared = 0
    for name in plan.mode.block_steps():
        widths = [amount.bits for amount in plan.step(name).amounts() if amount.kind == "ntz"]
        for zeros in range(1 << max(widths)) if widths else ():
            _compare(plan, name, 1 << zeros)
            compared += 1
    return compared


def _compare(plan: StreamPlan, name: str, index: int) -> None:
    forms = Forms(plan)
    nbytes = plan.mode.block_bytes - name.startswith(PARTIAL)
    block, message = input_block(forms, 0, 0, nbytes), Message(0, 0, "encrypt", plan.mode.nonce_bytes[0][0], 0, 0)
    state = {part: forms.algebra.atom("state", part) for part in plan.trace.state}
    wanted, text = Definition(plan, forms).step(name, message, block, nbytes, state, {}, index)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, forms)
    # A part that has the register of another one is there if blocks of its own are.
    mine = plan.shared if name.endswith("associated") else {}
    places = {part: mine.get(part, part) for part in plan.trace.state if part in mine or part not in {*plan.shared, *mine.values()}}
    machine.loaded({places[part]: value for part, value in state.items() if part in places}, "", ())
    try:
        given = machine.run(Token(plan.reservations.begins(1000, name), name, block=block, nbytes=nbytes, index=index))
    except MachineError as error:
        raise ProofError(f"{plan.mode.name}: {error}") from error
    held = machine.state_of(0)[0]
    left = {part: held[place][1] for part, place in places.items()}
    if left != {part: wanted[part] for part in places} or given != text:
        raise ProofError(f"{plan.mode.name}: {name}: block {index} of a message does not give what the definition gives")
