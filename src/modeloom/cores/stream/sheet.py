# SPDX-License-Identifier: Apache-2.0
"""The sections of the datasheet that only cores for messages have: pipeline, commands and packets, keys, cycles."""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.payloads import code_table, command_table, key_table, status_line
from modeloom.cores.stream.figures import cipher_name
from modeloom.cores.stream.hardware import bus_parameters
from modeloom.interfaces.messages import MOST_CHANNELS, MessageCode
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.product.core import Sheet
from modeloom.product.markdown import table
from modeloom.product.messages import DerivationFigures, MessageShape, StreamDescription
from modeloom.spec.wording import numbers

__all__ = ["RELEASED", "released", "sheet"]


def released(good: str, bad: str) -> str:
    """The warning for users of a core that opens messages without holding their text, with the names of the statuses of its interface."""
    return (
        f"This core outputs plaintext before it verifies the tag. Do not use the text of a message before its status is {good}. Discard it "
        f"if the status is {bad}."
    )


RELEASED = released("OK", "WRONG_TAG")
"""The warning with the status codes of AXI4-Streams."""


TOO_LONG_PACKET = (
    "A message to open with more header and text than the core can hold is refused with TOO_LONG_TO_HOLD, and gives no packet."
)
TOO_LONG = "A message to open with more text than the core can hold is refused with TOO_LONG_TO_HOLD, and gives no text."

INVERSE = {
    "proved": "A proof shows that opening inverts sealing in the definition, for all lengths and any permutation as the cipher.",
    "tested": "Tests with random and chosen values show that opening inverts sealing in the definition.",
    "not checked": "**It was not checked that opening inverts sealing**: the core was built without the proof.",
}
"""Sentences for the values of ``inverse`` in ``core.json``."""


def sheet(compiled: CompiledStream, d: StreamDescription, unverified: str = RELEASED) -> Sheet:
    """The sections of the datasheet.  ``unverified`` is the warning of a core that releases text before it verifies the tag."""
    does = " and ".join({"encrypt": "seal", "decrypt": "open"}[way] for way in d.directions)
    warning = f" **{unverified}**" if d.releases else ""
    too_long = TOO_LONG_PACKET if d.wire else TOO_LONG
    if d.hold is not None:
        what = "header and text" if d.wire else "text"
        whose = "a message to open, or of a second pass," if d.two_passes else "a message to open"
        warning = f" Text of {whose} leaves the core only after its tag was found correct, up to {d.hold} bytes of {what}."
    return Sheet(
        summary=(
            f"{d.title} with {cipher_name(compiled)}, to {does} messages of any length with associated data, "
            f"{d.pace}, {_slots(d)}.{warning}"
        ),
        theory=tuple(_theory(d)),
        payloads=tuple(_payloads(d)),
        use=tuple(_use(compiled, d)),
        figures=tuple(_figures(d)),
        timing=(
            "- Timing does not depend on keys, nonces, data or tags. The comparison of a tag always takes the same cycles.",
            *((f"- {unverified}",) if d.releases else ()),
            *((f"- Nothing of a message leaves before its tag was found correct. {too_long}",) if d.hold is not None else ()),
        ),
        kept=("- Round keys and set-up values cannot be read from the ports. Erasing or loading a slot overwrites them.",),
        checked=(
            "- The pipeline was proved equal to the definition, on symbols: "
            f"{d.explain.proof.messages} messages one after another, and by induction those of any length."
            if d.explain.proof
            else "- **The pipeline was not proved**: the core was built without the proof.",
            f"- {INVERSE[d.explain.inverse]}",
        ),
        bench=(
            "It checks text, tags, order and status codes, the interval between messages and the latency against this datasheet; results "
            "come from the software model."
        ),
    )


def _slots(d: StreamDescription) -> str:
    """A phrase that says where keys are."""
    if d.inline:
        return f"keys that come with messages, {d.key_slots} at a time"
    slots = f"{d.key_slots} key slot{'s' * (d.key_slots != 1)}"
    return slots if d.derive_interval is None else f"{slots} for master keys"


