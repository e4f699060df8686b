# SPDX-License-Identifier: Apache-2.0
"""The rules of APB for registers in a clock of their own, as invariants and rules of the emitted crossings.

::

    host   access phase ─▶ request ──────────────▶ setup ─▶ access ─▶ PREADY   core
               PREADY  ◀── done ◀────────── answer ◀──────────────────┘

``address``, ``data``, ``strobe`` and ``write`` are what the host said when its transfer was taken, and ``setups`` and ``ends`` are numbers
of what the registers have seen of it.  ``said`` is their answer.  ``met`` says that an erasure was in the core while they had it.

The host may do whatever it likes.  ``polite`` says that it has kept the rules so far, ``access`` that it is in the access phase, and
``setup_address`` and so on are what it said in the setup phase: the rule that an answer meets its transfer depends on them.  Of the
registers nothing is assumed.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, concat, constant
from tests.formal.bridge_erasure_rules import ERASURE_WIDTHS, erasure_after
from tests.formal.bridge_rules import (
    ADDRESS_BITS,
    COMMON,
    FOUR,
    BridgeState,
    WriteCrossing,
    comes_to_rest,
    crosses_in_turn,
    still_for_the_core,
    still_for_the_host,
)
from tests.formal.signs import Part, equal, goes_on, same, zero

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES
from modeloom.rtl.clocks.bridge import Phase

__all__ = ["INVARIANTS", "RULES", "ApbBridgeState"]

SAID = {"address": ("paddr", ADDRESS_BITS), "data": ("pwdata", WORD_BITS), "strobe": ("pstrb", WORD_BYTES), "write": ("pwrite", 1)}
"""What is said of a transfer: variables, and ports with their bits."""

ALWAYS = constant(1, 1)


class ApbBridgeState(BridgeState):
    """The crossings of APB, and what has happened on both sides."""

    WIDTHS = {
        **{name: width for name, (_, width) in SAID.items()}, **{f"setup_{name}": width for name, (_, width) in SAID.items()},
        "setups": FOUR, "ends": FOUR, "said": WORD_BITS + 1, "met": 1, "impolite": 1, "access": 1, **ERASURE_WIDTHS,
    }  # fmt: skip

    def __init__(self, state, values):
        super().__init__(state, values)
        self.request, self.answer, self.busy = self["s_apb.request_reg"], self["s_apb.answer_reg"], self["s_apb.psel_reg"]
        self.to_core, self.to_host = self.chain("s_apb.to_core", "s_apb.request_reg"), self.chain("s_apb.to_host", "s_apb.answer_reg")
        self.kept, self.passed = [self["s_apb.data_reg"], self["s_apb.strobe_reg"]], [self["s_apb.pwdata_reg"], self["s_apb.pstrb_reg"]]
        self.shown, self.word = concat([self["s_apb_pslverr"], self["s_apb_prdata"]]), [self["s_apb.refused_reg"], self["s_apb.word_reg"]]
        self.done, self.enabled = self["s_apb_pready"], self["core_s_apb_penable"]

    def after(self) -> dict[str, Bits]:
        takes, selected = self.host & self["s_apb.takes"], self["s_apb_psel"]
        ends, resets = self.host & self.done, self.host & self.host_reset
        setup, end = self.setup, self.end
        begins = self.host & selected & ~self["s_apb_penable"]
        leaves = selected & self["s_apb_penable"] & self.done

        def count(name: str, up: Bits) -> Bits:
            return (resets | ends).choose(constant(0, FOUR), self[name] + up.extend(FOUR))

        answer = concat([self["core_s_apb_pslverr"], self["core_s_apb_prdata"]])
        values = {name: takes.choose(self[f"s_apb_{port}"], self[name]) for name, (port, _) in SAID.items()}
        values |= {f"setup_{name}": begins.choose(self[f"s_apb_{port}"], self[f"setup_{name}"]) for name, (port, _) in SAID.items()}
        access = self["access"].choose(~leaves, selected & ~self["s_apb_penable"])
        return values | {
            "setups": count("setups", setup), "ends": count("ends", end), "said": end.choose(answer, self["said"]),
            "met": ~takes & (self["met"] | self.core & self.asks & self["ends"].equals(0)),
            "impolite": self["impolite"] | self.host & ~self.keeps, "access": self.host.choose(access, self["access"]),
            **erasure_after(self),
        }  # fmt: skip

    @property
    def keeps(self) -> Bits:
        """The host keeps the rules: a transfer begins with a setup, and does not change until it ends."""
        selected = self["s_apb_psel"] & self["s_apb_penable"]
        unchanged = all_of(self[f"s_apb_{port}"].equals(self[f"setup_{name}"]) for name, (port, _) in SAID.items())
        return self["access"].choose(selected & unchanged, ~selected)

    @property
    def setup(self) -> Bits:
        """The registers see a transfer begin in this step."""
        return self.core & self["core_s_apb_psel"] & ~self.enabled

    @property
    def end(self) -> Bits:
        """They end it."""
        return self.core & self["core_s_apb_psel"] & self.enabled & self["core_s_apb_pready"]

    @property
    def crossing(self) -> WriteCrossing:
        """The write on its way, for the rules of an erasure."""
        write = self.request & self["write"]
        given = self.host & self["s_apb.takes"] & self["s_apb_pwrite"]
        return WriteCrossing(write, given, write, self.answer, self.to_core, self.to_host)

    def has_said(self, data: Bits, strobe: Bits) -> Bits:
        """Whether these are the data of the transfer, which are zeros for a read."""
        none = zero(data, strobe)
        return self["write"].choose(data.equals(self["data"]) & strobe.equals(self["strobe"]), none)


def nothing_is_asked(s: ApbBridgeState) -> Bits:
    """The host's side has no transfer."""
    return zero(s.request, s.done, s.shown, *s.kept)


