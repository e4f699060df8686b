# SPDX-License-Identifier: Apache-2.0
"""Keys of messages that are derived of master keys: by the core, or by software."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from amaranth.lib import wiring

from modeloom import cycles
from modeloom.ciphers import BlockCipher, CoreRequest, cipher_of
from modeloom.ciphers.check import expansion_cycles
from modeloom.compiler.streams import CompiledStream, DerivedKeys
from modeloom.cycles.messages import DERIVE_SLACK, POWER_OVERHEAD
from modeloom.layers.derived.deriver import DerivedBus, DerivedParameters
from modeloom.layers.inline import key_interval, preparation_cycles
from modeloom.layers.layer import Layer, titles_around
from modeloom.layers.texts import Texts
from modeloom.product.description import KeyPart
from modeloom.product.messages import DerivationFigures, StreamDescription
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.powers import powers_cycles
from modeloom.spec.wording import numbers

__all__ = ["KeyDerivation", "SoftwareDerivation"]

MASTER = "master"
"""The part of a key packet in a core that derives the keys of messages."""

TITLES = {
    "bus": "The part that derives keys, in front of the message control",
    "bus_deriver": "Derives the key of each message of its nonce and the master key in its slot",
    "bus_deriver_flight": "Which master keys have something derived of them in the core",
    "bus_deriver_cipher_0": "A round of the cipher",
    "bus_key_port": "Takes master keys, and erases them",
    "bus_key_schedule": "Round keys of master keys",
    "bus_messages": "The message control around the pipeline",
}


class SoftwareDerivation(Layer):
    """Software derives the key that comes with a message."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes that derive keys, with ``--keys inline``."""
        return compiled.mode.derives() and compiled.derived is None

    def described(self, d: StreamDescription) -> StreamDescription:
        """The sizes of master keys."""
        return replace(d, master_key_sizes=tuple(bits // 8 for bits in self.compiled.cipher_request.key_sizes))

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """What software has to do."""
        return replace(t, key_packets=(
            *t.key_packets,
            f"Each nonce has keys of its own. Software derives them of a master key of {numbers(d.user_key_lengths)} bytes, and sends "
            f"{' and '.join(d.key_parts)}, one behind the other, with the first message of a nonce. The core has no master key.", "",
        ))  # fmt: skip


class KeyDerivation(Layer):
    """Derives the key of each message.

    Slots hold master keys.  The message control has a ring of slots for the keys of messages, of which no sentence speaks.
    """

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--keys derived``."""
        return compiled.derived is not None

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    @property
    def made(self) -> DerivedKeys:
        """How keys are derived."""
        if self.compiled.derived is None:
            raise ValueError(f"{self.compiled.mode.name}: the core derives no keys")
        return self.compiled.derived

    @property
    def cipher(self) -> BlockCipher:
        """The cipher of the deriver."""
        return cipher_of(self.compiled.mode, self.compiled.options.cipher)

    def control(self, p: MessageParameters) -> MessageParameters:
        """It tells when a key is gone."""
        return replace(p, tells_freed=True)

    @cached_property
    def sizes(self) -> DerivedParameters:
        """Slots for master keys, and round cores."""
        made, sizes = self.made, self.compiled.cipher_request.key_sizes
        master = KeyParameters(
            slots=self.compiled.options.key_slots or 1, block_bits=8 * self.compiled.mode.block_bytes, cipher_key_bits=sizes[0],
            more_key_bits=sizes[1:], round_keys=max(map(self.cipher.round_keys, sizes)), round_key_bits=self.cipher.round_key_bits,
        )  # fmt: skip
        return DerivedParameters(
            messages=self.stack.parameters, keys=master, derivations=made.derivations, cores=made.cores, latency=made.timing.latency,
            interval=made.timing.interval,
        )  # fmt: skip

    @property
    def request(self) -> CoreRequest:
        """The request for one of the round cores."""
        return self.made.request.but(slots=self.sizes.keys.slots)

    def requests(self) -> list[CoreRequest]:
        """The round cores, too."""
        return [*self.inside.requests(), self.request]

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The deriver with its round cores, and the message control."""
        p = self.sizes
        return DerivedBus(p, self.inside.bus(pipeline, schedules), self.cipher.expander(p.keys.sizes, False), self.deriver_ciphers())

    @property
    def derivers(self) -> DerivedParameters:
        """This layer."""
        return self.sizes

    def deriver_ciphers(self) -> Sequence[wiring.Component]:
        """The round cores."""
        return [self.cipher.hardware(self.request) for _ in range(self.made.cores)]

    def titles(self) -> Mapping[str, Sequence[str]]:
        """Those of the deriver."""
        return titles_around(self.inside.titles(), TITLES)

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def interval(self) -> int:
        """The largest mean number of cycles from one message to the next, as far as their keys are concerned.

        It is that of the derivation, or that of keys that come with messages if it is longer.  If a key is prepared for longer than the
        next one is derived, keys also wait for each other: two of them are under way at a time, and each is derived, from the next batch
        on, and then waits for a preparation.
        """
        made, prepared = self.made, preparation_cycles(self.compiled, self.stack.parameters)
        waits = made.cycles + made.timing.latency + max(self.sizes.beats) + prepared if prepared > made.cycles else 0
        return max(made.cycles, key_interval(self.compiled, self.stack.parameters), -(-waits // 2))

    @property
    def derive_cycles(self) -> int:
        """Cycles, at most, from a command to the time when the key of its message is ready."""
        p, made, inner = self.sizes, self.made, self.stack.parameters
        iterative = self.compiled.options.key_schedule == "iterative"
        powers = 0
        if inner.powers:
            powers = powers_cycles(inner.block_bits, inner.plan.chains, inner.power_digit) + POWER_OVERHEAD + inner.preparations
        return (
            made.timing.interval + made.cycles + made.timing.latency + max(p.beats)
            + expansion_cycles(self.cipher, inner.keys.sizes, iterative) + inner.token_cycles + powers + DERIVE_SLACK
        )  # fmt: skip

    @property
    def latency(self) -> int:
        """The command comes with the text, and the key is derived meanwhile."""
        return self.inside.latency + self.derive_cycles

    @property
    def varies(self) -> bool:
        """A derivation waits for its batch."""
        return True

    @property
    def key_erase_cycles(self) -> int:
        """Until nothing of a master key is left, nor of what was derived of it, if no message of its slot is in flight."""
        p = self.sizes
        own = cycles.key_erase_cycles(
            key_words=0, cipher_keys=1, rounds=1 << p.keys.round_bits, result_words=0, flush=p.interval + p.latency,
        )  # fmt: skip
        # The last key is dropped as soon as no other message waits.
        return own + self.inside.key_erase_cycles + self.derive_cycles

    def described(self, d: StreamDescription) -> StreamDescription:
        """Master keys, and how fast keys are derived."""
        layout = (KeyPart(name=MASTER, offset=0, bytes=(self.compiled.options.key_bits or 0) // 8),)
        sizes = tuple(bits // 8 for bits in self.compiled.cipher_request.key_sizes)
        return replace(
            d, key_parts=(MASTER,), key_layout=layout, key_bytes=layout[0].bytes, key_sizes=sizes, derive_interval=self.interval,
            derive_latency=self.derive_cycles,
        )  # fmt: skip

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """Master keys, and what the core makes of them."""
        of = d.explain.derivation or DerivationFigures(calls=(), cores=0, cycles=0)
        calls = " or ".join(map(str, sorted(set(of.calls))))
        cores = "a round core" if of.cores == 1 else f"{of.cores} round cores"
        bus, schedule = t.key_boxes
        return replace(
            t, built=(
                f"The core derives the key of each message of a master key. In the mean, a message takes at least {d.derive_interval} "
                "cycles.",
            ),
            key_figure=f"slots for master keys: {d.key_slots}; keys of messages are derived, {d.derive_interval} cycles apart",
            key_places=f"{t.key_places} for master keys", key_boxes=(bus, replace(schedule, detail="derives keys of messages")),
            key_rows=(["minimum average interval between messages, for their keys", d.derive_interval, "cycles"], *t.key_rows),
            latency_notes=(*t.latency_notes, "It includes the time until the key of this message is derived and prepared."),
            key_theory=(
                f"Slots hold master keys. In front of the pipeline, {cores} of the cipher make the key of each message of its nonce and "
                f"the master key in its slot, with {calls} calls of the cipher, while the pipeline works on the messages before it. The "
                "key is then expanded, and its powers are computed, in a ring of slots that no port names. When the message is done, they "
                "are overwritten.", "",
            ),
            key_packets=(
                *t.key_packets, "Each nonce has keys of its own, which the core derives of the master key. They never leave the core. A "
                "command names the slot of the master key.", "",
            ),
        )  # fmt: skip