def _theory(d: StreamDescription) -> Iterator[str]:
    e = d.explain
    gap = " without a gap" if e.cadence is None else ""
    yield (
        f"The core is a pipeline of {e.stages} stages that never stalls. A token enters in a cycle: a block of a message with what has to "
        "be done with it. Units and state stand at fixed stages, so tokens of different messages, key slots and directions follow each "
        f"other{gap}. A token of text enters only when the output has a place for it."
    )
    yield ""
    if e.cadence is not None:
        count = e.cadence.blocks
        goes, places = ("a block goes", "one cycle") if count == 1 else (f"{count} blocks go", f"{count} successive cycles")
        yield (
            f"The cipher is one round, through which {goes} at a time. A counter that runs freely lets tokens that use the cipher enter in "
            f"{places} of every {e.cadence.interval}, whatever messages they belong to. Other tokens enter in any cycle."
        )
        yield ""
    yield from table(["unit", "stage", "cycles"], [[name, unit.stage, unit.latency] for name, unit in e.units.items()])
    if d.chains:
        yield (
            f"The polynomial hash runs in {d.chains} chains. Block i goes to chain i mod {d.chains}, and is multiplied with a power of the "
            "hash key that depends on the blocks to come. Set-up computes these powers once for each key."
        )
        yield ""
    if e.derivation is not None:
        yield from _derivation(e.derivation)
        return
    if d.inline:
        yield (
            f"Keys come with the messages, and are in a ring of {d.key_slots} slots that no port names. While messages use one key, the "
            "key schedule works on the next ones. What the cipher computes of a key takes a cycle of the messages, if none is free; powers "
            "of a hash key have a small multiplier of their own. When the messages of a key are done, its round keys and all that was "
            f"computed of it ({d.explain.key_words} blocks of the key memory) are overwritten."
        )
        yield ""
        return
    yield (
        "A key slot is prepared by tokens in cycles that messages of other slots leave free "
        f"({e.key_words} blocks of the key memory a slot)."
    )
    yield ""


def _derivation(of: DerivationFigures) -> Iterator[str]:
    """The paragraph on how the core derives keys."""
    calls = " or ".join(map(str, sorted(set(of.calls))))
    cores = "a round core" if of.cores == 1 else f"{of.cores} round cores"
    yield (
        f"Slots hold master keys. In front of the pipeline, {cores} of the cipher make the key of each message of its nonce and the master "
        f"key in its slot, with {calls} calls of the cipher, while the pipeline works on the messages before it. The key is then expanded, "
        "and its powers are computed, in a ring of slots that no port names. When the message is done, they are overwritten."
    )
    yield ""


def _payloads(d: StreamDescription) -> Iterator[str]:
    groups = {group.name: group for group in d.interfaces}
    own = {
        "nonce": f"nonce of {numbers(d.nonces)} bytes, zeros behind it",
        "nonce_bytes": f"bytes of the nonce: {numbers(d.nonces)}",
        "tag_bytes": f"bytes of the tag: {numbers(d.tag_bytes)}",
        "slot": "key slot, always 0" if d.key_slots == 1 else f"key slot, 0 to {d.key_slots - 1}",
        "channel": "channel, always 0" if d.channels == 1 else f"channel, 0 to {d.channels - 1}",
    }
    yield from command_table(groups["s_axis_cmd"], own)
    yield from status_line(groups["m_axis_status"], ("channel",) if d.channels == 1 else ())
    if d.wire:
        yield from _packets(d)
        return
    first, behind = ("text", "associated data") if d.text_first else ("associated data", "text")
    begins = "begin with a beat of their own" if d.text_first else "begins with a beat of its own"
    yield (
        f"A message is one packet on `s_axis`, {d.beat_bytes} bytes per beat: the {first}, then the {behind}, which {begins}. "
        f"`tkeep` is all ones but in the last beat of the {first} and in the last beat of the {behind}; `tlast` marks the "
        "end of the packet. A message without associated data and text has a packet of one beat with `tkeep` 0. Such a beat may also "
        f"follow the {first} of a message without {behind}. Anywhere else, a beat without bytes is refused with BAD_KEEP, also as the last "
        "beat behind all bytes."
    )
    yield ""
    if d.text_first:
        yield (
            "The command has the number of bytes of text, at the place at which other cores have that of associated data "
            "(`associated_bytes` of the driver in C). If the associated data have a fault, the text has left as a whole, and is to be "
            "discarded."
        )
        yield ""
    yield (
        "The text of a message comes out as one packet on `m_axis`, with the lengths that went in; its bytes outside `tkeep` are zero. A "
        "message without text gives no packet. If the packet of a message has a fault behind its first beat of text, what comes out ends "
        "with a beat of `tkeep` 0 and `tuser` 1."
    )
    yield ""
    if d.channels > 1:
        yield (
            f"The beats of up to {d.channels} packets, of a channel each, may interleave in any order. `tid` names the channel of a "
            "beat on `s_axis` and `m_axis`. The packets and statuses of a channel are in the order of its commands. The core takes "
            "four commands of each channel before the packet of the first of them has ended. A fifth one waits, and all commands "
            "behind it wait, too."
        )
        if d.channels < MOST_CHANNELS:
            yield (
                f"A command of channel {d.channels} or above gets NO_CHANNEL at once. It has no packet, and beats of such channels are "
                "dropped."
            )
        yield ""


