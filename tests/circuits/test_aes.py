# SPDX-License-Identifier: Apache-2.0
"""AES circuits: options that the generic test does not take, and what does not go together."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.circuits.units import measured

from modeloom.spec import InputError
from modeloom_circuits import find_circuit

CASES = [
    ("aes-round", {"direction": "decrypt", "stages": 4, "last": "yes"}),
    ("aes-sequential", {"direction": "both", "sbox": "table", "slots": 2}),
]
CASES += slowly(
    *[
        ("aes-round", {"direction": direction, "stages": stages, "sbox": sbox, "mixcolumns": mixcolumns})
        for direction in ("encrypt", "decrypt", "both")
        for stages in (0, 1, 2, 3, 4)
        for sbox in ("lut", "bram", "composite")  # the kinds that differ in where registers may be
        for mixcolumns in ("plain", "lut6")
        if stages or sbox != "bram"
    ],
    *[
        ("aes-multistream", {"streams": streams, "direction": direction, "key_bits": key_bits})
        for streams in (1, 2, 4)
        for direction, key_bits in (("encrypt", 256), ("decrypt", 192), ("both", 128))
    ],
    *[
        ("aes-sequential", {"direction": direction, "stages": stages, "sbox": sbox, "slots": slots})
        for direction, slots in (("encrypt", 4), ("decrypt", 1), ("both", 3))
        for sbox in ("lut", "bram", "table", "composite")
        for stages in ((1, 2) if sbox == "table" else (1, 2, 3, 4))
    ],
    *[
        ("aes-pipeline", {"direction": direction, "stages": stages, "sbox": sbox, "slots": slots, "mixcolumns": mixcolumns})
        for direction, stages, sbox, slots, mixcolumns in (
            ("both", 1, "lut", 1, "lut6"), ("both", 2, "bram", 4, "plain"), ("both", 3, "lut", 2, "lut6"), ("both", 4, "bram", 1, "lut6"),
            ("decrypt", 3, "lut", 1, "lut6"), ("encrypt", 4, "composite", 3, "plain"), ("both", 1, "composite", 1, "plain"),
        )
    ],
    *[
        ("aes-pipeline", {"key_bits": "all", "direction": direction, "stages": stages, "slots": slots, "key_memory": key_memory})
        for direction, stages, slots, key_memory in (("encrypt", 1, 5, "distributed"), ("both", 2, 70, "block"))
    ],
)  # fmt: skip


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_declared_latency_and_interval(name, options):
    built = find_circuit(name).build(**options)
    assert measured(built) == [(built.component.latency, built.component.interval)]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("aes-round", {"stages": 0, "sbox": "bram"}, "--sbox bram needs --stages 1 or more"),
        ("aes-sequential", {"stages": 3, "sbox": "table"}, "--stages 3: with --sbox table a round has one or two"),
        ("aes-multistream", {"streams": 3}, "--streams must be one of 1, 2, 4"),
    ],
)
def test_what_does_not_go_together(name, options, message):
    with pytest.raises(InputError, match=message):
        find_circuit(name).build(**options)


def test_streams_take_no_time_of_their_own():
    one, two, four = (find_circuit("aes-multistream").build(streams=n).component for n in (1, 2, 4))
    # 128 bits in ten cycles, however many streams: luts2017, Table 2, where 752 MHz are 9.6 Gbit/s.
    assert [core.interval / core.streams for core in (one, two, four)] == [10, 10, 10]
    assert round(752e6 * 128 * four.streams / four.interval / 1e9, 1) == 9.6
