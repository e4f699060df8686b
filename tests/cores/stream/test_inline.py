# SPDX-License-Identifier: Apache-2.0
"""Cores whose keys come with the messages: another key for each, what it costs, wrong keys, and what is left of used ones."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests import streamed
from tests.built import slow
from tests.external import needs

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.emit import CheckFailed, lint, run_bench
from modeloom.interfaces.messages import MessageCode, pack_message_command
from modeloom.measure.traffic import find_mix, measure_traffic
from modeloom.modes.gcm import GCM
from modeloom.product.folder import read_messages
from modeloom.product.message import Message, MessageError
from modeloom.product.messages import TAG_VERDICT
from modeloom.rtl.aes.iterative_schedule import IterativeKeySchedule
from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.rtl.stream.inline_keys import KeyRing, TurnPreparation, TurnPreparations
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError
from modeloom.taint import check_core
from modeloom.verification.stream import dynamic_checks
from modeloom.verification.stream.erasure import check_erasure
from modeloom.verification.stream.host import StreamSubject

SLOTS = 20
ALL = {
    "key_bits": 256, "more_key_bits": (128, 192), "key_slots": SLOTS, "cipher_stages": 1, "mul_stages": 1, "keys": "inline", "prove": False,
}  # fmt: skip
OWN = str(Path(__file__).parents[2] / "streams" / "modes.py") + ":{}"
"""Stream modes of the tests' own, as a user names them."""

SIZES = (16, 24, 32)
GAPS = {"s_axis": 0.3, "s_axis_cmd": 0.5, "s_axis_key": 0.4, "m_axis": 0.3, "m_axis_status": 0.3}


def messages_of(rng, count, shared=0.0):
    """Messages with keys of their own, sealed and opened, and what must come of each."""
    messages, wanted, key = [], [], b""
    for number in range(count):
        brings = not key or rng.random() >= shared
        key = rng.randbytes(SIZES[rng.randrange(3)]) if brings else key
        nonce, ad, text = rng.randbytes(12), rng.randbytes(rng.choice((0, 0, 5, 16, 33))), rng.randbytes(rng.choice((0, 1, 16, 40, 200)))
        sealed, decrypt = AESGCM(key).encrypt(nonce, text, ad), bool(number % 3 == 1)
        messages.append(Message(nonce, sealed if decrypt else text, ad, decrypt, key=key if brings else None))
        wanted.append(text if decrypt else sealed)
    return messages, wanted


