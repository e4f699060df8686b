# SPDX-License-Identifier: Apache-2.0
"""Netlists made by hand, cell by cell, with the ports of a core: a fault can be planted that nothing but one condition finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeloom.product.description import Result, Secret, Verdict
from modeloom.taint import TaintReport, check_netlist
from modeloom.taint.graph import Bit, Netlist

__all__ = ["RESULT", "MadeCore", "check_made", "secrets"]

TWEAK_BITS = 256

TWEAK_AT = 4
"""Bits of a command before its tweak; four follow it."""

RESULT = "m_axis_tdata"


def secrets(tweak: bool = True) -> tuple[Secret, ...]:
    """What is secret in a core made here; results depend on the tweak, if told so."""
    return (
        Secret("data", "s_axis_tdata", 0, 8), Secret("key", "s_axis_key_tdata", 0, 8),
        Secret("tweak", "s_axis_cmd_tdata", TWEAK_AT, TWEAK_BITS, reaches=tweak),
    )  # fmt: skip


def check_made(
    core: MadeCore, *, tweak: bool = True, beat_bytes: int | None = None, verdicts: Sequence[Verdict] = ()
) -> TaintReport:
    """Checks a core made here, whose results fill its data out, or the first bytes of a beat."""
    netlist = core.netlist()
    bits = len(netlist.outputs[RESULT]) if beat_bytes is None else 8 * beat_bytes
    return check_netlist(netlist, secrets(tweak), [Result(RESULT, bits)], verdicts)

INPUTS = {"s_axis_tdata": 8, "s_axis_key_tdata": 8, "s_axis_cmd_tdata": TWEAK_BITS + 8, "aclk": 1, "go": 4}


class MadeCore:
    """A core of two output bits that depend on all secrets; ``add`` puts cells beside them.

    Attributes
    ----------
    data, key, tweak, command, clock, go : list of int
        Bits of the inputs; ``command`` is what stands beside the tweak, and ``go`` is public.
    """

    def __init__(self) -> None:
        self.size = 2
        self.ports: dict[str, dict[str, Any]] = {}
        self.nets: dict[str, dict[str, Any]] = {}
        self.cells: dict[str, dict[str, Any]] = {}
        made = {name: self.net(name, width) for name, width in INPUTS.items()}
        for name, bits in made.items():
            self.ports[name] = {"direction": "input", "bits": bits}
        self.data, self.key = made["s_axis_tdata"], made["s_axis_key_tdata"]
        command = made["s_axis_cmd_tdata"]
        self.tweak = command[TWEAK_AT : TWEAK_AT + TWEAK_BITS]
        self.command = [bit for bit in command if bit not in self.tweak]
        self.clock, self.go = made["aclk"], made["go"]
        self.secrets: list[Bit] = [*self.data, *self.key, *self.tweak]
        self.result = [self.gate(self.secrets) for _ in range(2)]
        self.output("m_axis_tdata", self.result)

    def net(self, name: str, width: int = 1) -> list[int]:
        """New bits with a name."""
        bits = list(range(self.size, self.size + width))
        self.size += width
        self.nets[name] = {"bits": bits}
        return bits

    def output(self, name: str, bits: Sequence[Bit]) -> None:
        """An output of the core."""
        self.ports[name] = {"direction": "output", "bits": list(bits)}

    def add(self, name: str, kind: str, parameters: dict[str, Any] | None = None, **ports: Sequence[Bit]) -> None:
        """A cell."""
        self.cells[name] = {"type": kind, "parameters": parameters or {}, "connections": {k: list(v) for k, v in ports.items()}}

    def gate(self, bits: Sequence[Bit]) -> int:
        """A bit that depends on some others: no control point."""
        (y,) = self.net(f"gate_{self.size}")
        self.add(f"gate{y}", "$reduce_xor", A=bits, Y=[y])
        return y

    def register(self, name: str, d: Bit, kind: str = "$dff", **controls: Sequence[Bit]) -> int:
        """A register of one bit with a name."""
        (q,) = self.net(name)
        self.add(f"register of {name}", kind, D=[d], Q=[q], **{"CLK": self.clock, **controls})
        return q

    def memory(self, name: str, *, width: int = 8, size: int = 256, clocked: int = 0, writes: int = 0, **ports: Sequence[Bit]) -> None:
        """A memory with a read port, and perhaps a write port; what is not given is public."""
        go, bits = self.go, self.net(f"{name} read", width)
        sizes = {"WIDTH": width, "SIZE": size, "ABITS": 2, "RD_PORTS": 1, "WR_PORTS": writes, "RD_CLK_ENABLE": clocked}
        given: dict[str, Sequence[Bit]] = {
            "RD_ADDR": go[:2], "RD_DATA": bits, "RD_CLK": self.clock, "RD_EN": go[:1], "RD_ARST": ["0"], "RD_SRST": ["0"],
        }  # fmt: skip
        if writes:
            given |= {"WR_ADDR": go[2:], "WR_DATA": ["0"] * width, "WR_EN": go[:1] * width, "WR_CLK": self.clock}
        self.add(name, "$mem_v2", sizes, **{**given, **ports})

    def netlist(self) -> Netlist:
        """The netlist as Yosys would give it."""
        for name, port in self.ports.items():
            self.nets.setdefault(name, {"bits": port["bits"]})
        return Netlist({"ports": self.ports, "netnames": self.nets, "cells": self.cells})
