# SPDX-License-Identifier: Apache-2.0
"""The software model of a stream mode: its steps run on numbers, one after another.

A mode may make the keys of each message of a master key and the nonce (``StreamMode.derive``)::

    master key, nonce ──derive──▶ parts of the key ──setup──▶ key values ──▶ steps of the message
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from modeloom.ciphers import cipher_of
from modeloom.definition.software import KeyedDefinition, as_bytes, key_lengths
from modeloom.modes import find_any
from modeloom.spec import Cipher, Keys, blame
from modeloom.spec.errors import AuthenticationError, DefinitionError, InputError
from modeloom.spec.importable import importable
from modeloom.spec.numbers import Piece, StreamNumbers
from modeloom.spec.stream import ABSORB, Lengths, MessageKeys, Nonce, State, StreamMode, Text

__all__ = ["KeyedMessages", "Moved", "StreamModel", "Taken", "derived_key", "derived_key_of", "derived_under"]


def derived_key_of(definition: str, folder: str | Path, cipher: str, key: bytes, nonce: bytes) -> bytes:
    """``derived_key`` of a mode by its name, or by file and class.  A relative path starts at *folder*."""
    mode = find_any(definition, folder)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{definition} is a mode for sectors")
    return derived_key(mode, key, nonce, cipher)


def derived_key(mode: StreamMode, key: bytes, nonce: bytes, cipher_name: str | None = None) -> bytes:
    """The key of the messages with a nonce, parts in the order of ``mode.key_parts``, of a mode that makes it of a master key.

    Raises
    ------
    InputError
        The master key or the nonce has a length that the mode does not take.
    DefinitionError
        ``derive`` does not give the parts of the key.
    """
    if len(key) not in (known := key_lengths(mode, cipher_name)):
        raise InputError(f"{mode.name}: a key must have {' or '.join(map(str, known))} bytes, not {len(key)}")
    mode.nonce_class(len(nonce))
    keyed = cipher_of(mode, cipher_name).software
    return derived_under(mode, keyed, len(key), keyed(key), nonce)


def derived_under(mode: StreamMode, keyed: Callable[[bytes], Cipher] | None, key_bytes: int, cipher: Cipher, nonce: bytes) -> bytes:
    """``derived_key`` with any cipher: ``cipher`` has the master key of ``key_bytes`` bytes, and ``keyed`` gives it other keys."""
    size = mode.block_bytes
    o = StreamNumbers(mode.field, [cipher], keyed, key_bytes)
    with importable(mode.folder), blame(mode.name, mode.derive):
        made = mode.derive(o, Nonce[int, int](Piece(nonce), len(nonce)), -(-key_bytes // size))
    parts = made.blocks() if isinstance(made, MessageKeys) else {}
    if set(parts) != set(mode.key_parts):
        raise DefinitionError(f"{mode.name}: derive() returns MessageKeys(...) with the parts {', '.join(mode.key_parts)}")
    result = b""
    for part in mode.key_parts:
        length, data = mode.part_bytes(part, key_bytes), b"".join(block.to_bytes(size, "little") for block in parts[part])
        if len(data) < length:
            raise DefinitionError(f"{mode.name}: derive() gives {len(data)} bytes of {part}, which has {length}")
        result += data[:length]
    return result


class KeyedMessages(KeyedDefinition[StreamNumbers]):
    """A stream mode with the key of its messages, which is the whole key unless the mode derives it.

    Parameters
    ----------
    mode : StreamMode
    key : bytes
        The parts of the key in the order of ``mode.key_parts``; its length decides the cipher's key size.
    cipher_name : str or None
        The block cipher, if it is not the mode's.
    """

    numbers = StreamNumbers

    def __init__(self, mode: StreamMode, key: bytes, cipher_name: str | None = None):
        super().__init__(mode, key, cipher_name)
        self.mode = mode
        self._o = self.operations()
        self._keys = self.run_setup(self._o)

    @property
    def message_keys(self) -> tuple[StreamNumbers, Keys]:
        """The operations and the key values of a message."""
        return self._o, self._keys


class Taken(NamedTuple):
    """A step of a message: its name, the state behind it, and the bytes of text, or of the whole tag, that it gives."""

    step: str
    state: State
    given: bytes = b""


@dataclass(frozen=True)
class Moved:
    """What a check of counters changes in the middle of a message, so that long messages need not be sent.

    Attributes
    ----------
    blocks : mapping of str and int to int
        By part of the message, "associated" or "text", and blocks of it so far: blocks that are counted from then on, and are not there.
    state : mapping of str and int to callable
        In the same way: what the state becomes.
    """

    blocks: Mapping[tuple[str, int], int] = field(default_factory=dict)
    state: Mapping[tuple[str, int], Callable[[State], State]] = field(default_factory=dict)

    def before(self, part: str, blocks: int | None = None) -> int:
        """Blocks of a part that are counted and not there before the block behind so many.  Without *blocks*, those of the
        whole part."""
        return sum(more for (where, at), more in self.blocks.items() if where == part and (blocks is None or at <= blocks))


class StreamModel:
    """A stream mode with a key.

    Parameters
    ----------
    mode : StreamMode
    key : bytes
        The mode's whole key, parts in the order of ``mode.key_parts``; its length decides the cipher's key size.  In a mode that derives
        keys, it is the master key.
    cipher_name : str or None
        The block cipher, if it is not the mode's.
    derived : bool
        Whether *key* is the key of messages even if the mode derives it.
    """

    def __init__(self, mode: StreamMode, key: bytes, cipher_name: str | None = None, derived: bool = False):
        self.mode = mode
        self._master = as_bytes("key", key) if mode.derives() and not derived else None
        self._cipher_name = cipher_name
        self._nonce: bytes | None = None
        if self._master is None:
            self._keyed = KeyedMessages(mode, key, cipher_name)
        else:
            # A key that the mode does not take is refused here.
            self._under(bytes(mode.nonce_bytes[0][0]))

    def _under(self, nonce: bytes) -> tuple[StreamNumbers, Keys]:
        """The operations and the key values for messages with a nonce."""
        if self._master is not None and nonce != self._nonce:
            key = derived_key(self.mode, self._master, nonce, self._cipher_name)
            self._keyed, self._nonce = KeyedMessages(self.mode, key, self._cipher_name), nonce
        return self._keyed.message_keys

    def operations(self) -> StreamNumbers:
        """The operations of a message, with its cipher keys."""
        return self._keyed.operations()

    @property
    def keyed(self) -> tuple[StreamNumbers, Keys]:
        """The operations and the key values of a message, or of the last one in a mode that derives keys."""
        return self._keyed.message_keys

    @property
    def cipher_key_bytes(self) -> int:
        """Bytes of a cipher key."""
        return self._keyed.cipher_key_bytes

    @property
    def key_parts(self) -> dict[str, bytes]:
        """The parts of the key of a message.  In a mode that derives it, they are those of the last message."""
        return dict(self._keyed.parts)

    @property
    def key_blocks(self) -> dict[str, int]:
        """Those that are blocks."""
        return self._keyed.key_blocks

    def _pieces(self, step: str, data: bytes, moved: Moved) -> Iterator[tuple[str, Text[int], int]]:
        """For each block or pair of ``associated``, ``encrypt`` or ``decrypt``: its step, what this takes, and its bytes."""
        kind = "associated" if step == "associated" else "text"
        size, most = self.mode.block_bytes, self.mode.block_bytes * self.mode.blocks_of(step)
        for number, at in enumerate(range(0, len(data), most), 1):
            part = data[at : at + most]
            name = self.mode.step_of(step, len(part), at + most >= len(data))
            counted = number + moved.before(kind, at // size) // self.mode.blocks_of(step)
            pieces = tuple(Piece(part[n : n + size], counted) for n in range(0, len(part), size))
            yield name, pieces if self.mode.takes_pair(name) else pieces[0], len(part)

    def run(
        self, text_step: str, nonce: bytes, data: bytes, ad: bytes, tag_bytes: int | None = None, known: bytes | None = None,
        moved: Moved | None = None,
    ) -> tuple[bytes, bytes]:  # fmt: skip
        """The text that the steps of one of ``StreamMode.text_steps`` give, such as "encrypt" and "decrypt", and the whole tag.

        ``tag_bytes`` is the length of the tag that the message has, on which the whole tag may depend (default: that of the mode).

        In a mode with two passes, these two need the tag, ``known``.  The first pass, "absorb", gives no text.
        ``moved`` says what is changed in the middle of the message.
        """
        *steps, last = self.steps(text_step, nonce, data, ad, tag_bytes, known, moved)
        return b"".join(step.given for step in steps), last.given

    def steps(
        self, text_step: str, nonce: bytes, data: bytes, ad: bytes, tag_bytes: int | None = None, known: bytes | None = None,
        moved: Moved | None = None,
    ) -> Iterator[Taken]:  # fmt: skip
        """The steps of a message in their order, from "start" to "tag".  The arguments are those of ``run``."""
        moved = moved or Moved()
        mode, size = self.mode, self.mode.block_bytes
        mode.nonce_class(len(nonce))
        o, k = self._under(nonce)
        associated, text = (len(some) + size * moved.before(part) for some, part in ((ad, "associated"), (data, "text")))
        mode.check_lengths(associated, text, len(nonce))
        tag = mode.tag_bytes[0] if tag_bytes is None else tag_bytes
        n = Lengths(associated, text, tag)
        with importable(mode.folder), blame(mode.name, mode.start):
            s = mode.begin(o, k, Nonce[int, int](Piece(nonce), len(nonce), tag), n)
        if not isinstance(s, State):
            raise InputError(f"{mode.name}: start() returns a State, not {type(s).__name__}")
        if text_step != ABSORB:
            with importable(mode.folder), blame(mode.name, mode.tagged):
                s = mode.tagged(o, k, s, Piece(known or b""))
        yield Taken("start", s)

        def gone_on(s: State, part: str, came: int) -> State:
            change = moved.state.get((part, -(-came // size)))
            return s if change is None else change(s)

        came = 0
        for name, piece, nbytes in self._pieces("associated", mode.prefix_of(associated) + ad, moved):
            step = getattr(mode, name)
            with importable(mode.folder), blame(mode.name, step):
                s = step(o, k, s, piece)
            s = gone_on(s, "associated", came := came + nbytes)
            yield Taken(name, s)
        came = 0
        for name, piece, nbytes in self._pieces(text_step, data, moved):
            s, given = self.take(o, k, s, name, piece)
            s = gone_on(s, "text", came := came + nbytes)
            yield Taken(name, s, b"".join(block.to_bytes(size, "little") for block in given)[:nbytes])
        with importable(mode.folder), blame(mode.name, mode.tag):
            made = mode.tag(o, k, s, Lengths(associated, text))
        yield Taken("tag", s, made.to_bytes(size, "little"))

    def take(self, o: StreamNumbers, k: Keys, s: State[int], name: str, piece: Text[int]) -> tuple[State[int], tuple[int, ...]]:
        """A step of text by its name: the state behind it, and the blocks that it gives."""
        step = getattr(self.mode, name)
        with importable(self.mode.folder), blame(self.mode.name, step):
            if name.endswith(ABSORB):
                return step(o, k, s, piece), ()
            s, given = step(o, k, s, piece)
        return s, given if self.mode.takes_pair(name) else (given,)

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
        nonce, text, ad = as_bytes("nonce", nonce), as_bytes("text", text), as_bytes("ad", ad)
        given, tags = b"", [b""]
        for way in self.mode.sealing():
            given, tag = self.run(way, nonce, text, ad, length, tags[-1])
            tags.append(tag)
        if len(set(tags[1:])) > 1:
            raise DefinitionError(f"{self.mode.name}: the second pass of a message gives another tag than the first one")
        return given + tags[-1][:length]

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
        given = sealed[len(sealed) - length :]
        text, tag = self.run("decrypt", as_bytes("nonce", nonce), sealed[: len(sealed) - length], as_bytes("ad", ad), length, given)
        if not hmac.compare_digest(tag[:length], given):
            raise AuthenticationError(f"{self.mode.name}: the tag is wrong")
        return text