# -- invariants ----------------------------------------------------------------------------------------------------------------------


def a_transfer_crosses(s: ApbBridgeState) -> Bits:
    """Request and answer rise and fall in turn."""
    crosses = crosses_in_turn(s, s.request, s.answer, s.to_core, s.to_host)
    return crosses & (s.busy.implies(s.to_core[0] & ~s.answer & s.request) | s.set_back & nothing_is_asked(s))


def transfers_are_set_back(s: ApbBridgeState) -> Bits:
    """A reset sets back first the host's side, and then that of the core, in which nothing begins meanwhile."""
    core = (s.resets & s.at(Phase.SWEEP) | s.told).implies(zero(s.busy, s.enabled, *s.passed))
    host = (s.told & ~s.answers).implies(nothing_is_asked(s))
    old = nothing_is_asked(s) & zero(s.answer, *s.to_core)
    return core & host & comes_to_rest(s, s.request, s.to_core) & s.old_reset.implies(old)


def transfers_are_counted(s: ApbBridgeState) -> Bits:
    """There is at most one transfer, and both sides know in which part of it."""
    numbers = [s["setups"], s["ends"]]
    running = s["setups"].equals(s.enabled.extend(FOUR)) & s["ends"].equals(0)
    reset = (s["setups"] <= 1) & s["ends"].equals(0)
    return all_of([
        ~(s.request & s.done), s.enabled.implies(s.busy), (s.request & ~s.answer).implies(s.resets.choose(reset, running)),
        (s.request & s.answer).implies(equal(numbers, constant(1, FOUR))), (~s.request).implies(equal(numbers, s.done.extend(FOUR))),
    ])  # fmt: skip


def what_is_said_is_kept(s: ApbBridgeState) -> Bits:
    """Both sides have what the host said.  An erasure makes zeros of the data, without strobes.  After the transfer they are zeros."""
    seen = s.to_core[0] | s.to_core[1] | s.to_core[2]
    names = s["s_apb.address_reg"].equals(s["address"]) & s["s_apb.write_reg"].equals(s["write"])
    there = s["core_s_apb_paddr"].equals(s["address"]) & s["core_s_apb_pwrite"].equals(s["write"])
    return all_of([
        s.request.choose(names & s.has_said(*s.kept), zero(*s.kept)), seen.implies(same(s.state, "s_apb.address_reg", "s_apb.write_reg")),
        (s.request & s.to_core[2]).implies(same(s.state, "s_apb.data_reg", "s_apb.strobe_reg")),
        s.busy.choose(there & (s.has_said(*s.passed) | s["met"] & zero(*s.passed)), zero(*s.passed)),
    ])  # fmt: skip


def answers_cross(s: ApbBridgeState) -> Bits:
    """The host is shown the answer of the registers, for the one cycle of the end of its transfer."""
    return all_of([
        (s.request & s.answer).implies(concat(s.word).equals(s["said"])), s.answer | zero(*s.word),
        s.done.choose(s.shown.equals(s["said"]), zero(s.shown)),
        (s.answer & s.to_host[2]).implies(same(s.state, "s_apb.word_reg", "s_apb.refused_reg")),
    ])  # fmt: skip


def a_polite_host_waits(s: ApbBridgeState) -> Bits:
    """The host is in the access phase of the transfer that is on its way, if it keeps the rules."""
    its = all_of(s[name].equals(s[f"setup_{name}"]) for name in SAID)
    return (~s["impolite"] & (s.request | s.done)).implies(s["access"] & its)


INVARIANTS = (
    *COMMON, a_transfer_crosses, transfers_are_set_back, transfers_are_counted, what_is_said_is_kept, answers_cross, a_polite_host_waits,
)  # fmt: skip


# -- rules ---------------------------------------------------------------------------------------------------------------------------


def a_transfer_has_one_answer(s: ApbBridgeState, t: ApbBridgeState) -> Bits:
    """PREADY comes for one cycle, after the registers had the transfer once, with what they said, and there is nothing without it."""
    one = constant(1, FOUR)
    theirs = equal([s["setups"], s["ends"]], one) & s.shown.equals(s["said"])
    return s.done.choose(theirs & s.host.implies(~t.done), zero(s.shown))


