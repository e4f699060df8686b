# SPDX-License-Identifier: Apache-2.0
"""Cores behind the LWC interface: every word of DO, messages of all kinds, long messages, erasure, timing, and planted faults."""

import json
from random import Random

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.built import hollow, slow, slowly
from tests.cores.lwc.core import folder, made, subject
from tests.cores.lwc.patched import patched
from tests.external import needs
from tests.streamed import COMMAND

import modeloom
from modeloom.cli import cli
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.lwc.bench import _cut, _Maker, vector_texts
from modeloom.emit import CheckFailed, emit, run_bench
from modeloom.interfaces.lwc import Opcode
from modeloom.layers.lwc import layer, parser
from modeloom.layers.lwc import parser as loader
from modeloom.layers.lwc import parser as writer
from modeloom.modes.gcm import GCM
from modeloom.product.driven import CoreFault
from modeloom.product.folder import read_description
from modeloom.product.message import LwcDescription, Message
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.protocol.segments import LONGEST, Piece
from modeloom.rtl.stream import entry, sequence
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError
from modeloom.verification import lwc as messages
from modeloom.verification.lwc import LwcSubject, check_keys, check_lengths, check_messages, check_words, check_zeroize

TINY = {"cipher_arch": "multistream", "cipher_stages": None, "streams": 1, "mul_stages": 0}
"""A core that is built in less time."""

KEYS = [Random(seed).randbytes(16) for seed in (7, 8)]


def simulated(seed=0, gaps=None, **options):
    found = subject(**options)
    return SimulatedLwcCore(found.directory, seed=seed, gaps=gaps, library=found.library)


def test_messages_behind_an_output_that_pauses(monkeypatch):
    """More messages wait for DO than the core has places for tags."""
    monkeypatch.setattr(messages, "PATTERNS", [{"do": 0.95}])
    found = subject("gcm", **TINY)
    assert check_words(found, made("gcm", **TINY).compiled)[1]["messages"] > 40
    assert check_messages(found, 10)[1] == {"messages": 10}


@pytest.mark.parametrize("interface_bits", [32, 64, 128])
def test_what_leaves_in_front_of_a_fault(interface_bits):
    """The words that the bench asks for: all whole beats of the text, also if each word is one, and zeros behind them."""
    core = made(**TINY, interface_bits=interface_bits)
    d = core.describe("core", "modeloom build")
    maker, partial = _Maker(core.compiled, d), []
    maker.new_key()
    for item in _cut(maker, d.block_bytes, d.word_bytes):
        if item.message is None:
            nonce, text = (piece.words for piece in item.pdi[1:3])
            nonce, text = (b"".join(word.to_bytes(d.word_bytes) for word in each[1:]) for each in (nonce, text))
            left = b"".join(word.to_bytes(d.word_bytes) for word in item.do[0].words[1:])
            whole = len(text) - len(text) % d.beat_bytes
            assert left == maker.model.run("encrypt", nonce[:12], text[:whole], b"", 16)[0] + bytes(len(text) - whole)
            partial.append(whole < len(text))
    assert partial == [False, interface_bits < 128]


@pytest.mark.parametrize("text", [0, 1, 4, 20])
def test_no_segment_for_associated_data(text):
    """A message may begin and end with one header, and the next one is on PDI while its command waits for the key."""
    core, rng = simulated(**TINY), Random(text)
    core.runner.reset(4)
    core.runner.run(max_cycles=core.description.erase_cycles + 10)
    for key in (*KEYS, KEYS[0]):
        gcm, pieces, wanted = AESGCM(key), [core.form.instruction(Opcode.ACTIVATE_KEY)], []
        for decrypt in (False, True, True, False):
            nonce, plain = rng.randbytes(12), rng.randbytes(text)
            sealed = gcm.encrypt(nonce, plain, b"")
            pieces += core.form.message(Message(nonce, sealed if decrypt else plain, b"", decrypt), 16, ad_segment=0)
            wanted.append((plain, b"") if decrypt else (sealed[:text], sealed[text:]))
        core.feed("sdi", core.form.key(key))
        assert [(one.text, one.tag) for one in core.answers(4, core.feed("pdi", pieces)) if one.success] == wanted


