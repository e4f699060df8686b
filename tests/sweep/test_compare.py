# SPDX-License-Identifier: Apache-2.0
"""Modes side by side: which points a comparison has, and where its figures come from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.built import slow

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.measure.aead import stored as stored_aead
from modeloom.modes import find_any
from modeloom.report.explorer import comparison
from modeloom.spec import InputError
from modeloom.sweep.configuration import Configuration, Identity, definition_of, tools_of
from modeloom.sweep.executors import local
from modeloom.sweep.point import stream_result
from modeloom.sweep.run import Store, row_of
from modeloom.sweep.tables import compared, message_cycles, points_of

HERE = Path()


def test_options_hold_for_the_modes_that_have_them():
    points = points_of(["xts", "gcm", "gcm-siv"], {"sector": [512, 4096], "cipher-cores": [1, 2], "channels": [4], "exact": [True]}, HERE)
    assert [(point.name, dict(point.options)) for point in points] == [
        *(("xts", {"sector": size, "cipher-cores": cores, "exact": True}) for size in (512, 4096) for cores in (1, 2)),
        *(("gcm", {"blocks-per-cycle": blocks, "channels": 4}) for blocks in (1, 2)),
        *(("gcm-siv", {"blocks-per-cycle": blocks, "channels": 4, "keys": "inline"}) for blocks in (1, 2)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("modes", "options", "told"),
    [
        (["xts"], {"channels": [2]}, "--channels is an option of none of xts"),
        (["xtss"], {}, "unknown mode 'xtss'"),
        (["xts"], {"sectors": [2]}, "unknown option 'sectors'"),
        (["xts"], {"mul": ["x"]}, "'x' is not a valid integer"),
    ],
)
def test_wrong_options_are_refused(modes, options, told):
    with pytest.raises(InputError, match=told):
        points_of(modes, options, HERE)


@pytest.mark.parametrize(
    ("mode", "options", "passes"),
    [("gcm", {}, 1), ("gcm", {"blocks_per_cycle": 2}, 1), ("gcm-siv", {"keys": "inline"}, 2),
     ("gcm-siv", {"keys": "inline", "direction": "decrypt"}, 1), ("aes-otr", {}, 1), ("deoxys-ii", {}, 2),
     ("deoxys-ii", {"cipher_arch": "multistream", "streams": 1}, 2)],
)  # fmt: skip
def test_cycles_of_a_message_are_those_of_the_core(mode, options, passes):
    compiled = compile_stream(find_any(mode), StreamOptions(**options), prove=False)
    core = StreamCore(compiled).describe("core", "modeloom")
    wanted = core.cycles_of(0, 4096) + (passes - 1) * core.cycles_of(0, 4096, second=True)
    assert message_cycles(stream_result(compiled), 4096) == wanted
    assert message_cycles(stream_result(compiled), 4081) == message_cycles(stream_result(compiled), 4096)


def area_row(point, luts, area):
    identity = Identity(point, definition_of(point, HERE), tools_of(point, HERE))
    row = row_of(identity, {"status": "ok", "error": None, "result": {}, "seconds": 0.0}, "2026-01-01")
    return {**row, "luts": luts, "lutram_luts": 10, "srl_luts": 1, "ffs": 5, "bram": 0, "area": area}


def test_labels_of_a_picture_tell_lines_apart():
    """A line of a stream mode has no option that says how long its messages are."""
    line = {"mode": "gcm", "text": "blocks-per-cycle 1", "bytes_per_cycle": 1.0, "command": "", "status": "refused"}
    long = {**line, "text": "cipher-sbox composite, blocks-per-cycle 1, channels 4"}
    given = [{**one, "bytes": size} for one in (line, long, {**line, "mode": "xts", "text": "sector 80"}) for size in (80, 144)][:5]
    labels = re.findall(r'text-anchor="end">([^<]*)<', comparison(given))
    assert labels == [
        "gcm: blocks-per-cycle 1, 80 bytes", "gcm: blocks-per-cycle 1, 144 bytes", "gcm: cipher-sbox composite, block…, 80 bytes",
        "gcm: cipher-sbox composite, bloc…, 144 bytes", "xts: sector 80",
    ]  # fmt: skip
    assert "gcm: blocks-per-cycle 1<" in comparison(given[:1]) and max(map(len, labels)) == 44


@slow
def test_areas_come_from_the_results_and_from_what_is_stored(tmp_path):
    """A whole core comes before a sum of blocks, and another definition or target gives nothing."""
    points = points_of(["xts", "heh-brw"], {"sector": [32]}, HERE)
    points += points_of(["gcm"], {"key-bits": [128], "mul-arch": ["lut6"]}, HERE)
    with Store(tmp_path / "a.sqlite") as store:
        for area, luts in (("core", 100), ("blocks", 150)):
            store.add(area_row(Configuration("sector", "xts", {"sector": 32}, "xc7", area), luts, area))
        wrong = area_row(Configuration("sector", "heh-brw", {"sector": 32}, "xc7", "core"), 100, "core")
        store.add({**wrong, "definition": "another"})
        xts, heh, gcm = compared(points, [4096], store, HERE, local(1), target="xc7")
        assert (xts["luts"], xts["all_luts"], xts["area_of"]) == (100, 111, "a.sqlite, whole core")
        assert heh["all_luts"] is None and heh["cycles"] == 4 and heh["status"] == "ok"
        measured = next(row for row in stored_aead() if row["mode"] == "gcm" and row["architecture"] == "pipeline")["areas"]["xc7"]
        assert gcm["luts"] == measured["luts"] and gcm["area_of"] == "docs/aead.md, whole core" and gcm["cycles"] == 257
        (same,) = compared(points_of(["xts"], {"sector": [32], "aes": [1]}, HERE), [4096], store, HERE, local(1), target="xc7")
        assert (same["options"], same["all_luts"]) == ({"sector": 32, "cipher-cores": 1}, 111)
        (more,) = compared(points_of(["xts"], {"sector": [32], "aes": [2]}, HERE), [4096], store, HERE, local(1), target="xc7")
        assert more["status"] == "ok" and more["all_luts"] is None
        (other,) = compared(points[:1], [4096], store, HERE, local(1), target="ecp5")
        assert other["all_luts"] is None
        picture = comparison([xts, heh, gcm])
    assert picture.startswith("<svg ") and picture.count("<rect ") == 4 and "111 LUTs" in picture and "257 cycles" in picture
    assert json.dumps([xts, heh, gcm])
