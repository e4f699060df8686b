# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand sectors through a whole core: none lost, doubled, reordered or mixed.

Random gaps and back-pressure, directions, key slots, sector sizes, packets of wrong length, commands without key, and resets
and erasures in the middle, after which the core goes on with new keys.
"""

import random

from tests.built import SLOW, SMALL, simulated

from modeloom import golden
from modeloom.rtl.bus import StatusCode

SECTORS = 100_000 if SLOW else 250
CHUNK = 250
SIZES = (SMALL["sector"], *SMALL["more_sectors"])
SLOTS = SMALL["key_slots"]
MODE = "hctr2"


class Host:
    """Sends jobs and compares what comes back with what the reference says."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.core = simulated(MODE, seed=seed, optimize=2 if SLOW else 0, **SMALL)
        self.references = {}
        self.done = 0

    def load(self):
        """New keys in all slots but one, which stays empty."""
        empty = self.rng.randrange(SLOTS)
        self.references = {}
        self.core.erase_key(empty)
        for slot in range(SLOTS):
            if slot != empty:
                key = self.rng.randbytes(16)
                self.core.load_key(key, slot)
                self.references[slot] = golden.mode(MODE, key)

    def job(self, tag):
        """Queues a command and its packet; gives the status and the data that must come back."""
        rng, core = self.rng, self.core
        # Runs of one size, as the change costs many cycles.
        if rng.random() < 0.1:
            self.size = rng.randrange(len(SIZES))
        tweak, data = rng.randbytes(16), rng.randbytes(SIZES[self.size])
        slot, decrypt = rng.randrange(SLOTS), rng.random() < 0.5
        code = StatusCode.OK if slot in self.references else StatusCode.NO_KEY
        length = len(data)
        if rng.random() < 0.03:
            length = rng.choice((1, length - 1, length + 1, 3 * length))
            if code == StatusCode.OK:
                code = StatusCode.TOO_SHORT if length < len(data) else StatusCode.TOO_LONG
        core.send_command(tweak, decrypt=decrypt, slot=slot, size=self.size, tag=tag)
        core.send_packet((data + rng.randbytes(2 * len(data)))[:length])
        if code != StatusCode.OK:
            return tag | int(code) << 16, b""
        reference = self.references[slot]
        return tag, (reference.decrypt if decrypt else reference.encrypt)(tweak, data)

    def chunk(self):
        """Some sectors, to their end or cut off by a reset or an erasure; raises if anything is not as it must be."""
        rng, core = self.rng, self.core
        self.size = rng.randrange(len(SIZES))
        gaps = {name: rng.choice((0.0, 0.1, 0.5, 0.9)) for name in ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status")}
        core.runner.set_gaps(gaps)
        wanted = [self.job(rng.randrange(1 << 16)) for _ in range(CHUNK)]
        cut = rng.random() < 0.3
        if cut:
            core.runner.run(max_cycles=rng.randrange(200, 20 * CHUNK))
        else:
            assert not core.runner.run({"m_axis_status": CHUNK}, max_cycles=2000 * CHUNK).timed_out
        if cut:
            # A beat may still pass in the cycle in which the request is made, and in the one after it.
            request, active = rng.choice((("zeroize", 1), ("aresetn", 0)))
            core.simulation.set(request, active)
            core.runner.run(max_cycles=1)
            core.simulation.set(request, 1 - active)
            core.runner.run(max_cycles=1)
        statuses = [int(value) for value in core.runner.take("m_axis_status").values("m_axis_status_tdata")]
        data = core.runner.take("m_axis").columns["m_axis_tdata"]
        assert statuses == [status for status, _ in wanted[: len(statuses)]]
        expected = b"".join(text + bytes(-len(text) % 16) for _, text in wanted)
        assert data == expected[: len(data)]
        given = sum(len(text) + -len(text) % 16 for _, text in wanted[: len(statuses)])
        assert len(data) >= given if cut else len(data) == given
        assert not core.runner.violations()
        self.done += len(statuses)
        if cut:
            core.runner.forget()
            core.runner.run(max_cycles=core.description["erase_cycles"])
            self.load()


def test_soak():
    host = Host(2026)
    host.load()
    while host.done < SECTORS:
        host.chunk()
        if host.rng.random() < 0.1:
            host.core.runner.set_gaps(dict.fromkeys(("s_axis", "s_axis_cmd", "m_axis", "m_axis_status"), 0.0))
            host.load()
