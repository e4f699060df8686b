# SPDX-License-Identifier: Apache-2.0
"""A token pipeline in simulation: keys, words of the key memory, tokens in the cycles in which the message control gives them."""

import random
from itertools import groupby

from amaranth.back import rtlil
from tests.streams.numbers import OnNumbers, messages

from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.sim import Simulation
from modeloom.spec.numbers import StreamNumbers, trailing_zeros
from modeloom.streams.plan import MULTIPLIER_REGISTERS, plan_stream
from modeloom.streams.prove import tokens_of
from modeloom_golden.aes_steps import round_keys

IDLE = ("begin", "nonce", "slot", "chain", "fresh", "opening", "active")
OF_LANES = ("block", "nbytes", "power", "kind")


class PipelineBench:
    """A pipeline and what it gives.

    Parameters
    ----------
    mode : StreamMode
    cipher : callable
    multiplier : callable or None
        ``multiplier(field, stages)``.
    slots : int
    round_bits, round_key_bits : int
    stages : int
        Registers of the multiplier.
    """

    def __init__(self, mode, cipher, multiplier, slots, round_bits, round_key_bits, stages=1, seed=5, lanes=1):
        key_bytes = mode.block_bytes
        latencies = {"cipher": cipher().latency, **({"mul": stages + MULTIPLIER_REGISTERS} if multiplier else {})}
        self.plan = plan_stream(mode, key_bytes, latencies, lanes)
        made = [multiplier(mode.field, stages) for _ in range(lanes)] if multiplier else []
        self.top = TokenPipeline(self.plan, [cipher() for _ in range(lanes)], made, slots, round_bits, round_key_bits)
        self.sim = Simulation.of(rtlil.convert(self.top, name="top", emit_src=False), "top", optimize=0)
        self.sim.reset()
        self.rng = random.Random(seed)
        self.texts, self.tags, self.words = [], [], {}
        self.kinds = {(token.title, token.part): n for n, token in enumerate(self.plan.tokens)}
        self.chain = self.sent = 0
        self.numbers = StreamNumbers(mode.field, [])
        self.places = lanes * mode.text_blocks

    def step(self, cycles=1):
        """Cycles in which no token enters; what is beside a token is random."""
        for _ in range(cycles):
            self.put("valid", 0)
            # No token has products, and nothing else of a token counts.
            self.put("product", 0)
            pairs = ("second",) * self.plan.pairs
            for name in (*IDLE, *pairs, *(f"{name}__{lane}" for name in OF_LANES for lane in range(self.plan.lanes))):
                self.put(name, self.rng.getrandbits(self.sim.width(f"i__{name}")) % (self.limit(name.split("__")[0])))
            self._cycle()

    def put(self, name, value):
        """Sets a member of the token."""
        self.sim.set(f"i__{name}", value)

    def limit(self, name):
        """Values of an input below this are legal."""
        count = len(self.plan.tokens) + len(self.plan.preparations)
        plan = self.plan
        limits = {"kind": count, "chain": plan.lane_chains, "nbytes": plan.mode.block_bytes + 1, "power": plan.chains + 1}
        return limits.get(name, 1 << (256 if name in ("block", "second", "nonce") else plan.lanes))

    def _cycle(self):
        sim = self.sim
        if sim.get("text_valid"):
            self.texts.append([sim.get(f"text__{lane}") for lane in range(self.places)])
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
            for name, value in (("valid", 1), ("active", 1), ("product", 0), ("kind__0", len(self.plan.tokens) + number), ("slot", slot)):
                self.put(name, value)
            self._cycle()
            self.step(self.plan.placed.depth + 3)

    def send(self, sent, cycle):
        """Sends a message, its first token not before a cycle (of this bench's own count); the cycle after its last token."""
        plan = self.plan
        begun, hashed, closed = None, 0, False
        self.sent += 1
        # Tokens of the message before may return to the cipher, unless its tag comes behind them.
        pause = 0 if plan.follows else max((use for uses in plan.uses.values() for use in uses), default=0)
        known = int.from_bytes(sent.known, "little")
        tokens = list(tokens_of(plan, sent.message, cycle + pause, sent.block(plan.mode.block_bytes), tag=known))
        for at, group in groupby(tokens, key=lambda token: (token.cycle, token.part < 0)):
            group = list(group)
            if at[1]:
                begun = group[0]
                continue
            self.step(at[0] - cycle)
            product = any(token.empty or self.of_hash(token) for token in group)
            closing = any(token.closing for token in group) and product
            if plan.runs_ahead and group[0].opens:
                begun = group[0]
            values = {
                "valid": 1, "active": 0, "slot": group[0].slot, "begin": int(begun is not None),
                "nonce": self.rng.getrandbits(8) if begun is None or begun.block is None else int(begun.block),
                "product": int(product), "chain": self.chain,
                "fresh": int(hashed < plan.lane_chains), "opening": int(hashed == 0 or (closing and not closed)),
            }  # fmt: skip
            lane = 0
            values |= {f"known_{name}": group[0].lengths.get(name, 0) for name in plan.known_lengths}
            if plan.mode.two_passes:
                values["given"] = self.rng.getrandbits(8) if begun is None else int.from_bytes(sent.known, "little")
            if plan.runs_ahead:
                values |= {"start_place": self.sent % 2, "begin_place": self.sent % 2, "blank": 0}
            for token in group:
                if not token.step and not token.empty:
                    # It only ends a message.
                    continue
                if token.empty:
                    other = token.place % plan.lanes
                    values |= {f"power__{other}": token.power, f"block__{other}": self.rng.getrandbits(8)}
                    continue
                values["active"] |= 1 << lane
                values |= {
                    f"kind__{lane}": self.kinds[token.step, token.part], f"nbytes__{lane}": token.nbytes, f"power__{lane}": token.power,
                    f"block__{lane}": self.block_of(token),
                    **({"second": int(token.block[1]) if isinstance(token.block, tuple) else 0} if plan.pairs else {}),
                    **({f"times__{lane}": trailing_zeros(token.index or 1)} if plan.times_bits else {}),
                }  # fmt: skip
                lane += 1
            for name, value in values.items():
                self.put(name, value)
            self._cycle()
            # Each token of a tag that waits begins a message without data.
            begun = begun if group[-1].step == "tag" and plan.placed.passes["tag"][0].at else None
            cycle = at[0] + 1
            if product:
                self.chain = (self.chain + 1) % plan.lane_chains
                hashed, closed = hashed + 1, closing
        return cycle

    def of_hash(self, token):
        """Whether a token has a product of the hash."""
        if not token.step:
            return False
        return self.plan.hashed(self.plan.step(token.step)) in self.plan.tokens[self.kinds[token.step, token.part]].operations

    def block_of(self, token):
        """The block of a token: of the message, or of its lengths."""
        kind = self.plan.tokens[self.kinds[token.step, token.part]]
        if kind.source is not None and kind.source.kind == "lengths":
            order, *parts = kind.source.what
            return self.numbers.bit_lengths(*(token.lengths[n] if isinstance(n, str) else n for n in parts), order)
        if token.step.startswith("start") and self.plan.nonce_form == "01":
            return self.numbers.front01(int(token.block), token.lengths["nonce"])
        block = token.block[0] if isinstance(token.block, tuple) else token.block
        return int(block) if block is not None else self.rng.getrandbits(8)


def aes_keys(model):
    """Round keys of a model's key, as the pipeline takes them."""
    return [int.from_bytes(key, "little") for key in round_keys(model.key_parts["cipher"])]


def run(bench, mode, keys, models, count, longest):
    """Loads all keys, and sends messages; what comes out is what the model says."""
    for slot, model in enumerate(models):
        bench.load(slot, keys(model), [model.key_blocks[name] for name in bench.plan.trace.raw_names])
    on_numbers = OnNumbers(bench.plan, models)
    for slot in range(len(models)):
        for made in bench.plan.preparations:
            assert bench.words[slot, bench.plan.words.index(made.word)] == on_numbers.key(slot, *made.word)
    cycle, texts, tags = 0, [], []
    for sent in messages(mode(), models, count, longest=longest):
        cycle = bench.send(sent, cycle)
        for at in range(0, len(sent.blocks), bench.places):
            texts.append((sent.blocks[at : at + bench.places] + [0] * bench.places)[: bench.places])
        tags.append(sent.tag)
    bench.step(bench.plan.placed.depth + 2)
    assert bench.texts == texts
    assert bench.tags == tags
    assert len(texts) > count // 3 and len(tags) == count