def answers_meet_the_host(s: ApbBridgeState, t: ApbBridgeState) -> Bits:
    """PREADY is high only in the access phase of the transfer that it answers, if the host keeps the rules."""
    its = all_of(s[name].equals(s[f"s_apb_{port}"]) for name, (port, _) in SAID.items())
    return (~s["impolite"] & s.keeps & s.done).implies(s["s_apb_psel"] & s["s_apb_penable"] & its)


def registers_see_the_transfer(s: ApbBridgeState, t: ApbBridgeState) -> Bits:
    """They see each transfer once, as the host said it.  An erasure that is there, or was, makes zeros of the data, without strobes."""
    names = s["core_s_apb_paddr"].equals(s["address"]) & s["core_s_apb_pwrite"].equals(s["write"])
    data = [s["core_s_apb_pwdata"], s["core_s_apb_pstrb"]]
    said = s.has_said(*data) | (s["met"] | s.asks) & zero(*data)
    return all_of([
        s.setup.implies(s.request & s["setups"].equals(0)), s["core_s_apb_psel"].implies(names & said),
        s.end.implies(s["setups"].equals(1) & s["ends"].equals(0)),
    ])  # fmt: skip


def the_core_keeps_the_rules(s: ApbBridgeState, t: ApbBridgeState) -> Bits:
    """A setup of one cycle, then an access until PREADY; nothing changes meanwhile, but that an erasure makes zeros of data.

    A reset of the registers may cut it short.
    """
    selected, names = s["core_s_apb_psel"], ("paddr", "pwrite")
    unchanged = all_of(t[f"core_s_apb_{name}"].equals(s[f"core_s_apb_{name}"]) for name in names)
    kept = all_of(t[f"core_s_apb_{name}"].equals(s[f"core_s_apb_{name}"]) for name in ("pwdata", "pstrb"))
    gone = (s.asks | t.asks) & zero(t["core_s_apb_pwdata"], t["core_s_apb_pstrb"])
    goes = t["core_s_apb_psel"] & unchanged & (kept | gone)
    return (~t.resets).implies(all_of([
        (selected & ~s.end).implies(goes & t.enabled.equals(s.enabled | s.core)), s.end.implies(~t["core_s_apb_psel"] & ~t.enabled),
        t.enabled.implies(t["core_s_apb_psel"]), (~selected).implies(~t.enabled) | s.resets,
    ]))  # fmt: skip


def data_do_not_stay(s: ApbBridgeState, t: ApbBridgeState) -> Bits:
    """Neither side keeps what was written once the registers have answered, nor what was read once the core knows that the host has it."""
    return all_of([
        s.request | zero(*s.kept), s.busy | zero(*s.passed), s.done | zero(s["s_apb_prdata"]), s.answer | zero(*s.word),
        s.resets | s["core_s_apb_psel"] | zero(s["core_s_apb_pwdata"], s["core_s_apb_pstrb"]),
    ])  # fmt: skip


def parts(s: ApbBridgeState) -> list[Part]:
    """What a transfer has before it, first things first."""
    free = ~s.request & ~s.done
    there, back = [~(s.request & one) & ~s.done for one in s.to_core], [~(s.request & one) & ~s.done for one in s.to_host]
    ends = ~(s.request & s.answer) & ~s.done
    return [
        (free & s.to_core[2], ALWAYS), (free & s.to_core[1], s.core), (free & s.to_core[0], s.core), (free & s.answer, s.core),
        (free & s.to_host[2], ALWAYS), (free & s.to_host[1], s.host), (free & s.to_host[0], s.host), (free, s.host),
        (there[2], ALWAYS), (there[1], s.core), (there[0], s.core), (ends & ~s.busy, s.core), (ends & ~s.enabled, s.core),
        (ends, s.core & s["core_s_apb_pready"]), (back[2], ALWAYS), (back[1], s.host), (back[0], s.host), (~s.done, s.host),
    ]  # fmt: skip


def each_transfer_gets_its_answer(s: ApbBridgeState, t: ApbBridgeState) -> Bits:
    """Without a reset, a transfer goes on with each rise that it waits for, up to its answer.  A write waits for the end of an erasure.

    It takes at most six rises of the host and seven of the core, beside those in which the registers wait.
    """
    held = s["s_apb_pwrite"] & s.held
    waits = (s.request | s["s_apb_psel"] & s["s_apb_penable"] & ~held) & ~s.done & s.no_reset & t.no_reset
    return waits.implies(goes_on(parts(s), parts(t)))


RULES = (
    still_for_the_core, still_for_the_host, a_transfer_has_one_answer, answers_meet_the_host, registers_see_the_transfer,
    the_core_keeps_the_rules, data_do_not_stay, each_transfer_gets_its_answer,
)  # fmt: skip