def _packets(d: StreamDescription) -> Iterator[str]:
    """Packets as they are on the wire."""
    yield (
        f"A message is one packet on `s_axis`, {d.beat_bytes} bytes per beat: the header, which is the associated data, the text, and the "
        "tag of a message to open. They touch each other at any byte. `tkeep` is all ones but in the last beat, where `tlast` is high. A "
        "packet without bytes is one beat with `tkeep` 0. The command states the bytes of the header and of the tag; its field `tag` is "
        "not read."
    )
    yield ""
    yield (
        "A packet comes out on `m_axis` for each command, in the same form: the header unchanged, the other text, and the tag of a sealed "
        "message. `tuser` is 1 in its last beat if the message failed, and 0 otherwise. Such a packet may end early; it has no tag."
    )
    yield ""
    if d.hold is not None:
        yield (
            "The packet of a message to open leaves only if its tag is right. Otherwise there is no packet. Its header and text have at "
            f"most {d.hold} bytes together."
        )
        yield ""


def _keys(compiled: CompiledStream, d: StreamDescription) -> Iterator[str]:
    """The paragraphs on key packets."""
    if d.packet_bytes is None:
        sizes = f"{numbers(d.key_sizes)} bytes; its length chooses the size" if len(d.key_sizes) > 1 else f"{d.key_bytes} bytes"
        where = "in the order of the messages" if d.inline else "`tdest` of the first beat names the slot"
        yield f"**Keys.** A key is {sizes}, sent as one packet on `s_axis_key`, 16 bytes per beat; {where}."
        yield ""
        yield from key_table(d, compiled.mode)
        if d.derive_interval is not None:
            yield (
                "Each nonce has keys of its own, which the core derives of the master key. They never leave the core. A command names the "
                "slot of the master key."
            )
            yield ""
        if d.derives:
            yield (
                f"Each nonce has keys of its own. Software derives them of a master key of {numbers(d.user_key_lengths)} bytes, and sends "
                f"{' and '.join(d.key_parts)}, one behind the other, with the first message of a nonce. The core has no master key."
            )
            yield ""
        return
    count = bus_parameters(compiled).keys.round_keys
    yield (
        f"**Keys.** The core has no key schedule: software expands a key. A packet on `s_axis_key` has {d.packet_bytes} bytes, 16 per "
        f"beat: the parts of the key in their order, and in the place of the {d.cipher.upper()} key its {count} round keys as encryption "
        "takes them, the first one first. Each part and each round key begins with a beat. What remains of its last beat is not read. "
        "`tkeep` is all ones in every beat. `tdest` of the first beat names the slot. The core computes all else that depends only on the "
        "key."
    )
    yield ""


