# SPDX-License-Identifier: Apache-2.0
"""What is allowed in definitions, what is warned of, and what Python programs may hand over."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import modeloom
from modeloom.ciphers import AES, CoreTiming, cipher_of
from modeloom.cli import main
from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.definition.check import check_definition
from modeloom.definition.software import Model
from modeloom.emit import emit
from modeloom.ir.trace import Value, trace
from modeloom.modes import BUILT_IN
from modeloom.options.sectors import Options
from modeloom.spec import CIPHER, DefinitionError, Keys, Mode, checked_mode
from modeloom.spec.attributes import _ATTRIBUTES

DIRECTIONS = ("encrypt", "decrypt")

SIZES = "with sectors of 48 bytes and tweaks"

SMALL = {"sector": 48, "restarts": 0}


class Plain(Mode):
    """Every block by itself, between masks."""

    name = "plain"
    title = source = security = "a test"
    key_parts = (CIPHER, "h", "g")

    def setup(self, o, key):
        return Keys(h=key.h, g=key.g)

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ t[0] ^ o.double(k.h ^ o.mul(k.g, k.h), i)) for i, x in enumerate(p)]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ t[0] ^ o.double(k.h ^ o.mul(k.g, k.h), i) for i, x in enumerate(c)]


@pytest.mark.parametrize("mode", BUILT_IN, ids=lambda mode: mode.name)
def test_built_in_modes_pass_without_a_warning(mode):
    least = max(mode.min_bytes, 16)
    key_bytes = (mode.cipher_key_bits or cipher_of(mode()).key_bits)[0] // 8
    for nbytes in (least, least + 16, *((least + 1, 75) if mode.partial else ())):
        for tweak in mode.tweak_sizes:
            assert check_definition(mode(), nbytes, tweak, key_bytes).warnings == (), (nbytes, tweak)


def changed(**members):
    """``Plain`` with other methods or attributes."""
    return type("Changed", (Plain,), members)


class NoTweak(Plain):
    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ k.h ^ k.g) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ k.h ^ k.g for x in c]


class HalfTweak(Plain):
    tweak_sizes = (32,)


class NoKey(Plain):
    key_parts = (CIPHER, "K2", "h", "g", "w")
    cipher_keys = (CIPHER, "K2")


class KeyOfAKey(Plain):
    """A part that only a cipher key of set-up's depends on."""

    key_parts = (CIPHER, "h", "g", "w")

    def setup(self, o, key):
        return Keys(h=key.h, g=key.g, D=o.cipher_key(o.enc(key.w)))

    def encrypt(self, o, k, t, p):
        return [o.enc(x, k.D) for x in super().encrypt(o, k, t, p)]

    def decrypt(self, o, k, t, c):
        return super().decrypt(o, k, t, [o.dec(x, k.D) for x in c])


class LostBlock(Plain):
    one_direction = "encrypt"

    def encrypt(self, o, k, t, p):
        return [o.enc(p[0] ^ t[0]), *(o.enc(x) for x in p[:-1])]


@pytest.mark.parametrize(
    ("mode", "warnings"),
    [
        (Plain, []),
        (NoTweak, [f"plain: no result of {d}() depends on the tweak, {SIZES} of 16" for d in DIRECTIONS]),
        (HalfTweak, [f"plain: no result of {d}() depends on block 1 of the tweak, {SIZES} of 32" for d in DIRECTIONS]),
        (NoKey, [f"plain: nothing depends on the part {part} of the key, with sectors of 48 bytes" for part in ("K2", "w")]),
        (KeyOfAKey, []),
    ],
)
def test_warnings(mode, warnings):
    compiled = compile_mode(mode(), Options(**SMALL))
    assert compiled.warnings == warnings == compiled.explain()["warnings"]


def test_warnings_of_several_sizes_come_once_each():
    warnings = compile_mode(NoTweak(), Options(**SMALL, more_sectors=(64,))).warnings
    assert len(warnings) == 4 and len({re.sub(r"\d+", "", text) for text in warnings}) == 2


def test_a_block_that_is_lost_is_refused_in_one_direction_too():
    with pytest.raises(DefinitionError, match=r"no result of encrypt\(\) depends on block 2 of a sector of 48 bytes, so decryption"):
        compile_mode(LostBlock(), Options(**SMALL))


ECB = """\
from modeloom.spec import Keys, Mode


class Mine(Mode):
    name = "mine"
    title = source = security = "a test"

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        return [o.enc(x) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) for x in c]
"""


