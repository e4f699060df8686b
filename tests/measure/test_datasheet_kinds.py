# SPDX-License-Identifier: Apache-2.0
"""``modeloom datasheet`` on cores for messages of every kind: each has a timing on its own ports, and ``verify`` records it again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.built import slow
from tests.cores.front.cores import message_core, sector_core
from tests.cores.lwc import core as lwc
from tests.streamed import folder

from modeloom.cores.front import front_of
from modeloom.emit import CheckFailed, emit
from modeloom.emit.html import read_measured
from modeloom.emit.html.measured import Measured, complete
from modeloom.measure.datasheet import complete_datasheet
from modeloom.product.folder import read_description
from modeloom.verification.steps import datasheet_steps

ONE_STAGE: dict[str, Any] = {"prove": False, "cipher_stages": 1}
SMALL: dict[str, Any] = {**ONE_STAGE, "mul_stages": 1, "key_bits": 128}


MESSAGES = {"s_axis_cmd", "s_axis", "m_axis", "m_axis_status", "s_axis_key"}
BUSES = {"s_axis", "m_axis"}


def with_registers(core: Any, path: Path) -> Path:
    """A core with registers, in a folder of its own."""
    emit(core, path, command="modeloom build (tests)", front=front_of("registers"))
    return path


KINDS: dict[str, tuple[Callable[[Path], Path], set[str]]] = {
    "LWC": (lambda _: lwc.folder("ccm"), {"pdi", "sdi", "do"}),
    "two passes": (lambda _: folder("deoxys-ii", **ONE_STAGE, key_slots=2), MESSAGES),
    "stored messages": (lambda _: folder("deoxys-ii", **ONE_STAGE, key_slots=2, message_buffer=256), MESSAGES),
    "channels": (lambda _: folder("ccm", **ONE_STAGE, key_bits=128, channels=4), MESSAGES),
    "keys with messages": (lambda _: folder("gcm", **SMALL, keys="inline"), MESSAGES),
    "derived keys": (lambda _: folder("gcm-siv", **SMALL, keys="derived", key_slots=3), MESSAGES),
    "held text": (lambda _: folder("gcm", **SMALL, hold=100), MESSAGES),
    "registers, messages": (lambda path: with_registers(message_core(), path / "ccm"), BUSES),
    "registers, sectors": (lambda path: with_registers(sector_core(), path / "xts"), BUSES),
}  # fmt: skip
"""Cores, with ports that their timing must have."""


@slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_timing_is_of_its_ports(kind: str, tmp_path: Path) -> None:
    """The page is complete, the check of ``verify`` passes, and a changed waveform fails."""
    make, ports = KINDS[kind]
    path = Path(shutil.copytree(make(tmp_path), tmp_path / "core"))
    complete_datasheet(path)
    measured = read_measured((path / "datasheet.html").read_text(encoding="utf-8"))
    assert measured.timing is not None
    groups = {one[0]: one[1:] for one in measured.timing["signal"] if isinstance(one, list)}
    assert ports <= groups.keys()
    # Something happens on each port, or the recording is not that of a run.
    for port in ports:
        assert any(set(signal["wave"]) - set("0.x|") for signal in groups[port] if "wave" in signal), port
    (step,) = datasheet_steps(path, read_description(path), optimize=0)
    assert step.name == "datasheet"

    wave = json.loads(json.dumps(measured.timing))
    signal = next(one for one in wave["signal"] if isinstance(one, list) and one[0] in ports)[1]
    signal["wave"] = "0" + signal["wave"][1:] if signal["wave"][0] != "0" else "1" + signal["wave"][1:]
    complete(path, Measured(wave, measured.areas))
    with pytest.raises(CheckFailed, match=r"the timing in datasheet\.html is not that of the core"):
        datasheet_steps(path, read_description(path), optimize=0)
