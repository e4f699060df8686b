# SPDX-License-Identifier: Apache-2.0
"""Puts the prefix of associated data in front of them.  Their bytes move to later places, and to a block more if they need it.

::

    beat 0     a0 a1 a2 ... a15        block 0     p0 p1 a0 ... a13
    beat 1     a16 a17           ──▶   block 1     a14 a15 a16 a17
    carry      the last bytes of the block before, or the prefix

Which bytes move depends on the length in the command alone.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent, ErasedComponent, erased
from modeloom.rtl.stream.contexts import ChannelWords
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import LENGTH_BITS, TokenStep

__all__ = ["AssociatedPrefix", "ChannelPrefix", "prefixed_layout", "take_tokens"]


def prefixed_layout(parameters: MessageParameters) -> StructLayout:
    """A token with the bytes of associated data of its message, and whether it has the last of them."""
    return StructLayout({"token": parameters.piece, "associated": LENGTH_BITS, "ending": 1})


def take_tokens(m: Module, kind: type[AssociatedPrefix], intake: Any, into: Any, whole: wiring.Component) -> None:
    """Takes the tokens of an intake to a stream, through the stage of a prefix if the mode has one, in a part that it is erased with."""
    if not intake.parameters.plan.prefixes:
        wiring.connect(m, intake.token, into)
        return
    m.submodules.prefix = prefix = kind(intake.parameters)
    m.d.comb += [
        *prefix.erased_with(whole),
        prefix.i.valid.eq(intake.token.valid), intake.token.ready.eq(prefix.i.ready), prefix.i.payload.token.eq(intake.token.payload),
        prefix.i.payload.associated.eq(intake.associated), prefix.i.payload.ending.eq(intake.ending),
    ]  # fmt: skip
    wiring.connect(m, prefix.o, into)


class AssociatedPrefix(BusComponent[MessageParameters]):
    """One token per cycle, and one cycle more for associated data that need another block with their prefix.  Latency 1 cycle.

    Members
    -------
    i : stream of prefixed_layout
    o : stream of MessageParameters.piece
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "i": In(stream.Signature(prefixed_layout(p))), "o": Out(stream.Signature(p.piece)),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        prefixes, size = p.plan.prefixes, p.block_bytes
        most = max(prefix.size for prefix in prefixes)
        valid_reg, extra_reg, ending_reg = (Signal(name=f"{name}_reg") for name in ("valid", "extra", "ending"))
        token_reg = Signal(p.piece)
        # Which of the prefixes it has, and the bytes of it.
        which_reg = Signal(range(len(prefixes)))
        prefix_reg = Signal(8 * most)
        load, pass_on = Signal(name="load"), Signal(name="pass_on")
        m.d.comb += [load.eq(~valid_reg | pass_on), self.i.ready.eq(load)]
        which, prefix = self._prefix(m, most)
        with m.If(load):
            m.d.sync += [
                valid_reg.eq(self.i.valid), token_reg.eq(self.i.payload.token), ending_reg.eq(self.i.payload.ending),
                which_reg.eq(which), prefix_reg.eq(prefix),
            ]  # fmt: skip

        # -- the bytes of the block before ------------------------------------------------------------------------------------
        is_associated = token_reg.step == TokenStep.ASSOCIATED
        carry, left = Signal(8 * most, name="carry"), Signal(8 * most, name="left")
        kept = self._kept(m, load, pass_on & is_associated, token_reg, left)
        data = token_reg.blocks[0]
        moved, overflows = Signal(p.block_bits, name="moved"), Signal(name="overflows")
        nbytes, rest = Signal(p.beat_nbytes_bits, name="nbytes_here"), Signal(p.beat_nbytes_bits, name="nbytes_left")
        m.d.comb += carry.eq(Mux(token_reg.first, prefix_reg, kept))
        with m.Switch(which_reg):
            for number, one in enumerate(prefixes):
                with m.Case(number):
                    bits, total = 8 * one.size, token_reg.nbytes + one.size
                    m.d.comb += [
                        moved.eq(Cat(carry[:bits], data)), left.eq(data[p.block_bits - bits :]),
                        overflows.eq(total > size), nbytes.eq(Mux(total > size, size, total)), rest.eq(total - size),
                    ]  # fmt: skip

        out, more = self.o.payload, Signal(name="another")
        m.d.comb += [
            more.eq(is_associated & ending_reg & overflows & ~extra_reg),
            self.o.valid.eq(valid_reg), pass_on.eq(valid_reg & self.o.ready & ~more), out.eq(token_reg),
        ]
        with m.If(is_associated):
            m.d.comb += [out.blocks[0].eq(moved), out.nbytes.eq(nbytes)]
            if p.plan.ends:
                m.d.comb += out.final.eq(ending_reg & ~more)
            with m.If(extra_reg):
                m.d.comb += [out.blocks[0].eq(left), out.nbytes.eq(rest), out.first.eq(0)]
        with m.If(valid_reg & self.o.ready):
            m.d.sync += extra_reg.eq(more)
        return m

    def _prefix(self, m: Module, most: int) -> tuple[Value, Value]:
        """The number of the prefix of the message of a token that comes, and its bytes."""
        associated, prefixes = self.i.payload.associated, self.parameters.plan.prefixes
        which, prefix = Signal(range(len(prefixes)), name="which_prefix"), Signal(8 * most, name="prefix_bytes")
        for number, one in enumerate(prefixes):
            number_bytes = Cat(associated, Const(0, 8 * one.nbytes))[: 8 * one.nbytes]
            big = Cat(number_bytes.word_select(at, 8) for at in reversed(range(one.nbytes)))
            here = Cat(Const(int.from_bytes(one.marker, "little"), 8 * len(one.marker)), big)
            with m.If(associated >= one.least if number else Const(1, 1)):
                m.d.comb += [which.eq(number), prefix.eq(here)]
        return which, prefix

    def erased_with(self, whole: wiring.Component) -> list[object]:
        """Passes an erasure on."""
        return []

    def _kept(self, m: Module, load: Signal, write: Value, token: Any, left: Signal) -> Value:
        """The last bytes of the block before, of the message of a token."""
        carry_reg = Signal.like(left)
        with m.If(write):
            m.d.sync += carry_reg.eq(left)
        return carry_reg


class ChannelPrefix(ErasedComponent[MessageParameters], AssociatedPrefix):
    """The same with several channels."""

    def erased_with(self, whole: wiring.Component) -> list[object]:
        """To the word of each context."""
        return erased(whole, self)

    def _kept(self, m: Module, load: Signal, write: Value, token: Any, left: Signal) -> Value:
        """The last bytes of the block before, of the context of a token."""
        p = self.parameters
        m.submodules.carries = words = ChannelWords(len(left), p.contexts, 1, p.erase_bits)
        m.d.comb += [
            words.raddr[0].eq(Mux(load, self.i.payload.token.context, token.context)),
            words.we.eq(write), words.waddr.eq(token.context), words.wdata.eq(left), *erased(self, words),
        ]  # fmt: skip
        result: Value = words.rdata[0]
        return result
