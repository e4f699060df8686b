# SPDX-License-Identifier: Apache-2.0
"""Rows on their way from the control store to what they control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Array, Module, Mux, Signal, Value

from modeloom.rtl.engine.control import ControlStore
from modeloom.rtl.engine.sequencer import Sequencer

__all__ = ["RowReader"]


class RowReader:
    """Reads fields of the row that the sequencer points at.

    Parameters
    ----------
    m : Module
        Where the registers go.
    seq : Sequencer
    store : ControlStore
    """

    def __init__(self, m: Module, seq: Sequencer, store: ControlStore):
        self.m, self.seq, self.store = m, seq, store

    def has(self, field: str) -> bool:
        """Whether the control store has a field."""
        return field in self.store.columns.fields

    def read(self, name: str, fields: Sequence[str], states: Mapping[str, Array] | None = None) -> dict[str, Value]:
        """Fields of a row at pointer + 2: its variant for the sector's direction, "valid", and states of its stage."""
        m, seq, store = self.m, self.seq, self.store
        stage = store.field(f"{name}.stage")
        result: dict[str, Value] = {}
        valid = seq.of_stage(seq.stage_valid, stage) & store.field(f"{name}.valid")
        result["valid"] = self._late(valid, f"{name}.valid", reset_less=False)
        if any(self.has(f"{name}.{field}.dec") for field in fields):
            decrypts = Signal(name=f"row_{name}_decrypts")
            m.d.comb += decrypts.eq(seq.of_stage(seq.stage_decrypt, stage))
        for field in fields:
            value = store.field(f"{name}.{field}")
            if self.has(f"{name}.{field}.dec"):
                value = Mux(decrypts, store.field(f"{name}.{field}.dec"), value)
            result[field] = self._late(value, f"{name}.{field}")
        for state, array in (states or {}).items():
            result[state] = self._late(seq.of_stage(array, stage), f"{name}.{state}")
        return result

    def _late(self, value: Value, name: str, *, reset_less: bool = True) -> Value:
        """A cycle later."""
        reg = Signal(len(value), name=f"row_{name.replace('.', '_')}_reg", reset_less=reset_less)
        self.m.d.sync += reg.eq(value)
        return reg
