# SPDX-License-Identifier: Apache-2.0
"""Lets the starts of messages run ahead: a command waits here until its start has been computed.

::

    i ──▶ [reg, with a free place] ──start──▶ entry ──▶ pipeline ──▶ value at this place
              └──▶ queue, until it has been computed ──▶ o
    message begins ──▶ some cycles ──▶ zeros to its place ──▶ free again

Commands leave in the order in which they have come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.cycles.messages import WORD_CYCLES
from modeloom.rtl.bus.ports import BusComponent, ErasedComponent, erased, join
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.command import order_layout, started_layout
from modeloom.rtl.stream.contexts import ChannelWords
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.storage import Pool, Queue

if TYPE_CHECKING:
    from modeloom.rtl.stream.arbiter import Arbiter
    from modeloom.rtl.stream.bus import Interleaved, MessageBus, OneChannel
    from modeloom.rtl.stream.sequence import StepSequence

__all__ = ["KeyPreparation", "MessagesInFlight", "SequencedStarts", "SlotsInFlight", "StartedCommands", "starts_of"]


# -- preparation -----------------------------------------------------------------------------------------------------------------------

# Computes the values that depend on a key only, one token after another, in cycles that messages leave free.
#
#     setup ──▶ token ──▶ pipeline ──▶ word of the key memory ──▶ next token ──▶ ... ──▶ done


class KeyPreparation(BusComponent[MessageParameters]):
    """Runs set-ups for the key port.

    Members
    -------
    setup, setup_scrub, setup_done : 1
        The request of the key port, and its end.  It asks to compute the words of a slot, or to overwrite the state that was
        computed with an erased key.
    prepare, prepare_kind, prepared : 1, kind, 1
        Asks the entry for a token of set-up, until the token has entered.
    scrub, scrubbed : 1
        Asks the entry for tokens that overwrite the state.
    word_valid : 1
        The pipeline writes the word of the last token.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        plan = parameters.plan
        return {
            "setup": In(1), "setup_scrub": In(1), "setup_done": Out(1),
            "prepare": Out(1), "prepare_kind": Out(range(max(2, len(plan.tokens) + len(plan.preparations)))), "prepared": In(1),
            "scrub": Out(1), "scrubbed": In(1), "word_valid": In(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, plan = self.parameters, self.parameters.plan
        count = len(plan.preparations)
        number_reg = Signal(range(max(2, count + 1)))
        wait_reg = Signal(range(max(p.flush, WORD_CYCLES) + 1))
        m.d.comb += self.prepare_kind.eq(number_reg + len(plan.tokens))
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [number_reg.eq(0), wait_reg.eq(p.flush)]
                with m.If(self.setup):
                    with m.If(self.setup_scrub):
                        m.next = "SCRUB"
                    with m.Else():
                        m.next = "NEXT"
            with m.State("NEXT"):
                with m.If(number_reg == count):
                    # The state may still depend on a key that was in the slot before.
                    m.next = "SCRUB"
                with m.Else():
                    m.d.comb += self.prepare.eq(1)
                    with m.If(self.prepared):
                        m.next = "WORD"
            with m.State("WORD"):
                m.d.sync += wait_reg.eq(WORD_CYCLES)
                with m.If(self.word_valid):
                    m.d.sync += number_reg.eq(number_reg + 1)
                    m.next = "WAIT"
            with m.State("WAIT"):
                m.d.sync += wait_reg.eq(wait_reg - 1)
                with m.If(wait_reg == 0):
                    m.next = "NEXT"
            with m.State("SCRUB"):
                m.d.comb += self.scrub.eq(1)
                with m.If(self.scrubbed):
                    m.next = "FLUSH"
            with m.State("FLUSH"):
                # Old values leave the pipeline in these cycles.
                m.d.sync += wait_reg.eq(wait_reg - 1)
                with m.If(wait_reg == 0):
                    m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.setup_done.eq(1)
                m.next = "IDLE"
        return m


# -- flight ----------------------------------------------------------------------------------------------------------------------------

# Knows the key slots of the messages in flight, so that a key is overwritten only when its own messages are done.
#
#     admitted, slot ──▶ number of the last message of each slot ──▶ among those in flight? ──▶ busy
#     admitted, finished ──▶ numbers of the messages in flight ──────┘
#
# Messages finish in the order in which they begin.


class MessagesInFlight(BusComponent[MessageParameters]):
    """Stores the number of the last message of each slot.

    Numbers repeat after 2^``flight_bits`` messages.  A slot may then look busy until another message with the same number is done.

    Members
    -------
    admitted, slot : In(1), In(slot_bits)
        A message begins under a slot.
    finished : In(1)
        The first of the messages in flight is done.
    query : In(slot_bits)
        The slot in question.
    busy : Out(1)
        A message in flight used this slot three cycles ago.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {"admitted": In(1), "slot": In(p.slot_bits), "finished": In(1), "query": In(p.slot_bits), "busy": Out(1)}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        bits = p.flight_bits
        m.submodules.last = last = BlockMemory(bits, p.keys.slots, 1)
        begun_reg = Signal(bits)
        done_reg = Signal(bits)
        m.d.comb += [last.we.eq(self.admitted), last.waddr.eq(self.slot), last.wdata.eq(begun_reg), last.raddr[0].eq(self.query)]
        m.d.sync += [begun_reg.eq(begun_reg + self.admitted), done_reg.eq(done_reg + self.finished)]
        number = Signal(bits)
        count = Signal(bits)
        m.d.comb += [number.eq(last.rdata[0] - done_reg), count.eq(begun_reg - done_reg)]
        m.d.sync += self.busy.eq(number < count)
        return m


# -- slots in flight ---------------------------------------------------------------------------------------------------------------

# Which key slots have messages, in a core with several channels, where messages do not finish in the order of their commands.
#
#     admitted, slot ──▶ messages of each slot that have begun ──┐
#     finished, slot ──▶ messages of each slot that are done ────┴──▶ different? ──▶ busy

class SlotsInFlight(ErasedComponent[MessageParameters]):
    """Counts the messages of each key slot.

    Members
    -------
    admitted, slot : In
        The core takes a command with this slot.
    finished, finished_slot : In
        A message of this slot is done.
    query : slot
        The slot in question.
    busy : 1
        A message uses it, as of three cycles ago.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "admitted": In(1), "slot": In(p.slot_bits), "finished": In(1), "finished_slot": In(p.slot_bits), "query": In(p.slot_bits),
            "busy": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        begun = self._counted(m, "begun", self.admitted, self.slot)
        done = self._counted(m, "done", self.finished, self.finished_slot)
        m.d.sync += self.busy.eq(begun != done)
        return m

    def _counted(self, m: Module, name: str, count: Signal, slot: Signal) -> Value:
        """Counts for each slot; the count of the slot in question."""
        p = self.parameters
        m.submodules[name] = words = ChannelWords(p.flight_bits, p.keys.slots, 2, p.erase_bits)
        count_reg, slot_reg = Signal(name=f"{name}_reg"), Signal(p.slot_bits, name=f"{name}_slot_reg")
        m.d.sync += [count_reg.eq(count), slot_reg.eq(slot)]
        m.d.comb += [
            words.raddr[0].eq(slot), words.raddr[1].eq(self.query),
            words.we.eq(count_reg), words.waddr.eq(slot_reg), words.wdata.eq(words.rdata[0] + 1),
            *erased(self, words),
        ]  # fmt: skip
        return words.rdata[1]


# -- starts ----------------------------------------------------------------------------------------------------------------------------


class StartedCommands(ErasedComponent[MessageParameters]):
    """Gives starts to the entry, and commands whose start has been computed to what takes their packets.

    Members
    -------
    i : stream of order_layout
        Checked commands.
    start : stream of MessageParameters.start
        The next start, for the entry.
    started : 1
        The first of the starts that have entered has been computed.
    o : stream of started_layout
        Commands that have started.
    admitted, slot : 1, slot
        A command is taken; nothing of its key may change from now on.
    begun, begun_place : 1, place
        A message has entered the pipeline with its first token, which reads what is at this place in the cycles that follow.
    clear_started, clear_place, started_cleared : 1, place, 1
        Asks the pipeline for zeros to a place.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "i": In(stream.Signature(order_layout(p))), "start": Out(stream.Signature(p.start)), "started": In(1),
            "o": Out(stream.Signature(started_layout(p))), "admitted": Out(1), "slot": Out(p.slot_bits),
            "begun": In(1), "begun_place": In(p.place_bits),
            "clear_started": Out(1), "clear_place": Out(p.place_bits), "started_cleared": In(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.places = places = Pool(p.start_places, p.erase_bits)
        m.submodules.used = used = Queue(p.place_bits, p.start_places, p.erase_bits)
        # A queue behind this one that does not mask its input is overwritten with what comes from here.
        bare = p.channels == 1 and not p.inline
        m.submodules.waiting = waiting = Queue(started_layout(p), p.start_depth, p.erase_bits, clears=bare)
        m.d.comb += erased(self, places, used, waiting)

        # -- the next start -----------------------------------------------------------------------------------------------------
        order_reg = Signal(order_layout(p))
        place_reg = Signal(p.place_bits)
        valid_reg = Signal()
        take = Signal()
        goes = Signal()
        m.d.comb += [
            take.eq(self.i.valid & places.o.valid & (~valid_reg | goes)),
            self.i.ready.eq(take), places.o.ready.eq(take), self.admitted.eq(take), self.slot.eq(self.i.payload.message.slot),
            self.start.valid.eq(valid_reg & waiting.i.ready), goes.eq(self.start.valid & self.start.ready),
        ]  # fmt: skip
        with m.If(take):
            m.d.sync += [order_reg.eq(self.i.payload), place_reg.eq(places.o.payload), valid_reg.eq(1)]
        with m.Elif(goes):
            # Nothing of a nonce stays behind.
            m.d.sync += [order_reg.eq(0), valid_reg.eq(0)]
        message = order_reg.message
        m.d.comb += [
            self.start.payload.nonce.eq(order_reg.nonce), self.start.payload.nonce_class.eq(message.nonce_class),
            self.start.payload.slot.eq(message.slot), self.start.payload.place.eq(place_reg),
            *(self.start.payload[name].eq(message[field]) for name, field in p.known_fields.items()),
            waiting.i.valid.eq(goes), waiting.i.payload.message.eq(message), waiting.i.payload.message.place.eq(place_reg),
            *(waiting.i.payload[name].eq(order_reg[name]) for name, _ in started_layout(p) if name != "message"),
        ]  # fmt: skip

        # -- commands that have started -----------------------------------------------------------------------------------------
        ready_reg = Signal(range(p.start_depth + 1))
        leaves = Signal()
        m.d.comb += [
            self.o.valid.eq(waiting.o.valid & (ready_reg != 0)), self.o.payload.eq(waiting.o.payload),
            waiting.o.ready.eq(self.o.ready & (ready_reg != 0)), leaves.eq(self.o.valid & self.o.ready),
        ]  # fmt: skip
        m.d.sync += ready_reg.eq(ready_reg + self.started - leaves)

        # -- places of messages that have begun ---------------------------------------------------------------------------------
        begun, place = self.begun, self.begun_place
        for number in range(max(p.plan.placed.homes[name] for name in p.plan.started) + 1):
            later, place_later = Signal(name=f"begun_{number}_reg"), Signal(p.place_bits, name=f"place_{number}_reg")
            m.d.sync += [later.eq(begun), place_later.eq(place)]
            begun, place = later, place_later
        m.d.comb += [
            used.i.valid.eq(begun), used.i.payload.eq(place), self.clear_started.eq(used.o.valid), self.clear_place.eq(used.o.payload),
            used.o.ready.eq(self.started_cleared), places.free.eq(self.started_cleared), places.place.eq(used.o.payload),
        ]  # fmt: skip
        return m


# -- how starts enter ------------------------------------------------------------------------------------------------------------------


class SequencedStarts:
    """Starts are tokens of their messages, or take none."""

    def __init__(self, p: MessageParameters):
        self.p = p

    def ports(self) -> dict[str, object]:
        """Further ports of the entry."""
        return {}

    def admitted(self, arbiter: Arbiter, ports: wiring.Component, busy: Value, waiting: Value) -> Value:
        """Whether a start enters between others, if the units are not busy.  It does not hold up a message that is ``waiting`` for long."""
        return Const(0, 1)

    def carried(self, ports: wiring.Component) -> dict[str, Value | int]:
        """The slot, the kind and the block of a token that enters between others; nothing if there is none."""
        return {}

    def drive(self, m: Module, ports: wiring.Component, sequence: StepSequence, begun: Value, begins: Value) -> None:
        """Drives what a token has of its message, which ``begun`` says is there.  ``begins`` says that a message begins with it."""
        known = ((name, sequence.message[of]) for name, of in self.p.known_fields.items())
        m.d.sync += [getattr(ports.o, f"known_{name}").eq(Mux(begun, length, 0)) for name, length in known]

    def make(self, m: Module) -> None:
        """Makes what stands behind the checks of commands."""

    def before(self, m: Module, front: OneChannel | Interleaved) -> tuple[stream.Interface, OneChannel | Interleaved | StartedCommands]:
        """Where checked commands go, which come to ``front``, and what says that one is admitted."""
        return front.order, front

    def connect(self, m: Module, bus: MessageBus) -> None:
        """Connects it with the entry and the pipeline."""


class EarlyStarts(SequencedStarts):
    """Starts run ahead of their messages."""

    def ports(self) -> dict[str, object]:
        return {"start": In(stream.Signature(self.p.start)), "begun": Out(1), "begun_place": Out(self.p.place_bits)}

    def admitted(self, arbiter: Arbiter, ports: wiring.Component, busy: Value, waiting: Value) -> Value:
        return arbiter.admit(ports.start, busy, waiting)

    def carried(self, ports: wiring.Component) -> dict[str, Value | int]:
        start, kinds = ports.start.payload, Array(self.p.plan.kind_of(title) for title in self.p.starts)
        return {"slot": start.slot, "kind": kinds[start.nonce_class], "block": start.nonce}

    def drive(self, m: Module, ports: wiring.Component, sequence: StepSequence, begun: Value, begins: Value) -> None:
        o, start, place, blank = ports.o, ports.start.payload, sequence.message.place, sequence.overwrites
        m.d.sync += [getattr(o, f"known_{name}").eq(start[name]) for name in self.p.known_fields]
        m.d.sync += [o.start_place.eq(start.place), o.begin_place.eq(place), o.blank.eq(blank)]
        m.d.comb += [ports.begun.eq(begins & ~blank), ports.begun_place.eq(place)]

    def make(self, m: Module) -> None:
        m.submodules.starts = self.ahead = StartedCommands(self.p)

    def before(self, m: Module, front: OneChannel | Interleaved) -> tuple[stream.Interface, OneChannel | Interleaved | StartedCommands]:
        wiring.connect(m, self.ahead.o, front.order)
        return self.ahead.i, self.ahead

    def connect(self, m: Module, bus: MessageBus) -> None:
        starts, entry, pipeline = self.ahead, bus.entry, bus.pipeline
        wiring.connect(m, starts.start, entry.start)
        m.d.comb += [
            *join(entry, starts, "begun", "begun_place"), *join(pipeline, starts, "started", "started_cleared"),
            *join(starts, pipeline, "clear_started", "clear_place"), *erased(bus, starts),
        ]  # fmt: skip


def starts_of(p: MessageParameters) -> SequencedStarts:
    """How the starts of a core enter."""
    return EarlyStarts(p) if p.plan.runs_ahead else SequencedStarts(p)
