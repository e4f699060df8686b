# SPDX-License-Identifier: Apache-2.0
"""Every tkeep of a beat, and every code, as docs/interfaces.md has them."""

from __future__ import annotations

import pytest
from amaranth.sim import Simulator
from tests.rtl.bus import codes
from tests.rtl.bus.bench import Host, simulate
from tests.rtl.bus.codes import Case, documented_codes, status_code
from tests.rtl.bus.parameters import bus_sizes

from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.bus.sector.core import BeatCheck

PARTIAL = bus_sizes(blocks=6, ring_sectors=2, tail=5)


def test_the_document_has_all_codes() -> None:
    assert sorted(documented_codes().values()) == list(StatusCode)


def test_other_words_in_the_document_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    text = codes.PAGE.read_text(encoding="utf-8")
    for old, new in (("more bytes than", "other bytes than"), (codes.PRIORITY, codes.PRIORITY.replace("highest", "lowest"))):
        assert old in text
        (tmp_path / "interfaces.md").write_text(text.replace(old, new), encoding="utf-8")
        monkeypatch.setattr(codes, "PAGE", tmp_path / "interfaces.md")
        with pytest.raises(ValueError, match=r"docs/interfaces\.md has"):
            documented_codes.__wrapped__()


@pytest.mark.parametrize(
    ("keeps", "code"),
    [
        ((0xFFFF, 0xFFFF, 0x1F), StatusCode.OK),
        ((0xFFFF, 0xFFFF, 0xF), StatusCode.TOO_SHORT),
        ((0xFFFF, 0xFFFF), StatusCode.TOO_SHORT),
        ((0xFFFF, 0xFFFF, 0x3F), StatusCode.TOO_LONG),
        ((0xFFFF, 0xFFFF, 0xFFFF, 1), StatusCode.TOO_LONG),
        ((0xFFFF, 0xFFFF, 0x1D), StatusCode.BAD_KEEP),
        ((0xFFFF, 0xFFFF, 0x1E), StatusCode.BAD_KEEP),
        ((0xFFFF, 0xFFFF, 0), StatusCode.BAD_KEEP),
        ((0xFFFF, 0xFFFF, 0xFFFF, 0), StatusCode.BAD_KEEP),
        ((0xFFFD, 0xFFFF, 0x1F), StatusCode.BAD_KEEP),
        ((0xFFFF, 0xFFFF, 0x1F, 0xFFFF, 0xFFFF), StatusCode.BAD_KEEP),
        ((0x7FFF, 0xFFFF), StatusCode.BAD_KEEP),
    ],
)  # fmt: skip
def test_the_model_on_cases_that_were_thought_through(keeps: tuple[int, ...], code: StatusCode) -> None:
    assert status_code(Case(keeps, 16, 37)) == code
    assert status_code(Case(keeps, 16, 37, key=False)) == StatusCode.NO_KEY


@pytest.mark.parametrize("last", [0, 1])
def test_every_tkeep_of_a_beat(last: int) -> None:
    """What is found of a beat is what the document says of packets that are right but for it."""
    check = BeatCheck(PARTIAL)
    needed = PARTIAL.last_keep.bit_length()

    async def script(ctx) -> None:
        ctx.set(check.i.p.last, last)
        for keep in range(1 << 16):
            ctx.set(check.i.p.keep, keep)
            case = Case((keep,) if last else (keep, 0xFFFF), 16, needed)
            bad = bool(ctx.get(check.o.p.bad))
            assert bad == case.bad_keep, f"{keep:#x}"
            if last and not bad:
                found = StatusCode.TOO_SHORT * ctx.get(check.o.p.missing) + StatusCode.TOO_LONG * ctx.get(check.o.p.extra)
                assert found == status_code(case), f"{keep:#x}"

    simulator = Simulator(check)
    simulator.add_testbench(script)
    simulator.run()


@pytest.mark.parametrize("lanes", [1, 4])
def test_packets_of_any_form(lanes: int) -> None:
    """Each code of the data comes up, and good sectors between are right."""
    seen = set()

    async def script(host: Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        for _ in range(60):
            host.send_sector(host.generator.choice(("any form", "wrong end", "")))
        seen.update(sent.code for sent in host.sent)
        await host.finish()

    simulate(script, blocks=6, tail=5, lanes=lanes, seed=3)
    assert seen == {StatusCode.OK, StatusCode.TOO_SHORT, StatusCode.TOO_LONG, StatusCode.BAD_KEEP}
