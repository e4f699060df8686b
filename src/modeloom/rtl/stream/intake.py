# SPDX-License-Identifier: Apache-2.0
"""Turns the beats of a packet into tokens: associated data, then text, then the tag.

::

             ┌──────────── next message ─────────────┐
             ▼                                       │
    ──▶ ASSOCIATED ──last of them──▶ TEXT ──last──▶ TAG
             │                         │             ▲
             └───── fault ──▶ DISCARD ◀┘ ────last────┘
    a refused command ──────────▲

If messages have their text first, TEXT is before ASSOCIATED.

It takes one beat in each cycle, and one cycle for the tag.  With several blocks in a beat, the tag takes a lane that the last beat
leaves free.  The packet of a message without data is a beat without bytes, which is taken together with its tag.  Every message
gives a token for its tag, even if it is refused, so that statuses are in order.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent, ErasedComponent, erased, signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.command import started_layout
from modeloom.rtl.stream.contexts import ChannelWords
from modeloom.rtl.stream.long_counter import LongCounter
from modeloom.rtl.stream.packet import LENGTH_BITS, Packet, packet_layout, see_beat, seen_layout
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["AssociatedPrefix", "ChannelPrefix", "MessageIntake", "WeightWindow", "flags_of", "prefixed_layout", "take_tokens", "weigh"]


# -- window ----------------------------------------------------------------------------------------------------------------------------

# Holds tokens back until the number of blocks behind them is known, on which the powers of the hash depend.
#
#     token ──▶ queue ──▶ token with the powers of its lanes
#       └─ blocks? end? ──▶ flags of the tokens that wait, the next one first
#                           1 1 1 1 E 1 1          one lane: power 5
#
# A token may go on when the end of its message is among the tokens that wait, or when as many tokens wait as a lane has chains.
# ``streams.prove`` has the rule for the powers.


class WeightWindow(ErasedComponent[MessageParameters]):
    """Adds their weights to tokens.  The latency from ``i`` to ``o`` is three cycles if no token is missing.

    Members
    -------
    i : stream of MessageParameters.token
    o : stream of MessageParameters.weighted
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {"i": In(stream.Signature(parameters.token)), "o": Out(stream.Signature(parameters.weighted))}

    def elaborate(self, platform: object) -> Module:
        """Makes the memory of tokens, what is known of the first one, and the flags of those that wait."""
        m = Module()
        p = self.parameters
        depth, window = p.token_depth, p.window
        bits = (depth - 1).bit_length()
        width = Value.cast(self.i.payload).shape().width
        m.submodules.memory = memory = BlockMemory(width, depth, 1, erase_bits=p.erase_bits)
        put_reg, get_reg = signals("put_reg get_reg", bits)
        count_reg = Signal(range(depth + 1))
        # For each token that waits: its number of blocks of the hash, whether it may have any, and whether it ends its message.
        full_reg = [Signal(range(p.lanes + 1), name=f"full_{place}_reg") for place in range(depth)]
        product_reg, end_reg = signals("product_reg end_reg", depth)
        valid_reg = Signal()
        powers_reg = [Signal(range(p.plan.chains + 1), name=f"power_{lane}_reg") for lane in range(p.lanes)]
        first_product_reg, opening_reg, ready_reg = signals("first_product_reg opening_reg ready_reg")

        # -- what is known of the first one -----------------------------------------------------------------------------------
        known = Signal()
        ended: Value = Const(0, 1)
        full: list[Value] = []
        products: list[Value] = []
        for place in range(window):
            # Tokens behind the end of the message do not count.
            full.append(full_reg[place] & ~ended.replicate(len(full_reg[place])))
            products.append(product_reg[place] & ~ended)
            ended = ended | end_reg[place]
        m.d.comb += known.eq((count_reg != 0) & (ended | (count_reg >= window)))
        powers, opening = weigh(m, p, full, products, ended)

        put, pop, move = signals("put pop move")
        # The intake decides late in a cycle what a token is, so its output is registered.
        taken_reg = Signal(self.i.payload.shape())
        taken_valid_reg = Signal()
        m.d.sync += [taken_valid_reg.eq(self.i.valid & ready_reg), taken_reg.eq(self.i.payload)]
        m.d.comb += [
            put.eq(taken_valid_reg),
            self.i.ready.eq(ready_reg),
            move.eq(~valid_reg | self.o.ready),
            pop.eq(known & move),
            memory.we.eq(put), memory.waddr.eq(put_reg),
            memory.wdata.eq(Value.cast(taken_reg)),
            memory.raddr[0].eq(get_reg), memory.move.eq(move.replicate(2)),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload.token).eq(memory.rdata[0]),
            self.o.payload.product.eq(first_product_reg),
            self.o.payload.opening.eq(opening_reg),
            *(self.o.payload.powers[lane].eq(power) for lane, power in enumerate(powers_reg)),
        ]  # fmt: skip
        with m.If(move):
            m.d.sync += [valid_reg.eq(known), first_product_reg.eq(product_reg[0]), opening_reg.eq(opening)]
            m.d.sync += [register.eq(power) for register, power in zip(powers_reg, powers, strict=True)]
        m.d.sync += [
            put_reg.eq(Mux(put, put_reg + 1, put_reg)),
            get_reg.eq(Mux(pop, get_reg + 1, get_reg)),
            count_reg.eq(Mux(pop, count_reg + put - 1, count_reg + put)),
            # Tokens that are taken in this cycle or were taken in the one before are not in count_reg yet.
            ready_reg.eq(Mux(self.i.valid & ready_reg, count_reg + put + 1 < depth, count_reg + put < depth)),
        ]

        # -- the flags of those that wait -------------------------------------------------------------------------------------
        token = taken_reg
        blocks, hashed, end = flags_of(p, token)
        # Whether the first one goes on is known late in a cycle, so both places of a new one are there before.
        here, before = Signal(depth, name="place_now"), Signal(depth, name="place_before")
        m.d.comb += [
            here.eq(Cat(put & (count_reg == place) for place in range(depth))),
            before.eq(Cat(put & (count_reg == place + 1) for place in range(depth))),
        ]
        for place in range(depth):
            last_place = place + 1 == depth
            with m.If(pop):
                m.d.sync += [
                    full_reg[place].eq(0 if last_place else full_reg[place + 1]),
                    product_reg[place].eq(0 if last_place else product_reg[place + 1]),
                    end_reg[place].eq(0 if last_place else end_reg[place + 1]),
                ]
            with m.If(Mux(pop, before[place], here[place])):
                m.d.sync += [full_reg[place].eq(blocks), product_reg[place].eq(hashed), end_reg[place].eq(end)]
        return m