def change_keys_twice(core, blocks, more):
    """Messages under one key, a key that has no message, and a message under a third key, while DO takes a word every ten cycles.

    The messages of the first key, of which the first has so many blocks of text, fill all parts of the core.  Each must succeed.
    """
    rng, activate = Random(blocks), core.form.instruction(Opcode.ACTIVATE_KEY)
    first, _, last = keys = [rng.randbytes(16) for _ in range(3)]
    texts = [rng.randbytes(16 * blocks), *(rng.randbytes(rng.choice([0, 0, 5, 16])) for _ in range(more))]
    messages = [(first, Message(rng.randbytes(12), text, b"")) for text in texts]
    messages.append((last, Message(rng.randbytes(12), rng.randbytes(7), b"")))
    core.runner.reset(4)
    core.restart_reader()
    core.runner.set_gaps({"do": 0.9})
    core.runner.run(max_cycles=core.description.erase_cycles + 10)
    for key in keys:
        core.feed("sdi", core.form.key(key))
    pieces = [activate]
    for key, message in messages:
        pieces += ([activate, activate] if key == last else []) + list(core.form.message(message, 16))
    answers = core.answers(len(messages), core.feed("pdi", pieces))
    assert all(one.success for one in answers), (blocks, more)
    assert [one.text + one.tag for one in answers] == [AESGCM(key).encrypt(each.nonce, each.data, b"") for key, each in messages]


CHANGES = [(blocks, 5) for blocks in range(4, 20, 3)]


@slow
def test_keys_that_change_twice_behind_messages_that_wait():
    """No message waits any more when its slot is loaded again, or it would be refused."""
    core = simulated(**TINY)
    for change in CHANGES:
        change_keys_twice(core, *change)


HASTY = (sequence, "scrub & ~self.has_token", "scrub")
"""A fault that lets tokens that end a load enter in front of messages."""


def test_faults_have_their_places():
    patched(*HASTY)
    for _, *place in PLANTS:
        patched(*place)


@slow
def test_keys_that_do_not_wait_for_messages_are_found(tmp_path, monkeypatch):
    """The tokens that end a load enter in front of messages that wait."""
    changed = patched(*HASTY)
    monkeypatch.setattr(entry, "StepSequence", changed.StepSequence)
    emit(made(**TINY), tmp_path / "core", command=COMMAND)
    broken = SimulatedLwcCore(tmp_path / "core", optimize=0)
    # Messages that do not wait are right.
    change_keys_twice(broken, 1, 0)
    with pytest.raises((AssertionError, CoreFault)):
        for change in CHANGES:
            change_keys_twice(broken, *change)


@pytest.mark.parametrize("mode, options", [
    *slowly(
        ("gcm", {}), ("gcm", TINY), ("gcm", {"hold": 100}), ("ocb3", {}), ("ccm", {}), ("deoxys-i", {}), ("gcm", {"interface_bits": 128}),
        ("gcm", {"interface_bits": 64, "blocks_per_cycle": 2}), ("gcm", {"direction": "encrypt"}),
        ("gcm", {"direction": "decrypt", "hold": 64}),
    ),
])  # fmt: skip
def test_words_and_messages(mode, options):
    """The words of the protocol with faults and pauses, and random messages against the golden reference."""
    found = subject(mode, **options)
    assert found.independent
    text, figures = check_words(found, made(mode, **options).compiled)
    assert figures["messages"] > 40
    assert check_messages(found, 150)[1] == {"messages": 150}


@slow
def test_lengths_and_zeroize():
    check_lengths(subject())
    check_zeroize(subject())


def test_from_python():
    """A core of the folder seals and opens, with keys that change, as the cryptography package does."""
    core, rng = modeloom.core(folder(**TINY), optimize=0), Random(3)
    assert isinstance(core, SimulatedLwcCore)
    with pytest.raises(InputError, match="no key has been loaded"):
        core.seal(bytes(12), b"text")
    for key in (*KEYS, KEYS[0]):
        core.load_key(key)
        for _ in range(3):
            nonce, ad, text = rng.randbytes(12), rng.randbytes(rng.randrange(40)), rng.randbytes(rng.randrange(70))
            sealed = core.seal(nonce, text, ad)
            assert sealed == AESGCM(key).encrypt(nonce, text, ad)
            assert core.open(nonce, sealed, ad) == text
            with pytest.raises(AuthenticationError):
                core.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), ad)
    with pytest.raises(InputError, match="zeroize erases the core"):
        core.erase_key()


