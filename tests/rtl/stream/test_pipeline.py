# SPDX-License-Identifier: Apache-2.0
"""Token pipelines in hardware give what the software model gives: random messages of several keys, with and without gaps."""

import pytest
from tests.built import slowly
from tests.generality.quad256 import QuadPipeline, mix, substitute
from tests.rtl.stream.bench import PipelineBench, aes_keys, run
from tests.streams.modes import Ladder, NoHash, Offsets, SecretOffsets, WideAEAD, WideTwice
from tests.streams.numbers import models_of
from tests.streams.pair_modes import Twice

from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.gcm import GCM
from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.rtl.gf128.architectures import MULTIPLIERS

KARATSUBA = MULTIPLIERS["karatsuba"]


def quad_keys(model):
    """Round keys of Quad256."""
    keys = [int.from_bytes(model.key_parts["cipher"], "little")]
    for number in range(20):
        keys.append(mix(substitute(keys[-1])) ^ (number + 1))
    return keys


@pytest.mark.parametrize("lanes", slowly(1, 2, 4))
def test_gcm(lanes):
    bench = PipelineBench(GCM(), lambda: AESPipeline(128, 1, 3), KARATSUBA, 3, 4, 128, stages=3 if lanes == 1 else 1, lanes=lanes)
    run(bench, GCM, aes_keys, models_of(GCM(), 3), 200, longest=12 if lanes == 1 else 20)


def test_a_mode_of_the_tests_own():
    """Blocks of 256 bits, a hash key from the host, a tag that goes through the cipher behind the hash."""
    bench = PipelineBench(WideAEAD(), lambda: QuadPipeline(False, 1, 4), KARATSUBA, 4, 5, 256, stages=2)
    run(bench, WideAEAD, quad_keys, models_of(WideAEAD(), 4), 120, longest=8)


@pytest.mark.parametrize("lanes", [1, *slowly(2)])
def test_two_passes(lanes):
    """Text goes in without coming out in the first pass, and the second one begins with a tag; these messages have any tag."""
    bench = PipelineBench(WideTwice(), lambda: QuadPipeline(False, 1, 4), KARATSUBA, 4, 5, 256, stages=1, lanes=lanes)
    run(bench, WideTwice, quad_keys, models_of(WideTwice(), 4), 80, longest=8)


@pytest.mark.parametrize(("stages", "options"), slowly((1, {}), (2, {"sbox": "bram"})))
def test_a_mode_without_products(stages, options):
    bench = PipelineBench(NoHash(), lambda: AESPipeline(128, stages, 1, **options), None, 1, 4, 128)
    run(bench, NoHash, aes_keys, models_of(NoHash(), 1), 60, longest=6)


@pytest.mark.parametrize("lanes", slowly(1, 2))
def test_a_start_that_runs_ahead_and_a_tag_that_follows(lanes):
    bench = PipelineBench(Ladder(), lambda: QuadPipeline(False, 1, 4), None, 4, 5, 256, lanes=lanes)
    assert bench.plan.runs_ahead and bench.plan.follows and bench.plan.carries_keys and bench.plan.times_bits == 4
    run(bench, Ladder, quad_keys, models_of(Ladder(), 4), 80, longest=20)


@pytest.mark.parametrize("mode", slowly(Twice, AESOTR))
def test_tokens_that_return(mode):
    """They go on through the pipeline, and have the cipher again; text may come in pairs."""
    bench = PipelineBench(mode(), lambda: AESPipeline(128, 1, 2), None, 2, 4, 128)
    assert bench.plan.returning and bench.plan.pairs == (mode is AESOTR)
    run(bench, mode, aes_keys, models_of(mode(), 2), 80, longest=7)


@pytest.mark.parametrize("mode", [Offsets, *slowly(SecretOffsets)])
def test_a_tag_that_waits(mode):
    """A tag reads a sum at the entry that blocks make behind the cipher; and text is a sum with a part of the state that changes."""
    bench = PipelineBench(mode(), lambda: AESPipeline(128, 1, 1), None, 1, 4, 128)
    home = 11 + (mode is SecretOffsets)
    assert [each.at for each in bench.plan.placed.passes["tag"]] == [11, 22] and bench.plan.placed.homes["sum"] == home
    run(bench, mode, aes_keys, models_of(mode(), 1), 60, longest=6)


@pytest.mark.slow
@pytest.mark.parametrize("multiplier", sorted(MULTIPLIERS))
@pytest.mark.parametrize("stages", [1, 4])
def test_gcm_with_other_units(multiplier, stages):
    bench = PipelineBench(GCM(), lambda: AESPipeline(128, 2, 2, sbox="composite"), MULTIPLIERS[multiplier], 2, 4, 128, stages=stages)
    run(bench, GCM, aes_keys, models_of(GCM(), 2), 300, longest=30)
