# SPDX-License-Identifier: Apache-2.0
"""Messages for the check of a front end: right ones in each direction, and one for an empty slot."""

from __future__ import annotations

import random
from pathlib import Path

from modeloom.emit import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.product.message import Message
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.verification.front import PIECES, Work

__all__ = ["MessageWork"]


class MessageWork(Work[StreamDescription, SimulatedStreamCore]):
    """The work of a core for messages; ``subject`` is a ``StreamSubject``."""

    kind, what = 2, "messages"

    @property
    def key_bytes(self) -> int:
        """Bytes of the longest key packet."""
        return max(self.subject.description.packet_sizes)

    @property
    def beat_bytes(self) -> int:
        """Bytes of a beat of data."""
        return self.subject.description.beat_bytes

    def core(self, library: Path) -> SimulatedStreamCore:
        """The core with its front end."""
        return SimulatedStreamCore(self.subject.directory, seed=self.subject.seed, library=library, front=True)

    def run(self, core: SimulatedStreamCore, key: bytes, slot: int, rng: random.Random) -> int:
        """Messages of random lengths in each direction."""
        d, reference = self.subject.description, self.subject.reference(key)
        if reference is None:
            raise CheckFailed("a key was loaded that the mode refuses")
        jobs, wanted, tag_bytes = [], [], d.tag_bytes[0]
        for decrypt in sorted(set(map(bool, self.subject.ways))) * PIECES:
            nonce, text, ad = (rng.randbytes(count) for count in (d.nonces[0], rng.randrange(1, 100), rng.randrange(50)))
            # The reference seals; what it sealed is opened.
            out, tag = reference.sealed(nonce, text, ad) if d.tag_first else reference.run(0, nonce, text, ad, tag_bytes)
            sealed = out + tag[:tag_bytes]
            jobs.append(Message(nonce, sealed if decrypt else text, ad, int(decrypt), slot, tag_bytes))
            wanted.append(text if decrypt else sealed)
        if core.run(jobs) != wanted:
            raise CheckFailed("a message under a key that was loaded over registers is wrong")
        return len(jobs)

    def without_key(self, core: SimulatedStreamCore, slot: int, rng: random.Random) -> int:
        """A message for an empty slot gets NO_KEY."""
        d = self.subject.description
        decrypt, tag_bytes = int(self.subject.ways[0]), d.tag_bytes[0]
        (outcome,) = core.outcomes([Message(rng.randbytes(d.nonces[0]), bytes(tag_bytes + 5), b"", decrypt, slot, tag_bytes)])
        return int(outcome.code) if outcome.code == MessageCode.NO_KEY else 0