def test_warnings_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(ECB)
    (tmp_path / "key").write_bytes(bytes(range(16)))
    (tmp_path / "plain").write_bytes(bytes(96))
    text = "depends on the tweak, with sectors of 48 bytes and tweaks of 16"
    told = "".join(f"modeloom: warning: mine: no result of {d}() {text}\n" for d in DIRECTIONS)
    for command in (
        ["explain", "mine.py:Mine", "--sector", "48"],
        ["explain", "mine.py:Mine", "--sector", "48", "--json"],
        ["model", "mine.py:Mine", "--sector", "48", "--key-file", "key", "plain", "cipher"],
        ["build", "mine.py:Mine", "--sector", "48", "--direction", "encrypt", "--cipher-arch", "sequential", "-o", "core"],
    ):
        with pytest.raises(SystemExit) as stop:
            main(command)
        printed = capsys.readouterr()
        assert stop.value.code == 0 and printed.err == told, command
    figures = json.loads((tmp_path / "core" / "core.json").read_text())["explain"]
    assert len(figures["warnings"]) == 2 and figures["inverse"] == "proved"


class OfNumpy(Plain):
    """Whole numbers of other types are whole numbers."""

    def encrypt(self, o, k, t, p):
        out = super().encrypt(o, k, t, p)
        return [o.add32(o.double(x, np.int64(3)), np.uint32(7)) ^ o.const(np.int64(1)) ^ o.head(k.h, np.int32(5)) for x in out]

    def decrypt(self, o, k, t, c):
        return super().decrypt(o, k, t, [o.double(o.add32(x ^ o.const(1) ^ o.head(k.h, 5), -7), -3) for x in c])


def test_numbers_of_numpy_are_numbers():
    assert compile_mode(OfNumpy(), Options(**SMALL)).explain()["inverse"] == "proved"
    model = Model(OfNumpy(), bytes(range(48)))
    assert model.decrypt(bytes(16), model.encrypt(bytes(16), bytes(range(48)))) == bytes(range(48))


ALLOWED = {"__xor__", "__rxor__", "__repr__", "__init__", "__getattr__"}


def test_every_operation_of_python_on_a_block_is_refused():
    """What ``int`` has and a block would do silently, or what Python makes up for it."""
    operations = {name for name in (*vars(int), *vars(list), *vars(float)) if name.startswith("__")}
    made_by_object = {
        "__new__", "__doc__", "__class__", "__getattribute__", "__setattr__", "__delattr__", "__init_subclass__", "__subclasshook__",
        "__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__dir__", "__sizeof__", "__str__", "__class_getitem__",
        "__getformat__", "__setformat__", "__iadd__", "__imul__", "__ceil__", "__floor__", "__from_number__",
    }  # fmt: skip
    missing = operations - ALLOWED - made_by_object - set(vars(Value))
    assert not missing
    block = []

    class Look(Plain):
        def encrypt(self, o, k, t, p):
            block.append(p[0])
            return super().encrypt(o, k, t, p)

    trace(Look(), 48, 16)
    for name in sorted(operations - ALLOWED - made_by_object):
        if name not in ("__eq__", "__ne__"):
            with pytest.raises(DefinitionError, match="^plain: a block "):
                getattr(Value, name)(block[0], 1)
    operators = (lambda x: x == x, lambda x: x != 1, lambda x: 2 * x, lambda x: x @ x, lambda x: divmod(7, x), lambda x: x[1:])
    for use in (bool, hash, len, list, int, float, *operators):
        with pytest.raises(DefinitionError, match="^plain: a block "):
            use(block[0])
    assert repr(block[0]) == "<block>" and not hasattr(block[0], "to_bytes")


def test_a_block_of_another_run_is_refused():
    kept = []

    class Keeps(Plain):
        def encrypt(self, o, k, t, p):
            kept.append(k.h)
            return [x ^ kept[0] for x in super().encrypt(o, k, t, p)]

    with pytest.raises(DefinitionError, match=r"test_definitions.py, line \d+: a block comes from another run of the definition; keep"):
        compile_mode(Keeps(), Options(**SMALL))


@pytest.mark.parametrize("mode", [Plain, Plain()])
def test_a_class_and_an_instance_are_modes(mode):
    assert modeloom.compile(mode, **SMALL).explain()["inverse"] == "proved"
    model = Model(mode, bytes(48))
    assert model.decrypt(bytes(16), model.encrypt(bytes(16), bytes(48))) == bytes(48)


