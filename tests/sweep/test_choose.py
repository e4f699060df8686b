# SPDX-License-Identifier: Apache-2.0
"""The smallest configuration for a rate: nothing smaller reaches it, and each step has the figure of the compiler."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.built import slow

import modeloom
from modeloom.spec import InputError
from modeloom.sweep.choose import choose, quantity, scaled

MEGA, GIGA = Fraction(10) ** 6, Fraction(10) ** 9


def search(mode, rate, **options):
    message = options.pop("message", None)
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return choose(mode, rate * GIGA, 250 * MEGA, named, Path(), message=message)


@pytest.mark.parametrize(
    ("text", "value"), [("100G", 100 * GIGA), ("2.5G", 2500 * MEGA), ("250M", 250 * MEGA), ("1k", 1000), ("7", 7), ("0.1k", 100)]
)
def test_quantities(text, value):
    assert quantity(text, "--rate", "bits") == value


@pytest.mark.parametrize("text", ["", "0", "0.0G", "-1G", "1g", "1GB", "100 G", "1e9", "G", "1.G", ".5G", "１G", "inf"])
def test_other_quantities_are_refused(text):
    with pytest.raises(InputError, match="--clock must be a number of hertz above 0, .* such as 250M"):
        quantity(text, "--clock", "hertz", "250M")
    with pytest.raises(InputError, match="--rate must be a number of bits per second above 0"):
        quantity(text, "--rate", "bits per second")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (100 * GIGA, "100 Gbit/s"), (47.90639e9, "47.9064 Gbit/s"), (500 * MEGA, "500 Mbit/s"), (999.9999e6, "1 Gbit/s"),
        (Fraction(32), "32 bit/s"),
    ],
)  # fmt: skip
def test_numbers_have_the_prefix_that_fits(value, text):
    """A rate of 40 and a clock of 250, without G and M, read as 40 bit/s at 250 Hz."""
    assert scaled(value, "bit/s") == text


def test_fewer_multipliers_than_the_pipelines_would_need():
    """25 bytes a cycle of sectors with 128 bytes are five cycles a sector: two pipelines, and three multipliers instead of four."""
    found = search("hctr2", 50, sector=128)
    assert dict(found.configuration.options) == {"sector": 128, "cipher-cores": 2, "lanes": 2, "mul": 3} and found.needed == 25
    assert [(dict(step.options), step.compiled, step.enough) for step in found.steps] == [
        ({"cipher-cores": 1, "lanes": 2}, False, False), ({"cipher-cores": 2, "lanes": 2}, True, True),
        ({"cipher-cores": 2, "lanes": 2, "mul": 3}, True, True),
    ]  # fmt: skip
    assert found.figures["proved"] == 1 and found.figures["cycles_per_sector"] == 5
    two = modeloom.compile("hctr2", sector=128, cipher_cores=2, lanes=2, mul=2).explain()
    assert two["cycles_per_sector"] > 5


def test_a_tweak_takes_a_pipeline_too():
    """Blocks alone would fit, but XTS enciphers the tweak: what counts is the compiled figure and not the bound."""
    found = search("xts", 32, sector=128)
    first, last = found.steps
    assert (first.options, first.compiled, first.enough) == ({"cipher-cores": 1, "lanes": 1}, True, False)
    assert first.why == "9 cycles per sector, 8 allowed" and last.enough
    assert found.configuration.options == {"sector": 128, "cipher-cores": 2, "lanes": 1}


def test_what_more_pipelines_do_not_help_ends():
    """The engine takes a sector every four cycles at most: the search does not go on to 64 pipelines."""
    told = r"reaches 64 Gbit/s at 250 MHz: .* reaches 32 Gbit/s \(4 cycles per sector, 2 allowed: the buses take 4 cycles for each sector\)"
    with pytest.raises(InputError, match=told):
        search("xts", 64, sector=64)


def test_small_ciphers_come_before_pipelines():
    """A core that computes one round at a time, if the rate is low.  A rate that its rounds cannot reach is not compiled."""
    found = search("xts", Fraction(1, 10), sector=64)
    assert [dict(step.options) for step in found.steps] == [{"cipher-arch": "sequential", "cipher-cores": 1, "lanes": 1}]
    assert found.configuration.options == {"sector": 64, "cipher-arch": "sequential", "cipher-cores": 1, "lanes": 1}
    assert found.figures["proved"] == 1 and found.figures["cycles_per_sector"] == 100
    faster = search("xts", Fraction(19, 10), sector=64)
    assert [(step.options.get("cipher-arch"), step.enough) for step in faster.steps] == [("multistream", False), (None, True)]
    stream = search("gcm", 1)
    assert stream.configuration.options == {"cipher-arch": "multistream", "streams": 1} and stream.figures["bytes_per_cycle"] == 1.1429
    assert search("gcm", 1, cipher_arch="pipelined").configuration.options == {"cipher-arch": "pipelined", "blocks-per-cycle": 1}
    # The rounds of AES-128 would do, but those of AES-256 do not.
    pipeline = search("gcm", 3)
    assert pipeline.configuration.options == {"blocks-per-cycle": 1} and [step.enough for step in pipeline.steps] == [False, True]


@slow
def test_messages_take_blocks_a_cycle():
    """Four blocks and the tag of a short message are three beats of two, which are 21 bytes per cycle."""
    long, short = search("gcm", 60), search("gcm", 42, message=64)
    assert long.configuration.options == short.configuration.options == {"blocks-per-cycle": 2} and long.figures["proved"] == 1
    assert [round(step.bytes_per_cycle, 2) for step in short.steps] == [16, 21.33]
    assert [round(step.bytes_per_cycle, 2) for step in long.steps] == [16, 32]


@pytest.mark.parametrize(
    ("mode", "rate", "options", "told"),
    [
        ("hctr2", 1000, {"sector": 128}, "reaches 1000 Gbit/s at 250 MHz: the largest has lanes 8 and reaches at most 256 Gbit/s"),
        ("gcm", 1000, {}, "reaches 1000 Gbit/s at 250 MHz: the largest has blocks-per-cycle 4 and reaches 128 Gbit/s"),
        ("aes-otr", 127, {}, r"the largest has blocks-per-cycle 1 and reaches 32 Gbit/s .*; aes-otr takes text in pairs.* per cycle$"),
        ("gcm-siv", 127, {}, "the largest has blocks-per-cycle 4 and reaches 64 Gbit/s"),
        ("ccm", 1, {"key_bits": 100}, "--key-bits must be"),
        ("hctr2", 1, {"cipher_cores": 2}, "--cipher-cores is what modeloom choose searches"),
        ("gcm", 1, {"blocks_per_cycle": 2}, "--blocks-per-cycle is what modeloom choose searches"),
        ("hctr2", 1, {"sector": 8}, "8"),
        ("hctr9", 1, {}, "unknown mode"),
    ],
)  # fmt: skip
def test_what_no_core_reaches(mode, rate, options, told):
    with pytest.raises(InputError, match=told) as refusal:
        search(mode, rate, **options)
    assert "\n" not in str(refusal.value)


@slow
def test_a_compiled_figure_is_named_if_no_core_reaches_the_rate():
    """A block of CCM waits for the one before it, so that no number of blocks a cycle helps."""
    with pytest.raises(InputError, match=r"no core of ccm reaches 60 Gbit/s .* blocks-per-cycle 1 .*; ccm: encrypt\(\) needs a unit twice"):
        search("ccm", 60)
