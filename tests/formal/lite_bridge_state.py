# SPDX-License-Identifier: Apache-2.0
"""The crossings of AXI4-Lite to registers in a clock of their own, and what has happened on both sides.

::

    host   AW ─▶ addressed ─┐                                                         core
           W  ─▶ given ─────┴─▶ sent ── turn ──▶ busy ─▶ addresses, words ─▶ AW, W
           B  ◀──────────────── done ◀─ answer ──────── responses ◀──────── B
           AR ─▶ asked ──────── request ───────▶ busy ─▶ reads ────────────▶ AR
           R  ◀──────────────── done ◀─ answer ──────── words_read ◀─────── R

``addressed``, ``given`` and ``asked`` are numbers of accesses of the host without a response.  ``address``, ``data``, ``strobe`` and
``asked_at`` are what it has said of them.  The numbers on the right are of what has passed on the side of the core since the last response
to the host, and ``said`` and ``word_said`` are the responses of the registers.  ``met`` says that an erasure met the write before the
registers had its data.

The host may do whatever it likes.  Of the registers it is assumed that they respond only to what they have taken, which
``axi_lite_rules`` proves of them: ``open_address``, ``open_word`` and ``open_read`` are what they have taken, since their own reset.
"""

from __future__ import annotations

from tests.formal.bits import Bits, concat, constant
from tests.formal.bridge_erasure_rules import ERASURE_WIDTHS, erasure_after
from tests.formal.bridge_rules import ADDRESS_BITS, FOUR, BridgeState, WriteCrossing

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES

__all__ = ["LiteBridgeState", "registers"]

COUNTED = ("addressed", "given", "asked", "addresses", "words", "responses", "reads", "words_read")


class LiteBridgeState(BridgeState):
    """The crossings of AXI4-Lite, and what has happened on both sides."""

    WIDTHS = {
        **dict.fromkeys(COUNTED, FOUR), "address": ADDRESS_BITS, "data": WORD_BITS, "strobe": WORD_BYTES, "asked_at": ADDRESS_BITS,
        "said": 2, "met": 1, "word_said": WORD_BITS + 2, "open_address": 1, "open_word": 1, "open_read": 1, **ERASURE_WIDTHS,
    }  # fmt: skip

    def __init__(self, state, values):
        super().__init__(state, values)
        bridge = "s_axil"
        self.turn, self.answer = self[f"{bridge}.write_turn_reg"], self[f"{bridge}.write_answer_reg"]
        self.busy, self.reads = self["core_s_axil_bready"], self["core_s_axil_rready"]
        self.to_core = self.chain(f"{bridge}.write_to_core", f"{bridge}.write_turn_reg")
        self.to_host = self.chain(f"{bridge}.write_to_host", f"{bridge}.write_answer_reg")
        self.has_address, self.has_data, self.sent = (self[f"{bridge}.w_{name}_reg"] for name in ("has_address", "has_data", "sent"))
        self.request, self.reply = self[f"{bridge}.read_request_reg"], self[f"{bridge}.read_answer_reg"]
        self.read_to_core = self.chain(f"{bridge}.read_to_core", f"{bridge}.read_request_reg")
        self.read_to_host = self.chain(f"{bridge}.read_to_host", f"{bridge}.read_answer_reg")
        self.done, self.has_word = self["s_axil_bvalid"], self["s_axil_rvalid"]
        self.shown, self.word = concat([self["s_axil_rresp"], self["s_axil_rdata"]]), self[f"{bridge}.r_word_reg"]
        self.kept = [self[f"{bridge}.w_data_reg"], self[f"{bridge}.w_strobe_reg"]]
        self.passed = [self["core_s_axil_wdata"], self["core_s_axil_wstrb"]]
        self.a_valid, self.w_valid, self.r_valid = (self[f"{bridge}.{name}valid_reg"] for name in ("aw", "w", "ar"))

    def moves(self, channel: str, side: str = "") -> Bits:
        """A payload moves on a channel of the host, or of the core, in this step."""
        both = self[f"{side}s_axil_{channel}valid"] & self[f"{side}s_axil_{channel}ready"]
        return both & (self.core if side else self.host)

    def after(self) -> dict[str, Bits]:
        aw, w, b, ar, r = (self.moves(one) for one in ("aw", "w", "b", "ar", "r"))
        core = {one: self.moves(one, "core_") for one in ("aw", "w", "b", "ar", "r")}
        resets, erases = self.host & self.host_reset, self.core & self.asks
        registers = self.core & self.reset

        def count(name: str, up: Bits, down: Bits) -> Bits:
            return resets.choose(constant(0, FOUR), self[name] + up.extend(FOUR) - down.extend(FOUR))

        def opened(name: str, up: Bits, down: Bits) -> Bits:
            return (self[name] | up) & ~down & ~registers

        response = concat([self["core_s_axil_rresp"], self["core_s_axil_rdata"]])
        met = (self.host & self.held & self.has_data & ~self.sent) | (erases & self.sent & self["words"].equals(0))
        return {
            "addressed": count("addressed", aw, b), "given": count("given", w, b), "asked": count("asked", ar, r),
            "addresses": count("addresses", core["aw"], b), "words": count("words", core["w"], b),
            "responses": count("responses", core["b"], b),
            "reads": count("reads", core["ar"], r), "words_read": count("words_read", core["r"], r),
            "address": aw.choose(self["s_axil_awaddr"], self["address"]), "data": w.choose(self["s_axil_wdata"], self["data"]),
            "strobe": w.choose(self["s_axil_wstrb"], self["strobe"]), "asked_at": ar.choose(self["s_axil_araddr"], self["asked_at"]),
            "said": core["b"].choose(self["core_s_axil_bresp"], self["said"]), "word_said": core["r"].choose(response, self["word_said"]),
            "met": ~w & (self["met"] | met), "open_address": opened("open_address", core["aw"], core["b"]),
            "open_word": opened("open_word", core["w"], core["b"]), "open_read": opened("open_read", core["ar"], core["r"]),
            **erasure_after(self),
        }  # fmt: skip

    @property
    def crossing(self) -> WriteCrossing:
        """The write on its way, for the rules of an erasure."""
        seen = [one.equals(self.turn) for one in self.to_core]
        back = [one.equals(self.turn) for one in self.to_host]
        return WriteCrossing(self.has_data, self.moves("w"), self.sent, self.answer.equals(self.turn), seen, back)

    @property
    def unchanged(self) -> Bits:
        """The data that the host's side keeps are those of the host."""
        return self.kept[0].equals(self["data"]) & self.kept[1].equals(self["strobe"])


def registers(s: LiteBridgeState) -> Bits:
    """The registers respond only to what they have taken."""
    write = s["core_s_axil_bvalid"].implies(s["open_address"] & s["open_word"])
    return write & s["core_s_axil_rvalid"].implies(s["open_read"])