def steps_of(core, keys, text):
    """Cycles from status to status of messages with these keys, once the ring is full."""
    for outcome in core.outcomes([Message(bytes(12), bytes(text), key=key) for key in keys]):
        assert outcome.code == MessageCode.OK
    half = core.status_cycles[len(keys) // 2 :]
    return [b - a for a, b in zip(half, half[1:], strict=False)]


def test_each_message_has_another_key():
    for gaps in (None, GAPS):
        core, rng = streamed.simulated(**ALL, gaps=gaps, seed=3), Random(str(gaps))
        for shared in (0.0, 0.6):
            messages, wanted = messages_of(rng, 40, shared)
            assert core.run(messages) == wanted


def test_a_new_key_costs_at_most_three_cycles_and_no_more_for_other_keys():
    core, d, rng = streamed.simulated(**ALL), read_messages(streamed.folder(**ALL)), Random(8)
    text = d.key_interval * d.beat_bytes
    spent = []
    for _ in range(2):
        keys = [rng.randbytes(32) for _ in range(20)]
        spent.append(steps_of(core, keys, text))
    # Nothing depends on what keys are.
    assert spent[0] == spent[1]
    assert sum(spent[0]) <= len(spent[0]) * (d.cycles_of(0, text) + 3)
    assert max(spent[0]) <= d.cycles_of(0, text) + 6
    # One key for all costs nothing.
    core.outcomes([Message(bytes(12), bytes(text), key=bytes(32)), *[Message(bytes(12), bytes(text))] * 12])
    assert {b - a for a, b in zip(core.status_cycles[6:], core.status_cycles[7:], strict=False)} == {d.cycles_of(0, text)}


def test_the_shortest_messages_wait_for_two_key_schedules():
    core, d = streamed.simulated(**ALL), read_messages(streamed.folder(**ALL))
    assert d.key_interval == 8 and (d.options["key_schedule"], d.options["key_schedules"]) == ("iterative", 2)
    for nbytes, cycles in ((32, 8), (24, 7), (16, 6)):
        steps = steps_of(core, [bytes([n]) * nbytes for n in range(80)], 1)
        # Each of them makes a round key in a cycle, and takes a key after its last round key.
        assert cycles - 0.2 <= sum(steps) / len(steps) <= d.key_interval


@slow
def test_the_shortest_messages_wait_for_one_key_schedule():
    for kind, all_cycles in (("word", (59, 51, 43)), ("iterative", (16, 14, 12))):
        core = streamed.simulated(**ALL, key_schedule=kind, key_schedules=1)
        for nbytes, cycles in zip((32, 24, 16), all_cycles, strict=True):
            steps = steps_of(core, [bytes([n]) * nbytes for n in range(48)], 1)
            assert cycles - 1 <= sum(steps) / len(steps) <= cycles + 1


@slow
@pytest.mark.parametrize("streams", [1, 4])
def test_round_cores_with_a_key_for_each_message(streams):
    """The key schedule makes a word a cycle, and used keys are overwritten word by word."""
    options = {**{name: value for name, value in ALL.items() if name != "cipher_stages"}, "cipher_arch": "multistream", "streams": streams}
    for gaps in (None, GAPS):
        core, rng = streamed.simulated(**options, gaps=gaps, seed=streams), Random(f"{gaps} {streams}")
        messages, wanted = messages_of(rng, 60, 0.3)
        assert core.run(messages) == wanted
    core, d = streamed.simulated(**options), read_messages(streamed.folder(**options))
    assert (d.options["key_schedule"], d.options["key_schedules"]) == ("word", 1)
    for nbytes in SIZES:
        for text in (1, d.key_interval * d.beat_bytes // 4):
            steps = steps_of(core, [bytes([n]) * nbytes for n in range(60)], text)
            # The last one may wait for a batch.
            assert sum(steps) <= max(d.key_interval, d.cycles_of(0, text) + d.cost_of_key) * len(steps) + d.waits
    assert check_erasure(StreamSubject(streamed.folder(**options), optimize=0))[0]


def test_new_keys_for_the_shortest_packets_cost_at_most_three_cycles():
    core, folder = streamed.simulated(**ALL), streamed.folder(**ALL)
    for mix in ("64", "imix"):
        figures = measure_traffic(core, folder, find_mix(mix), packets=60)
        assert figures["oracle"] == "the cryptography package" and figures["cycles_lost_per_key"] <= 3


def command(core, new_key):
    """Sends the command and the packet of a message without data, but no key."""
    core.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": pack_message_command(
        core.description.command_fields, nonce=bytes(12), tag_bytes=16, new_key=new_key
    )})  # fmt: skip
    core.runner.feed("s_axis", {"s_axis_tdata": bytes(16), "s_axis_tkeep": [0], "s_axis_tlast": [1]})


def told(core, new_key=None, cycles=400):
    """The code of the next status, of such a message if told; None if none comes."""
    if new_key is not None:
        command(core, new_key)
    core.runner.run({"m_axis_status": 1}, max_cycles=cycles)
    codes = [status.code.name for status in core._statuses()]
    return codes[0] if codes else None


def test_a_command_waits_for_its_key():
    core = streamed.simulated(**ALL)
    assert told(core, True) is None
    core.send_key(bytes(16))
    assert told(core) == "OK" and told(core, False) == "OK"
    # Keys may wait for their commands, too: more of them than the ring has slots.
    for number in range(2 * SLOTS):
        core.send_key(bytes([number]) * 24)
    core.runner.run(max_cycles=900)
    assert core.runner.waiting("s_axis_key") and core.simulation.get("key_loaded")
    assert [told(core, True) for _ in range(2 * SLOTS)] == ["OK"] * 2 * SLOTS
    assert not core.runner.waiting("s_axis_key")


def test_keys_that_are_wrong_are_told_of_and_the_next_ones_are_good():
    core, key = streamed.simulated(**ALL), bytes(range(16))
    sealed = AESGCM(key).encrypt(bytes(12), b"text", None)
    with pytest.raises(MessageError, match="NO_KEY"):
        core.seal(bytes(12), b"no key yet")
    for data, keeps in ((bytes(16), [0x7FFF]), (bytes(48), [0xFFFF] * 3), (bytes(32), [0xFFFE, 0xFFFF])):
        core.feed_key(data, keeps)
        core.runner.run(max_cycles=80)
        assert core.simulation.get("key_error") and not core.simulation.get("key_loaded")
        # The packet has its turn: the message that would have its key, and the one after it.
        assert [told(core, new_key) for new_key in (True, False)] == ["NO_KEY"] * 2
        assert core.run([Message(bytes(12), b"text", key=key), Message(bytes(12), sealed, decrypt=True)]) == [sealed, b"text"]
        assert not core.simulation.get("key_error")


