# SPDX-License-Identifier: Apache-2.0
"""Control sees words through the gates alone: shown for the parts at PDI and SDI by themselves, with planted leaks, and for whole cores."""

import pytest
from amaranth.back import rtlil
from tests.built import slow
from tests.cores.lwc.core import folder
from tests.cores.lwc.patched import patched
from tests.layers.lwc.sizes import parameters

from modeloom.layers.lwc import parser
from modeloom.layers.lwc import parser as loader
from modeloom.product.description import Declassified, Result, Secret
from modeloom.product.message import PUBLIC_WORDS
from modeloom.taint import TimingChannel, check_core, check_netlist
from modeloom.taint.graph import netlist_of_rtlil

HEADERS = (Declassified(PUBLIC_WORDS, ("gate.header",)),)

PARSED = (Result("cmd__payload", 128, alone=False), Result("s__payload", 128, alone=False), Result("late__payload", 128, alone=False))
"""Where the bytes of segments go: a nonce, associated data and text, and a tag."""

LOADED = (Result("key__payload", 128, alone=False),)


def checked(component, port, results, declassified=HEADERS):
    """The report on a part whose words are all secret."""
    netlist = netlist_of_rtlil(rtlil.convert(component, name="top", emit_src=False), "top")
    return check_netlist(netlist, [Secret("data", port, 0, 32, reaches=False)], results, (), declassified)


def test_parts():
    for part, port, results in ((parser.SegmentParser, "pdi__payload", PARSED), (loader.KeyLoader, "sdi__payload", LOADED)):
        report = checked(part(parameters()), port, results)
        assert report.declassified == {PUBLIC_WORDS: 32} and report.control > 100
        # Without the gate, headers are secrets, and they decide.
        with pytest.raises(TimingChannel):
            checked(part(parameters()), port, results, ())


@pytest.mark.parametrize("before, after", [
    ("ready.eq(~blocks | assembler.i.ready)", "ready.eq(~blocks | (assembler.i.ready & ~word[0]))"),
    ("assembler.i.payload.ends.eq(data_word & eot_reg)", "assembler.i.payload.ends.eq((data_word & eot_reg) | word.all())"),
    ("with m.If(data_word):", "with m.If(data_word | (word == 0)):"),
    ("MessageCode.BAD_KEEP, MessageCode.OK)", "MessageCode.BAD_KEEP, tag_reg[0])"),
])  # fmt: skip
def test_leaks_beside_the_gate_are_found(before, after):
    with pytest.raises(TimingChannel):
        checked(patched(parser, before, after).SegmentParser(parameters()), "pdi__payload", PARSED)


def test_a_leak_of_a_key_is_found():
    leak = patched(loader, "with m.If(full_reg & self.key.ready):", "with m.If(full_reg & self.key.ready & ~words_reg[0][5]):")
    with pytest.raises(TimingChannel):
        checked(leak.KeyLoader(parameters()), "sdi__payload", LOADED)


def test_a_gate_must_be_there():
    with pytest.raises(TimingChannel, match="there is no gate.nothing"):
        checked(parser.SegmentParser(parameters()), "pdi__payload", PARSED, (Declassified(PUBLIC_WORDS, ("gate.nothing",)),))


@slow
def test_core():
    report = check_core(folder())
    assert report.declassified == {PUBLIC_WORDS: 64, "whether the tag of a message is right": 1}
