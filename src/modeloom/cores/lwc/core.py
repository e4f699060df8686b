# SPDX-License-Identifier: Apache-2.0
"""Makes a ``Core`` of a compiled stream mode behind the LWC interface, and makes the same core again from a folder.

The sections of the datasheet of a core behind the LWC interface: segments, keys, statuses, cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

from modeloom.cores.lwc.bench import bench_verilog, lwc_cases
from modeloom.cores.stream.core import StreamCore, same_stream
from modeloom.cores.stream.describe import cipher_name
from modeloom.cores.stream.sheet import sheet as stream_sheet
from modeloom.interfaces.lwc import Opcode
from modeloom.layers import Stack
from modeloom.layers.layer import Texts
from modeloom.layers.lwc import LwcInterface
from modeloom.layers.lwc.parameters import LwcParameters
from modeloom.product.cases import Cases
from modeloom.product.core import Sheet
from modeloom.product.message import LwcDescription
from modeloom.product.messages import StreamDescription
from modeloom.product.page import table
from modeloom.spec.errors import numbers

__all__ = ["LwcCore", "same_lwc", "sheet"]


def sheet(stack: Stack, d: LwcDescription, messages: StreamDescription) -> Sheet:
    """The sections of the datasheet; ``messages`` describes the same core without the interface."""
    t = stack.texts(d)
    inner = stream_sheet(stack, messages)
    does = " and ".join({"encrypt": "seal", "decrypt": "open"}[way] for way in d.directions)
    return replace(
        inner,
        summary=(
            f"{d.title} with {cipher_name(stack.compiled)}, to {does} messages of any length with associated data, behind the LWC "
            f"interface with words of {d.interface_bits} bits.{t.protected('')}"
        ),
        theory=(
            *inner.theory, "PDI, SDI and DO stand around this pipeline. A key that is activated goes into one of two slots by turns, so it "
            "is prepared while messages of the key before are under way.", "",
        ),
        payloads=tuple(_payloads(d)), use=tuple(_use(d)), figures=tuple(_figures(t, d)),
        storage=(
            "- Keys cannot be read from the ports. A key is overwritten when the second key after it is activated, and by `zeroize`.",
        ),
        bench="It checks every word of DO, with and without pauses, and what follows a fault; results come from the software model.",
    )  # fmt: skip


def _payloads(d: LwcDescription) -> Iterator[str]:
    yield (
        "An instruction, a header of a segment and a status are the upper 32 bits of a word. Data follow in words whose upper byte is the "
        "first one; a segment begins with a word of its own, and bytes behind its end are not read."
    )
    yield ""
    codes = [(one.name.replace("_", " ").lower(), "opcode", one) for one in Opcode if one is not Opcode.HASH]
    types = [(one.name.lower(), "type", one) for one in d.words.segments]
    yield from table(["word", "bits 31 to 28", "value"], [[name, what, f"0x{int(one):x}"] for name, what, one in [*codes, *types]])
    yield from table(
        ["bits of a header", "meaning"],
        [["15 to 0", "bytes of data"], ["24", "Last: the last segment of the message"], ["25", "EOT: the last segment of its type"],
         ["26, 27", "EOI and Partial, which the core does not read"]],
    )  # fmt: skip


def _use(d: LwcDescription) -> Iterator[str]:
    sizes = numbers(d.key_sizes)
    yield (
        f"**Keys.** `activate key` on PDI lets the core take `load key` and a segment with the key, {sizes} bytes, from SDI. Messages "
        "after it have this key. The words on SDI may come before or after. Without a key, and after words that are no key, messages are "
        "answered with FAILURE."
    )
    yield ""
    yield (
        f"**Messages.** To seal, send `encrypt`, {d.words.before_nonce}the nonce of {numbers(d.nonces)} bytes, associated data and "
        f"plaintext. To open, send `decrypt`, the same with ciphertext, and the tag of {d.tag_bytes[0]} bytes. Associated data and text "
        f"may have several segments; all but the last one have whole words of {d.word_bytes} bytes, and those of text at least a block. "
        "Associated data may be left out, and an empty text is a segment without data."
    )
    yield ""
    yield (
        "DO has the text with the same segments, then the tag of a sealed message, then SUCCESS or FAILURE, with `do_last`. A segment of "
        "the wrong type or length is a fault: the rest of the message is skipped up to the segment with Last, and the status is FAILURE. "
        "Of a message that was refused nothing but the status leaves. If the fault comes behind text, the segment that has begun to leave "
        "is filled with zeros."
    )
    yield ""
    yield "**Never use a nonce twice under a key.** The core does not look for it."
    yield ""


def _figures(t: Texts, d: LwcDescription) -> Iterator[str]:
    rows: list[Sequence[object]] = [
        ["words of PDI for a message of 64 bytes to seal", d.words_of(0, 64, False, d.nonces[0], d.tag_bytes[0]), "words"],
        ["words of PDI for a message of 1500 bytes to seal", d.words_of(0, 1500, False, d.nonces[0], d.tag_bytes[0]), "words"],
        ["cycles per block of associated data, and of text, in the message control", f"{d.cycles.associated}, {d.cycles.text}", "cycles"],
        ["maximum text", d.words.most_text(d.most_text), "bytes"],
        *t.held_rows,
    ]  # fmt: skip
    yield from table(["figure", "value", "unit"], rows)
    yield "The interface takes a word of PDI in a cycle, and gives a word of DO in a cycle."
    yield ""


class LwcCore(StreamCore):
    """The core of a compiled stream mode behind the LWC interface.

    Raises ``InputError`` if the interface does not fit the mode.
    """

    @property
    def _words(self) -> LwcParameters:
        """The sizes of the interface, which is the outermost layer."""
        assert isinstance(self.top, LwcInterface)
        return self.top.words

    @property
    def headline(self) -> str:
        """The mode, the width, the cipher and the directions."""
        compiled = self.compiled
        return (
            f"{compiled.mode.title}, messages of any length behind the LWC interface, words of {self._words.word_bits} bits, "
            f"{cipher_name(compiled)}, {' and '.join(compiled.options.directions)}"
        )

    @property
    def figures(self) -> str:
        """The words of a block, tags, whether the pipeline was proved, and whether plaintext leaves before its tag is checked."""
        compiled, p = self.compiled, self._words
        released = f" {self.stack.unverified}" if self.describe("core", "modeloom").releases else ""
        return (
            f"Words of a block: {p.block_words}; tags of {p.tag_bytes} bytes; pipeline {'proved' if compiled.proof else 'NOT PROVED'}."
            f"{released}"
        )

    def describe(self, name: str, command: str) -> LwcDescription:
        """The contents of ``core.json``."""
        inner = super().describe(name, command)
        values = {field.name: getattr(inner, field.name) for field in fields(StreamDescription)}
        own = {"schema": LwcDescription.SCHEMA, "interface_bits": self._words.word_bits, "tag_bytes": (self._words.tag_bytes,)}
        return LwcDescription(**values | own)

    def sheet(self, description: StreamDescription) -> Sheet:
        """The sections of the datasheet for this core."""
        assert isinstance(description, LwcDescription)
        return sheet(self.stack, description, super().describe(description.name, description.command))

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, self.describe(name, "modeloom"))

    def cases(self) -> Cases:
        """Messages and faults of the bench."""
        return lwc_cases(self.compiled, self.describe("core", "modeloom"))

    def rules(self, name: str) -> str:
        """There are none; the bench looks at the ports."""
        return ""


def same_lwc(description: LwcDescription, folder: Path) -> LwcCore:
    """Makes a core again from its description.  The definition is compiled and proved, unless the core was built without the proof."""
    return LwcCore(same_stream(description, folder).compiled)
