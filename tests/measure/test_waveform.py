# SPDX-License-Identifier: Apache-2.0
"""The WaveJSON of a core says what its ports did in a simulation, and the picture shows what the WaveJSON says."""

from __future__ import annotations

import json
import re
from functools import lru_cache

import pytest
from tests.emit.emitted import SMALLEST, folder

from modeloom import model
from modeloom.emit.html.measured import COLUMN, Measured, columns_of, read_measured, timing_lines, waves
from modeloom.interfaces.sector import StatusCode, unpack_status
from modeloom.measure.datasheet import EDGE_CYCLES, IDLE, Recording, record, waveform
from modeloom.product.folder import read_description


@lru_cache(maxsize=1)
def recorded() -> Recording:
    return record(folder(SMALLEST))


def wavejson_of(recording: Recording):
    d = read_description(folder(SMALLEST))
    return waveform(recording, d.interfaces, d.name)


def signals(wavejson) -> dict[str, dict]:
    """The signals by the names of their ports."""
    found = {}
    for one in wavejson["signal"]:
        if isinstance(one, list):
            found |= {f"{one[0]}_{each['name']}": each for each in one[1:]}
        else:
            found[one["name"]] = one
    return found


def differences(wavejson, recording: Recording) -> list[str]:
    """Where a picture says something else than a recording.  The columns are read with nothing of the code that wrote them."""
    wrong = []
    cycles = wavejson["foot"]["tock"].split()
    for port, one in signals(wavejson).items():
        if port == "aclk":
            wrong += [port] if one["wave"].replace("|", ".") != "p" + "." * (len(cycles) - 1) else []
            continue
        values, width, data = recording.column(port), recording.widths[port], list(one.get("data", ()))
        valid = re.sub(r"_t(data|keep|last|user|dest|id)$", "_tvalid", port)
        state, text = "", ""
        for letter, cycle in zip(one["wave"], cycles, strict=True):
            if letter not in ".|":
                state, text = letter, data.pop(0) if letter == "=" else ""
            if cycle == "…":
                continue
            value = values[int(cycle)]
            if width == 1:
                shown = state == str(value)
            elif valid != port and not recording.column(valid)[int(cycle)]:
                shown = state == "x"
            else:
                shown = state == "=" and f"{value:0{-(-width // 4)}x}".endswith(text.lstrip("…"))
            wrong += [] if shown else [f"{port} in cycle {cycle}"]
    return wrong


def test_it_is_what_the_simulation_did():
    recording = recorded()
    wavejson = wavejson_of(recording)
    assert differences(wavejson, recording) == []
    for port, one in signals(wavejson).items():
        for letter, other in (("0", "1"), ("1", "0"), ("x", "=")):
            if letter in one["wave"] and port != "aclk":
                wrong = json.loads(json.dumps(wavejson))
                changed = signals(wrong)[port]
                changed["wave"] = changed["wave"].replace(letter, other, 1)
                if other == "=":
                    changed["data"] = ["…zzzz", *changed.get("data", ())]
                assert differences(wrong, recording), (port, letter)


def test_the_recording_is_of_this_core():
    """Beats in the recording: the key, two sectors, their statuses, and the results of the software model."""
    recording, d = recorded(), read_description(folder(SMALLEST))

    def beats(stream: str, port: str = "tdata") -> list[int]:
        columns = [recording.column(f"{stream}_{name}") for name in ("tvalid", "tready", port)]
        return [value for valid, ready, value in zip(*columns, strict=True) if valid and ready]

    def text(values: list[int]) -> bytes:
        return b"".join(value.to_bytes(16, "little") for value in values)

    key = text(beats("s_axis_key"))[: d.key_bytes]
    commands = [value.to_bytes(40, "little")[: d.tweak_bytes] for value in beats("s_axis_cmd")]
    data, results = text(beats("s_axis")), text(beats("m_axis"))
    assert len(commands) == 2 and len(data) == len(results) == 64
    reference = model(d.mode, key)
    assert results == b"".join(reference.encrypt(tweak, data[32 * n : 32 * n + 32]) for n, tweak in enumerate(commands))
    assert [unpack_status(value.to_bytes(4, "little"))[1] for value in beats("m_axis_status")] == [StatusCode.OK] * 2
    assert recording.column("key_loaded")[-1] == 1


def test_idle_spans_are_short():
    recording = recorded()
    cycles = wavejson_of(recording)["foot"]["tock"].split()
    assert len(cycles) < len(recording.rows) and cycles.count("…") > 1
    numbers = [int(cycle) for cycle in cycles if cycle != "…"]
    assert numbers == sorted(set(numbers)) and numbers[0] == 0 and numbers[-1] == len(recording.rows) - 1
    bits = [port for port, width in recording.widths.items() if width == 1]
    for place, cycle in enumerate(cycles):
        if cycle == "…":
            first, last = int(cycles[place - 1]), int(cycles[place + 1])
            assert last - first > IDLE - 2 * EDGE_CYCLES
            for port in bits:
                assert len(set(recording.column(port)[first : last + 1])) == 1
        elif place and cycles[place - 1] != "…":
            assert int(cycle) == int(cycles[place - 1]) + 1


def test_same_recording():
    assert record(folder(SMALLEST)) == recorded()


def test_the_picture_shows_the_data():
    wavejson = wavejson_of(recorded())
    text = "\n".join(waves(wavejson))
    shown = re.findall(r'<text class="data"[^>]*>([^<]*)</text>', text)
    assert shown == [value for one in signals(wavejson).values() for value in one.get("data", ())]
    cycles = wavejson["foot"]["tock"].split()
    assert re.findall(r'text-anchor="middle">(\d+|…)</text>', text)[-len(cycles) :] == cycles


def test_a_button_shows_the_first_transfer_of_a_bus():
    """In the recording, nothing moves on the bus before the cycle of its column, and something does in it."""
    recording = recorded()
    wavejson = wavejson_of(recording)
    cycles = wavejson["foot"]["tock"].split()
    places = re.findall(r'data-column="(\d+)">(\w+)</button>', "\n".join(waves(wavejson)))
    assert {bus for _, bus in places} == {"s_axis", "m_axis", "s_axis_cmd", "m_axis_status", "s_axis_key"}
    for place, bus in places:
        cycle = int(cycles[int(place) // COLUMN])
        moves = [a & b for a, b in zip(recording.column(f"{bus}_tvalid"), recording.column(f"{bus}_tready"), strict=True)]
        assert moves.index(1) == cycle, bus


def test_the_page_has_the_wavejson():
    measured = Measured(wavejson_of(recorded()))
    page = "\n".join(timing_lines(measured))
    assert read_measured(page) == measured
    assert page.count("</script>") == 1


def test_waves_are_checked():
    assert columns_of("x=.|0", ["a"]) == [
        ("x", "", True, False), ("=", "a", True, False), ("=", "a", False, False), ("=", "a", False, True), ("0", "", True, False),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no state"):
        columns_of("0h", [])
    with pytest.raises(ValueError, match="begins"):
        columns_of(".0", [])
    with pytest.raises(ValueError, match="2 data for 1 places"):
        columns_of("0=", ["a", "b"])
