# SPDX-License-Identifier: Apache-2.0
"""Netlists written by hand, in the form of ``write_json`` of Yosys."""

from typing import Any


def cell(kind: str, inputs: dict[str, int], outputs: dict[str, int]) -> dict[str, Any]:
    return {"type": kind, "connections": {port: [bit] for port, bit in {**inputs, **outputs}.items()},
            "port_directions": {**dict.fromkeys(inputs, "input"), **dict.fromkeys(outputs, "output")}}


def module(cells: dict[str, Any], inputs: dict[str, int] | None = None,
           outputs: dict[str, int] | None = None) -> dict[str, Any]:
    ports = {name: {"direction": "input", "bits": [bit]} for name, bit in (inputs or {}).items()}
    ports |= {name: {"direction": "output", "bits": [bit]} for name, bit in (outputs or {}).items()}
    names = {name: {"bits": port["bits"]} for name, port in ports.items()}
    names |= {f"{name}_net": {"bits": c["connections"][port]} for name, c in cells.items()
              for port, way in c["port_directions"].items() if way == "output"}
    return {"cells": cells, "ports": ports, "netnames": names}
