# SPDX-License-Identifier: Apache-2.0
"""Rules of the part that stores messages to seal, in whole cores.

::

    commands   taken ─┬─ to seal ──▶ waiting ──▶ begun ──▶ results ──▶ status
                      └─ to open ───────────────────────────▲
"""

from __future__ import annotations

from functools import cached_property

from tests.formal.bits import Bits, all_of, total
from tests.formal.pin_rules import CoreState

__all__ = ["BUFFER_INVARIANTS", "BUFFER_RULES", "BufferState"]

READY = 8
"""Places of the queue of beats before the core; with another number the proof fails."""


class BufferState(CoreState):
    """Names for what the part that stores messages holds."""

    queue_depths = tuple(f"bus.buffer.{name}" for name in ("waiting", "begun", "records", "results", "kinds", "feeder.queue"))

    def depth_of(self, name: str) -> int:
        """The depth of a queue."""
        depths = {"results": self.p.results, "kinds": 2 * self.p.results, "queue": READY}
        return depths.get(name.rpartition(".")[2], self.p.depth)

    def buffer(self, name: str) -> Bits:
        """A net of this part."""
        return self[f"bus.buffer.{name}"]

    def takes(self, name: str) -> Bits:
        """Whether a queue takes a payload."""
        return self.queues[f"bus.buffer.{name}"].ready

    @cached_property
    def in_flight(self) -> Bits:
        """Commands taken whose status has not been given."""
        waiting = [held for held, _ in self.slice("bus.buffer.taken")]
        return total([*waiting, *(self.queues[f"bus.buffer.{name}"].level for name in ("waiting", "begun", "results"))])


def slices_are_filled_in_order(s: BufferState) -> Bits:
    """The second place of a register slice is used only if the first one is."""
    first, second = s.slice("bus.buffer.taken")
    return s.works.implies(second[0].implies(first[0]))


def beats_have_places(s: BufferState) -> Bits:
    """Beats that were read, or are in the queue before the core, are counted, and one that was read finds a place."""
    ahead, read = s.buffer("feeder.ahead_reg").wide, s.buffer("feeder.read_reg")
    held = s.queues["bus.buffer.feeder.queue"].level
    return s.works.implies(all_of([
        ahead.equals(held + read.wide), ahead <= READY, read.implies(s.takes("feeder.queue")),
        ~(s.buffer("feeder.reads_reg") & s.buffer("feeder.direct_reg")),
    ]))  # fmt: skip


def messages_to_open_go_alone(s: BufferState) -> Bits:
    """Messages to seal are counted until their second pass begins or they are refused.  Others begin only if there are none."""
    waiting = total(s.queues[f"bus.buffer.{name}"].level for name in ("waiting", "begun"))
    return s.works.implies(s.buffer("open_reg").wide.equals(waiting))


BUFFER_INVARIANTS = (slices_are_filled_in_order, beats_have_places, messages_to_open_go_alone)


def one_status_a_command(s: BufferState, t: BufferState) -> Bits:
    """Each command of the host gets exactly one status, whether its message has one pass or two, or is refused after the first one."""
    taken, given = s.passes("s_axis_cmd_t"), s.passes("m_axis_status_t")
    return (s.works & t.works).implies((t.in_flight + given.wide).equals(s.in_flight + taken.wide))


def queues_have_places(s: BufferState, t: BufferState) -> Bits:
    """A message that goes on finds a place in each queue that it enters, and so does a beat."""
    entered = s.buffer("second") | s.buffer("first") | s.buffer("opens")
    return s.works.implies(all_of([
        s.buffer("ended").implies(s.takes("waiting")), s.buffer("first").implies(s.takes("begun")),
        (s.buffer("settled") | s.buffer("opens")).implies(s.takes("results")), entered.implies(s.takes("kinds")),
        s.buffer("feeder.queue_i_valid").implies(s.takes("feeder.queue")),
    ]))  # fmt: skip


def statuses_are_those_of_the_core(s: BufferState, t: BufferState) -> Bits:
    """A status of the core is offered in the same cycle, with its number and its code, unless it is that of a first pass.  Nothing else is
    offered but the refusal of a message after its first pass."""
    at = s.p.messages.block_bits
    results, kinds = (s.queues[f"bus.buffer.{name}"] for name in ("results", "kinds"))
    refused = results.head[results.head.width - 1]
    mine = s["bus.core_status_valid"] & kinds.valid & ~kinds.head
    offered, given = s["m_axis_status_tvalid"], s["m_axis_status_tdata"]
    passed = results.valid & ~refused & mine
    leaves = s["bus.core_status_valid"] & s["bus.buffer_core_status_ready"] & ~kinds.head
    return s.works.implies(all_of([
        offered.equals(results.valid & refused | passed), passed.implies(given[at:].equals(s["bus.core_status_payload"][at:])),
        leaves.equals(passed & s["m_axis_status_tready"]),
    ]))  # fmt: skip


BUFFER_RULES = (one_status_a_command, queues_have_places, statuses_are_those_of_the_core)