class NeedsMore(Plain):
    def __init__(self, rounds):
        self.rounds = rounds


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (Options, "mode must be the name of a mode, a subclass of Mode or an instance of one, not the class Options"),
        (5, "mode must be the name of a mode, a subclass of Mode or an instance of one, not 5"),
        (Plain.encrypt, "mode must be the name of a mode, .* not the function encrypt"),
        (NeedsMore, r"plain: test_definitions.py: TypeError: .*missing 1 required positional argument: 'rounds'"),
        (Mode, "Mode: Mode has no name; docs/new-mode.md lists"),
    ],
)
def test_what_is_no_mode(mode, message):
    for use in (lambda: modeloom.compile(mode, **SMALL), lambda: Model(mode, bytes(48))):
        with pytest.raises((TypeError, DefinitionError), match=f"^{message}"):
            use()


def slower(request):
    timing = AES.timing(request)
    return CoreTiming(timing.latency - 1, timing.interval)


def broken_hardware(request):
    raise RuntimeError("no such core")


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"timing": slower}, "^cipher own: the pipelined encrypter .* has a latency of 21 cycles, and its timing says 20$"),
        ({"hardware": broken_hardware}, r"^own: test_definitions.py, line \d+: RuntimeError: no such core$"),
        ({"hardware": lambda _: None}, r"^own: test_definitions.py, line \d+: hardware gives None, not a component with its latency in"),
        ({"key_schedule": lambda key_bits: 1 / 0}, r"^own: test_definitions.py, line \d+: ZeroDivisionError: division by zero$"),
    ],
    ids=["timing", "raises", "none", "key schedule"],
)
def test_wrong_hardware_of_a_cipher(member, message, tmp_path):
    mode = changed(cipher=replace(AES, name="own", **member))
    compiled = compile_mode(mode(), Options(**SMALL, cipher_stages=2))
    with pytest.raises(DefinitionError, match=message):
        emit(SectorCore(compiled), tmp_path / "core", command="modeloom build")
    assert not (tmp_path / "core").exists()


class LooksAtTypes(Plain):
    """What is one mode in the core would be another in the software model."""

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ (t[0] if isinstance(x, int) else k.h)) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ (t[0] if isinstance(x, int) else k.h) for x in c]


class LooksAtText(Plain):
    def encrypt(self, o, k, t, p):
        return [x ^ o.enc(t[0]) if str(x) == "0" else x ^ o.enc(t[0] ^ k.h) for x in p]

    decrypt = encrypt


class LooksAtIdentity(Plain):
    """Small numbers are one object in Python."""

    def encrypt(self, o, k, t, p):
        return [x ^ (o.enc(t[0]) if p[0] is t[0] else o.enc(k.h)) for x in p]

    decrypt = encrypt


@pytest.mark.parametrize("mode", [LooksAtTypes, LooksAtText, LooksAtIdentity])
def test_a_definition_does_the_same_on_numbers(mode):
    with pytest.raises(DefinitionError, match=r"^plain: block 0 of encrypt\(\) differs when .* \(test_definitions.py, line \d+\)$"):
        compile_mode(mode(), Options(**SMALL))


@pytest.mark.parametrize("attribute", sorted(_ATTRIBUTES))
def test_every_attribute_has_a_type(attribute):
    with pytest.raises(DefinitionError, match=rf"^(plain|Changed): .*{attribute} is 1\.5; it must be "):
        checked_mode(changed(**{attribute: 1.5}))
    assert checked_mode(Plain).name == "plain"


def test_round_keys_of_a_cipher_are_counted():
    made = replace(AES, name="own", round_keys=lambda key_bits: None)
    with pytest.raises(DefinitionError, match=r"^own: test_definitions.py, line \d+: round_keys gives None, not a number of round keys"):
        made.round_keys(128)
    assert replace(AES, name="own", round_keys=lambda key_bits: 11).round_keys(128) == 11
    # A description of a description is guarded once.
    again = replace(replace(AES, name="own", timing=slower), name="other")
    assert again.timing.function is slower and again.timing.cipher == "other" and AES.timing is not again.timing


def test_a_model_refuses_what_a_core_cannot_do():
    """In Python programs too: numbers alone could do it."""

    class Branches(Plain):
        def encrypt(self, o, k, t, p):
            return super().encrypt(o, k, t, p) if p[0] else list(p)

    with pytest.raises(DefinitionError, match=r"^plain: test_definitions.py, line \d+: a block has no truth value; "):
        Model(Branches, bytes(48)).encrypt(bytes(16), bytes(48))