@slow
def test_parts_of_several_segments():
    """More than 65535 bytes of associated data and of text, which comes in pieces."""
    core, rng, gcm = simulated(), Random(4), AESGCM(KEYS[0])
    core.load_key(KEYS[0])
    nonce, ad, text = rng.randbytes(12), rng.randbytes(LONGEST + 5), rng.randbytes(LONGEST + 100)
    sealed = gcm.encrypt(nonce, text, ad)
    assert core.seal(nonce, b"", ad) == gcm.encrypt(nonce, b"", ad)
    ad = ad[:7]
    sealed = gcm.encrypt(nonce, text, ad)
    chunks = [text[at : at + 50_000] for at in range(0, len(text), 50_000)]
    assert b"".join(core.pieces(Message(nonce, b"", ad), chunks)) == sealed
    opened = core.pieces(Message(nonce, b"", ad, True), [sealed[: len(text)]], sealed[len(text) :])
    assert b"".join(opened) == text
    with pytest.raises(AuthenticationError):
        list(core.pieces(Message(nonce, b"", ad, True), [text], sealed[len(text) :]))


def traces(core, key, nonce, ad, text):
    """The cycles of all words of PDI, SDI and DO for messages with these bytes, the last one with a wrong tag."""
    gcm = AESGCM(key)
    core.runner.reset(4)
    core.runner.run(max_cycles=core.description.erase_cycles + 10)
    start = core.cycles
    sealed = gcm.encrypt(nonce, text, ad)
    messages = [Message(nonce, text, ad), Message(nonce, sealed, ad, True), Message(nonce, sealed[:-1] + bytes([sealed[-1] ^ 4]), ad, True)]
    core.feed("sdi", core.form.key(key))
    core.feed("pdi", [core.form.instruction(Opcode.ACTIVATE_KEY), *(piece for one in messages for piece in core.form.message(one, 16))])
    core.runner.run(max_cycles=700)
    messages = core.runner.take("do")
    cycles = [list(core.runner.accepted("pdi")), list(core.runner.accepted("sdi")), list(messages.cycles)]
    return [[cycle - start for cycle in each] for each in cycles], messages.values("do_last")


def test_no_cycle_depends_on_data():
    """Runs that differ in keys, nonces, data and tags alone take the same words in the same cycles."""
    core, rng, seen = simulated(**TINY), Random(5), []
    for fill in (bytes, lambda count: b"\xff" * count, rng.randbytes, rng.randbytes):
        seen.append(traces(core, fill(16), fill(12), fill(21), fill(43)))
    assert len(seen[0][1]) > 40 and all(one == seen[0] for one in seen)


def test_core_json(tmp_path):
    with hollow():
        emit(made(**TINY), tmp_path / "core", command=COMMAND)
    description = read_description(tmp_path / "core")
    assert isinstance(description, LwcDescription) and description.interface_bits == 32
    assert [port.name for port in description.ports][2:] == [
        "zeroize", "zeroizing", "pdi_valid", "pdi_ready", "pdi_data", "sdi_valid", "sdi_ready", "sdi_data", "do_valid", "do_ready",
        "do_data", "do_last",
    ]  # fmt: skip
    assert description.name.endswith("_lwc") and description.options["interface"] == "lwc" and description.releases
    sheet = (tmp_path / "core" / description.files.datasheet).read_text(encoding="utf-8")
    assert "s_axis" not in sheet and "status is FAILURE" in sheet


@slow
def test_vectors_as_text():
    """The words in the texts are those that the core takes and gives."""
    core = made(**TINY)
    texts = vector_texts(core.compiled, core.describe("core", "modeloom build"))
    messages = {}
    for name, text in texts.items():
        assert text.endswith("###EOF\n")
        rows = [line.split(" = ") for line in text.splitlines() if line and not line.startswith("#")]
        assert {kind for kind, _ in rows} <= {"INS", "HDR", "DAT", "STT"} and all(len(data) % 8 == 0 for _, data in rows)
        messages[name] = [int(data[at : at + 8], 16) for _, data in rows for at in range(0, len(data), 8)]
    run = simulated(**TINY)
    for port, name in (("pdi", "pdi.txt"), ("sdi", "sdi.txt")):
        run.feed(port, [Piece("INS", messages[name])])
    assert run.runner.run({"do": len(messages["do.txt"])}, max_cycles=100_000).done
    assert run.runner.take("do").values("do_data") == messages["do.txt"]
    assert texts["do.txt"].count("STT = F0000000") == 3 and "HDR = D200000C" in texts["pdi.txt"]


