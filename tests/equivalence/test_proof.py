# SPDX-License-Identifier: Apache-2.0
"""Emitted cores are proved to compute their modes; and one with a fault is refused, with the cycle, sector and block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests import built
from tests.built import SMALL, slow, slowly
from tests.equivalence.cores import CORES, ONE
from tests.equivalence.faults import FAULTS, Fault, faulty

from modeloom.compiler.compile import Compiled
from modeloom.cores.sector import SectorCore
from modeloom.equivalence import forever, prove_engine
from modeloom.equivalence.cores import Parts, input_ports
from modeloom.options.sectors import PRESETS
from modeloom.prove import ProofError

DIRECTION: tuple[str, dict[str, Any]] = ("xcb-1619", {"sector": 48, "cipher_arch": "combined", "prove": False})

MORE: dict[str, tuple[str, dict[str, Any]]] = {
    "several sizes": ("hctr2", SMALL),
    "two lanes": ("hctr2", {"sector": 160, "cipher_cores": 2, "key_slots": 2, "restarts": 20}),
    "squares in every sector": ("heh-brw", {"sector": 64, "squares": "fly", **ONE}),
    "counters": ("xcb-1619", {"sector": 40, **ONE}),
    "256-bit keys": ("hctr2", {"sector": 48, "key_bits": 256, "mul_stages": 1, **ONE}),
    "block memories": ("hctr2", {"sector": 2048, "storage": "bram", "restarts": 20}),
    "one after the other": ("hctr2", {"sector": 64, "overlap": False, **ONE}),
    "one direction": ("heh-poly", {"sector": 96, "direction": "encrypt", "cipher_stages": 1, "restarts": 20}),
    "pipelines": ("heh-brw", {}),
    "slots of four keys": ("xcb", {**PRESETS["tes2010-full"], "sector": 48, "key_slots": 2, "restarts": 10}),
    "lut6": ("hctr2", {"sector": 64, "mul_arch": "lut6", "cipher_stages": 2, "restarts": 20}),
    "fan-hasan": ("hctr2", {"sector": 64, "mul_arch": "fan-hasan", **ONE}),
    "mastrovito": ("hctr2", {"sector": 64, "mul_arch": "mastrovito", **ONE}),
    # Cells of more than twenty choices, and a direction that is a bit of the row, of which nothing is known at first.
    "many stages": ("hch", {"sector": 32, "key_slots": 2, "prove": False}), "a direction in the row": DIRECTION,
    "keys of two lengths": (f"{Path(__file__).parents[1] / 'modes' / 'essiv.py'}:ESSIV", {"sector": 64, "key_slots": 2, **ONE}),
} | {mode: (mode, {"sector": 64, **ONE}) for mode in ("cmc", "eme", "eme2", "hch", "hctr", "hmch-brw", "tet", "xcb")}
"""What else a core can have.  Their masks, banks and set-ups are those of whole modes."""


def made(choice: tuple[str, dict[str, Any]]) -> tuple[Path, Compiled]:
    """Folder of a core, and what it is made from."""
    mode, changes = choice
    return built.folder(mode, **changes), built.compiled(mode, **changes)


APART = ("combined", "multistream", "unregistered")
BY_DEFAULT = [*slowly(*APART), *(core for core in CORES if core not in APART)]
"""``tests/core`` has the combined one, and runs the one whose cipher takes batches; a core without overlap has the least that can go
wrong."""


@pytest.mark.parametrize("core", BY_DEFAULT)
def test_core(core: str) -> None:
    """The emitted Verilog is proved to compute the graph, for every block of more sectors than a bank has cells."""
    folder, compiled = made(CORES[core])
    report = prove_engine(folder, SectorCore(compiled))
    program = compiled.allocation.program
    assert report.whole and report.sectors > max(bank.cells for bank in program.banks.values()) + program.main.stages
    assert report.blocks == report.sectors * program.blocks or compiled.others


def test_a_wrong_order_of_ports_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slot of a cipher core with two keys in each slot has two ports; with the wrong one first, keys are those of others."""
    folder, compiled = made(CORES["slots of two keys"])

    def reversed_parts(*arguments: Any) -> dict[str, Parts]:
        ports = input_ports(*arguments)
        assert len(ports["slot"]) == 2
        return ports | {"slot": ports["slot"][::-1]}

    monkeypatch.setattr("modeloom.equivalence.core.input_ports", reversed_parts)
    with pytest.raises(ProofError, match="is not what the definition says"):
        prove_engine(folder, SectorCore(compiled))


@slow
@pytest.mark.parametrize("core", MORE)
def test_more_cores(core: str) -> None:
    folder, compiled = made(MORE[core])
    report = prove_engine(folder, SectorCore(compiled))
    assert report.blocks > 40
    assert report.whole or core == "block memories"


SOME = [fault if fault.what == "a chain steps a cycle late" else slowly(fault)[0] for fault in FAULTS]
"""Each takes some seconds: one by default, of the core that is proved by default."""


@pytest.mark.parametrize("fault", SOME, ids=[fault.what for fault in FAULTS])
def test_faults_are_refused(fault: Fault, tmp_path: Path) -> None:
    """The proof refuses Verilog with a planted fault, and its message says what is wrong."""
    folder, compiled = made(CORES[fault.core])
    with pytest.raises(ProofError, match=fault.message):
        prove_engine(faulty(folder, fault, tmp_path / "core"), SectorCore(compiled))


@slow
@pytest.mark.parametrize("other", [r"~\2", r"\2 ^ cipher0_a_decrypt_3_reg", r"\2 ^ cipher0_a[0]"], ids=["other", "late", "data"])
def test_a_wrong_direction_in_the_row_is_refused(other: str, tmp_path: Path) -> None:
    """A result under a direction that is not known is a symbol, which does not reach any output unnoticed."""
    folder, compiled = made(DIRECTION)
    fault = Fault("a wrong direction", "engine", r"(row_cipher0_a_decrypt_reg) <= ([^;]*);", rf"\1 <= {other};")
    with pytest.raises(ProofError, match="is not what the definition says|are not those of its key"):
        prove_engine(faulty(folder, fault, tmp_path / "core"), SectorCore(compiled))


# What comes out of a place of a batch that has no block has another name in every cycle, so such a state never comes back.
@slow
@pytest.mark.parametrize("core", [core for core in CORES if core != "multistream"])
def test_a_stream_without_an_end(core: str) -> None:
    """The state of the core comes back, with the sectors renamed: what was compared until then goes on for ever."""
    folder, compiled = made(CORES[core])
    assert forever(folder, SectorCore(compiled)).period > 1
