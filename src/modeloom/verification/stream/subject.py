# SPDX-License-Identifier: Apache-2.0
"""The core for messages under verification, and the reference of its mode."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from modeloom import golden
from modeloom.ciphers import CIPHERS
from modeloom.definition.messages import StreamModel, derived_key_of
from modeloom.modes import find_any
from modeloom.product.folder import read_messages
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode
from modeloom.verification.subject import CoreSubject

__all__ = ["MessageReference", "StreamSubject"]


@dataclass(frozen=True)
class MessageReference:
    """The results that a core must compute with a key.

    Attributes
    ----------
    model : StreamModel
        The definition on numbers.
    golden : golden.StreamMode or None
        An independent reference, if there is one.
    """

    model: StreamModel
    golden: golden.StreamMode | None

    def run(self, decrypt: int, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int, known: bytes = b"") -> tuple[bytes, bytes]:
        """The ciphertext of a plaintext or the plaintext of a ciphertext, and at least ``tag_bytes`` bytes of the tag of the message.

        A length of tags that the mode does not have stands for its longest one.  With two passes, ``decrypt`` is the number of the
        direction or pass, and ``known`` the tag in the command.
        """
        if tag_bytes not in self.model.mode.tag_bytes:
            tag_bytes = max(self.model.mode.tag_bytes)
        if self.golden is None:
            return self.model.run("decrypt" if decrypt else "encrypt", nonce, text, ad, tag_bytes)
        if not decrypt:
            sealed = self.golden.seal(nonce, text, ad, tag_bytes)
            return sealed[: len(text)], sealed[len(text) :]
        plain = self.model.run("decrypt", nonce, text, ad, tag_bytes)[0]
        sealed = self.golden.seal(nonce, plain, ad, tag_bytes)
        if sealed[: len(text)] != text:
            raise AssertionError("the definition and the reference differ")
        return plain, sealed[len(text) :]

    def sealed(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> tuple[bytes, bytes]:
        """The ciphertext and the tag of a message."""
        return self.run(0, nonce, text, ad, tag_bytes)


@dataclass(frozen=True)
class TagFirstReference(MessageReference):
    """The same for a mode whose text is encrypted under its tag.  ``stored`` says that the core makes both passes by itself."""

    stored: bool

    def run(self, decrypt: int, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int, known: bytes = b"") -> tuple[bytes, bytes]:
        """What comes of a direction or pass, and the tag."""
        if self.stored and not decrypt:
            return self.sealed(nonce, text, ad, tag_bytes)
        out, tag = self.model.run(self.model.mode.text_steps()[decrypt], nonce, text, ad, known=known)
        if self.golden is None:
            return out, tag
        # The tag is that of the plaintext, even if another one is known.
        ciphertext, expected = self.sealed(nonce, out if decrypt == 1 else text, ad, tag_bytes)
        if tag != expected or (tag == known and decrypt and ciphertext != (text if decrypt == 1 else out)):
            raise AssertionError("the definition and the reference differ")
        return out, tag

    def sealed(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> tuple[bytes, bytes]:
        """The ciphertext and the tag of a message."""
        sealed = (self.golden or self.model).seal(nonce, text, ad)
        return sealed[: len(text)], sealed[len(text) :]


class StreamSubject(CoreSubject[StreamDescription, SimulatedStreamCore, MessageReference]):
    """A built core for messages under test.  Its parameters are those of ``CoreSubject``."""

    def read(self) -> StreamDescription:
        """Reads ``core.json``."""
        return read_messages(self.directory)

    @property
    def ways(self) -> Sequence[int]:
        """The directions and passes of the core, as the field ``decrypt`` of a command has them."""
        return self.description.ways

    @cached_property
    def mode(self) -> StreamMode:
        """The definition."""
        mode = find_any(self.description.definition, self.directory)
        if not isinstance(mode, StreamMode):
            raise InputError(f"{self.description.definition} is a mode for sectors; build the core again")
        return mode

    @property
    def independent(self) -> bool:
        """Whether the reference comes from ``golden``, which shares no code with the compiler."""
        cipher = self.description.cipher
        return cipher in CIPHERS and self.description.definition in golden.stream_mode_names(cipher)

    def make_core(self, seed: int) -> SimulatedStreamCore:
        """A new core after a reset."""
        return SimulatedStreamCore(
            self.directory, seed=seed, library=self.library, converters=self.converters, front=self.front, clocks=self.clocks
        )  # fmt: skip

    def make_reference(self, key: bytes) -> MessageReference | None:
        """The reference for a key; None if the mode refuses the key."""
        cipher = self.description.cipher
        try:
            # If software derives the keys of messages, they are derived ones here, as in the core.
            model = StreamModel(self.mode, key, cipher, derived=self.description.derives)
        except InputError:
            if not self.description.refused_keys:
                raise
            return None
        d = self.description
        reference = golden.stream_mode(d.definition, key, cipher, d.derives) if self.independent else None
        # A core with both passes gives text for a message to seal at once.
        return TagFirstReference(model, reference, d.text_of(0, 1) > 0) if d.tag_first else MessageReference(model, reference)

    def user_key(self, rng: random.Random) -> bytes:
        """A random key as ``load_key`` takes it: a master key, if software derives the keys of messages."""
        d = self.description
        while True:
            key = rng.randbytes(rng.choice(d.user_key_lengths))
            if self.reference_for(key, bytes(d.nonces[0])) is not None:
                return key

    def reference_for(self, key: bytes, nonce: bytes) -> MessageReference | None:
        """The reference for a message under a ``user_key``; None if the mode refuses the key."""
        d = self.description
        return self.reference(derived_key_of(d.definition, self.directory, d.cipher, key, nonce) if d.derives else key)
