# SPDX-License-Identifier: Apache-2.0
"""What a core for messages promises its host.  The description of a core is such a contract; ``core.json`` has its members.

What differs between kinds of cores is chosen here, once: ``form``, ``passes``, ``key_source`` and ``channel_fields``.  A form of packets
is how the parts of a message lie in beats, what is found wrong in a packet, and what of it leaves::

    associated first   │ associated data ░│ text ░│                ░  the rest of a beat
    text first         │ text ░│ associated data ░│                │  a part begins with a beat of its own
    on the wire        │ header  text  tag ░│
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import ClassVar, TypeVar, cast

from modeloom.interfaces.messages import ALIGNED, IN_ORDER, IN_SLOTS, ROUND_KEYS, MessageCode, PacketPins, message_command
from modeloom.interfaces.table import Packing, Port, Role, Width
from modeloom.protocol import scenarios
from modeloom.protocol.transactions import Command
from modeloom.spec.errors import InputError
from modeloom.spec.stream import BETWEEN, TEXT_FIRST

__all__ = [
    "DIRECTIONS", "FORMS", "MOST_STATED", "PACKETS", "AssociatedFirst", "ChannelFields", "Judgement", "KeySlots", "KeysWithMessages",
    "MessageContract", "Passes", "TextFirst", "TwoPasses", "WireForm",
]  # fmt: skip

DIRECTIONS = ("encrypt", "decrypt")

MOST_STATED = (1 << 64) - 1
"""Most bytes of a part that a command can state."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What comes of a message, in numbers of bytes.

    Attributes
    ----------
    code : MessageCode
    associated, text, tag : int
        Bytes of the packet that count: up to its fault, if it has one.  ``tag`` is that at the end of a packet on the wire.
    works : int
        Bytes of text that the mode works on.  Behind a fault in a mode that knows the length before, it is that which the command states.
    leaves : bool
        Whether a packet leaves.
    header, out, sealed : int
        Bytes of header, of text and of tag in it.
    marked : bool
        Whether its last beat has ``tuser``: it was cut off, or on the wire, the message failed.
    told : int
        Bytes of the tag in the status.
    otherwise : Judgement or None
        What comes of it if the tag is wrong; None if no tag is compared.
    """

    code: MessageCode
    associated: int = 0
    text: int = 0
    tag: int = 0
    works: int = 0
    leaves: bool = False
    header: int = 0
    out: int = 0
    sealed: int = 0
    marked: bool = False
    told: int = 0
    otherwise: Judgement | None = None

    def settled(self, right: bool) -> Judgement:
        """What comes of it with a right tag, or with a wrong one."""
        return self if right or self.otherwise is None else self.otherwise

    def beats(self, c: MessageContract) -> int:
        """The number of beats of the packet that leaves.  One that is cut off ends with a beat without bytes."""
        if not self.leaves:
            return 0
        lengths = {"associated": self.header, "text": self.out, "tag": self.sealed}
        return c.form.leaving(beats_of_groups(c.form.out, lengths, c.beat_bytes), self.marked)


# -- packets in which each part begins with a beat of its own ---------------------------------------------------------------------------


def _aligned(c: MessageContract, command: Command, keeps: Sequence[int]) -> list[Judgement]:
    way, (fault, first, behind, left) = command.decrypt, _scanned(c, command, keeps)
    (associated, text), (_, whole) = c.form.ordered(first, behind), c.form.ordered(not left, False)
    # Nothing leaves of a message that is held, of one that the core stores, and of a first pass, before all of it was right.
    silent = c.held(way) or not c.text_of(way, 1) or c.stored(way)
    faulty = fault != MessageCode.OK
    counts = Judgement(code=fault, associated=associated, text=text, works=text)
    if c.overflows(way, associated, text):
        # A fault behind the bytes that the core can hold may be told of or not.
        return [replace(counts, code=code) for code in dict.fromkeys((MessageCode.TOO_LONG_TO_HOLD, *[fault] * faulty))]
    if not faulty:
        out = c.text_of(way, text)
        right = replace(counts, leaves=out > 0, out=out, told=0 if way else command.tag_bytes)
        if not way:
            return [right]
        return [replace(right, otherwise=replace(right, code=MessageCode.WRONG_TAG, leaves=out > 0 and not c.held(way)))]
    if silent or not text:
        return [counts]
    if whole:
        # The text has left before the fault.
        return [replace(counts, leaves=True, out=text)]
    out = text - text % c.text_bytes
    # What leaves is not the last of the text.
    works = max(text, command.text if c.stated_behind and command.text else out + c.text_bytes)
    return [replace(counts, works=works, leaves=True, out=out, marked=True) if out else counts]


def _scanned(c: MessageContract, command: Command, keeps: Sequence[int]) -> tuple[MessageCode, int, int, int]:
    """The first fault in the ``tkeep`` of a packet, the bytes before it of the first part and of the part behind, and those that the first
    part lacks."""
    size, last = c.beat_bytes, len(keeps) - 1
    (first, last_part), most = c.form.ordered(command.associated, command.text), c.most_of(c.form.behind, command.nonce_bytes)
    stated, left, behind, begun = last_part if c.stated_behind else None, first, 0, False
    for number, keep in enumerate(keeps):
        nbytes, hole, ends = keep.bit_count(), bool(keep & keep + 1), number == last
        if left:
            wanted = min(size, left)
            code = MessageCode.BAD_KEEP if hole else _first_part(nbytes, wanted, ends, left > size, number)
            if code == MessageCode.OK:
                left -= wanted
                code = MessageCode.TOO_SHORT if ends and stated else code
        else:
            limit, least = (most, 0) if stated is None else (stated, stated)
            code = _part_behind(nbytes, hole or (nbytes < size and not ends), ends and not begun, behind + nbytes, limit, least * ends)
            if code == MessageCode.OK:
                behind, begun = behind + nbytes, True
        if code != MessageCode.OK:
            return code, first - left, behind, left
    return MessageCode.OK, first - left, behind, left


def _first_part(nbytes: int, wanted: int, ends: bool, more: bool, number: int) -> MessageCode:
    """The code of a beat without gaps of the part whose bytes the command has, of which *more* comes behind this beat."""
    if nbytes > wanted or (nbytes < wanted and not ends):
        return MessageCode.BAD_KEEP
    if nbytes == wanted and not (ends and more):
        return MessageCode.OK
    return MessageCode.TOO_SHORT if nbytes or not number else MessageCode.BAD_KEEP


def _part_behind(nbytes: int, wrong: bool, alone: bool, total: int, most: int, least: int) -> MessageCode:
    """The code of a beat of the part behind, with which *total* bytes of it have come; *alone* says that it is all of this part."""
    if not nbytes:
        # A beat without bytes stands for a part without bytes.
        empty = MessageCode.TOO_SHORT if least else MessageCode.OK
        return empty if alone else MessageCode.BAD_KEEP
    if wrong:
        return MessageCode.BAD_KEEP
    if total > most:
        return MessageCode.TOO_LONG
    return MessageCode.TOO_SHORT if total < least else MessageCode.OK


# -- packets as they are on the wire ----------------------------------------------------------------------------------------------------


def _on_the_wire(c: MessageContract, command: Command, keeps: Sequence[int], refused: MessageCode) -> list[Judgement]:
    size, last, came, code = c.beat_bytes, len(keeps) - 1, 0, MessageCode.OK
    opens, held = command.decrypt > 0, c.held(command.decrypt)
    for number, keep in enumerate(keeps):
        nbytes = keep.bit_count()
        if keep & keep + 1 or (nbytes < size and number != last) or (not nbytes and number):
            # The packet counts as if it ended before this beat.
            code = MessageCode.BAD_KEEP
            break
        came += nbytes
    # A tag that no block has room for is not taken off.
    tag_bytes = command.tag_bytes if opens and command.tag_bytes <= c.block_bytes else 0
    rest = max(0, came - tag_bytes)
    header, tag = min(rest, command.associated), came - rest
    if refused != MessageCode.OK:
        return [Judgement(code=refused, associated=header, leaves=not held, header=header, marked=not held)]
    # A text whose header is too short is not worked on.
    text = rest - header
    if tag < tag_bytes or header < command.associated:
        code = max(code, MessageCode.TOO_SHORT)
    too_long = c.overflows(command.decrypt, header, text)
    if too_long:
        code = max(code, MessageCode.TOO_LONG_TO_HOLD)
    right = Judgement(code=code, associated=header, text=text, tag=tag, works=text, leaves=True, header=header, out=text)
    failed = replace(right, leaves=not held, marked=not held)
    if code != MessageCode.OK:
        # A fault behind the bytes that the core can hold may be told of or not.
        others = [replace(failed, code=MessageCode.TOO_LONG_TO_HOLD)] if too_long and code != MessageCode.TOO_LONG_TO_HOLD else []
        return [failed, *others]
    if not opens:
        return [replace(right, sealed=command.tag_bytes, told=command.tag_bytes)]
    return [replace(right, otherwise=replace(failed, code=MessageCode.WRONG_TAG))]


# -- the forms -----------------------------------------------------------------------------------------------------------------------------


def parts_of(associated: bytes, chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """What comes first, which may be empty, and the chunks behind it, each with whether it is the last part of the message."""
    part = associated
    for chunk in filter(None, chunks):
        yield part, False
        part = chunk
    yield part, True


def whole_beats(parts: Iterable[bytes], size: int, most: int) -> Iterator[tuple[bytes, bool]]:
    """The bytes of a packet in portions of whole beats, about *most* bytes each, and whether each is the last one, which may end within a
    beat; at least one."""
    begun = bytearray()
    portion = max(size, most - most % size)
    for part in parts:
        begun += part
        while len(begun) > portion:
            yield bytes(begun[:portion]), False
            del begun[:portion]
    yield bytes(begun), True


Groups = tuple[tuple[str, ...], ...]
"""The parts of a packet in order: "associated", "text" and "tag".  Those in a group touch each other, and each group begins with a beat of
its own."""


def beats_of_groups(groups: Groups, lengths: Mapping[str, int], size: int) -> int:
    """The beats of groups whose parts have these lengths, of *size* bytes each."""
    return sum(-(-sum(lengths[name] for name in group) // size) for group in groups)


class AssociatedFirst:
    """Packets with associated data, and then text, each of which begins with a beat of its own.  Text leaves alone.

    Attributes
    ----------
    name, order : str, str or None
        The members ``packet`` and ``order`` of the description of a core with such packets.
    said : str
        What is so of them, for the documentation of this member.
    pins : PacketPins
        What it is at the pins.
    first, behind : str
        The part whose bytes a command always states, and the other one.
    between : tuple of str
        Steps between them.
    out : Groups
        The parts of a packet out.
    what, held : str
        What a packet out is, and what of a message is held back.
    rests : bool
        Whether nothing of a message waits for the beat behind it.
    later : int
        Cycles that a message to open takes longer than its latency, in a core that also seals.
    """

    name, order, pins = "aligned", cast("str | None", None), ALIGNED
    said, later = "text begins with a beat of its own", 0
    first, behind, what, held, rests = "associated", "text", "text", "text", True
    between: tuple[str, ...] = ()
    out: Groups = (("text",),)

    def ordered(self, associated: T, text: T) -> tuple[T, T]:
        """Both parts as they come; and of these, associated data and text."""
        return associated, text

    def layout(self, way: int) -> Groups:
        """The parts of a packet in."""
        return (self.first,), (self.behind,)

    def beats(self, size: int, associated: int, text: int, tag: int) -> int:
        """The beats of the packet of a message, of *size* bytes each."""
        return max(1, beats_of_groups(self.layout(1), {"associated": associated, "text": text, "tag": tag}, size))

    def portions(self, ad: bytes, chunks: Iterable[bytes], tag: bytes, size: int, most: int) -> Iterator[tuple[bytes, bool]]:
        """What goes into a core in beats of *size* bytes, about *most* bytes at a time, and whether each of it is the last."""
        return parts_of(ad, chunks)

    def tag_bytes(self, way: int, tag_bytes: int) -> int:
        """The bytes of the tag that a packet in has."""
        return tag_bytes if any("tag" in group for group in self.layout(way)) else 0

    def given(self, tag: bytes) -> bytes:
        """What a command or a status has of a tag, and a packet has not."""
        return b"" if self.tag_bytes(1, 1) else tag

    @property
    def even(self) -> bool:
        """Whether messages to seal and to open leave in as many beats: no part that only some have begins with a beat of its own."""
        return ("tag",) not in self.out

    @property
    def cut_up(self) -> str:
        """The packets that can be cut up for buses of other widths, if these cannot; else empty.  A converter knows the bytes of associated
        data alone, and so one place at which a part begins with a beat of its own."""
        if self.layout(0)[0][0] != "associated":
            return "that begin with their associated data"
        return "of two parts at most" if max(map(len, (self.layout(0), self.layout(1)))) > 2 or len(self.out) > 1 else ""

    def leaves(self, associated: int, text: int, tag: int) -> int:
        """The bytes of the packet out of a message with parts of these lengths, the tag being that of a message to seal."""
        lengths = {"associated": associated, "text": text, "tag": tag}
        return sum(lengths[name] for group in self.out for name in group)

    def header(self, associated: int) -> int:
        """The bytes of a packet out before its text."""
        return associated if any("associated" in group for group in self.out) else 0

    def apart(self, first: int) -> int:
        """Bytes at the beginning of a packet behind which a beat begins, of so many bytes that its command states."""
        return first if len(self.layout(0)) > 1 else 0

    def leaving(self, beats: int, marked: bool) -> int:
        """The beats of a packet out, of which so many have bytes.  One that is cut off ends with a beat without bytes."""
        return beats + marked

    def odd(self, nbytes: int, whole: bool, last: bool, marked: bool, begun: bool, joins: bool) -> bool:
        """Whether no packet out has such a beat.  One without bytes ends a packet that is cut off, and nothing else does, unless it *joins*
        the beat before it."""
        return not last and (marked or not whole) or (marked and not joins if nbytes else not marked)

    def gives(self, nbytes: int, held: bool, released: bool) -> bool:
        """Whether a packet of so many bytes comes of a message without fault, which is held or not, and released or not."""
        return released and nbytes > 0

    def marks(self, right: bool) -> bool:
        """Whether the last beat of this packet is marked, if the message was right or not."""
        return False

    def judge(self, c: MessageContract, command: Command, keeps: Sequence[int], refused: MessageCode) -> list[Judgement]:
        """What may come of a message with this refusal."""
        if refused != MessageCode.OK:
            return [Judgement(code=refused)]
        if c.too_long(command.decrypt, len(keeps)):
            # A message is stored before it is looked at.
            return [Judgement(code=MessageCode.TOO_LONG_TO_HOLD)]
        return _aligned(c, command, keeps)

    def wrong_packets(self, size: int, ways: Sequence[int]) -> Iterator[scenarios.Wrong]:
        """Packets with faults, with right ones between them."""
        return scenarios.associated_first(size)


class TextFirst(AssociatedFirst):
    """Packets with text, and then associated data, each of which begins with a beat of its own."""

    order = TEXT_FIRST
    pins = PacketPins("text", "messages in: one packet for each command; text comes first, and associated data start in a new beat")
    first, behind, between = "text", "associated", (BETWEEN,)

    def ordered(self, associated: T, text: T) -> tuple[T, T]:
        return text, associated

    def portions(self, ad: bytes, chunks: Iterable[bytes], tag: bytes, size: int, most: int) -> Iterator[tuple[bytes, bool]]:
        return parts_of(b"", chain(chunks, (ad,)))

    def wrong_packets(self, size: int, ways: Sequence[int]) -> Iterator[scenarios.Wrong]:
        return scenarios.text_first(size)


class WireForm(AssociatedFirst):
    """Packets as they are on the wire: header, text, and the tag of a message to open, or of one that was sealed, touch each other."""

    name, said, what, held, rests = "wire", "header, text and tag touch each other", "packet", "header and text", False
    # The beat of a message to open is the last one of its packet, which takes a cycle more than a full one before its tag.
    later = 1
    pins = PacketPins(
        "associated", "packets in: one for each command; header, text, and the tag of a message to open touch each other",
        "packets out: one for each command; the header, the text, and the tag of a sealed message touch each other",
        ", and not at all otherwise", "not read: the packet has the tag",
        Port("tuser", Width(), "1 in the last beat of the packet of a message that failed", "cut", role=Role.VERDICT),
    )  # fmt: skip
    out = (("associated", "text", "tag"),)

    def layout(self, way: int) -> Groups:
        return (("associated", "text", *(("tag",) if way else ())),)

    def portions(self, ad: bytes, chunks: Iterable[bytes], tag: bytes, size: int, most: int) -> Iterator[tuple[bytes, bool]]:
        return whole_beats(chain((ad,), chunks, (tag,)), size, most)

    def leaving(self, beats: int, marked: bool) -> int:
        return max(1, beats)

    def odd(self, nbytes: int, whole: bool, last: bool, marked: bool, begun: bool, joins: bool) -> bool:
        return not last and (marked or not whole) or (not nbytes and begun)

    def gives(self, nbytes: int, held: bool, released: bool) -> bool:
        return released or not held

    def marks(self, right: bool) -> bool:
        return not right

    def judge(self, c: MessageContract, command: Command, keeps: Sequence[int], refused: MessageCode) -> list[Judgement]:
        return _on_the_wire(c, command, keeps, refused)

    def wrong_packets(self, size: int, ways: Sequence[int]) -> Iterator[scenarios.Wrong]:
        return scenarios.on_the_wire(size, ways)


FORMS = {(form.name, form.order): form for form in (AssociatedFirst(), TextFirst(), WireForm())}
"""The forms of packets, by the members ``packet`` and ``order`` of a description."""

PACKETS = {form.name: form.said for form in FORMS.values() if not form.order}
"""Their names, without the order, and what is said of them."""


# -- the rest of a contract ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Passes:
    """A host sends a message to seal once.

    ``steps`` are those that a block of text takes, by the value of the field ``decrypt`` of its command, and ``sealing`` the values of this
    field in the passes of a message to seal.  The core works on what a host sends ``turns`` times, at most.  ``direct`` says whether it
    works on all of it as it comes; otherwise it stores a message to seal, of at most ``most_beats`` beats.
    """

    steps: ClassVar[tuple[str, ...]] = DIRECTIONS
    sealing: ClassVar[tuple[int, ...]] = (0,)
    turns, direct = 1, True

    most_beats: int | None = None

    def ways(self, directions: Collection[str]) -> tuple[int, ...]:
        """The values of this field that a core with these directions takes."""
        return tuple(way for way in range(len(self.steps)) if DIRECTIONS[way % 2] in directions)

    def of(self, decrypt: bool) -> tuple[int, ...]:
        """The values of this field in the passes of a message to open, or to seal."""
        return (1,) if decrypt else self.sealing

    def sent(self, plain: bytes, text: bytes, tag: bytes) -> dict[int, tuple[bytes, bytes]]:
        """For each pass of a message to seal, its data and what comes of it."""
        return {0: (plain, text + tag)}

    def right_tag(self, computed: bytes) -> bytes:
        """The tag with which a packet to open is right, of what the core computes under any tag; empty if that says nothing of it."""
        return computed

    def alone(self, timed: Sequence[int]) -> Sequence[int]:
        """The value of this field in a message that is timed alone, of those that can be timed; none if any of them will do."""
        return ()


class TwoPasses(Passes):
    """A host sends a message to seal for its tag, and then with its tag for its text."""

    steps, sealing = ("absorb", "decrypt", "encrypt"), (0, 2)

    def sent(self, plain: bytes, text: bytes, tag: bytes) -> dict[int, tuple[bytes, bytes]]:
        return {0: (plain, tag), 2: (plain + tag, text)}

    def right_tag(self, computed: bytes) -> bytes:
        return b""

    def alone(self, timed: Sequence[int]) -> Sequence[int]:
        # The first pass has no text out.
        return timed[-1:]


class StoredPasses(Passes):
    """A host sends a message to seal once, and the core stores it for its second pass."""

    turns, direct = 2, False


@dataclass(frozen=True)
class KeySlots:
    """Keys are loaded into slots, which commands name.

    ``wrong`` are slots that a command can name, and that the core does not have.  ``pins`` are those of keys, ``begins`` says how the first
    key comes, and ``costs`` whether a message costs the core cycles for its key.
    """

    pins, begins, costs = IN_SLOTS, "A key is loaded", False

    slots: int

    @property
    def wrong(self) -> tuple[int, ...]:
        return self.slots, (1 << 16) - 1

    def lacks(self, slot: int) -> bool:
        """Whether there is no slot that a command names so."""
        return slot >= self.slots

    def refused(self, slot: int, key: bytes | None) -> str:
        """Why no message has this slot and this key of its own; empty if one may."""
        if slot not in range(self.slots):
            return f"this core has no key slot {slot}: it has {self.slots}, counted from 0"
        return "" if key is None else (
            "the keys of this core are loaded into slots; build it with --keys inline for messages that bring their keys"
        )  # fmt: skip

    def loaded(self, keys: Sequence[T]) -> Sequence[T]:
        """Those of the keys that a host loads before messages need them."""
        return keys

    def brings(self, slot: int, key: T) -> tuple[int, T | None]:
        """The slot that a message names, and the key that comes with it."""
        return slot, None

    def changed(self, slot: int) -> tuple[int, ...]:
        """The slots whose messages in flight lose their key when another one is sent for this slot."""
        return (slot,)

    def turns(self, packets: int) -> int:
        """How many of these key packets wait for a message that takes them."""
        return 0

    def used(self, messages: int, slots: int | None) -> int:
        """The keys of so many messages that take turns with *slots* slots, or with all of them.  Raises ``InputError`` if there are not so
        many."""
        count = self.slots if slots is None else slots
        if not 1 <= count <= self.slots:
            raise InputError(f"this core has {self.slots} key slots; {count} cannot be used")
        return count

    def slots_of(self, keys: int) -> int:
        """The slots that so many keys go through."""
        return keys


class RoundKeySlots(KeySlots):
    """Round keys are loaded into slots."""

    pins = ROUND_KEYS


class MasterKeySlots(KeySlots):
    """Keys are loaded into slots, and the core derives those of messages of them."""

    costs = True


@dataclass(frozen=True)
class KeysWithMessages(KeySlots):
    """Keys come with the messages, and there is no slot to name.  ``ring`` is the number of slots that they go through in turn."""

    pins, begins, costs, wrong = IN_ORDER, "A key is queued, and comes with the first message", True, ()

    ring: int

    def lacks(self, slot: int) -> bool:
        return False

    def refused(self, slot: int, key: bytes | None) -> str:
        return f"this core has no key slots to name, and so no slot {slot}: give the message its key" if slot else ""

    def loaded(self, keys: Sequence[T]) -> Sequence[T]:
        return ()

    def brings(self, slot: int, key: T) -> tuple[int, T | None]:
        return 0, key

    def changed(self, slot: int) -> tuple[int, ...]:
        return ()

    def turns(self, packets: int) -> int:
        return packets

    def used(self, messages: int, slots: int | None) -> int:
        if slots is not None:
            raise InputError("--slots is for cores with key slots; here every packet brings a new key")
        return messages

    def slots_of(self, keys: int) -> int:
        return self.ring


@dataclass(frozen=True)
class ChannelFields:
    """The number of a channel in commands, statuses and beats, as far as there are several."""

    count: int

    def of(self, channel: int) -> int:
        """The channel that the core knows for this number in a command."""
        return channel if self.count > 1 else 0

    def refused(self, channel: int) -> str:
        """Why no message has this channel; empty if one may."""
        return "" if channel in range(self.count) else f"this core has no channel {channel}: it has {self.count}, counted from 0"

    def alone(self, turn: int) -> int:
        """The cycles of a block that others use, if blocks of a channel wait for each other *turn* cycles; none if there are no others."""
        return turn if self.count > 1 else 0

    def named(self, channel: T) -> dict[str, T]:
        """The field of a command."""
        return {"channel": channel} if self.count > 1 else {}

    def columns(self, bus: str, channels: T) -> dict[str, T]:
        """The port of beats with these channels."""
        return {f"{bus}_tid": channels} if self.count > 1 else {}


class MessageContract:
    """What follows from the members of the description of a core for messages, for what is sent to it and what it answers.

    Its attributes are those of :class:`~modeloom.product.messages.MessageFacts` with the same names.
    """

    block_bytes: int
    blocks_per_cycle: int
    directions: tuple[str, ...]
    nonce_bytes: tuple[tuple[int, ...], ...]
    tag_bytes: tuple[int, ...]
    most_associated: int
    most_text: int
    lengths_first: bool | None
    order: str | None
    most_text_with_nonce: tuple[tuple[int, int], ...] | None
    key_slots: int
    channels: int
    hold: int | None
    message_buffer: int | None
    packet: str
    text_blocks: int | None
    packet_bytes: int | None = None
    derive_interval: int | None = None

    @property
    def inline(self) -> bool:
        """Whether keys come with the messages."""
        raise NotImplementedError

    @property
    def tag_first(self) -> bool:
        """Whether text is encrypted under its tag, so that the core works on a message to seal twice."""
        raise NotImplementedError

    # -- what a command may say ------------------------------------------------------------------------------------------

    @property
    def ways(self) -> tuple[int, ...]:
        """The values of the field ``decrypt`` of a command: 0 seals, 1 opens.  With two passes, 0 is the first pass of a message to
        seal, and 2 the second one."""
        return self.passes.ways(self.directions)

    @property
    def wrong_ways(self) -> tuple[int, ...]:
        """The values that this field can have, and that the core does not take."""
        return tuple(way for way in range(2 * len(self.passes.sealing)) if way not in self.ways)

    @cached_property
    def passes(self) -> Passes:
        """How often a host sends a message to seal."""
        if self.message_buffer is not None:
            return StoredPasses(-(-self.message_buffer // self.beat_bytes))
        return TwoPasses() if self.tag_first else Passes()

    @property
    def two_passes(self) -> bool:
        """Whether a host sends a message to seal twice."""
        return len(self.passes.sealing) > 1

    @cached_property
    def key_source(self) -> KeySlots:
        """Where keys come from."""
        if self.inline:
            return KeysWithMessages(1, self.key_slots)
        if self.packet_bytes is not None:
            return RoundKeySlots(self.key_slots)
        return KeySlots(self.key_slots) if self.derive_interval is None else MasterKeySlots(self.key_slots)

    @cached_property
    def command_fields(self) -> Packing:
        """The fields of a command."""
        passes = len(self.passes.sealing)
        return message_command(self.block_bytes, self.key_source.pins, self.form.pins, bool(self.lengths_first), passes)

    @property
    def named_slots(self) -> int:
        """Key slots that a host can name; 1 if keys come with the messages."""
        return self.key_source.slots

    @cached_property
    def channel_fields(self) -> ChannelFields:
        """What has the number of a channel."""
        return ChannelFields(self.channels)

    @property
    def nonces(self) -> tuple[int, ...]:
        """All lengths of nonces in bytes, the default first."""
        return tuple(length for lengths in self.nonce_bytes for length in lengths)

    @property
    def stated_behind(self) -> tuple[str, ...]:
        """The second part of a packet if a command has its bytes, too."""
        return (self.form.behind,) if self.lengths_first else ()

    @property
    def states_text(self) -> bool:
        """Whether a command has the bytes of text of its message."""
        return "text" in (self.form.first, *self.stated_behind)

    def text_with(self, nonce_bytes: int) -> int:
        """Most bytes of text of a message with a nonce of this number of bytes."""
        return dict(self.most_text_with_nonce or ()).get(nonce_bytes, self.most_text)

    def most_of(self, part: str, nonce_bytes: int) -> int:
        """Most bytes of "associated" or "text" of a message with a nonce of this number of bytes."""
        return {"associated": self.most_associated, "text": self.text_with(nonce_bytes)}[part]

    # -- packets ---------------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat of the data buses."""
        return self.blocks_per_cycle * self.block_bytes

    @cached_property
    def form(self) -> AssociatedFirst:
        """The form of packets.  Raises ``KeyError`` if there is none with this order."""
        return FORMS[self.packet, self.order]

    @property
    def text_first(self) -> bool:
        """Whether packets have their text before their associated data."""
        return self.order == TEXT_FIRST

    def beats(self, associated: int, text: int, tag: int = 0) -> int:
        """The number of beats of the packet of a message, which is at least one.  ``tag`` is the number of bytes of a tag in it."""
        return self.form.beats(self.beat_bytes, associated, text, tag)

    # -- what comes of a message -----------------------------------------------------------------------------------------

    @property
    def compares(self) -> bool:
        """Whether the core compares tags."""
        return self.tag_first or "decrypt" in self.directions

    def step_of(self, way: int) -> str:
        """The step that a block of text takes: "encrypt", "decrypt", or "absorb" in the first pass."""
        return self.passes.steps[way]

    def way_of(self, step: str) -> int:
        """The direction or pass whose blocks of text take a step."""
        return {self.step_of(way): way for way in self.ways}[step]

    def text_of(self, way: int, nbytes: int) -> int:
        """The bytes of text that come out of a message with so many bytes of text."""
        return 0 if self.step_of(way) == "absorb" else nbytes

    def held(self, way: int) -> bool:
        """Whether what comes of a message leaves only after its tag was right."""
        return self.hold is not None and way > 0

    def held_bytes(self, way: int, associated: int, text: int) -> int:
        """The bytes of a message with so many bytes of associated data and of text that ``hold`` counts: none of a message to seal whose
        text leaves at once, and those of its header, too, where header and text are one packet."""
        return self.form.header(associated) + text if self.held(way) else 0

    @property
    def held_limits(self) -> tuple[int, ...]:
        """The limit of these bytes; none in a core that holds nothing."""
        return () if self.hold is None else (self.hold,)

    @property
    def stores(self) -> bool:
        """Whether the core holds or stores messages, and may find them too long."""
        return self.hold is not None or not self.passes.direct

    def overflows(self, way: int, associated: int, text: int) -> bool:
        """Whether a message with so many bytes of associated data and of text is longer than the core can hold."""
        return any(self.held_bytes(way, associated, text) > most for most in self.held_limits)

    @property
    def buffered_beats(self) -> int | None:
        """Beats of the longest message to seal that the core can store; None if it stores none."""
        return self.passes.most_beats

    @property
    def buffered_bytes(self) -> int | None:
        """Bytes of these beats."""
        return None if self.buffered_beats is None else self.buffered_beats * self.beat_bytes

    def stored(self, way: int) -> bool:
        """Whether the core stores a message before it works on it."""
        return self.buffered_beats is not None and not way

    def too_long(self, way: int, beats: int) -> bool:
        """Whether a message with a packet of so many beats is longer than the core can store."""
        return not way and self.buffered_beats is not None and beats > self.buffered_beats

    def room(self, way: int) -> int:
        """Most bytes of text that the core stores, or holds back, of a message without associated data; if it does neither, those of the
        mode."""
        stored = self.hold if way else self.buffered_bytes
        return self.most_text if stored is None else stored

    def fits(self, way: int, associated: int, text: int) -> bool:
        """Whether the core can store a message with so many bytes, or hold it back."""
        return not self.too_long(way, self.beats(associated, text)) and self.held_bytes(way, associated, text) <= (self.hold or 0)

    @property
    def text_bytes(self) -> int:
        """Bytes of text that are computed together.  A packet that is cut off has all of them or none."""
        return self.block_bytes * (self.text_blocks or self.blocks_per_cycle)
