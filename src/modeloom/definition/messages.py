# SPDX-License-Identifier: Apache-2.0
"""The software model of a stream mode: its steps run on numbers, one after another."""

from __future__ import annotations

import hmac
from collections.abc import Iterator

from modeloom.definition.keyed import KeyedDefinition, as_bytes
from modeloom.spec import blame
from modeloom.spec.beside import beside
from modeloom.spec.errors import AuthenticationError, InputError
from modeloom.spec.stream import Lengths, Nonce, State, StreamMode
from modeloom.spec.stream_numbers import Piece, StreamNumbers

__all__ = ["StreamModel"]


class StreamModel(KeyedDefinition):
    """A stream mode with a key.

    Parameters
    ----------
    mode : StreamMode
    key : bytes
        The mode's whole key, parts in the order of ``mode.key_parts``; its length decides the cipher's key size.
    cipher_name : str or None
        The block cipher, if it is not the mode's.
    """

    numbers = StreamNumbers

    def __init__(self, mode: StreamMode, key: bytes, cipher_name: str | None = None):
        super().__init__(mode, key, cipher_name)
        self.mode = mode
        self._o = self.operations()
        self._keys = self.run_setup(self._o)

    def _pieces(self, data: bytes) -> Iterator[Piece]:
        size = self.mode.block_bytes
        return (Piece(data[at : at + size], number) for number, at in enumerate(range(0, len(data), size), 1))

    def run(self, direction: str, nonce: bytes, data: bytes, ad: bytes, tag_bytes: int | None = None) -> tuple[bytes, bytes]:
        """The text that a direction, "encrypt" or "decrypt", gives, and the whole tag.

        ``tag_bytes`` is the length of the tag that the message has, on which the whole tag may depend (default: that of the mode).
        """
        mode, o, k, size = self.mode, self._o, self._keys, self.mode.block_bytes
        mode.nonce_class(len(nonce))
        mode.check_lengths(len(ad), len(data), len(nonce))
        n = Lengths(len(ad), len(data), mode.tag_bytes[0] if tag_bytes is None else tag_bytes)
        result = []
        with beside(mode.folder), blame(mode.name, mode.start):
            s = mode.begin(o, k, Nonce(Piece(nonce), len(nonce), n.tag), n)
        if not isinstance(s, State):
            raise InputError(f"{mode.name}: start() returns a State, not {type(s).__name__}")
        for piece in self._pieces(mode.prefix_of(len(ad)) + ad):
            step = getattr(mode, mode.step_of("associated", piece.nbytes == size))
            with beside(mode.folder), blame(mode.name, step):
                s = step(o, k, s, piece)
        for piece in self._pieces(data):
            step = getattr(mode, mode.step_of(direction, piece.nbytes == size))
            with beside(mode.folder), blame(mode.name, step):
                s, block = step(o, k, s, piece)
            result.append(block.to_bytes(size, "little")[: piece.nbytes])
        with beside(mode.folder), blame(mode.name, mode.tag):
            tag = mode.tag(o, k, s, Lengths(len(ad), len(data)))
        return b"".join(result), tag.to_bytes(size, "little")

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int | None = None) -> bytes:
        """Ciphertext and tag of a message.

        Parameters
        ----------
        nonce, text, ad : bytes
            Nonce, plaintext and associated data.
        tag_bytes : int, optional
            Bytes of the tag; the mode's default if not given.

        Raises
        ------
        InputError
            For lengths that the mode does not take.
        """
        length = self.mode.tag_bytes[0] if tag_bytes is None else tag_bytes
        self.mode.check_tag(length)
        text, tag = self.run("encrypt", as_bytes("nonce", nonce), as_bytes("text", text), as_bytes("ad", ad), length)
        return text + tag[:length]

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int | None = None) -> bytes:
        """Plaintext of a message that ``seal`` gave.

        Raises
        ------
        AuthenticationError
            The tag is wrong.
        InputError
            For lengths that the mode does not take.
        """
        length = self.mode.tag_bytes[0] if tag_bytes is None else tag_bytes
        self.mode.check_tag(length)
        sealed = as_bytes("sealed", sealed)
        if len(sealed) < length:
            raise InputError(f"{self.mode.name}: a sealed message has at least the {length} bytes of its tag, not {len(sealed)}")
        text, tag = self.run("decrypt", as_bytes("nonce", nonce), sealed[: len(sealed) - length], as_bytes("ad", ad), length)
        if not hmac.compare_digest(tag[:length], sealed[len(sealed) - length :]):
            raise AuthenticationError(f"{self.mode.name}: the tag is wrong")
        return text
