# SPDX-License-Identifier: Apache-2.0
"""No text of a core whose cipher is one round states a rate that is larger than that of the cipher."""

import re

import pytest
from tests.streamed import TINY, compiled, folder

from modeloom.cores.stream import StreamCore
from modeloom.report.token_chart import token_chart

CORES = {
    "one stream": ("gcm", {}),
    "four streams": ("gcm", {"streams": 4}),
    "two lanes": ("gcm", {"streams": 2, "blocks_per_cycle": 2}),
    "a chain": ("ccm", {}),
    "tokens that return": ("aes-otr", {}),
    "two passes": ("gcm-siv", {"keys": "inline"}),
    "tweaks": ("deoxys-i", {}),
}

RATES = (
    r"(?P<bits>[\d.]+)\s*bits?(?:</[a-z]+>)?\s*(?:<[a-z]+>)?per cycle",
    r"(?P<blocks>[\d.]+) blocks? per cycle",
    r"(?P<blocks>\d+) (?:cipher )?blocks? every (?P<cycles>\d+) cycles",
)


def rates(text):
    """The rates that a text states, in bits per cycle."""
    for pattern in RATES:
        for found in re.finditer(pattern, text):
            parts = found.groupdict()
            bits = float(parts["bits"]) if "bits" in parts else 128 * float(parts["blocks"])
            yield bits / int(parts.get("cycles") or 1)


@pytest.mark.parametrize("core", CORES)
def test_round_core_states_the_rate_of_its_cipher(core):
    mode, options = CORES[core]
    made = compiled(mode, prove=False, **{**TINY, **options})
    whole = StreamCore(made)
    d = whole.describe("core", "test")
    page = whole.page(d)
    cadence = d.cadence
    most = 128 * d.blocks_per_cycle * cadence.blocks / cadence.interval
    for text in (whole.headline, d.summary, whole.sheet(d).summary, page.charts[0].title, token_chart(made)):
        found = list(rates(text))
        assert found and max(found) == pytest.approx(most), text
    assert "never waits" not in page.diagram.about and list(rates(page.diagram.about)) == pytest.approx([most])
    assert not any("without a gap" in line for line in whole.sheet(d).theory)


def test_pipeline_states_a_block_in_each_cycle():
    made = compiled("gcm", prove=False, key_bits=128)
    d = StreamCore(made).describe("core", "test")
    assert list(rates(StreamCore(made).headline)) == list(rates(d.summary)) == [128]
    assert "never waits" in StreamCore(made).page(d).diagram.about


def test_no_file_of_a_round_core_states_more():
    path = folder("gcm", **TINY)
    stated = {}
    for file in path.rglob("*"):
        if file.suffix in {".html", ".md", ".v", ".core", ".xml", ".tcl", ".json"}:
            stated[file.name] = list(rates(file.read_text(encoding="utf-8")))
    assert all(rate <= 12.8 + 1e-9 for found in stated.values() for rate in found), stated
    assert {name.split(".", 1)[-1] for name, found in stated.items() if found} >= {"html", "md", "core"}, stated