def _use(compiled: CompiledStream, d: StreamDescription) -> Iterator[str]:
    yield from _keys(compiled, d)
    yield from _turns(d) if d.inline else _loading(d)
    tags = (
        "The tag of a sealed message is in the packet out, and in the status. To open, send the packet with its tag; the status and "
        "`tuser` say whether it is right. Of a refused message its header at most leaves, with `tuser` 1:"
        if d.wire
        else "To seal, take the tag from the status. To open, put the tag into the command; the status says whether it is right. A refused "
        "message gives a status and no text:"
    )
    if d.message_buffer is not None:
        yield from _stored(d)
    if d.two_passes:
        yield from _passes(d)
        tags = (
            "To open, put the tag into the command with `decrypt` 1; the status says whether it is right. A refused message gives a status "
            "and no text:"
        )
    yield (
        "**Messages.** Send a command and a packet for each message, in the same order; either may come first. Text comes back in that "
        f"order, and one status for each command follows its text. {tags}"
    )
    yield ""
    yield from code_table(MessageCode)
    if d.text_first:
        yield "A packet that ends before the end of its text gets TOO_SHORT."
        yield ""
    if d.lengths_first:
        yield (
            "The command has the number of bytes of text. A packet with fewer of them gets TOO_SHORT, and one with more gets TOO_LONG."
        )
        yield ""
    yield (
        "If several things are wrong with a command, the highest code is given, and its packet is not checked. In a packet, the first "
        "wrong beat decides. A host that does not take text or statuses holds up the entry of further blocks; nothing is lost."
    )
    yield ""
    if d.two_passes:
        yield (
            "**Use a nonce for one message.** The core does not look for it. Messages that are equal, with the same nonce, are sealed to "
            "the same; this is all that a nonce that is used a few times reveals."
        )
    else:
        yield "**Never use a nonce twice under a key.** The core does not look for it."
    yield ""


def _passes(d: StreamDescription) -> Iterator[str]:
    """The paragraphs on the passes of a message."""
    if "encrypt" not in d.directions:
        return
    yield (
        "**Two passes.** A message to seal goes through the core twice, with the same nonce, associated data and plaintext. The first pass "
        "is a command with `decrypt` 0 and a packet: no text comes out, and the status has the tag. The second pass has `decrypt` 2 and "
        "this tag in its command: the ciphertext comes out. Other messages may come between the passes, so that no cycle is lost."
    )
    yield ""
    yield (
        "The core computes the tag in the second pass, too, and compares it. WRONG_TAG says that the passes were not those of one message. "
        + ("No text of such a pass leaves." if d.hold is not None else "Its text must then be discarded, as it reveals key stream.")
    )
    yield ""


def _stored(d: StreamDescription) -> Iterator[str]:
    """The paragraphs on messages that the core stores."""
    yield (
        "**Messages to seal** are stored, and the core works on each twice: the first pass computes the tag, and the second one encrypts "
        f"under it. A packet to seal has at most {d.buffered_beats} beats ({d.buffered_bytes} bytes). A longer one gets TOO_LONG_TO_HOLD, "
        "whatever else is wrong with it, and gives no text. The ciphertext comes when the whole packet has come, and its tag is known. "
        "Messages to open are not stored. One waits until the second passes of the messages before it have begun."
    )
    yield ""
    yield (
        "A block takes two tokens, one in each pass, and so two cycles in the steady state. The text of a message stays in the memory "
        "until other messages overwrite it, or until `zeroize`."
    )
    yield ""


def _turns(d: StreamDescription) -> Iterator[str]:
    """The paragraphs on the use of keys in the order of messages."""
    yield (
        "A command with `new_key` takes the next key packet; the others have the key of the message before them. Either may come first: "
        "a command waits for its key. A packet of the wrong length raises `key_error` and has its turn, too: the messages that would use "
        "its key are refused with NO_KEY, and so are messages before the first key. A packet whose first beat has `tuser` set drops the "
        "key before it, as soon as commands have taken all keys before it."
    )
    yield ""
    yield (
        "A key stays in the core until the next one is taken, or until it is dropped, and its messages are done. Then it is overwritten, "
        f"and so is, in cycles that messages leave free, what its messages left in the state: {d.key_erase_cycles} cycles after the packet "
        "that drops it, and what the messages in flight still need, nothing of it is left. `key_busy` is high while a key is worked on, "
        "and until a used key is overwritten. `key_loaded` is high if the last key packet is a key that is ready."
    )
    yield ""
    if d.key_cycles is None:
        costs = f"a cycle of the messages, at most {d.cost_of_key} with what the ring needs"
    else:
        costs = f"the messages the places of its set-up, at most {d.key_cycles} cycles with what the ring needs"
    yield (
        f"A new key costs {costs}, if keys are {d.key_interval} cycles or more apart; "
        "keys that follow each other faster have this distance. Send keys ahead: a core that is idle has to prepare a key before the first "
        "block of its message can enter."
    )
    yield ""