def weigh(
    m: Module, p: MessageParameters, full: list[Value], products: list[Value], ended: Value
) -> tuple[list[Signal], Signal]:
    """The powers of the lanes of a token, and whether its products are the first of those that are the hash.

    Parameters
    ----------
    full, products : list of Value
        Of the token and of those that follow it in its message, ``window`` in all: blocks of the hash, and whether there may be any.
        Zeros behind the last one.
    ended : Value
        Whether the last one of the message is among them.
    """
    powers = [Signal(range(p.plan.chains + 1), name=f"power_{lane}") for lane in range(p.lanes)]
    opening = Signal()
    if p.plan.horner is not None:
        chains = p.plan.lane_chains
        between = sum(full[1:chains], Const(0, 1))
        for lane, power in enumerate(powers):
            own = Mux(full[0] > lane, full[0] - lane, 0)[: len(full[0])]
            beyond = Mux(full[chains] > lane, lane, full[chains]) if lane else Const(0, 1)
            m.d.comb += power.eq(between + own + beyond)
        last = products[chains - 1] & ~(products[chains] if p.window > chains else Const(0, 1))
        m.d.comb += opening.eq(ended & last)
    return powers, opening


def flags_of(p: MessageParameters, token: Any) -> tuple[Value, Value, Value]:
    """Of a token: blocks of the hash, whether there may be any, and whether it is the last one of its message."""
    of_step = Array(int(one) for one in p.hashed)[token.step]
    of_tag = token.tag & int(p.hashed[TokenStep.TAG])
    alone = token.step == TokenStep.TAG
    return Mux(alone, of_step, Mux(of_step, token.full, 0) + of_tag), of_step | of_tag, alone | token.tag


