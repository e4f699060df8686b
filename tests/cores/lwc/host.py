# SPDX-License-Identifier: Apache-2.0
"""A host of the tests' own for cores behind the LWC interface: it sends words, right ones and wrong ones."""

from __future__ import annotations

from functools import lru_cache

from amaranth.back import rtlil

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.lwc.hardware import LwcHardware
from modeloom.interfaces.lwc import Opcode
from modeloom.modes import find_any
from modeloom.product.segments import SegmentReader, WordForm, words_in
from modeloom.sim import Simulation, Stream, StreamRunner, build

SMALL = {"key_bits": 128, "cipher_stages": 1, "mul_stages": 1, "interface": "lwc"}

STREAMS = (
    Stream("pdi", "in", "pdi_valid", "pdi_ready", ("pdi_data",)), Stream("sdi", "in", "sdi_valid", "sdi_ready", ("sdi_data",)),
    Stream("do", "out", "do_valid", "do_ready", ("do_data", "do_last")),
)  # fmt: skip


@lru_cache(maxsize=16)
def compiled(mode="gcm", **options):
    return compile_stream(find_any(mode) if isinstance(mode, str) else mode(), StreamOptions(**{**SMALL, **options}), prove=False)


@lru_cache(maxsize=16)
def library(mode="gcm", **options):
    """The simulation of a core, built once for each compiled mode."""
    return build(rtlil.convert(LwcHardware(compiled(mode, **options)), name="top", emit_src=False), "top", optimize=0)


class LwcHost:
    """A core in simulation."""

    def __init__(self, mode="gcm", seed=1, gaps=None, **options):
        self.compiled = compiled(mode, **options)
        self.mode = self.compiled.mode
        self.word_bytes = self.compiled.options.interface_bits // 8
        self.form = WordForm(self.word_bytes, self.mode.lengths_first)
        self.sim = Simulation(library(mode, **options), clock="aclk", reset="aresetn")
        self.runner = StreamRunner(self.sim, STREAMS, seed=seed, gaps=gaps or {})
        self.runner.reset(4)
        self.reader = SegmentReader(self.word_bytes)

    def send(self, name, pieces):
        """Queues instructions and segments."""
        self.feed(name, words_in(pieces))

    def feed(self, name, words):
        """Queues words."""
        self.runner.feed(name, {f"{name}_data": b"".join(word.to_bytes(self.word_bytes, "little") for word in words)})

    def key(self, key):
        """Queues an activation with its key."""
        self.send("sdi", self.form.key(key))
        self.send("pdi", [self.form.instruction(Opcode.ACTIVATE_KEY)])

    def answers(self, count, most=200_000):
        """Runs until this number of messages has a status."""
        found = []
        for _ in range(most // 50):
            self.runner.run(max_cycles=50)
            taken = self.runner.take("do")
            assert not self.runner.violations("do")
            found += self.reader.answers(zip(taken.values("do_data"), taken.values("do_last"), strict=True))
            if len(found) >= count:
                assert not self.reader.begun
                return found
        raise AssertionError(f"{len(found)} of {count} statuses")