def _loading(d: StreamDescription) -> Iterator[str]:
    """The paragraphs on the use of key slots."""
    flag = "the slot's bit of `key_loaded`" if d.key_slots <= LISTED_SLOTS else "`key_loaded`, which is about the slot of the last packet,"
    refused = f", the mode refuses the key ({d.refused_keys})," if d.refused_keys else ""
    yield (
        "The slot's old key is overwritten first, when the slot's messages in flight are done; messages of other slots go on meanwhile. "
        f"`key_busy` is high while a key is worked on; afterwards {flag} is set, or `key_error` is high because "
        f"the packet had the wrong length{refused} or the slot does not exist. A packet whose first beat has `tuser` set erases the slot: "
        f"{d.key_erase_cycles} cycles later, and what the messages in flight still need, nothing of its key is left, nor of what the core "
        "has computed with it. After a reset no slot is loaded."
    )
    yield ""


def _row(figure: str, cycles: int | None) -> list[list[object]]:
    return [[figure, cycles, "cycles"]]


def _unused_rows(d: StreamDescription) -> list[list[object]]:
    """The cycles of the distance in which no token fits."""
    if d.unused is None:
        return []
    parts = {
        "each message": d.unused.message, "a message with associated data, beside these": d.unused.associated,
        "a second pass, beside these": d.unused.second,
    }  # fmt: skip
    what = "maximum average number of cycles in which no token of {} fits"
    return [[what.format(which), cycles, "cycles"] for which, cycles in parts.items() if cycles]


def _stored_rows(d: StreamDescription, shape: MessageShape) -> list[list[object]]:
    """The figures of messages that the core stores."""
    if d.message_buffer is None:
        return []
    return [
        ["maximum average interval between messages of these lengths to seal", d.sealed_cycles(shape.associated, shape.text), "cycles"],
        ["longest message to seal", d.buffered_bytes, "bytes"],
    ]


def _figures(d: StreamDescription) -> Iterator[str]:
    usual, *others = d.explain.starts
    shape, average = d.bench_shape, "" if d.cadence is None else "average "
    most = "maximum " if average or d.derive_interval or d.message_buffer else ""
    of_messages = "maximum average " if d.unused else ""
    rows: list[list[object]] = [
        *(
            [[f"blocks that the cipher takes in {d.cadence.interval} cycles", d.cadence.blocks, "blocks"]] if d.cadence is not None else []
        ),
        [f"{average}cycles per block of associated data, and of text", f"{d.cycles.associated}, {d.cycles.text}", "cycles"],
        [f"{average}cycles per tag", d.cycles.tag, "cycles"],
        [f"start of a message with a nonce of {numbers(usual.nonce_bytes)} bytes", d.cycles.start, "cycles"],
        *([f"start of a message with a nonce of {numbers(start.nonce_bytes)} bytes", d.start_cycles(start), "cycles"] for start in others),
        [
            f"{of_messages}interval between messages with {shape.associated} bytes of associated data and {shape.text} bytes of text",
            d.cycles_of(shape.associated, shape.text), "cycles",
        ],
        *_stored_rows(d, shape),
        *_unused_rows(d),
        [f"{most}latency at the pins, from the first input beat of text to the first output beat", d.latency, "cycles"],
        *(_row("minimum average interval between messages, for their keys", d.derive_interval) if d.derive_interval else []),
        *(_row(f"minimum interval between new keys that cost at most {d.cost_of_key} cycles", d.key_interval) if d.inline else []),
        ["maximum associated data", d.most_associated, "bytes"],
        ["maximum text", d.most_text, "bytes"],
        *([[f"maximum {'header and ' * d.wire}text of a message to open", d.hold, "bytes"]] if d.hold is not None else []),
    ]  # fmt: skip
    yield from table(["figure", "value", "unit"], rows)
    alone = "a sealed message" if d.hold is not None else "a message"
    yield f"The latency holds for {alone} that is alone, without associated data, whose command comes with its text."
    if d.derive_interval is not None:
        yield "It includes the time until the key of this message is derived and prepared."
    if d.message_buffer is not None:
        yield "It is that of a message to seal: of its first pass up to the tag, and of its second pass."
    if d.cadence is not None:
        yield f"It depends on the cycle in which the message comes: the message waits up to {d.waits} cycles for the cipher."
    if d.wire:
        yield "It has one beat of text, which leaves when it is known whether the tag, or nothing, follows."
    yield ""
