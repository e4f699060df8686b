# SPDX-License-Identifier: Apache-2.0
"""Stream modes: authenticated encryption of messages of any length, written as steps.

The steps of a message, in their order::

    start ─▶ associated, for each block of associated data ─▶ encrypt or decrypt, for each block of text ─▶ tag
      └──────────────── the state goes from step to step ───────────────────────────────────────────────────┘

A step reads one block and the state.  The number of blocks of a message is not known in advance.  A mode that treats a partial last block
in its own way has further steps for it: ``partial_associated``, ``partial_encrypt`` and ``partial_decrypt``.  A mode that treats the last
block in its own way, whether it is whole or not, has ``last_associated``, ``last_encrypt`` and ``last_decrypt`` instead.

``encrypt`` and ``decrypt`` may take the blocks of text in pairs (``text_blocks``).  A last block without a partner then goes through
``single_encrypt`` or ``single_decrypt``::

    17 to 32 bytes of text left    the pair, padded with zeros       encrypt; last_encrypt or partial_encrypt if the mode has it
    1 to 16                        the block, padded with zeros      single_encrypt

A mode with two passes encrypts under its tag, so that a message to seal goes through it twice.  ``tagged`` puts the tag into the state::

    first pass of sealing     start ─────────────▶ associated ─▶ absorb ──▶ tag
    second pass of sealing    start ─▶ tagged ───▶ associated ─▶ encrypt ─▶ tag, which is the same
    opening                   start ─▶ tagged ───▶ associated ─▶ decrypt ─▶ tag
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeAlias, TypeVar, cast

from modeloom.spec.errors import DefinitionError, InputError
from modeloom.spec.mode import B, Definition, Keying, Keys, Operations

__all__ = [
    "ABSORB", "ASSOCIATED_FIRST", "BETWEEN", "BLOCKS", "LAST", "ORDERS", "PARTIAL", "SINGLE", "TEXT_FIRST", "LengthPrefix", "Lengths",
    "MessageKeys", "Nonce", "State", "StreamMode", "partial", "prefix_of", "variants",
]  # fmt: skip

ABSORB = "absorb"
"""The step for a block of text in the first pass of a mode with two passes."""

ASSOCIATED_FIRST, TEXT_FIRST = ORDERS = ("associated-first", "text-first")
"""The orders of the parts of a message in its packet."""

BETWEEN = "between"
"""The step between text and associated data, if these come behind the text.  The compiler makes it of ``tag`` (``streams.rewrite``)."""

BLOCKS = ("associated", ABSORB, "encrypt", "decrypt")
"""Steps that may run any number of times in a message."""

PASSES = {False: ("encrypt",), True: (ABSORB, "encrypt")}
"""The passes of a message to seal, by whether there are two."""

PARTIAL = "partial_"
"""What the name of a step for a partial last block, or pair of blocks, begins with."""

LAST = "last_"
"""What the name of a step for the last block, or pair, begins with."""

SINGLE = "single_"
"""What the name of a step for a last block of text without a partner begins with."""


N = TypeVar("N")
"""The lengths with which a definition runs: numbers, or symbols for what is known when a message comes."""

Text: TypeAlias = B | tuple[B, ...]
"""A block of text, or a pair."""


def partial(step: str) -> str:
    """The step for a partial last block, beside a step for whole blocks."""
    return PARTIAL + step


def variants(step: str) -> tuple[str, ...]:
    """The names of the steps that a block of one of ``BLOCKS`` may take."""
    return tuple(prefix + step for prefix in ("", PARTIAL, LAST, SINGLE))


@dataclass(frozen=True)
class LengthPrefix:
    """Bytes before the associated data that say how long these are: a marker, and their number of bytes, big-endian.

    Attributes
    ----------
    least : int
        It is for associated data of at least so many bytes, from 1 on.
    marker : bytes
    nbytes : int
        Bytes of the number.
    """

    least: int
    marker: bytes
    nbytes: int

    @property
    def size(self) -> int:
        """Bytes of marker and number."""
        return len(self.marker) + self.nbytes

    def of(self, associated: int) -> bytes:
        """The bytes for associated data of so many bytes."""
        return self.marker + associated.to_bytes(self.nbytes, "big")


def prefix_of(prefixes: Sequence[LengthPrefix], associated: int) -> bytes:
    """What comes before associated data of so many bytes."""
    fitting = [each for each in prefixes if associated >= each.least]
    return fitting[-1].of(associated) if fitting else b""


class State(Generic[B]):
    """Named blocks that pass from one step of a message to the next."""

    def __init__(self, **values: B):
        self._values = dict(values)

    def __getattr__(self, name: str) -> B:
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise DefinitionError(f"the definition reads {name!r} of the state, which start never wrote (it wrote {', '.join(values)})")
        return values[name]

    def replace(self, **values: B) -> State[B]:
        """The state with other values.  Raises ``DefinitionError`` for a name that ``start`` did not write."""
        for name in values:
            if name not in self._values:
                known = ", ".join(self._values)
                raise DefinitionError(f"a step writes {name!r} to the state, which start never wrote (it wrote {known})")
        return State(**{**self._values, **values})

    def items(self) -> Iterator[tuple[str, B]]:
        """Names and values in the order in which ``start`` wrote them."""
        return iter(self._values.items())


@dataclass(frozen=True)
class Nonce(Generic[B, N]):
    """The nonce of a message.

    Attributes
    ----------
    block
        Its bytes, padded with zeros.
    nbytes
        Number of its bytes: a number, or a length that is known when the core runs.
    tag_bytes
        Number of bytes of the tag of the message, likewise.
    """

    block: B
    nbytes: N | int
    tag_bytes: N | int = 16


@dataclass(frozen=True)
class Lengths(Generic[N]):
    """Bytes of associated data, of text and of the tag of a message, for ``tag`` and for a ``start`` that knows lengths.

    ``tag`` is there for a ``start`` alone.
    """

    associated: N
    text: N
    tag: N | int | None = None


class MessageKeys(Generic[B]):
    """The parts of the key of a message, as ``derive`` makes them: for each part a block, or a list of blocks whose bytes it is."""

    def __init__(self, **parts: B | list[B] | tuple[B, ...]):
        self._parts: dict[str, list[B]] = {name: list(part) if isinstance(part, list | tuple) else [part] for name, part in parts.items()}

    def blocks(self) -> dict[str, list[B]]:
        """The blocks of each part."""
        return dict(self._parts)


class _KeyOfNonce(Keying):
    """The key of a message is made of a master key, which is as long as a cipher key, and the nonce."""

    options: Mapping[str, str] = {"keys": "inline"}

    def key_bytes(self, mode: type[Definition] | Definition, cipher_key_bytes: int) -> int:
        return cipher_key_bytes

    def check_slots(self, mode: str) -> None:
        raise InputError(f"{mode} has new keys for each nonce; build it with --keys derived, or --keys inline if they come with messages")


KEY_OF_NONCE = _KeyOfNonce()


class _Longest:
    """The largest number of bytes whose number of bits fits into half a block, as in ``o.bit_lengths``, and into 64 bits."""

    def __get__(self, mode: object, of: type[Definition]) -> int:
        return (1 << min(4 * of.block_bytes, 64) - 3) - 1


class StreamMode(Definition):
    """Authenticated encryption.  Definitions are subclasses, and everything else is derived from them.
    :class:`~modeloom.spec.mode.Definition` has the attributes of all modes.

    Attributes
    ----------
    nonce_bytes : tuple of tuple of int
        Lengths of nonces in bytes, in classes.  ``start`` does the same for all lengths of a class.  The first length is the default.
    tag_bytes : tuple of int
        Lengths of tags in bytes.  The default is the first.
    text_blocks : int
        Blocks of text that ``encrypt`` and ``decrypt`` take: 1, or 2 for pairs.  A pair is a tuple, of the text and of the result.
    most_associated, most_text : int
        Largest number of bytes of associated data and of text.  By default, its number of bits fits into half a block,
        and into 64 bits.
    most_text_with_nonce : dict
        For lengths of nonces with which it is less: the largest number of bytes of text.
    lengths_first : bool
        Whether all lengths of a message are known before it begins.  ``start`` then gets them as its last argument.
    associated_prefix : tuple of LengthPrefix
        What comes before associated data that are not empty, in the order of ``least``.  The first one is for 1 byte and more.
    two_passes : bool
        Whether a message to seal goes through the mode twice.  The mode then has ``absorb`` and ``tagged``, and whole tags.
    """

    nonce_bytes: ClassVar[tuple[tuple[int, ...], ...]] = ((12,),)
    tag_bytes: ClassVar[tuple[int, ...]] = (16,)
    text_blocks: ClassVar[int] = 1
    most_associated: ClassVar[int] = cast(int, _Longest())
    most_text: ClassVar[int] = cast(int, _Longest())
    most_text_with_nonce: ClassVar[Mapping[int, int]] = {}
    lengths_first: ClassVar[bool] = False
    associated_prefix: ClassVar[tuple[LengthPrefix, ...]] = ()
    two_passes: ClassVar[bool] = False

    def derive(self, o: Operations[B], nonce: Nonce[B, int], key_blocks: int) -> MessageKeys[B]:
        """The key of a message, for a mode that makes it of a master key and the nonce.

        ``o`` has the cipher under the master key, which is as long as a cipher key.  The parts of the result are those of ``key_parts``.
        A part that is a cipher key has ``key_blocks`` blocks.
        """
        raise NotImplementedError

    @classmethod
    def derives(cls) -> bool:
        """Whether each nonce has keys of its own, which ``derive`` makes."""
        return cls.derive is not StreamMode.derive

    @classmethod
    def keying(cls) -> Keying:
        """Where the key of a message comes from."""
        return super().keying() if cls.derive is StreamMode.derive else KEY_OF_NONCE

    def tagged(self, o: Operations[B], k: Keys, s: State[B], tag: B) -> State[B]:
        """The state before the first block of a message whose tag is known.  It is that of ``start``, but in a mode with two passes."""
        return s

    def start(self, o: Operations[B], k: Keys, nonce: Nonce[B, N], *n: Lengths[N]) -> State[B]:
        """The state before the first block of a message."""
        raise NotImplementedError

    def begin(self, o: Operations[B], k: Keys, nonce: Nonce[B, N], n: Lengths[N]) -> State[B]:
        """Runs ``start``, with lengths if the mode knows them."""
        return self.start(o, k, nonce, n) if self.lengths_first else self.start(o, k, nonce)

    def associated(self, o: Operations[B], k: Keys, s: State[B], a: B) -> State[B]:
        """The state after a block of associated data.  A partial last block is padded with zeros."""
        raise NotImplementedError

    def encrypt(self, o: Operations[B], k: Keys, s: State[B], p: Text[B]) -> tuple[State[B], Text[B]]:
        """The state after a block of plaintext, and its ciphertext."""
        raise NotImplementedError

    def decrypt(self, o: Operations[B], k: Keys, s: State[B], c: Text[B]) -> tuple[State[B], Text[B]]:
        """The state after a block of ciphertext, and its plaintext."""
        raise NotImplementedError

    def absorb(self, o: Operations[B], k: Keys, s: State[B], p: B) -> State[B]:
        """The state after a block of plaintext in the first pass, in a mode with two passes."""
        raise NotImplementedError

    def partial_absorb(self, o: Operations[B], k: Keys, s: State[B], p: B) -> State[B]:
        """As ``absorb``, for a last block that is not whole."""
        return self.absorb(o, k, s, p)

    def partial_associated(self, o: Operations[B], k: Keys, s: State[B], a: B) -> State[B]:
        """The state after a last block of associated data that is not whole; ``associated`` if the mode has no such step."""
        return self.associated(o, k, s, a)

    def partial_encrypt(self, o: Operations[B], k: Keys, s: State[B], p: Text[B]) -> tuple[State[B], Text[B]]:
        """As ``encrypt``, for a last block that is not whole."""
        return self.encrypt(o, k, s, p)

    def partial_decrypt(self, o: Operations[B], k: Keys, s: State[B], c: Text[B]) -> tuple[State[B], Text[B]]:
        """As ``decrypt``, for a last block that is not whole."""
        return self.decrypt(o, k, s, c)

    def last_associated(self, o: Operations[B], k: Keys, s: State[B], a: B) -> State[B]:
        """As ``associated``, for the last block, whole or not; the step that it otherwise takes if the mode has no such step."""
        raise NotImplementedError

    def last_encrypt(self, o: Operations[B], k: Keys, s: State[B], p: Text[B]) -> tuple[State[B], Text[B]]:
        """As ``encrypt``, for the last block or the last pair, whole or not."""
        raise NotImplementedError

    def last_decrypt(self, o: Operations[B], k: Keys, s: State[B], c: Text[B]) -> tuple[State[B], Text[B]]:
        """As ``decrypt``, for the last block or the last pair, whole or not."""
        raise NotImplementedError

    def single_encrypt(self, o: Operations[B], k: Keys, s: State[B], p: B) -> tuple[State[B], B]:
        """As ``encrypt`` of one block, for the last block of text if it has no partner, whole or not."""
        raise NotImplementedError

    def single_decrypt(self, o: Operations[B], k: Keys, s: State[B], c: B) -> tuple[State[B], B]:
        """As ``decrypt`` of one block, for the last block of text if it has no partner, whole or not."""
        raise NotImplementedError

    @classmethod
    def has(cls, step: str) -> bool:
        """Whether the mode has a step of its own with this name, such as "partial_encrypt"."""
        return getattr(cls, step, None) is not getattr(StreamMode, step, None)

    @classmethod
    def blocks_of(cls, step: str) -> int:
        """The most blocks that one of ``BLOCKS`` takes at a time."""
        return cls.text_blocks if step in ("encrypt", "decrypt") else 1

    @classmethod
    def takes_pair(cls, step: str) -> bool:
        """Whether a step, by its whole name, takes a pair of blocks."""
        return cls.text_blocks == 2 and step.endswith(("encrypt", "decrypt")) and not step.startswith(SINGLE)

    @classmethod
    def step_of(cls, step: str, nbytes: int, last: bool) -> str:
        """The name of the step that a block or pair of one of ``BLOCKS`` takes.

        Parameters
        ----------
        nbytes : int
            Its bytes, from 1 to those of the blocks that the step takes.
        last : bool
            Whether it is the last one of its part of the message.
        """
        most = cls.blocks_of(step) * cls.block_bytes
        if nbytes <= most - cls.block_bytes:
            return SINGLE + step
        if last and cls.has(LAST + step):
            return LAST + step
        return partial(step) if nbytes < most and cls.has(partial(step)) else step

    @classmethod
    def block_steps(cls) -> tuple[str, ...]:
        """The steps for blocks that the mode has, with those for last ones."""
        made = []
        for step in ("associated", *cls.sealing(), "decrypt"):
            most, size = cls.blocks_of(step) * cls.block_bytes, cls.block_bytes
            made += [step, cls.step_of(step, most - 1, True), cls.step_of(step, most, True), cls.step_of(step, min(size, most), True)]
        return tuple(dict.fromkeys(made))

    @classmethod
    def sealing(cls) -> tuple[str, ...]:
        """The directions in which a message to seal goes through the mode, one for each pass."""
        return PASSES[cls.two_passes]

    @classmethod
    def text_steps(cls) -> tuple[str, ...]:
        """The steps of which each message has one for its text, by the number in its command: 0 to seal it, or for the first pass; 1 to
        open it; 2 for the second pass of a message to seal."""
        first, *more = cls.sealing()
        return first, "decrypt", *more

    def tag(self, o: Operations[B], k: Keys, s: State[B], n: Lengths[N]) -> B:
        """The whole tag.  A shorter tag consists of its first bytes."""
        raise NotImplementedError

    @classmethod
    def nonce_class(cls, nbytes: int) -> int:
        """The index of the class of nonces for a length.  Raises ``InputError`` for a length that the mode does not accept."""
        for number, lengths in enumerate(cls.nonce_bytes):
            if nbytes in lengths:
                return number
        known = sorted(length for lengths in cls.nonce_bytes for length in lengths)
        whole = known == list(range(known[0], known[-1] + 1)) and len(known) > 2
        sizes = f"{known[0]} to {known[-1]}" if whole else " or ".join(map(str, known))
        raise InputError(f"{cls.name}: a nonce has {sizes} bytes, not {nbytes}")

    @classmethod
    def most_text_with(cls, nonce_bytes: int) -> int:
        """Largest number of bytes of text of a message with a nonce of this length."""
        return min(cls.most_text, cls.most_text_with_nonce.get(nonce_bytes, cls.most_text))

    @classmethod
    def prefix_of(cls, associated: int) -> bytes:
        """What comes before associated data of so many bytes."""
        return prefix_of(cls.associated_prefix, associated)

    @classmethod
    def check_lengths(cls, associated: int, text: int, nonce_bytes: int) -> None:
        """Raises ``InputError`` for a message that is longer than the mode allows.  Lengths are in bytes."""
        most_text = cls.most_text_with(nonce_bytes)
        for what, nbytes, most in (("associated data", associated, cls.most_associated), ("text", text, most_text)):
            if nbytes > most:
                with_nonce = f" with a nonce of {nonce_bytes} bytes" if what == "text" and most < cls.most_text else ""
                raise InputError(f"{cls.name}: a message{with_nonce} has at most {most} bytes of {what}, not {nbytes}")

    @classmethod
    def check_tag(cls, nbytes: int) -> None:
        """Raises ``InputError`` for a tag length that the mode does not have."""
        if nbytes not in cls.tag_bytes:
            raise InputError(f"{cls.name}: a tag has {' or '.join(map(str, cls.tag_bytes))} bytes, not {nbytes}")
