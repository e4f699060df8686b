# SPDX-License-Identifier: Apache-2.0
"""The directions of every built-in mode are proved to be inverse to each other, and wrong definitions are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.built import slow
from tests.prove import broken_modes
from tests.prove.broken_modes import BROKEN, CountersBack, KeyInverse, OutsideTheCounter

from modeloom import modes
from modeloom.ciphers import cipher_of
from modeloom.compiler.compile import compile_mode
from modeloom.definition import check
from modeloom.definition.check import check_inverse
from modeloom.ir.trace import trace
from modeloom.modes import BUILT_IN
from modeloom.modes.heh import HEH
from modeloom.modes.tet import TET
from modeloom.options.sectors import Options
from modeloom.prove.rewrite import prove_inverse
from modeloom.spec import DefinitionError, InputError, Mode


def sizes(mode: type[Mode], *whole: int) -> list[int]:
    """The shortest sector in bytes, others of whole blocks, and if the mode has them partial ones beside each."""
    least = max(mode.min_bytes, 16)
    found = {least, *(size for size in whole if not mode.max_blocks or size <= 16 * mode.max_blocks)}
    if mode.partial:
        found |= {size + more for size in found for more in (1, 8, 15)}
    return sorted(found)


@pytest.mark.parametrize("mode", BUILT_IN, ids=lambda mode: mode.name)
def test_every_mode_is_proved(mode: type[Mode]) -> None:
    """Decryption is proved to invert encryption, for every mode and several lengths of sectors and tweaks."""
    for nbytes in sizes(mode, 32, 48, 80, 512):
        for tweak in mode.tweak_sizes:
            assert prove_inverse(trace(mode(), nbytes, tweak)) is None, (nbytes, tweak)


@slow
@pytest.mark.parametrize("mode", BUILT_IN, ids=lambda mode: mode.name)
def test_every_mode_is_proved_for_long_sectors(mode: type[Mode]) -> None:
    for nbytes in sizes(mode, 2048, 4096):
        assert prove_inverse(trace(mode(), nbytes, mode.tweak_sizes[-1])) is None, nbytes


def key_bytes(mode: Mode) -> int:
    return mode.key_bytes((mode.cipher_key_bits or cipher_of(mode).key_bits)[0] // 8)


@pytest.mark.parametrize(("mode", "nbytes", "block", "words"), BROKEN, ids=lambda x: getattr(x, "__name__", None))
def test_a_wrong_definition_is_refused(mode: type[Mode], nbytes: int, block: int, words: str) -> None:
    """A definition that does not invert is refused with one line, which names the block and the line of the definition."""
    made = trace(mode(), nbytes, mode.tweak_sizes[0])
    undecided = prove_inverse(made)
    assert undecided is not None and undecided.block is not None
    with pytest.raises(DefinitionError) as caught:
        check_inverse(mode(), made, key_bytes(mode()))
    message = str(caught.value)
    file, line = re.search(r"; decrypt gives it in (\w+\.py), line (\d+)$", message).groups()
    found = next(path for path in (Path(broken_modes.__file__), Path(modes.__file__).with_name(file)) if path.name == file)
    assert words in found.read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert message.startswith(f"{mode.name}: decrypt does not invert encrypt: block {block} of a sector of {nbytes} bytes")
    assert "\n" not in message


@pytest.mark.parametrize("mode", [mode for mode, _, _, words in BROKEN if "whole blocks work" in (mode.__doc__ or "")])
def test_faults_of_partial_blocks_do_not_show_in_whole_ones(mode: type[Mode]) -> None:
    assert prove_inverse(trace(mode(), 48, mode.tweak_sizes[0])) is None


@pytest.mark.parametrize("direction", ["encrypt", "decrypt", "both"])
def test_the_compiler_refuses_it_whichever_directions_are_built(direction: str) -> None:
    mode = BROKEN[1][0]()
    with pytest.raises(DefinitionError, match="^heh-brw: decrypt does not invert encrypt: block 0"):
        compile_mode(mode, Options(sector=64, direction=direction, restarts=0))


def test_counters_and_inverses_are_proved() -> None:
    for mode in (CountersBack(), KeyInverse()):
        assert prove_inverse(trace(mode, 48, 16)) is None, mode.name
    # Without the inverse's sum the forms of TET differ: it is what the proof takes.
    assert prove_inverse(trace(TET(), 64, 16)) is None


def test_what_the_forms_do_not_know_is_tested() -> None:
    mode = OutsideTheCounter()
    made = trace(mode, 48, 16)
    undecided = prove_inverse(made)
    assert undecided is not None and (undecided.first, undecided.block) == ("encrypt", 0) and "head" in undecided.difference
    assert check_inverse(mode, made, key_bytes(mode)) == "tested"
    compiled = compile_mode(mode, Options(sector=48, restarts=0))
    assert compiled.explain()["inverse"] == "tested" and compiled.proved


def test_what_a_few_values_do_not_show_many_do(monkeypatch):
    """Forms that differ are no proof, so that more is tried before the word is "tested"."""

    class WithoutTweak(OutsideTheCounter):
        def decrypt(self, o, k, t, c):
            return [o.dec(x) ^ o.head(o.const(1 << 120), 12) for x in c]

    mode = WithoutTweak()
    made = trace(mode, 48, 16)
    monkeypatch.setattr(check, "_few", lambda source, key_bytes: iter([(bytes(key_bytes), bytes(16), bytes(48))]))
    with pytest.raises(DefinitionError, match="decrypt does not invert encrypt: block 0"):
        check_inverse(mode, made, key_bytes(mode))


def test_forms_that_are_too_large_are_not_waited_for() -> None:
    made = trace(HEH(), 512, 16)
    undecided = prove_inverse(made, most_products=100)
    assert undecided is not None and undecided.block is None and "more than 100 products" in undecided.difference


def test_the_worst_of_several_sizes_is_told() -> None:
    figures = compile_mode(HEH(), Options(sector=64, more_sectors=(96,), restarts=0)).explain()
    assert figures["inverse"] == "proved" and figures["more_sizes"][0]["inverse"] == "proved"
    assert compile_mode(HEH(), Options(sector=64, restarts=0), prove=False).explain()["inverse"] == "not checked"


class OneWay(HEH):
    """A direction alone: what ``decrypt`` does is nobody's business."""

    name = "one-way"
    one_direction = "encrypt"

    def decrypt(self, o, k, t, c):
        raise AssertionError


def test_a_mode_may_have_one_direction() -> None:
    for options in (Options(sector=48, restarts=0), Options(sector=48, direction="encrypt", restarts=0)):
        figures = compile_mode(OneWay(), options).explain()
        assert figures["directions"] == ["encrypt"] and figures["inverse"] == "one direction" and figures["proved"]
    for direction in ("both", "decrypt"):
        with pytest.raises(InputError, match=f"^--direction {direction}: one-way has one direction only, encrypt; omit --direction$"):
            compile_mode(OneWay(), Options(sector=48, direction=direction))
