# SPDX-License-Identifier: Apache-2.0
"""Values that travel with a token down the pipeline."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value

__all__ = ["Line"]


class Line:
    """A value that is there in one stage, and later in every stage in which it is asked for.

    Registers are made as they are asked for.

    Parameters
    ----------
    m : Module
    value : Value
        The value of the token that is in stage ``stage``.
    stage : int
        Where the value is born.
    name : str
        Of its registers: ``name_STAGE_reg``.
    reset : bool
        Whether a reset clears them, as it must those that say that there is a token.
    """

    def __init__(self, m: Module, value: Value, stage: int, name: str, reset: bool = False):
        self._m, self._name, self._reset, self.born = m, name, reset, stage
        self._values = {stage: value}

    def at(self, stage: int) -> Value:
        """The value of the token in a stage; raises ``ValueError`` for one before its birth."""
        if stage < self.born:
            raise ValueError(f"{self._name} is born in stage {self.born}, and asked for in stage {stage}")
        for number in range(max(self._values) + 1, stage + 1):
            before = self._values[number - 1]
            register = Signal(len(before), name=f"{self._name}_{number}_reg", reset_less=not self._reset)
            self._m.d.sync += register.eq(before)
            self._values[number] = register
        return self._values[stage]
