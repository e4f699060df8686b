# SPDX-License-Identifier: Apache-2.0
"""Reads the fields of rows from the control store, and delays them until they are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value

from modeloom.rtl.engine.control import ControlStore
from modeloom.rtl.engine.sequencer import Sequencer

__all__ = ["RowReader"]


class RowReader:
    """Reads fields of the row that the sequencer points at.

    Parameters
    ----------
    m : Module
        The module that the registers are added to.
    seq : Sequencer
        Gives the state of each stage.
    store : ControlStore
        Holds the rows.
    """

    def __init__(self, m: Module, seq: Sequencer, store: ControlStore):
        self.m, self.seq, self.store = m, seq, store

    def has(self, field: str) -> bool:
        """Whether the control store has a field."""
        return field in self.store.columns.fields

    def read(self, name: str, fields: Sequence[str], states: Mapping[str, Array] | None = None) -> dict[str, Value]:
        """The fields of a row, two cycles after the row pointer.

        Parameters
        ----------
        name : str
            The name of the row in the control store.
        fields : sequence of str
            The fields to read.  They come in their variant for the direction of the sector.
        states : mapping or None
            Arrays with a state for each stage.  The state of the stage that the row belongs to is returned under the name of the
            array.

        Returns
        -------
        dict
            The fields and states by their names, and "valid": there is a row, and a sector in its stage.
        """
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

    def batch(self, unit: str) -> Value:
        """Whether a batch of a unit begins, two cycles after the row pointer: a sector in some stage has an operation in it."""
        m, seq, store = self.m, self.seq, self.store
        stages: Value = store.field(f"{unit}.batch")
        if self.has(f"{unit}.batch.dec"):
            dec = store.field(f"{unit}.batch.dec")
            stages = Cat(Mux(decrypt, dec[q], stages[q]) for q, decrypt in enumerate(seq.stage_decrypt))
        begins = Signal(name=f"{unit}_batch_begins")
        m.d.comb += begins.eq((stages & Cat(*seq.stage_valid)).any())
        late = Signal(name=f"{unit}_batch_reg")
        m.d.sync += late.eq(begins)
        return late

    def _late(self, value: Value, name: str, *, reset_less: bool = True) -> Value:
        """The value of a cycle ago."""
        reg = Signal(len(value), name=f"row_{name.replace('.', '_')}_reg", reset_less=reset_less)
        self.m.d.sync += reg.eq(value)
        return reg
