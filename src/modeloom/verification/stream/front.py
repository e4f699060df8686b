# SPDX-License-Identifier: Apache-2.0
"""Messages for the check of a front end: right ones in each direction, and one for an empty slot."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, cast

from modeloom.emit import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.product.front import WidthRate
from modeloom.product.message import Message
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.protocol.scenarios import FAULTS
from modeloom.verification.front import CLOCKED, CONVERTED, PIECES, Work
from modeloom.verification.host import CoreSubject
from modeloom.verification.stream.erasure import check_zeroize, fill
from modeloom.verification.stream.host import StreamSubject, host_of
from modeloom.verification.stream.statuses import check_messages, check_statuses

__all__ = ["MessageWork"]

PACED = 96
"""Beats of text of the longest message whose pace is measured."""


class MessageWork(Work[StreamDescription, SimulatedStreamCore]):
    """The work of a core for messages; ``subject`` is a ``StreamSubject``."""

    kind, what = 2, "messages"

    @property
    def key_bytes(self) -> int:
        """Bytes of the longest key packet."""
        return max(self.subject.description.packet_sizes)

    def core(self, library: Path) -> SimulatedStreamCore:
        """The core with its front end."""
        return SimulatedStreamCore(self.subject.directory, seed=self.subject.seed, library=library, front=True)

    def check_converted(self, subject: CoreSubject[StreamDescription, SimulatedStreamCore, Any]) -> int:
        """Faults, statuses, erasure, and messages under many keys with pauses."""
        checked: Any = subject
        _short_faults(checked)
        check_statuses(checked)
        check_zeroize(checked)
        found: int = check_messages(checked, CONVERTED)[1]["messages"]
        return found

    def check_clocked(self, subject: CoreSubject[StreamDescription, SimulatedStreamCore, Any], statuses: bool) -> int:
        """Statuses, and messages under many keys with pauses."""
        checked: Any = subject
        if statuses:
            check_statuses(checked)
        found: int = check_messages(checked, CLOCKED)[1]["messages"]
        return found

    def fill(self, core: SimulatedStreamCore, rng: random.Random, cycles: int) -> None:
        """Keys, and text that waits."""
        subject: Any = self.subject
        fill(subject, core, rng, cycles)

    def pace(self, core: SimulatedStreamCore, rate: WidthRate, rng: random.Random) -> tuple[int, int]:
        """Two messages that differ in beats of text: the cycles by which the status of the longer one comes later."""
        d = self.subject.description
        core.load_message_key(self.subject.good_key(rng))
        most = min(PACED * rate.bytes, *map(d.room, d.ways)) // rate.bytes
        taken = []
        for beats in (most // 4, most):
            message = Message(bytes(d.nonces[0]), bytes(beats * rate.bytes), b"", int(self.subject.ways[0]), 0, d.tag_bytes[0])
            begin = core.cycles
            core.outcomes([message])
            taken.append(core.status_cycles[-1] - begin)
        return taken[1] - taken[0], most - most // 4

    def run(self, core: SimulatedStreamCore, key: bytes, slot: int, rng: random.Random) -> int:
        """Messages of random lengths in each direction."""
        d, subject = self.subject.description, cast(StreamSubject, self.subject)
        jobs, wanted, tag_bytes = [], [], d.tag_bytes[0]
        for decrypt in sorted(set(map(bool, self.subject.ways))) * PIECES:
            nonce, text, ad = (rng.randbytes(count) for count in (d.nonces[0], rng.randrange(1, 100), rng.randrange(50)))
            reference = subject.reference_for(key, nonce)
            if reference is None:
                raise CheckFailed("a key was loaded that the mode refuses")
            # The reference seals; what it sealed is opened.
            out, tag = reference.sealed(nonce, text, ad, tag_bytes)
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


def _short_faults(subject: StreamSubject) -> None:
    """Short packets of all lengths with each fault: it comes at each place of a beat of the core, and in the last beat."""
    rng, most = subject.rng("short faults"), 2 * subject.description.beat_bytes + 1
    host = host_of(subject, rng)
    host.load_all()
    for fault in FAULTS:
        for nbytes in range(1, most + 1):
            ad = rng.choice((0, 0, nbytes))
            host.job(slot=rng.choice(host.used), decrypt=rng.choice(subject.ways), ad=ad, text=nbytes - ad, fault=fault)
        host.settle()
