# SPDX-License-Identifier: Apache-2.0
"""The description of a core that nobody has built: whole and right, with what a test wants in it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from modeloom.product.beats import Explain, Pins, SectorDescription, SizeFigures
from modeloom.product.description import KeyPart, Port, file_names

__all__ = ["sector_description"]


def _numbers(kind: type, **values: Any) -> dict[str, Any]:
    """Values for every field of a dataclass that needs one: those given, else 1."""
    return {**{field.name: 1 for field in fields(kind) if field.default is not None}, **values}


PORTS = tuple(
    Port(name=name, direction="input", width=width, stream=name.rpartition("_")[0])
    for name, width in (("s_axis_cmd_tdata", 320), ("s_axis_tdata", 128), ("s_axis_key_tdata", 128))
)


def sector_description(**changes: Any) -> SectorDescription:
    """An HCTR2 core for sectors of 512 bytes in both directions, two key slots; ``changes`` are fields that are otherwise."""
    explain = Explain(
        **_numbers(
            Explain, schema="modeloom-explain-1", mode="hctr2", sector_bytes=512, blocks=32, directions=("encrypt", "decrypt"), units={},
            uses={}, overlap=True, latency_bounds={}, optimal=False, optimal_of_pairing=False, proved=True, inverse="proved", warnings=(),
        )
    )  # fmt: skip
    size = SizeFigures(sector_bytes=512, blocks=32, beats=32, interval=32, latency_pins=100, explain=explain)
    files = file_names("disk")
    values: dict[str, Any] = dict(
        schema=SectorDescription.SCHEMA, version="0", command="modeloom build hctr2", name="disk", top="disk", verilog=files.verilog,
        listing=files.listing, files=files, mode="hctr2", definition="hctr2", title="HCTR2", source="", security="", broken=False,
        definition_sha256="", options={}, cipher="aes", key_bytes=16, key_parts=("cipher",), refused_keys="",
        key_layout=(KeyPart(name="cipher", offset=0, bytes=16),), key_slots=2, erase_cycles=50, key_erase_cycles=60,
        ports=PORTS, sector_bytes=512, sizes=(size,), blocks=32, tweak_bytes=16,
        lanes=1, block_bytes=16, beats=32, directions=("encrypt", "decrypt"), pins=Pins(**_numbers(Pins)), explain=explain,
    )  # fmt: skip
    return SectorDescription(**{**values, **changes})
