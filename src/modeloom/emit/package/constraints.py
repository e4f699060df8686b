# SPDX-License-Identifier: Apache-2.0
"""Constraints for the paths between clocks: XDC for Vivado (UG903), SDC for Quartus, and plain SDC for Radiant and others.

::

    gray     at most a cycle of its own clock, and so is the skew between its bits
    bit      at most a cycle of its own clock
    word     at most a cycle of the clock that reads it
    memory   the same
    reset    no constraint: it may come at any time

The clocks themselves are for the user to define.  Nothing here says that they are asynchronous to each other: these constraints have to
hold, and a clock group would take them away.
"""

from __future__ import annotations

from modeloom.product.description import Description
from modeloom.product.front import ClocksDescription, Crossing

__all__ = ["quartus_sdc", "sdc", "xdc"]

PERIOD = "10.0"
"""Nanoseconds that plain SDC allows if nothing else is said."""


def _told(description: Description) -> tuple[str, ClocksDescription]:
    front = description.front
    if front is None or front.clocks is None:
        raise ValueError("a core without clocks of the host has no constraints")
    return front.top, front.clocks


def _head(description: Description, tool: str, lines: list[str]) -> list[str]:
    top, told = _told(description)
    clocks = ", ".join(["aclk", *(one.name for one in told.clocks)])
    return [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Constraints for {top}, for {tool}: all paths between clocks in its instance {told.instance}.",
        "#",
        f"# Define the clocks ({clocks}) yourself. Do not put them into asynchronous groups, and do not make the paths between them false:",
        "# either would take away the constraints here.",
        *(f"# {line}" if line else "#" for line in lines), "",
    ]  # fmt: skip


def xdc(description: Description) -> str:
    """Constraints for Vivado.  A period is the least one of all instances, if there are several."""
    top, told = _told(description)
    lines = _head(description, "Vivado", [
        f"The file needs no scope. With several instances of {top} in a design, read it once.",
        "Use it for implementation; synthesis does not need it (USED_IN_SYNTHESIS false).",
    ])  # fmt: skip

    def cells(path: str) -> str:
        # The instance may be at the top, or below it.  That of a core whose name ends in this one is another.
        names = f"NAME =~ {told.instance}/{path}* || NAME =~ */{told.instance}/{path}*"
        return f"[get_cells -hierarchical -filter {{IS_SEQUENTIAL && ({names})}}]"

    for one in told.crossings:
        target = cells(f"{one.target}_reg")
        if one.kind == "reset":
            lines += [
                f"# {one.target}: the reset",
                f"set_false_path -to [get_pins -of_objects {target} -filter {{REF_PIN_NAME == PRE || REF_PIN_NAME == CLR}}]", "",
            ]  # fmt: skip
            continue
        source, timed = cells(f"{one.source}_reg"), "from" if one.kind in ("gray", "bit") else "to"
        if one.kind == "memory":
            # Tools cut a memory into cells with names of their own.  All that comes from its clock comes through it.
            queue = one.source.rpartition("/")[0]
            source = f"[get_clocks -of_objects {cells(f'{queue}/w_gray_reg_reg')}]"
        lines += [
            f"# {one.source} to {one.target}: {one.kind}", f"set modeloom_from {source}", f"set modeloom_to {target}",
            f"set modeloom_period [get_property -min PERIOD [get_clocks -of_objects $modeloom_{timed}]]",
            "set_max_delay -datapath_only -from $modeloom_from -to $modeloom_to $modeloom_period",
            *(["set_bus_skew -from $modeloom_from -to $modeloom_to $modeloom_period"] if one.kind == "gray" else []), "",
        ]  # fmt: skip
    return "\n".join(lines)


def quartus_sdc(description: Description) -> str:
    """Constraints for the timing analyzer of Quartus.  Its names have the entity before the instance, so "*" stands for entities."""
    _, told = _told(description)
    lines = _head(description, "Quartus", ["Setup and hold are not analysed on these paths. Delay and skew are."])

    def registers(path: str, kind: str = "") -> str:
        *instances, register = path.split("/")
        inner = "".join(f"|*:{one}" for one in instances)
        last = f"*{register}*" if kind == "memory" else f"{register}*"
        return f"[get_registers -nowarn {{*:{told.instance}{inner}|{last}}}]"

    for one in told.crossings:
        target = registers(one.target)
        if one.kind == "reset":
            lines += [f"# {one.target}: the reset", f"set_false_path -to {target} -from [get_ports -nowarn *]", ""]
            continue
        source = registers(one.source, one.kind)
        paths = f"-from {source} -to {target}"
        of = "src" if one.kind in ("gray", "bit") else "dst"
        lines += [
            f"# {one.source} to {one.target}: {one.kind}", f"set_max_delay {paths} 100", f"set_min_delay {paths} -100",
            f"set_net_delay {paths} -max -get_value_from_clock_period {of}_clock_period -value_multiplier 0.8",
            *([f"set_max_skew {paths} -get_skew_value_from_clock_period src_clock_period -skew_value_multiplier 0.8"]
              if one.kind == "gray" else []), "",
        ]  # fmt: skip
    return "\n".join(lines)


def sdc(description: Description) -> str:
    """Constraints with commands that all tools for SDC have."""
    _, told = _told(description)
    lines = _head(description, "Radiant and other tools that read plain SDC", [
        "modeloom_period is the period of the fastest clock in nanoseconds. Set it before this file is read, or change it here.",
        "A tool may name cells in another way: compare them with the netlist, and look into its report whether paths were found.",
    ])  # fmt: skip
    lines += [f"if {{![info exists modeloom_period]}} {{ set modeloom_period {PERIOD} }}", ""]

    def cells(path: str) -> str:
        return f"[get_cells {{{told.instance}/{path}* */{told.instance}/{path}*}}]"

    for one in told.crossings:
        lines += [f"# {one.source or 'the reset'} to {one.target}: {one.kind}", _plain(one, cells(one.source), cells(one.target)), ""]
    return "\n".join(lines)


def _plain(one: Crossing, source: str, target: str) -> str:
    if one.kind == "reset":
        return f"set_false_path -to {target}"
    return f"set_max_delay -from {source} -to {target} $modeloom_period"
