# SPDX-License-Identifier: Apache-2.0
"""The rules of AXI4-Lite, as invariants and rules of an emitted front end.

A read, and a write in its three channels, are counted beside the hardware::

    AW ─▶ addressed ─┐                          AR ─▶ asked ─▶ R
    W  ─▶ given ─────┴─▶ carried out ─▶ B

``addressed``, ``given`` and ``asked`` are numbers of accesses without a response, and ``address``, ``data``, ``strobe`` and ``asked_at``
are what the host has said of them.  The host may do whatever it likes in each cycle.  No rule depends on its good manners.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, any_of, constant, fresh
from tests.formal.machine import Machine, State

from modeloom.interfaces.front import OKAY, SLVERR, WORD_BITS, WORD_BYTES

__all__ = ["INVARIANTS", "RULES", "LiteState", "outputs_reached"]


def widths(machine: Machine) -> dict[str, int]:
    """Variables beside the hardware.  ``done`` says that the write was carried out, ``wiped`` that an erasure has overwritten its data."""
    address_bits = len(machine.find("s_axil_awaddr") or [])
    return {
        "addressed": 4, "given": 4, "asked": 4, "address": address_bits, "data": WORD_BITS, "strobe": WORD_BYTES, "asked_at": address_bits,
        "done": 1, "wiped": 1,
    }  # fmt: skip


class LiteState:
    """A front end in one cycle, and what has happened on its bus."""

    def __init__(self, state: State, values: dict[str, Bits]):
        self.state, self.values = state, values

    @classmethod
    def any(cls, machine: Machine, label: str = "s") -> LiteState:
        """Any state."""
        return cls(machine.free(label), {name: fresh(f"{label}.{name}", width) for name, width in widths(machine).items()})

    @classmethod
    def start(cls, state: State) -> LiteState:
        """A state after a reset: nothing has happened."""
        return cls(state, {name: constant(0, width) for name, width in widths(state.machine).items()})

    def __getitem__(self, name: str) -> Bits:
        return self.values[name] if name in self.values else self.state[name]

    def moves(self, channel: str) -> Bits:
        """A payload moves on a channel."""
        return self[f"s_axil_{channel}valid"] & self[f"s_axil_{channel}ready"]

    @property
    def writes(self) -> Bits:
        """A write is carried out, or refused."""
        return self["bus.write"]

    def next(self) -> LiteState:
        """The cycle after."""
        t = self.state.next()
        aw, w, ar, b, r = (self.moves(channel) for channel in ("aw", "w", "ar", "b", "r"))
        values = {
            "addressed": self["addressed"] + aw.extend(4) - b.extend(4), "given": self["given"] + w.extend(4) - b.extend(4),
            "asked": self["asked"] + ar.extend(4) - r.extend(4),
            "address": aw.choose(self["s_axil_awaddr"], self["address"]), "data": w.choose(self["s_axil_wdata"], self["data"]),
            "strobe": w.choose(self["s_axil_wstrb"], self["strobe"]), "asked_at": ar.choose(self["s_axil_araddr"], self["asked_at"]),
            "done": (self["done"] | self.writes) & ~b, "wiped": (self["wiped"] | self["bus.erase"]) & ~w | w & self["bus.erase"],
        }  # fmt: skip
        return LiteState(t, values)


# -- invariants -------------------------------------------------------------------------------------------------------------------


def accesses_are_counted(s: LiteState) -> Bits:
    """There is at most one write and at most one read, and the hardware knows in which part of it."""
    read, there = s["bus.read_reg"], s["s_axil_rvalid"]
    return all_of([
        s["addressed"].equals(s["bus.has_address_reg"].extend(4)), s["given"].equals(s["bus.has_data_reg"].extend(4)),
        s["asked"].equals((read | there).extend(4)), ~(read & there),
    ])  # fmt: skip


def what_was_said_is_kept(s: LiteState) -> Bits:
    """Address and data wait unchanged until the write was carried out.  An erasure makes data that wait zeros without strobes."""
    waits = s["given"].some() & ~s["done"]
    kept = s["bus.access_write_data"].equals(s["data"]) & s["bus.strobe_reg"].equals(s["strobe"])
    gone = s["bus.access_write_data"].equals(0) & s["bus.strobe_reg"].equals(0)
    asked = s["bus.read_reg"].implies(s["bus.read_address_reg"].equals(s["asked_at"]))
    return all_of([
        s["addressed"].some().implies(s["bus.address_reg"].equals(s["address"])), waits.implies(s["wiped"].choose(gone, kept)), asked,
    ])  # fmt: skip


def answers_follow_writes(s: LiteState) -> Bits:
    """There is an answer exactly if the write was carried out, and it has both address and data."""
    return all_of([s["s_axil_bvalid"].equals(s["done"]), s["done"].implies(s["addressed"].some() & s["given"].some())])


INVARIANTS = (accesses_are_counted, what_was_said_is_kept, answers_follow_writes)


# -- rules ------------------------------------------------------------------------------------------------------------------------


def responses_stay(s: LiteState, t: LiteState) -> Bits:
    """A response that is not taken stays, and so does what it says."""
    b, r = s["s_axil_bvalid"] & ~s["s_axil_bready"], s["s_axil_rvalid"] & ~s["s_axil_rready"]
    return all_of([
        b.implies(t["s_axil_bvalid"] & t["s_axil_bresp"].equals(s["s_axil_bresp"])),
        r.implies(t["s_axil_rvalid"] & t["s_axil_rdata"].equals(s["s_axil_rdata"]) & t["s_axil_rresp"].equals(s["s_axil_rresp"])),
    ])  # fmt: skip


def a_response_for_each_access(s: LiteState, t: LiteState) -> Bits:
    """A response has an access that was whole before it, and no other one has had it."""
    one = constant(1, 4)
    b = s["s_axil_bvalid"].implies(s["addressed"].equals(one) & s["given"].equals(one))
    return b & s["s_axil_rvalid"].implies(s["asked"].equals(one))


def accesses_are_served_at_once(s: LiteState, t: LiteState) -> Bits:
    """A whole write has its answer in the next cycle, and a read one cycle later; without an access the channels are ready."""
    write, read = s["addressed"].some() & s["given"].some(), s["asked"].some()
    return all_of([
        (write & ~s["done"]).implies(t["s_axil_bvalid"]), (read & ~s["s_axil_rvalid"]).implies(t["s_axil_rvalid"]),
        s["s_axil_awready"].equals(~s["addressed"].some()), s["s_axil_wready"].equals(~s["given"].some()),
        s["s_axil_arready"].equals(~read),
    ])  # fmt: skip


def responses_are_those_of_axi(s: LiteState, t: LiteState) -> Bits:
    """A response is OKAY or SLVERR."""
    return all_of(any_of(s[f"s_axil_{channel}resp"].equals(code) for code in (OKAY, SLVERR)) for channel in "br")


def registers_see_the_access(s: LiteState, t: LiteState) -> Bits:
    """Registers get a write once, with the address and the data of the host, and only if it has all four bytes and was not erased."""
    whole = s["strobe"].equals(15) & ~s["wiped"]
    carried = s["addressed"].some() & s["given"].some() & ~s["done"]
    write = s["bus.access_write"]
    return all_of([
        write.equals(carried & whole), write.implies(s["bus.access_write_data"].equals(s["data"])),
        write.implies(s["bus.access_write_address"].equals(s["address"][2:])), (carried & ~whole).implies(t["s_axil_bresp"].equals(SLVERR)),
        s["bus.access_read"].implies(s["asked"].some() & s["bus.access_read_address"].equals(s["asked_at"][2:])),
    ])  # fmt: skip


def data_do_not_stay(s: LiteState, t: LiteState) -> Bits:
    """The data of a write may be a word of a key.  The bus keeps none of them once they were carried out."""
    return (s["given"].some() & ~s["done"]).implies(t["done"].implies(t["bus.access_write_data"].equals(0)))


RULES = (
    responses_stay, a_response_for_each_access, accesses_are_served_at_once, responses_are_those_of_axi, registers_see_the_access,
    data_do_not_stay,
)  # fmt: skip


def outputs_reached(machine: Machine, prefix: str) -> dict[str, set[str]]:
    """For each output with a prefix the inputs on which it depends within a cycle."""
    reached: dict[str, set[str]] = {}
    for name, bits in machine.netlist.outputs.items():
        if not name.startswith(prefix):
            continue
        todo = [bit for bit in bits if isinstance(bit, int)]
        seen: set[int] = set()
        found: set[str] = set()
        while todo:
            bit = todo.pop()
            if bit in seen:
                continue
            seen.add(bit)
            if bit in machine.input:
                found.add(machine.input[bit][0])
            elif bit in machine.driver:
                cell, port, _ = machine.driver[bit]
                if port == "Y":
                    todo += [one for pin in ("A", "B", "S") for one in cell[pin] if isinstance(one, int)]
        reached[name] = found
    return reached
