# SPDX-License-Identifier: Apache-2.0
"""S-boxes of AES as circuits: gcm2008, section 2.2.2; luts2017, section 1."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from modeloom.golden.aes_steps import inv_sub_byte, sub_byte
from modeloom.rtl.aes.parameters import LAYERS
from modeloom.rtl.aes.sboxes.forms import SBOXES, SBox
from modeloom_circuits.contract import Built, Circuit, Gates, Operation, Option

__all__ = ["CIRCUITS", "OLD_DIRECTIONS"]

OLD_DIRECTIONS = {"shared": "both"}
"""An older name of a direction."""

_SOURCES = {
    "lut": "luts2017, section 1; brw2013, appendix A",
    "bram": "tes2010, section 6",
    "composite": "gcm2008, section 2.2.2; Satoh et al., ASIACRYPT 2001",
    "bdd": "gcm2008, section 2.2.2; Morioka and Satoh, IEEE Trans. VLSI Systems 12(7), 2004",
    "compact": "Boyar and Peralta, SEA 2010; tools/compact_sbox.py",
}


def _build(kind: str, direction: str, stages: int) -> Built:
    def operation(random: Random) -> Operation:
        byte = random.getrandbits(8)
        inverse, port = component.direction.draw(random)
        return Operation([{"i": byte, **port}], [{"o": inv_sub_byte(byte) if inverse else sub_byte(byte)}])

    component = SBox(kind, direction, stages)
    form = SBOXES[kind]
    if form.gates is None:
        return Built(component, operation, figures={"direction": direction})
    gates = form.gates(direction)
    return Built(component, operation, Gates(gates.ands, gates.xors, gates.depth), {"direction": direction})


def _make(kind: str, direction: str | None) -> Callable[..., Built]:
    def make(stages: int, direction: str = direction or "") -> Built:
        return _build(kind, direction, stages)

    return make


def _circuits(kind: str) -> tuple[Circuit, Circuit]:
    form = SBOXES[kind]
    stages = Option("stages", form.least, "Pipeline registers", low=form.least, high=form.most)
    about = "The S-box, its inverse, or both, selected by an input"
    direction = Option("direction", "forward", about, choices=LAYERS, old=OLD_DIRECTIONS)
    return (
        Circuit(f"sbox-{kind}", f"S-box: {form.title}", _SOURCES[kind], (stages, direction), _make(kind, None)),
        Circuit(f"inv-sbox-{kind}", f"inverse S-box: {form.title}", _SOURCES[kind], (stages,), _make(kind, "inverse")),
    )


CIRCUITS = tuple(circuit for kind in SBOXES for circuit in _circuits(kind))
