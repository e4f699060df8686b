# SPDX-License-Identifier: Apache-2.0
"""Keys come in the order of the messages, into a ring of slots that no port names."""

from __future__ import annotations

from dataclasses import replace

from modeloom import cycles
from modeloom.ciphers import cipher_of
from modeloom.ciphers.check import expansion_cycles
from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import CLEAR_CYCLES, DRAIN_CYCLES, DROP_CYCLES, POWER_OVERHEAD
from modeloom.interfaces.table import Packing
from modeloom.layers.control import key_packets, state_cycles
from modeloom.layers.layer import Layer, Rules, Texts
from modeloom.product.messages import StreamDescription
from modeloom.rtl.bus.inline_port import InlineKeyParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.powers import powers_cycles

__all__ = ["InlineKeys", "OrderedKeys", "key_interval", "preparation_cycles"]


def preparation_parts(compiled: CompiledStream, p: MessageParameters) -> tuple[int, int]:
    """Cycles of the expansion of a key, and of its powers."""
    iterative = compiled.options.key_schedule == "iterative"
    expansion = expansion_cycles(cipher_of(compiled.mode, compiled.options.cipher), p.keys.sizes, iterative)
    # The powers of a key wait once for those of each other key where they are written.
    return expansion, powers_cycles(p.block_bits, p.plan.chains, p.power_digit) + POWER_OVERHEAD + p.preparations if p.powers else 0


def preparation_cycles(compiled: CompiledStream, p: MessageParameters) -> int:
    """Cycles in which a key that comes with a message is prepared: its expansion, the tokens of set-up and its powers."""
    return sum(preparation_parts(compiled, p)) + p.token_cycles


