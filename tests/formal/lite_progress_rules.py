# SPDX-License-Identifier: Apache-2.0
"""Each access over AXI4-Lite to registers in a clock of their own gets its response, within some rises of both clocks.

A write takes at most four rises of the host and three of the core, beside those in which the registers respond.  A read takes three of
each, and after it the channel is ready again within three of the core and two of the host.  A write that is not sent yet waits for the end
of an erasure, too.
"""

from __future__ import annotations

from tests.formal.bits import Bits, constant
from tests.formal.lite_bridge_state import LiteBridgeState
from tests.formal.signs import Part, goes_on

__all__ = ["PROGRESS"]

ALWAYS = constant(1, 1)


def write_parts(s: LiteBridgeState) -> list[Part]:
    """What a write has before it, first things first."""
    there, back = [one.differs(s.turn) for one in s.to_core], [one.differs(s.turn) for one in s.to_host]
    answers = s.answer.differs(s.turn)
    return [
        (~s.sent & ~s.done, s.host & ~s.held), (there[2], ALWAYS), (there[1], s.core), (there[0], s.core),
        (answers & ~s.busy, s.core), (answers, s.core & s["core_s_axil_bvalid"]), (back[2], ALWAYS), (back[1], s.host), (back[0], s.host),
        (~s.done, s.host),
    ]  # fmt: skip


def read_parts(s: LiteBridgeState) -> list[Part]:
    """The same for a read."""
    there, back = [~one for one in s.read_to_core], [~one for one in s.read_to_host]
    return [
        (there[2] & ~s.has_word, ALWAYS), (there[1] & ~s.has_word, s.core), (there[0] & ~s.has_word, s.core),
        (~s.reply & ~s.reads & ~s.has_word, s.core), (~s.reply & ~s.has_word, s.core & s["core_s_axil_rvalid"]),
        (back[2] & ~s.has_word, ALWAYS), (back[1] & ~s.has_word, s.host), (back[0] & ~s.has_word, s.host), (~s.has_word, s.host),
    ]  # fmt: skip


def ready_parts(s: LiteBridgeState) -> list[Part]:
    """What stands between the response to a read and a channel that is ready."""
    there, back = s.read_to_core, s.read_to_host
    return [
        (there[2], ALWAYS), (there[1], s.core), (there[0], s.core), (s.reply, s.core), (back[2], ALWAYS), (back[1], s.host),
        (back[0], s.host),
    ]  # fmt: skip


def each_write_gets_its_response(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """Without a reset, a write with address and data goes on with each rise that it waits for, up to its response."""
    waits = s["addressed"].some() & s["given"].some() & ~s.done & s.no_reset & t.no_reset
    return waits.implies(goes_on(write_parts(s), write_parts(t)))


def each_read_gets_its_response(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """The same for a read, also in an erasure."""
    waits = s["asked"].some() & ~s.has_word & s.no_reset & t.no_reset
    return waits.implies(goes_on(read_parts(s), read_parts(t)))


def channels_are_ready_again(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """Those of a write at once, unless an erasure holds them.  That of a read becomes ready while there is no read, also in an erasure."""
    free = ~s["addressed"].some() & ~s["given"].some() & ~s.held
    waits = ~s["asked"].some() & ~s["s_axil_arready"] & s.no_reset & t.no_reset
    return free.implies(s["s_axil_awready"] & s["s_axil_wready"]) & waits.implies(goes_on(ready_parts(s), ready_parts(t)))


PROGRESS = (each_write_gets_its_response, each_read_gets_its_response, channels_are_ready_again)