def test_a_key_is_dropped_and_its_messages_finish():
    core, key = streamed.simulated(**ALL), bytes(32)
    sealed = AESGCM(key).encrypt(bytes(12), bytes(500), None)
    core.load_key(key)
    assert core.seal(bytes(12), bytes(500)) == sealed
    core.erase_key()
    assert not core.simulation.get("key_loaded") and not core.simulation.get("key_busy")
    with pytest.raises(MessageError, match="NO_KEY"):
        core.seal(bytes(12), b"text")
    core.load_key(key)
    assert core.open(bytes(12), sealed) == bytes(500)
    with pytest.raises(AuthenticationError):
        core.open(bytes(12), sealed[:-1] + bytes([sealed[-1] ^ 1]))


def test_nothing_is_left_of_a_used_key():
    assert check_erasure(StreamSubject(streamed.folder(**ALL), optimize=0))[1]["words_that_differed"] > 10


def test_a_new_key_for_each_packet_of_the_mix():
    core = streamed.simulated(**ALL)
    figures = measure_traffic(core, streamed.folder(**ALL), find_mix("gcm2008"), packets=40)
    assert figures["oracle"] == "the cryptography package" and figures["cycles_lost_per_key"] <= 3
    with pytest.raises(InputError, match="every packet brings a new key"):
        measure_traffic(core, streamed.folder(**ALL), find_mix("gcm2008"), packets=4, slots=2)


