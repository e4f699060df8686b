# SPDX-License-Identifier: Apache-2.0
"""Delay lines for values that move through the pipeline with a token."""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value

__all__ = ["Line"]


class Line:
    """A value of the token in one stage, and in every later stage that asks for it.

    A register is made when a stage first needs it.

    Parameters
    ----------
    m : Module
        The module that the registers are added to.
    value : Value
        The value of the token that is in stage ``stage``.
    stage : int
        The first stage in which the value exists.
    name : str
        Prefix of the names of the registers, which are ``name_STAGE_reg``.
    reset : bool
        Whether a reset clears the registers.  It must clear those that say that there is a token.
    """

    def __init__(self, m: Module, value: Value, stage: int, name: str, reset: bool = False):
        self._m, self._name, self._reset, self.born = m, name, reset, stage
        self._values = {stage: value}

    def at(self, stage: int) -> Value:
        """The value of the token in a stage.  Raises ``ValueError`` for a stage before the first one."""
        if stage < self.born:
            raise ValueError(f"{self._name} is born in stage {self.born}, and asked for in stage {stage}")
        for number in range(max(self._values) + 1, stage + 1):
            before = self._values[number - 1]
            register = Signal(len(before), name=f"{self._name}_{number}_reg", reset_less=not self._reset)
            self._m.d.sync += register.eq(before)
            self._values[number] = register
        return self._values[stage]
