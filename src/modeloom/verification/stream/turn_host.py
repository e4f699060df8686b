# SPDX-License-Identifier: Apache-2.0
"""The host of a core whose keys come with the messages, and the choice of a host for a core."""

from __future__ import annotations

import random
from typing import Any

from modeloom.verification.stream.host import MessageHost
from modeloom.verification.stream.subject import StreamSubject

__all__ = ["TurnHost", "host_of"]


class TurnHost(MessageHost):
    """The host of a core whose keys come with the messages.

    Each key packet has a turn, and the slot of a job is the number of its turn.  Turn 0 is the time before the first packet.  A
    packet that drops a key ends the turn before it::

        packets     key A         key B            drop
        turn        1: A          2: B, empty
        commands    new_key, -    new_key, -, -    -          the last ones have key B or none
    """

    def _forget(self) -> None:
        super()._forget()
        self._current = 0

    def _key_packet(self, slot: int, phases: list[bytes | None], error: bool) -> None:
        if phases[-1] is None and not error:
            self._history[-1].append(None)
        else:
            self._history.append([phases[-1]])
            self._at.append(0)
        self._key_error = error
        self._sends_keys = True
        self._patience += self.key_cycles

    def _loaded(self) -> int:
        return int(self._history[-1][-1] is not None)

    def _turn(self, values: dict[str, Any]) -> dict[str, Any]:
        if self.renews and self.rng.random() < 0.5:
            self.load(self.subject.good_key(self.rng), 0)
        new_key = self._current + 1 < len(self._history)
        self._current += new_key
        values["slot"] = self._current
        return {"slot": 0, "new_key": new_key}


def host_of(subject: StreamSubject, rng: random.Random) -> MessageHost:
    """The host of a core under test."""
    return (TurnHost if subject.description.inline else MessageHost)(subject, rng)