# -- prefix ----------------------------------------------------------------------------------------------------------------------------

# Puts the prefix of associated data in front of them.  Their bytes move to later places, and to a block more if they need it.
#
#     beat 0     a0 a1 a2 ... a15        block 0     p0 p1 a0 ... a13
#     beat 1     a16 a17           ──▶   block 1     a14 a15 a16 a17
#     carry      the last bytes of the block before, or the prefix
#
# Which bytes move depends on the length in the command alone.


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
        return {"i": In(stream.Signature(prefixed_layout(p))), "o": Out(stream.Signature(p.piece))}

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
        held = self._held(m, load, pass_on & is_associated, token_reg, left)
        data = token_reg.blocks[0]
        moved, overflows = Signal(p.block_bits, name="moved"), Signal(name="overflows")
        nbytes, rest = Signal(p.beat_nbytes_bits, name="nbytes_here"), Signal(p.beat_nbytes_bits, name="nbytes_left")
        m.d.comb += carry.eq(Mux(token_reg.first, prefix_reg, held))
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

    def _held(self, m: Module, load: Signal, write: Value, token: Any, left: Signal) -> Value:
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

    def _held(self, m: Module, load: Signal, write: Value, token: Any, left: Signal) -> Value:
        """The last bytes of the block before, of the context of a token."""
        p = self.parameters
        m.submodules.carries = words = ChannelWords(len(left), p.contexts, 1, p.erase_bits)
        m.d.comb += [
            words.raddr[0].eq(Mux(load, self.i.payload.token.context, token.context)),
            words.we.eq(write), words.waddr.eq(token.context), words.wdata.eq(left), *erased(self, words),
        ]  # fmt: skip
        result: Value = words.rdata[0]
        return result


# -- intake ----------------------------------------------------------------------------------------------------------------------------