def test_wrong_keys_and_slots_of_a_host():
    core = streamed.simulated(**ALL)
    good = Message(bytes(12), b"text", key=bytes(16))
    for wrong, why in (
        (replace(good, key=bytes(15)), "takes keys of 32 or 24 or 16 bytes"), (replace(good, slot=1), "no key slots to name"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=why):
            core.run([good, wrong])
    # Nothing was sent, not even the key of the first one.
    assert not core.runner.waiting("s_axis_key") and core.run([good]) == [AESGCM(bytes(16)).encrypt(bytes(12), b"text", None)]
    with pytest.raises(InputError, match="no key slot 1"):
        core.load_key(bytes(16), 1)
    with pytest.raises(TypeError, match="key"):
        Message(bytes(12), b"", key="key")


@pytest.mark.parametrize(("changes", "why"), [
    ({"key_slots": 2}, "--key-slots must be from 3 to 64 with --keys inline, not 2"), ({"key_slots": 65}, "from 3 to 64"),
], ids=["few", "many"])  # fmt: skip
def test_rings_that_there_are_not(changes, why):
    with pytest.raises(InputError, match=why):
        compile_stream(GCM(), StreamOptions(keys="inline", **changes), prove=False)


def test_its_files_say_how_keys_come():
    folder = streamed.folder(**ALL)
    d = read_messages(folder)
    assert d.inline and d.named_slots == 1 and d.key_slots == SLOTS and d.options["keys"] == "inline"
    assert StreamCore(streamed.compiled(**ALL)).words[-1] == "inline"
    assert "s_axis_key_tdest" not in {port.name for port in d.ports}
    sheet, verilog = (re.sub(r"\s+(// )?", " ", (folder / name).read_text()) for name in (d.files.datasheet, d.files.verilog))
    assert "A command with `new_key` takes the next key packet" in sheet and f"keys are {d.key_interval} cycles or more apart" in sheet
    assert "keys in the order of the messages: one packet for each" in verilog and "tdest" not in verilog
    assert f"keys come with messages, {SLOTS} at a time" in verilog


# -- planted mistakes -----------------------------------------------------------------------------------------------------------


def planted(part, old, new, monkeypatch, tmp_path, slots=3, schedule="word", method="elaborate"):
    """The folder of a small core with a mistake in the text of a part."""
    import inspect
    import sys
    import textwrap

    from modeloom.emit import emit

    source = textwrap.dedent(inspect.getsource(getattr(part, method)))
    assert source.count(old) == 1
    names = dict(vars(sys.modules[part.__module__]))
    exec(source.replace(old, new), names)
    monkeypatch.setattr(part, method, names[method])
    options = StreamOptions(key_bits=128, key_slots=slots, cipher_stages=1, mul_stages=1, keys="inline", key_schedule=schedule)
    compiled = compile_stream(GCM(), options, prove=False)
    emit(StreamCore(compiled), tmp_path / "core", command=streamed.COMMAND)
    return tmp_path / "core"


@slow
@pytest.mark.parametrize(("part", "old", "new", "check"), [
    (KeyRing, "has_key_reg.eq(good)", "has_key_reg.eq(1)", "statuses"), (KeyRing, "left_reg.eq(1)", "left_reg.eq(0)", "erasure"),
    (TurnPreparation, "last_valid_reg & ~powers_busy & self.mine", "last_valid_reg & self.mine", "messages"),
], ids=["no-key", "state", "powers"])  # fmt: skip
def test_mistakes_are_found(part, old, new, check, monkeypatch, tmp_path):
    subject = StreamSubject(planted(part, old, new, monkeypatch, tmp_path), optimize=0)
    with pytest.raises(CheckFailed):
        dict(dynamic_checks(200))[check](subject)


@slow
@pytest.mark.parametrize(("old", "new", "check"), [
    ("rounds_reg.eq(p.keys.round_keys)", "rounds_reg.eq(p.keys.round_keys - 1)", "erasure"),
    ("words_reg.eq(p.keys.words)", "words_reg.eq(p.keys.words - 1)", "erasure"),
    ("with m.Elif(~in_use)", "with m.Else()", "reloads"),
], ids=["round-key", "word", "in-flight"])  # fmt: skip
def test_mistakes_of_a_ring_that_writes_zeros_one_by_one_are_found(old, new, check, monkeypatch, tmp_path):
    subject = StreamSubject(planted(KeyRing, old, new, monkeypatch, tmp_path, method="_overwrite"), optimize=0)
    with pytest.raises(CheckFailed):
        dict(dynamic_checks(200))[check](subject)


@slow
@pytest.mark.parametrize(("part", "method", "old", "new", "check"), [
    (KeyRing, "_clear", "self.clear_rounds.eq(rounds_reg.any())", "self.clear_rounds.eq(0)", "erasure"),
    (KeyRing, "_clear", "words_reg.eq(1)", "words_reg.eq(0)", "erasure"),
    (KeyRing, "_clear", "~in_use & idle", "idle", "reloads"),
    (AESPipeline, "_written", "Cat(*writes, self.key_clear).any()", "(writes[0] | self.key_clear)", "messages"),
    (IterativeKeySchedule, "elaborate", "step=busy_reg & ~erasing_reg", "step=busy_reg & ~erasing_reg & (round_reg != 9)", "messages"),
    (TurnPreparations, "elaborate", "part.mine.eq(first_reg == number)", "part.mine.eq(1)", "reloads"),
    (TurnPreparations, "elaborate", "self.word_valid & (self.word_slot == part.prepare_slot)", "self.word_valid", "messages"),
], ids=["rounds", "words", "in-flight", "writer", "schedule", "order", "word"])  # fmt: skip
def test_mistakes_of_iterative_key_schedules_are_found(part, method, old, new, check, monkeypatch, tmp_path):
    folder = planted(part, old, new, monkeypatch, tmp_path, slots=SLOTS, schedule="iterative", method=method)
    subject = StreamSubject(folder, optimize=0)
    with pytest.raises(CheckFailed):
        dict(dynamic_checks(200))[check](subject)


# -- other cores ------------------------------------------------------------------------------------------------------------------


@slow
@pytest.mark.parametrize("options", [
    {"mode": OWN.format("WideAEAD"), "key_slots": 4}, {"mode": OWN.format("NoHash"), "key_bits": 128, "key_slots": 3},
    {"cipher": "sm4", "key_slots": 4}, {"key_bits": 128, "blocks_per_cycle": 2, "key_slots": 8},
    {"key_bits": 128, "hold": 100, "key_slots": 4}, {"key_bits": 128, "direction": "decrypt"},
    {"key_bits": 128, "mul_stages": 1, "packet": "wire", "key_slots": 4},
    {"key_bits": 128, "mul_stages": 1, "packet": "wire", "key_slots": 4, "blocks_per_cycle": 2, "hold": 100},
], ids=["wide", "no-hash", "sm4", "lanes", "hold", "opens", "wire", "wire-lanes-hold"])  # fmt: skip
def test_other_cores(options):
    subject = StreamSubject(streamed.folder(keys="inline", prove=False, cipher_stages=1, **options), optimize=0)
    for name, check in dynamic_checks(100):
        # All lengths of long blocks take the model too long.
        assert name == "lengths" or check(subject)[0], name


@slow
@needs("iverilog")
def test_the_bench_passes():
    assert run_bench(streamed.folder(**ALL))["cycles_per_message"] == 5


@slow
def test_lint():
    lint(streamed.folder(**ALL))


@slow
def test_no_timing_channel():
    """Keys reach no control: neither of messages nor of the preparation."""
    assert check_core(streamed.folder(**ALL)).declassified == {TAG_VERDICT: 1}