@slow
@needs("iverilog")
def test_bench_and_command_line(tmp_path):
    assert run_bench(folder())["messages"] > 50
    key, plain, sealed, back = (tmp_path / name for name in ("key", "plain", "sealed", "back"))
    key.write_bytes(KEYS[0])
    plain.write_bytes(Random(6).randbytes(100_000))
    common = ["--key-file", str(key), "--key-format", "raw", "--nonce", "000102030405060708090a0b", "--optimize", "0"]
    for way, source, target in (("seal", plain, sealed), ("open", sealed, back)):
        result = CliRunner().invoke(cli, [way, str(folder()), str(source), str(target), *common], obj=[])
        assert result.exit_code == 0, result.output
    assert back.read_bytes() == plain.read_bytes()
    assert sealed.read_bytes() == AESGCM(KEYS[0]).encrypt(bytes(range(12)), plain.read_bytes(), b"")
    result = CliRunner().invoke(cli, ["traffic", str(folder()), "--mix", "64", "--packets", "20", "--json", "--optimize", "0"], obj=[])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["percent_of_peak"] < 25


PLANTS = [
    # The part that uses what is changed, the module, and the place.
    (parser, parser, "word_reg.eq(piece.data)", "word_reg.eq(word_reg | piece.data)"),
    (parser, parser, "nbytes_reg.eq(fill_reg * p.word_bytes + piece.nbytes)", "nbytes_reg.eq((fill_reg + 1) * p.word_bytes)"),
    (layer, parser, "fault_reg.eq(0), issued_reg.eq(0)", "issued_reg.eq(0)"),
    (layer, parser, "finish_issued_reg.eq(issued_reg | begins)", "finish_issued_reg.eq(issued_reg)"),
    (layer, parser, "ready.eq(~command_reg), gate.public.eq(1)", "ready.eq(1), gate.public.eq(1)"),
    (layer, parser, "self.late.payload.tag.eq(Mux(finish_decrypt_reg, tag_reg, 0))", "self.late.payload.tag.eq(0)"),
    (layer, parser, "ready.eq(self.records.ready & ~finish_reg & ~command_reg)", "ready.eq(~finish_reg & ~command_reg)"),
    (layer, loader, "m.d.comb += [self.key.valid.eq(1), key.erase.eq(1)", "m.d.comb += [self.key.valid.eq(1), key.erase.eq(0)"),
    (layer, loader, "slot_reg.eq(~slot_reg)", "slot_reg.eq(slot_reg)"),
    (layer, writer, "text.ready.eq(~dry_reg & (cut |", "text.ready.eq(~dry_reg & (1 |"),
    (layer, writer, "wrong_reg.eq(code.any())", "wrong_reg.eq(wrong_reg & code.any())"),
    (layer, writer, "with m.If(ended.o.valid & ~has):", "with m.If(ended.o.valid & 0):"),
]
"""Faults that lose, double or mix words, forget a tag or a fault, or keep a key."""


@slow
@pytest.mark.parametrize("number", range(len(PLANTS)))
def test_planted_faults_are_found(number, tmp_path, monkeypatch):
    """The words of the protocol or random messages show each of them."""
    user, module, before, after = PLANTS[number]
    changed = patched(module, before, after)
    for name in ("BeatAssembler", "SegmentParser", "KeyLoader", "SegmentWriter"):
        if hasattr(changed, name) and hasattr(user, name):
            monkeypatch.setattr(user, name, getattr(changed, name))
    core = made()
    emit(core, tmp_path / "core", command=COMMAND)
    broken = LwcSubject(tmp_path / "core", optimize=0)
    with pytest.raises((CheckFailed, CoreFault)):
        check_words(broken, core.compiled)
        check_keys(broken)
        check_messages(broken, 300)


@pytest.mark.parametrize("options, message", [
    ({"interface": "lvc"}, "unknown interface 'lvc'"),
    ({"interface": "lwc", "interface_bits": 16}, "--interface-bits must be 32, 64 or 128, not 16"),
    ({"interface_bits": 32}, "--interface-bits is for --interface lwc; leave it out"),
    ({"interface": "lwc", "channels": 2}, "--interface lwc and --channels cannot be combined"),
    ({"interface": "lwc", "packet": "wire"}, "--interface lwc and --packet wire cannot be combined"),
    ({"interface": "lwc", "keys": "inline"}, "--interface lwc and --keys inline cannot be combined"),
    ({"interface": "lwc", "keys": "expanded", "key_bits": 128}, "--interface lwc and --keys expanded cannot be combined"),
    ({"interface": "lwc", "key_slots": 4}, "--interface lwc and --key-slots cannot be combined"),
])  # fmt: skip
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(InputError, match=message):
        compile_stream(GCM(), StreamOptions(**options), prove=False)