class MessageIntake(ErasedComponent[MessageParameters]):
    """Checks the packets of messages, and counts their bytes.

    Members
    -------
    s : stream of beats
        Beats from the host.
    order : stream of started_layout
        Checked commands.
    message : stream of MessageParameters.message
        A message begins.  This comes before its first token, or together with it.
    token : stream of MessageParameters.piece
        The tokens of the messages.
    associated, ending : 64, 1
        With a prefix of associated data only: the bytes of associated data of the message of the token, and whether it has the last of
        them.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "s": In(stream.Signature(packet_layout(parameters))),
            "order": In(stream.Signature(started_layout(parameters))),
            "message": Out(stream.Signature(parameters.message)),
            "token": Out(stream.Signature(parameters.piece)),
            **({"associated": Out(LENGTH_BITS), "ending": Out(1)} if parameters.plan.prefixes else {}),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the register of a beat, the state of its packet, its token, and the begin of the next message."""
        m = Module()
        p = self.parameters
        parts, size, index_bits = p.parts, p.beat_bytes, p.parts.tail_bits
        count_bits = LENGTH_BITS - index_bits
        # What tkeep says is found before the register: much depends on it.
        held_beat = StructLayout({"beat": packet_layout(p), "seen": seen_layout(p)})
        masks = p.plan.cadence is None
        place = held_beat["beat"].offset + packet_layout(p)["data"].offset
        bytes_held = [slice(at, at + 8) for at in range(place, place + 8 * size, 8)]
        m.submodules.slice = taken = p.pace.slice(m, held_beat, self, bytes_held if masks else ())
        if masks:
            # Bytes that are not there are zeros from here on.
            m.d.comb += taken.blank.eq(~self.s.payload.keep)
        m.submodules.associated_counter = associated = LongCounter(count_bits, small=p.plan.cadence is not None)
        m.submodules.text_counter = text = LongCounter(count_bits, small=p.plan.cadence is not None)
        m.d.comb += [
            taken.i.valid.eq(self.s.valid), taken.i.payload.beat.eq(self.s.payload), self.s.ready.eq(taken.i.ready),
            *see_beat(p, taken.i.payload.seen, self.s.payload),
        ]  # fmt: skip

        busy_reg = Signal()
        first_part, *others = parts.stated
        # begun: some of the part behind has been passed on.
        flags = ("discard", "ended", "first", "begun", *parts.until[1:], *parts.past)
        registers = {name: Signal(name=f"{name}_reg") for name in flags}
        registers["in_associated"] = in_first_reg = Signal(name=f"in_{first_part}_reg")
        registers["code"] = Signal(CODE_BITS, name="code_reg")
        for name in ("tail", "partial"):
            registers[name] = Signal(index_bits, name=f"{name}_reg", reset_less=True)
        stated = {name: Signal(LENGTH_BITS, name=f"{name}_reg", reset_less=True) for name in parts.stated}

        def change(**values: Value) -> None:
            m.d.sync += [registers[name].eq(value) for name, value in values.items()]

        beat, seen, valid = taken.o.payload.beat, taken.o.payload.seen, taken.o.valid
        # The most text of this message is that which a core holds, and not the mode's.
        held_reg = Signal()
        # Marked beats are counted, and the command says nothing of them.
        marked = {"in_associated": beat.associated} if p.marked else {}
        ends_message, _ = Packet(
            p=p, room=busy_reg & self.token.ready, ended=registers["ended"], valid=valid, beat=beat, seen=seen,
            state={**registers, **marked}, order={"associated": Cat(registers["tail"], associated.total)} if p.marked else stated,
            held=held_reg, reached=associated.reached, text_reached=text.reached, text=text.total, count=associated.count,
            count_text=text.count, set=change, masked=masks,
        ).take(m, self.token, taken.o.ready)  # fmt: skip

        # -- the next message -------------------------------------------------------------------------------------------------
        order = self.order.payload
        load = Signal()
        # A length in the command is compared with what the core holds before the message begins.
        held = order.message.decrypt & int(parts.most_held < parts.most)
        # The count of beats before the last one is that of all whole beats, or one less if the last beat is whole itself.
        leading = order[first_part]
        first = Const(0) if p.marked else leading[:index_bits] == 0
        if parts.begins[0]:
            first = first + parts.begins[0]
        first_text, last_text = parts.begin_behind(order, held)
        m.d.sync += [stated[name].eq(Mux(load, order[name], stated[name])) for name in others]
        m.d.comb += [
            load.eq(self.order.valid & self.message.ready & (ends_message | ~busy_reg)),
            self.order.ready.eq(load),
            self.message.valid.eq(load),
            self.message.payload.eq(order.message),
            associated.clear.eq(load),
            associated.first.eq(first),
            associated.limit.eq(leading[index_bits:]),
            text.clear.eq(load), text.first.eq(first_text), text.limit.eq(last_text),
        ]  # fmt: skip
        if p.plan.prefixes:
            m.d.comb += [self.associated.eq(stated["associated"]), self.ending.eq(associated.reached)]
        with m.If(ends_message):
            m.d.sync += busy_reg.eq(0)
        with m.If(load):
            m.d.sync += [
                busy_reg.eq(1), held_reg.eq(held), *(registers[name].eq(name == "first") for name in flags[1:]), registers["partial"].eq(0),
                registers["code"].eq(order.code), registers["discard"].eq(order.code.any()), in_first_reg.eq(leading.any()),
                registers["tail"].eq(0 if p.marked else leading[:index_bits]),
                stated[first_part].eq(leading),
            ]  # fmt: skip
        return m
