# SPDX-License-Identifier: Apache-2.0
"""What the entry knows of the hash of a message: which tokens have products, the chain of the next one, and which chains are empty.

::

    products   0  1  2  3  0  1 ...    chain, in turn
    fresh      x  x  x  x              until the message has written every chain
"""

from __future__ import annotations

from amaranth.hdl import Array, Module, Signal, Value
from amaranth.lib.data import View

from modeloom.rtl.stream.contexts import ContextWords, MessageProgress
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sequence import StepSequence
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["HashChains"]


class HashChains:
    """Follows the chains of the hash.

    Parameters
    ----------
    m : Module
    p : MessageParameters
    sequence : StepSequence
    kept : MessageProgress or ContextWords
    weighted : View
        The token that is next with its weights.

    Attributes
    ----------
    product, chain, fresh, opening : Value
        Of the token that enters, as :class:`~modeloom.rtl.stream.pipeline.TokenPipeline` describes them.
    enough : int
        The number of tokens that overwrite all that messages have left in a context.
    counted : Value
        Such a token enters.
    """

    def __init__(self, m: Module, p: MessageParameters, sequence: StepSequence, kept: MessageProgress | ContextWords, weighted: View):
        plan, chains = p.plan, p.plan.lane_chains
        self.product, now, after = Signal(name="product"), kept.now, kept.next
        products = [plan.hashed(plan.step(one.title)) in one.operations if plan.horner is not None else False for one in plan.tokens]
        of_kind = Array([*map(int, products), *[0] * len(plan.preparations)])[sequence.kind]
        # The tag may have a product when the blocks beside it have none.
        of_tag = weighted.product & weighted.token.tag & ~sequence.overwrites & ~sequence.takes_start
        m.d.comb += self.product.eq(sequence.issue & (of_kind | of_tag))
        with m.If(self.product):
            m.d[kept.domain] += after.chain.eq(now.chain + 1)
            with m.If(now.chain == chains - 1):
                m.d[kept.domain] += after.chain.eq(0)
            with m.If(now.hashed != chains):
                m.d[kept.domain] += after.hashed.eq(now.hashed + 1)
        with m.If(sequence.ends):
            m.d[kept.domain] += after.hashed.eq(0)
        self.chain, self.fresh = now.chain, now.hashed != chains
        self.opening: Value = (now.hashed == 0) | weighted.opening
        # Every chain is written once, and the rest of the state by the message that writes the last of them.
        self.enough = chains if any(products) and p.hashed[TokenStep.TAG] else 1
        self.counted: Value = self.product if self.enough > 1 else sequence.ends