def key_interval(compiled: CompiledStream, p: MessageParameters) -> int:
    """The largest mean number of cycles from one key that comes with a message to the next, if the core is kept busy.

    The parts of the preparation are the expansion, the tokens of set-up and the powers.  The interval is the time of the longest
    part, or the mean time in which the slots of the ring become free again if that is longer.
    """
    expansion, powers = preparation_parts(compiled, p)
    # Without writers of their own, zeros wait for the round keys of the next key, which has the same port.
    zeros = CLEAR_CYCLES if p.writers else max(p.keys.words, p.keys.round_keys) + p.keys.round_keys
    drained = p.tag_stage + p.window + DRAIN_CYCLES + cycles.FENCE_CYCLES + zeros
    whole = expansion + p.token_cycles + powers + drained
    shared = ((expansion, max(1, p.writers)), (max(p.turn_cycles, powers), p.preparations), (whole, p.keys.slots - 1))
    # The words of a key are written one by one.
    return max(p.keys.words, *(-(-time // parts) for time, parts in shared))


class OrderedKeys(Layer):
    """Each message has the next key, which comes with it or is derived."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--keys inline``, and behind what derives keys."""
        return compiled.options.source.in_order

    def control(self, p: MessageParameters) -> MessageParameters:
        """Slots are a ring."""
        compiled, horner = self.compiled, p.plan.horner
        options, keys = compiled.options, InlineKeyParameters.like(p.keys)
        if options.writers:
            cipher = cipher_of(compiled.mode, options.cipher)
            least = min(map(cipher.round_keys, compiled.cipher_request.key_sizes))
            keys = replace(keys, writers=options.writers, least_round_keys=least)
        if horner is not None and horner.key is not None and p.plan.word(horner.key) < len(compiled.mode.key_parts) - 1:
            keys = replace(keys, base_word=p.plan.word(horner.key))
        return replace(p, keys=keys)

    @property
    def schedules(self) -> int:
        """One for each writer of round keys."""
        return max(1, self.stack.parameters.writers)

    @property
    def key_erase_cycles(self) -> int:
        """From the packet that drops the key."""
        # The packet passes through the port and the preparation first.
        p = self.stack.parameters
        return cycles.FENCE_CYCLES + max(p.keys.words, p.keys.round_keys) + state_cycles(p) + p.flush + DROP_CYCLES

    def described(self, d: StreamDescription) -> StreamDescription:
        """What a key costs, if its tokens take places of messages."""
        return replace(d, key_cycles=self.stack.inmost.key_cycles)


class InlineKeys(Layer):
    """A key comes with its message."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--keys inline``."""
        return compiled.options.keys == "inline"

    def described(self, d: StreamDescription) -> StreamDescription:
        """How fast keys may follow each other."""
        return replace(d, key_interval=key_interval(self.compiled, self.stack.parameters))

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """Keys take turns."""
        bus, schedule = t.key_boxes
        ring = f"keys come with messages, {d.key_slots} at a time"
        if d.key_cycles is None:
            costs = f"a cycle of the messages, at most {d.cost_of_key} with what the ring needs"
        else:
            costs = f"the messages the places of its set-up, at most {d.key_cycles} cycles with what the ring needs"
        return replace(
            t, built=(
                f"Keys come with messages. A new key costs at most {d.cost_of_key} cycles if keys are sent ahead, {d.key_interval} or more "
                "cycles apart.",
            ),
            key_figure=ring, key_places=f"keys that come with messages, {d.key_slots} at a time", key_count="",
            key_boxes=(bus, replace(schedule, detail="keys come with messages")),
            key_rows=([f"minimum interval between new keys that cost at most {d.cost_of_key} cycles", d.key_interval, "cycles"],),
            key_theory=(
                f"Keys come with the messages, and are in a ring of {d.key_slots} slots that no port names. While messages use one key, "
                "the key schedule works on the next ones. What the cipher computes of a key takes a cycle of the messages, if none is "
                "free; powers of a hash key have a small multiplier of their own. When the messages of a key are done, its round keys and "
                f"all that was computed of it ({d.explain.key_words} blocks of the key memory) are overwritten.", "",
            ),
            key_packets=key_packets(self, d, "in the order of the messages"),
            key_use=(
                "A command with `new_key` takes the next key packet; the others have the key of the message before them. Either may come "
                "first: a command waits for its key. A packet of the wrong length raises `key_error` and has its turn, too: the messages "
                "that would use its key are refused with NO_KEY, and so are messages before the first key. A packet whose first beat has "
                "`tuser` set drops the key before it, as soon as commands have taken all keys before it.", "",
                "A key stays in the core until the next one is taken, or until it is dropped, and its messages are done. Then it is "
                f"overwritten, and so is, in cycles that messages leave free, what its messages left in the state: {d.key_erase_cycles} "
                "cycles after the packet that drops it, and what the messages in flight still need, nothing of it is left. `key_busy` is "
                "high while a key is worked on, and until a used key is overwritten. `key_loaded` is high if the last key packet is a key "
                "that is ready.", "",
                f"A new key costs {costs}, if keys are {d.key_interval} cycles or more apart; "
                "keys that follow each other faster have this distance. Send keys ahead: a core that is idle has to prepare a key before "
                "the first block of its message can enter.", "",
            ),
        )  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """There are no slots, and a command waits for its key."""
        new_key = command.verilog("new_key")
        return replace(r, dropped=("s_axis_key_tdest",), changes=(
            *r.changes, (SLOT_RULE, ""), (SLOT_STAYS, TUSER_STAYS), (LAST_BEAT, LAST_BEAT_COUNTS),
            (BEATS, f"  integer keys = 0;           // taken, less the commands that bring one\n{BEATS}"),
            (COMMANDS, f"{COMMANDS}          if (s_axis_cmd_tdata{new_key})\n            keys = keys - 1;\n"),
            ("      if (!quiet || all_commands == 0 || ", "      if (!quiet || keys < 0 || all_commands == 0 || "),
            ("        key_beats = 0;\n        forget;\n", "        key_beats = 0;\n        keys = 0;\n        forget;\n"),
        ))  # fmt: skip


SLOT_RULE = """\
          if ({24'b0, key_slot} >= SLOTS)
            refused("s_axis_key_tdest is not a key slot");
"""

SLOT_STAYS = """\
        end else if (s_axis_key_tdest != key_slot || s_axis_key_tuser != key_erases)
          broken("s_axis_key_tdest or s_axis_key_tuser changed in a packet");
"""

LAST_BEAT = """\
        if (s_axis_key_tlast)
          key_beats = 0;
"""

LAST_BEAT_COUNTS = """\
        if (s_axis_key_tlast) begin
          key_beats = 0;
          if (!key_erases)
            keys = keys + 1;
        end
"""

BEATS = "  integer key_beats = 0; "

COMMANDS = "          commands[c] = commands[c] + 1;\n"

TUSER_STAYS = """\
        end else if (s_axis_key_tuser != key_erases)
          broken("s_axis_key_tuser changed in a packet");
"""
