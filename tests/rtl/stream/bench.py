# SPDX-License-Identifier: Apache-2.0
"""A token pipeline in simulation: keys, words of the key memory, tokens in the cycles in which the message control gives them."""

import random

from amaranth.back import rtlil

from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.sim import Simulation
from modeloom.spec.stream_numbers import StreamNumbers
from modeloom.streams.plan import MULTIPLIER_REGISTERS, plan_stream
from modeloom.streams.prove import tokens_of

IDLE = ("block", "nbytes", "begin", "nonce", "slot", "chain", "fresh", "left", "opening", "kind")


class PipelineBench:
    """A pipeline and what it gives.

    Parameters
    ----------
    mode : StreamMode
    cipher : Component
    multiplier : callable or None
        ``multiplier(field, stages)``.
    slots : int
    round_bits, round_key_bits : int
    stages : int
        Registers of the multiplier.
    """

    def __init__(self, mode, cipher, multiplier, slots, round_bits, round_key_bits, stages=1, seed=5):
        key_bytes = mode.block_bytes
        latencies = {"cipher": cipher.latency, **({"mul": stages + MULTIPLIER_REGISTERS} if multiplier else {})}
        self.plan = plan_stream(mode, key_bytes, latencies)
        made = multiplier(mode.field, stages) if multiplier else None
        self.top = TokenPipeline(self.plan, cipher, made, slots, round_bits, round_key_bits)
        self.sim = Simulation.of(rtlil.convert(self.top, name="top", emit_src=False), "top", optimize=0)
        self.sim.reset()
        self.rng = random.Random(seed)
        self.texts, self.tags, self.words = [], [], {}
        self.kinds = {(token.title, token.part): n for n, token in enumerate(self.plan.tokens)}
        self.chain = 0
        self.numbers = StreamNumbers(mode.field, [])

    def step(self, cycles=1):
        """Cycles in which no token enters; what is beside a token is random."""
        for _ in range(cycles):
            self.sim.set("valid", 0)
            for name in IDLE:
                self.sim.set(name, self.rng.getrandbits(self.sim.width(name)) % (self.limit(name)))
            self._cycle()

    def limit(self, name):
        """Values of an input below this are legal."""
        count = len(self.plan.tokens) + len(self.plan.preparations)
        limits = {"kind": count, "chain": self.plan.chains, "nbytes": self.plan.mode.block_bytes + 1, "left": self.plan.chains + 1}
        return limits.get(name, 1 << self.sim.width(name))

    def _cycle(self):
        sim = self.sim
        if sim.get("text_valid"):
            self.texts.append(sim.get("text"))
        if sim.get("tag_valid"):
            self.tags.append(sim.get("tag"))
        if sim.get("word_valid"):
            self.words[sim.get("word_slot"), sim.get("word_index")] = sim.get("word")
        sim.step()

    def load(self, slot, round_keys, raw=()):
        """Writes the keys of a slot, and lets set-up compute its words."""
        sim = self.sim
        for number, key in enumerate(round_keys):
            for name, value in (("rk_we", 1), ("rk_slot", slot), ("rk_round", number), ("rk_data", key)):
                sim.set(name, value)
            self.step()
        sim.set("rk_we", 0)
        for index, word in enumerate(raw):
            for name, value in (("key_we", 1), ("key_slot", slot), ("key_index", index), ("key_data", word)):
                sim.set(name, value)
            self.step()
        if raw:
            sim.set("key_we", 0)
        for number, _ in enumerate(self.plan.preparations):
            sim.set("valid", 1)
            sim.set("kind", len(self.plan.tokens) + number)
            sim.set("slot", slot)
            self._cycle()
            self.step(self.plan.placed.depth + 3)

    def send(self, sent, cycle):
        """Sends a message, its first token not before a cycle (of this bench's own count); the cycle after its last token."""
        plan, sim = self.plan, self.sim
        begun, hashed = None, 0
        for token in tokens_of(plan, sent.message, cycle, sent.block(plan.mode.block_bytes)):
            if token.part < 0:
                begun = token
                continue
            self.step(token.cycle - cycle)
            step = plan.step(token.step)
            of_hash = plan.hashed(step) in plan.tokens[self.kinds[token.step, token.part]].operations
            kind = plan.tokens[self.kinds[token.step, token.part]]
            block = token.block
            if kind.source is not None and kind.source.kind == "lengths":
                order, *parts = kind.source.what
                block = self.numbers.bit_lengths(*(token.lengths[n] if isinstance(n, str) else n for n in parts), order)
            values = {
                "valid": 1, "kind": self.kinds[token.step, token.part], "slot": token.slot,
                "begin": int(begun is not None), "nonce": int(begun.block) if begun else self.rng.getrandbits(8),
                "nbytes": token.nbytes, "chain": self.chain, "fresh": int(hashed < plan.chains), "left": min(plan.chains, token.left),
                "opening": int(token.left <= plan.chains and (hashed == 0 or token.left == plan.chains)),
                "block": int(block) if block is not None else self.rng.getrandbits(8),
            }  # fmt: skip
            for name, value in values.items():
                sim.set(name, value)
            self._cycle()
            begun = None
            if of_hash:
                self.chain = (self.chain + 1) % plan.chains
                hashed += 1
            cycle = token.cycle + 1
        return cycle
