# SPDX-License-Identifier: Apache-2.0
"""The passes of a stream mode: each makes the members of the plan that it declares, and changes nothing that it is given."""

from dataclasses import fields

import pytest
from tests.streams.pair_modes import Twice

from modeloom.compiler.dump import STREAM_DUMPS
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.ccm import CCM
from modeloom.modes.gcm import GCM
from modeloom.modes.ocb3 import OCB3
from modeloom.spec import InputError
from modeloom.streams.plan import PASSES, StreamRequest, plan_stream

LATENCIES = {"cipher": 11, "mul": 5}


def data(plan):
    return {f.name: getattr(plan, f.name) for f in fields(plan) if f.name != "made"}


@pytest.mark.parametrize("order", ["associated-first", "text-first"])
@pytest.mark.parametrize("mode", [GCM, CCM, OCB3, AESOTR, Twice])
def test_a_pass_makes_what_it_says_and_changes_nothing(mode, order):
    if order == "text-first" and mode not in (OCB3, AESOTR):
        pytest.raises(InputError, plan_stream, mode(), 16, LATENCIES, order=order)
        return
    request = StreamRequest(mode(), 16, LATENCIES, order=order)
    done = plan_stream(mode(), 16, LATENCIES, order=order)
    plan, made = done.made["steps"], set()
    for one in PASSES[1:]:
        before = repr(data(plan))
        after = one.run(plan, request)
        assert repr(data(plan)) == before, f"{one.name} changes what it is given"
        changed = {name for name, value in data(after).items() if value is not data(plan)[name]}
        assert changed <= set(one.makes) and repr(data(after)) == repr(data(done.made[one.name])), one.name
        plan, made = after, made | changed
    assert {"words", "placed", "tokens"} <= made and repr(data(plan)) == repr(data(done))


def test_every_pass_has_a_dump():
    names = [name for name in STREAM_DUMPS if name not in ("recurrences", "reservations")]
    assert names == ["trace", *(one.name for one in PASSES), "prove"]
    compiled = compile_stream(OCB3(), StreamOptions(key_bits=128, order="text-first"), prove=False)
    texts = {name: text(compiled) for name, text in STREAM_DUMPS.items()}
    assert len(set(texts.values())) == len(texts) and all(text.endswith("\n") for text in texts.values())
    assert "not run" in texts["prove"] and "between:" in texts["order"] and "between:" not in texts["steps"]
