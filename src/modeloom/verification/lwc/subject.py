# SPDX-License-Identifier: Apache-2.0
"""The core behind the LWC interface under verification, and what it must give for a message."""

from __future__ import annotations

from pathlib import Path

from modeloom.product.folder import read_as
from modeloom.product.lwc import LwcDescription
from modeloom.product.message import Message
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.verification.stream.subject import MessageReference, StreamSubject
from modeloom.verification.subject import CoreSubject

__all__ = ["LwcSubject"]


class LwcSubject(StreamSubject):
    """A built core behind the LWC interface under test; parameters as for ``StreamSubject``."""

    description: LwcDescription

    def __init__(self, directory: str | Path, *, optimize: int = 2, seed: int = 1):
        description = read_as(LwcDescription, directory, "a core behind the LWC interface")
        CoreSubject.__init__(self, directory, description, optimize=optimize, seed=seed)

    @property
    def ways(self) -> list[bool]:
        """The directions of the core.  True is decryption."""
        return [bool(way) for way in super().ways]

    def make_core(self, seed: int) -> SimulatedLwcCore:  # type: ignore[override]
        """A new core after a reset."""
        return SimulatedLwcCore(self.directory, seed=seed, library=self.library)

    def words_core(self, *, seed: int = 0) -> SimulatedLwcCore:
        """A new core after a reset, whose words a check sends itself."""
        core = self.core(seed=seed)
        assert isinstance(core, SimulatedLwcCore)
        return core

    def known(self, key: bytes) -> MessageReference:
        """The reference for a key that the mode takes."""
        reference = self.reference(key)
        assert reference is not None
        return reference

    def message(self, key: bytes, nonce: bytes, ad: bytes, data: bytes, decrypt: bool) -> tuple[Message, bytes]:
        """A message whose plaintext is ``data``, and what the core gives for it: text with the tag of a sealed message."""
        tag_bytes = self.description.tag_bytes[0]
        text, tag = self.known(key).run(False, nonce, data, ad, tag_bytes)
        sealed = text + tag[:tag_bytes]
        return Message(nonce, sealed if decrypt else data, ad, decrypt), data if decrypt else sealed
