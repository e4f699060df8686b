# SPDX-License-Identifier: Apache-2.0
"""Sectors through a whole core, one after the other: none lost, doubled, reordered or mixed.

Random gaps and back-pressure, directions, key slots, sector sizes, packets of wrong length, commands without key; keys that are loaded
and erased while sectors of their slot are in flight; resets and erasures in the middle, after which the core goes on with new keys.
A few hundred sectors by default, a hundred thousand in the slow run.
"""

import random
from collections import Counter

import pytest
from tests.built import SMALL, simulated, slowly

import modeloom_golden as golden
from modeloom.interfaces.sector import StatusCode

SIZES = (SMALL["sector"], *SMALL["more_sectors"])
SLOTS = SMALL["key_slots"]
MODE = "hctr2"
STREAMS = ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status")

ENDS = ("done", "zeroize", "done", "aresetn")
"""How the runs of the soak end, in turn: all sectors are done, or the request or reset of that name cuts them off."""


class Slot:
    """What a slot holds, then what key packets in their order make of it: a reference for a key, None while it is empty."""

    def __init__(self):
        self.states = [None]

    def settle(self):
        """All packets are through."""
        self.states = self.states[-1:]


class Host:
    """Sends jobs and key packets and compares what comes back with what the reference says."""

    def __init__(self, seed, chunk, optimize):
        self.rng = random.Random(seed)
        self.core = simulated(MODE, seed=seed, optimize=optimize, **SMALL)
        self.chunk_size = chunk
        self.slots = [Slot() for _ in range(SLOTS)]
        self.done = 0
        self.seen = Counter()
        self.load()

    def load(self):
        """New keys in all slots but one, which stays empty; nothing is under way."""
        self.core.runner.set_gaps(dict.fromkeys(STREAMS, 0.0))
        empty = self.rng.randrange(SLOTS)
        for number, slot in enumerate(self.slots):
            if number == empty:
                self.core.erase_key(number)
                slot.states = [None]
            else:
                key = self.rng.randbytes(16)
                self.core.load_key(key, number)
                slot.states = [golden.mode(MODE, key)]

    def send_key(self):
        """Queues a packet that loads or erases a slot, whatever is in flight.

        The slot is empty from the packet's first beat on; what was admitted before ends with the old key.
        """
        number = self.rng.randrange(SLOTS)
        erase = self.rng.random() < 0.3
        key = self.rng.randbytes(16)
        self.core.send_key(key, number, erase=erase)
        self.slots[number].states += [None] if erase else [None, golden.mode(MODE, key)]
        self.seen["erased" if erase else "reloaded"] += 1

    def job(self):
        """Queues a command and its packet; gives all that is needed to know the result for a key."""
        rng, core = self.rng, self.core
        # Runs of one size, as the change costs many cycles.
        if rng.random() < 0.1:
            self.size = rng.randrange(len(SIZES))
        tag, tweak, data = rng.randrange(1 << 16), rng.randbytes(16), rng.randbytes(SIZES[self.size])
        slot, decrypt, length = rng.randrange(SLOTS), rng.random() < 0.5, len(data)
        if rng.random() < 0.03:
            length = rng.choice((1, length - 1, length + 1, 3 * length))
        core.send_command(tweak, decrypt=decrypt, slot=slot, size=self.size, tag=tag)
        core.send_packet((data + rng.randbytes(2 * len(data)))[:length])
        return tag, tweak, data, slot, decrypt, length

    @staticmethod
    def result(job, reference):
        """Status and data of a job whose slot holds this."""
        tag, tweak, data, _, decrypt, length = job
        if reference is None:
            return tag | int(StatusCode.NO_KEY) << 16, b""
        if length != len(data):
            return tag | int(StatusCode.TOO_SHORT if length < len(data) else StatusCode.TOO_LONG) << 16, b""
        text = (reference.decrypt if decrypt else reference.encrypt)(tweak, data)
        return tag, text + bytes(-len(text) % 16)

    def explained(self, jobs, statuses, data, at):
        """Whether slots that pass through their states in order, from those at ``at``, give these statuses and these data.

        After the last status, data of sectors whose status has not come may follow.
        """
        if not jobs or (not statuses and not data):
            return not statuses and not data
        job, slot = jobs[0], jobs[0][3]
        for state in range(at[slot], len(self.slots[slot].states)):
            status, text = self.result(job, self.slots[slot].states[state])
            if statuses:
                fits = status == statuses[0] and data[: len(text)] == text
            else:
                fits = text[: len(data)] == data[: len(text)]
            if fits and self.explained(jobs[1:], statuses[1:], data[len(text) :], at[:slot] + (state,) + at[slot + 1 :]):
                if statuses:
                    self.seen[StatusCode(statuses[0] >> 16).name] += 1
                    self.seen["refused for a reload"] += bool(state) and self.slots[slot].states[state] is None
                    self.seen["encrypted after a reload"] += bool(state) and bool(text)
                return True
        return False

    def chunk(self, end):
        """Some sectors, to their end or cut off; raises if anything is not as it must be."""
        rng, core = self.rng, self.core
        self.size = rng.randrange(len(SIZES))
        core.runner.set_gaps({name: rng.choice((0.0, 0.1, 0.5, 0.9)) for name in STREAMS})
        jobs = [self.job() for _ in range(self.chunk_size)]
        for _ in range(rng.randrange(1, 4)):
            core.runner.run(max_cycles=rng.randrange(5 * self.chunk_size))
            self.send_key()
        if end == "done":
            assert not core.runner.run({"m_axis_status": len(jobs)}, max_cycles=2000 * len(jobs)).timed_out
        else:
            core.runner.run(max_cycles=rng.randrange(1, 10 * self.chunk_size))
            # A beat may still pass in the cycle in which the request is made, and in the one after it.
            active = int(end == "zeroize")
            core.simulation.set(end, active)
            core.runner.run(max_cycles=1)
            core.simulation.set(end, 1 - active)
            core.runner.run(max_cycles=1)
        statuses = [int(value) for value in core.runner.take("m_axis_status").values("m_axis_status_tdata")]
        data = core.runner.take("m_axis").columns["m_axis_tdata"]
        assert end != "done" or len(statuses) == len(jobs)
        assert self.explained(jobs, statuses, data, (0,) * SLOTS), (end, len(statuses), len(data))
        assert not core.runner.violations()
        self.done += len(statuses)
        if end == "done":
            core._wait_for_key_port()
            for slot in self.slots:
                slot.settle()
        else:
            self.seen[end] += len(statuses) < len(jobs)
            core.runner.forget()
            core.runner.run(max_cycles=core.description.erase_cycles)
            self.load()


@pytest.mark.parametrize(("sectors", "chunk", "optimize"), [(400, 60, 0), *slowly((100_000, 250, 2))])
def test_soak(sectors, chunk, optimize):
    host = Host(2026, chunk, optimize)
    number = 0
    while host.done < sectors:
        host.chunk(ENDS[number % len(ENDS)])
        number += 1
        if not number % 10:
            host.load()
    kinds = ("OK", "NO_KEY", "TOO_SHORT", "TOO_LONG", "reloaded", "erased", "refused for a reload", "encrypted after a reload",
             "zeroize", "aresetn")  # fmt: skip
    assert not [kind for kind in kinds if not host.seen[kind]], host.seen
