# SPDX-License-Identifier: Apache-2.0
"""Which bits of the state have registers, and which tag has the sum of a part of the state."""

from __future__ import annotations

from typing import Any

import pytest
from tests.built import slow
from tests.rtl.stream.bench import PipelineBench, aes_keys, run
from tests.streamed import compiled, simulated
from tests.streams.modes import Offsets
from tests.streams.numbers import models_of

from modeloom.product.message import Message
from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.rtl.stream import values
from modeloom.rtl.stream.tags import tag_sum
from modeloom.rtl.stream.values import live_bits

WHOLE = (1 << 128) - 1

COUNTED = WHOLE ^ ((1 << 64) - 1)
"""The bits of a counter of 64 bits at the end of a block."""

ROUND: dict[str, Any] = {"cipher_arch": "multistream", "streams": 4}


def test_bits_that_may_be_set() -> None:
    """Numbers of blocks count in half a block behind a prefix, and a prefix is one bit; sums of blocks have all bits."""
    found = live_bits(compiled("deoxys-i", prove=False, **ROUND).plan)
    assert found == {"tweak": WHOLE, "associated": COUNTED | 0x20, "auth": WHOLE, "checksum": WHOLE, "last": 0x40}
    assert set(live_bits(compiled("ocb3", prove=False, key_bits=128).plan).values()) == {WHOLE}


@pytest.mark.parametrize(
    ("mode", "options", "contexts", "part"),
    [
        ("deoxys-i", ROUND, 1, "auth"), ("deoxys-i", ROUND, 2, None),
        # The tag follows its message, so it reads what its last block left.
        ("deoxys-i", {"cipher_stages": 1}, 1, None), ("ocb3", {"key_bits": 128}, 1, None),
    ],
    ids=["a sum", "several contexts", "a tag that follows", "offsets"],
)
def test_tags_that_have_a_sum(mode: str, options: dict[str, Any], contexts: int, part: str | None) -> None:
    assert tag_sum(compiled(mode, prove=False, **options).plan, contexts) == part


def test_a_bit_without_a_register_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline with one bit of a sum that cannot be set gives other tags."""

    def missing(plan: Any) -> dict[str, int]:
        return {**live_bits(plan), "sum": WHOLE ^ 1 << 77}

    def bench() -> None:
        made = PipelineBench(Offsets(), lambda: AESPipeline(128, 1, 1), None, 1, 4, 128)
        run(made, Offsets, aes_keys, models_of(Offsets(), 1), 30, longest=5)

    bench()
    monkeypatch.setattr(values, "live_bits", missing)
    with pytest.raises(AssertionError):
        bench()


@slow
def test_no_register_holds_a_tag_that_has_its_sum() -> None:
    """The tag of a message to open, which the host must not see, is gone from the sum in the next cycle."""
    core = simulated("deoxys-i", prove=False, cipher_arch="multistream", streams=2, key_slots=1)
    core.load_key(bytes(range(16)))
    name = next(name for name in core.simulation.objects if name.endswith("pipeline.auth_reg"))
    sealed = core.seal(bytes(8), b"text", b"associated data")
    assert core.simulation.get(name) == 0
    core.send(Message(bytes(8), sealed[:-1] + bytes([sealed[-1] ^ 1]), b"associated data", 1))
    seen = set()
    for _ in range(200):
        seen.add(core.simulation.get(name))
        core.runner.run(max_cycles=1)
    # Zero, and the sum of the associated data.
    assert len(seen) == 2 and core.simulation.get(name) == 0 and int.from_bytes(sealed[-16:], "little") not in seen
