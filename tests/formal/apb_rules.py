# SPDX-License-Identifier: Apache-2.0
"""The rules of APB, as invariants and rules of an emitted front end.

A transfer is followed beside the hardware::

    age        0              1                2
    host       setup          access           access
    registers                 carried out
    answer                                     PREADY, PRDATA, PSLVERR

``address``, ``data``, ``strobe`` and ``write`` are what the host has said when the transfer began.  The host may do whatever it likes in
each cycle.  ``polite`` says that it has kept the rules so far, and ``access`` that it is in the access phase.  Only the rule that an
answer meets the host in its access phase depends on it.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, constant, fresh
from tests.formal.machine import Machine, State

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES

__all__ = ["INVARIANTS", "RULES", "ApbState"]

WHOLE = (1 << WORD_BYTES) - 1


def widths(machine: Machine) -> dict[str, int]:
    """Variables beside the hardware.  ``wiped`` says that an erasure came as the transfer began."""
    return {
        "age": 2, "address": len(machine.find("s_apb_paddr") or []), "data": WORD_BITS, "strobe": WORD_BYTES, "write": 1, "wiped": 1,
        "polite": 1, "access": 1,
    }  # fmt: skip


class ApbState:
    """A front end in one cycle, and what has happened on its bus."""

    def __init__(self, state: State, values: dict[str, Bits]):
        self.state, self.values = state, values

    @classmethod
    def any(cls, machine: Machine, label: str = "s") -> ApbState:
        """Any state."""
        return cls(machine.free(label), {name: fresh(f"{label}.{name}", width) for name, width in widths(machine).items()})

    @classmethod
    def start(cls, state: State) -> ApbState:
        """A state after a reset: nothing has happened."""
        return cls(state, {name: constant(int(name == "polite"), width) for name, width in widths(state.machine).items()})

    def __getitem__(self, name: str) -> Bits:
        return self.values[name] if name in self.values else self.state[name]

    @property
    def begins(self) -> Bits:
        """A transfer begins."""
        return self["s_apb_psel"] & ~self["s_apb_penable"] & ~self["age"].some()

    @property
    def keeps(self) -> Bits:
        """The host keeps the rules in this cycle: a transfer begins with a setup, and does not change until it ends."""
        selected = self["s_apb_psel"] & self["s_apb_penable"]
        same = all_of(self[f"s_apb_p{name}"].equals(self[mine]) for name, mine in NAMES.items())
        return self["access"].choose(selected & same, ~selected)

    def next(self) -> ApbState:
        """The cycle after."""
        begins, age = self.begins, self["age"]
        one, two = constant(1, 2), constant(2, 2)
        ends = self["s_apb_psel"] & self["s_apb_penable"] & self["s_apb_pready"]
        values = {
            "age": begins.choose(one, age.equals(1).choose(two, constant(0, 2))),
            **{mine: begins.choose(self[f"s_apb_p{name}"], self[mine]) for name, mine in NAMES.items()},
            "wiped": begins.choose(self["bus.erase"], self["wiped"]), "polite": self["polite"] & self.keeps,
            "access": self["access"].choose(~ends, self["s_apb_psel"] & ~self["s_apb_penable"]),
        }  # fmt: skip
        return ApbState(self.state.next(), values)


NAMES = {"addr": "address", "wdata": "data", "strb": "strobe", "write": "write"}
"""What the host says of a transfer: the ports, and the variables."""


# -- invariants -------------------------------------------------------------------------------------------------------------------


def the_hardware_knows_the_transfer(s: ApbState) -> Bits:
    """It is carried out in the second cycle, and answered in the third one."""
    age = s["age"]
    return all_of([s["bus.taken_reg"].equals(age.equals(1)), s["s_apb_pready"].equals(age.equals(2)), ~age.equals(3)])


def what_was_said_is_kept(s: ApbState) -> Bits:
    """Registers have what the host said at first.  An erasure at that time makes zeros of the data, without strobes."""
    zero = constant(0, WORD_BITS)
    data = (s["write"] & ~s["wiped"]).choose(s["data"], zero)
    return s["age"].equals(1).implies(all_of([
        s["bus.address_reg"].equals(s["address"]), s["bus.write_reg"].equals(s["write"]), s["bus.access_write_data"].equals(data),
        s["bus.strobe_reg"].equals(s["wiped"].choose(constant(0, WORD_BYTES), s["strobe"])),
    ]))  # fmt: skip


def nothing_is_said_without_an_answer(s: ApbState) -> Bits:
    """PSLVERR and PRDATA are zero without PREADY."""
    return s["s_apb_pready"] | ~s["s_apb_pslverr"] & s["s_apb_prdata"].equals(0)


def data_are_given_for_reads(s: ApbState) -> Bits:
    """PRDATA is zero for a write, and for a read that is refused."""
    return (s["write"] | s["s_apb_pslverr"]).implies(s["s_apb_prdata"].equals(0))


def data_do_not_stay(s: ApbState) -> Bits:
    """The data of a write may be a word of a key.  The bus has them for one cycle."""
    return s["age"].equals(1) | s["bus.access_write_data"].equals(0)


def a_polite_host_is_understood(s: ApbState) -> Bits:
    """The host is in the access phase exactly if there is a transfer here."""
    return s["polite"].implies(s["access"].equals(s["age"].some()))


INVARIANTS = (
    the_hardware_knows_the_transfer, what_was_said_is_kept, nothing_is_said_without_an_answer, data_are_given_for_reads, data_do_not_stay,
    a_polite_host_is_understood,
)  # fmt: skip


# -- rules ------------------------------------------------------------------------------------------------------------------------


def a_transfer_takes_three_cycles(s: ApbState, t: ApbState) -> Bits:
    """PREADY comes two cycles after the setup, for one cycle, and never without a transfer."""
    return all_of([
        s.begins.implies(~s["s_apb_pready"] & ~t["s_apb_pready"] & t.next()["s_apb_pready"]), s["s_apb_pready"].implies(~t["s_apb_pready"]),
        s["s_apb_pready"].implies(s["age"].equals(2)),
    ])  # fmt: skip


def answers_meet_the_host(s: ApbState, t: ApbState) -> Bits:
    """PREADY, and so PSLVERR, is high only in the access phase of a host that keeps the rules."""
    return (s["polite"] & s.keeps & s["s_apb_pready"]).implies(s["s_apb_psel"] & s["s_apb_penable"])


def registers_see_the_access(s: ApbState, t: ApbState) -> Bits:
    """Registers get a write once, as the host said it, and only if it has all four bytes and was not erased; and a read once."""
    now = s["age"].equals(1)
    whole = s["strobe"].equals(WHOLE) & ~s["wiped"]
    write, read = s["bus.access_write"], s["bus.access_read"]
    # The emitted module has one port for both addresses.
    there = s["bus.access_write_address"].equals(s["address"][2:])
    return all_of([
        write.equals(now & s["write"] & whole), write.implies(s["bus.access_write_data"].equals(s["data"])),
        read.equals(now & ~s["write"]), (write | read).implies(there),
    ])  # fmt: skip


def answers_are_those_of_the_registers(s: ApbState, t: ApbState) -> Bits:
    """A write without all bytes is refused, and so is what the registers refuse.  A read gives what they say."""
    whole = s["strobe"].equals(WHOLE) & ~s["wiped"]
    refused = s["write"].choose(~whole | s["bus.access_write_error"], s["bus.access_read_error"])
    data = (s["write"] | refused).choose(constant(0, WORD_BITS), s["bus.access_read_data"])
    return s["age"].equals(1).implies(t["s_apb_pslverr"].equals(refused) & t["s_apb_prdata"].equals(data))


RULES = (
    a_transfer_takes_three_cycles, answers_meet_the_host, registers_see_the_access, answers_are_those_of_the_registers,
)  # fmt: skip
