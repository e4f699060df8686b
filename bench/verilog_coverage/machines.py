# SPDX-License-Identifier: Apache-2.0
"""The state machines of a core and their states, which Verilator counts as points of their own.

A machine is one register, or some that only together say where a component is.  Its states are those that its source in ``rtl/`` means to
have; any other combination of the registers is a point, too, that must stay at zero.  For the measurement a copy of the Verilog has a
``cover property`` for each state::

    module NAME_core_zeroizer (...);  ...  states_settle: cover property (@(posedge always_clk) hold && !erase_we && !swept_reg);  endmodule
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from amaranth.hdl import Fragment

from modeloom.compiler.compile import Compiled
from modeloom.cores.sector import bus_parameters
from modeloom.rtl.bus.key_port import KeyPort

__all__ = ["OTHER", "SOMETIMES", "Machine", "instrumented", "machines_of", "missing", "together"]

OTHER = "other"
"""The point for what is no state."""


SOMETIMES = frozenset({
    "core.bus.key_port.words_left_reg", "core.bus.sector.first_reg", "core.bus.ring.first_reg", "core.bus.ring.place_read_reg",
    "core.bus.ring.wrap_reg",
})  # fmt: skip
"""Registers of ``together`` that some cores have and others do not: those for keys of several words, for several sizes, and for one."""


@dataclass(frozen=True)
class Machine:
    """A state machine.

    Attributes
    ----------
    path : str
        Its instance: "core.bus.key_port".
    name : str
        A Verilog name; an instance may have several machines.
    registers : tuple of str
        What its state is in.
    states : dict
        Condition on them, in Verilog, for each state.
    clock : str
        Of the module.
    """

    path: str
    name: str
    registers: tuple[str, ...]
    states: Mapping[str, str]
    clock: str = "clk"

    def points(self) -> dict[str, str]:
        """A condition for each state, and for everything else."""
        return {**self.states, OTHER: f"!({' || '.join(f'({one})' for one in self.states.values())})"}

    def label(self, state: str) -> str:
        """Name of the point of a state."""
        return f"{self.name}_{state}"


def _numbers(path: str, name: str, register: str, values: Sequence[int]) -> Machine:
    """A machine that counts: a state for each value of a register."""
    return Machine(path, name, (register,), {f"{name}_{value}": f"{register} == {value}" for value in values})


def _key_port(compiled: Compiled) -> Machine:
    """The key port, whose states have numbers that Amaranth gave them."""
    encoding = Fragment.get(KeyPort(bus_parameters(compiled).keys), None).generated["fsm"].encoding
    return Machine("core.bus.key_port", "states", ("fsm_state",), {name: f"fsm_state == {value}" for name, value in encoding.items()})


def _slice(path: str) -> Machine:
    """A register slice: which of its two places are taken, and which is read."""
    return Machine(
        path, "places", ("valid_reg", "full_reg"),
        {"empty": "!valid_reg && !full_reg", "one": "valid_reg && !full_reg", "two": "valid_reg && full_reg"},
    )  # fmt: skip


def machines_of(compiled: Compiled) -> list[Machine]:
    """The machines of a core with one sequential cipher core and the key schedule of four cycles per round key."""
    p = bus_parameters(compiled)

    (cipher,) = compiled.architecture.cores
    core = f"core.engine.{ {'both': 'cipher0'}.get(cipher, cipher + '0') }.{cipher}"
    rounds = p.keys.round_keys - 1
    tables = [table.rows for table in compiled.core_program.tables]
    several_rows = any(table.rows > 1 for table in compiled.core_program.setups)
    machines = [
        Machine(
            "core.zeroizer", "states", ("hold", "erase_we", "swept_reg"),
            {
                "settle": "hold && !erase_we && !swept_reg", "sweep": "hold && erase_we && !swept_reg",
                "flush": "hold && !erase_we && swept_reg", "ready": "!hold && !erase_we && swept_reg",
            }, "always_clk",
        ),
        _key_port(compiled),
        Machine(
            "core.bus.key_schedule", "states", ("expanding_reg", "erasing_reg", "done"),
            {
                "idle": "!expanding_reg && !erasing_reg && !done", "expands": "expanding_reg && !erasing_reg && !done",
                "last_write": "expanding_reg && !erasing_reg && done", "erases": "!expanding_reg && erasing_reg && !done",
                "last_zeros": "!expanding_reg && erasing_reg && done",
            },
        ),
        _numbers("core.bus.key_schedule", "round", "round", range(p.keys.round_keys)),
        Machine(
            "core.bus.command", "places", ("taken_valid_reg", "valid_reg"),
            {
                "none": "!taken_valid_reg && !valid_reg", "taken": "taken_valid_reg && !valid_reg",
                "checked": "!taken_valid_reg && valid_reg", "both": "taken_valid_reg && valid_reg",
            },
        ),
        Machine(
            "core.bus.entry", "states", ("go_reg", "drop_reg", "enter_reg"),
            {
                "waits": "!go_reg && !drop_reg && !enter_reg", "good_command": "go_reg && !drop_reg && !enter_reg",
                "refuses": "!go_reg && drop_reg && !enter_reg", "refuses_packet": "go_reg && drop_reg && !enter_reg",
                "asks_to_enter": "!go_reg && !drop_reg && enter_reg",
            },
        ),
        _numbers("core.bus.entry", "ticket", "place_ticket", range(p.buffers.ring_sectors)),
        Machine(
            "core.bus.sector", "states", ("complete_reg", "packet_good", "bad_reg", "overrun_reg"),
            {
                "takes": "!complete_reg && !packet_good && !bad_reg && !overrun_reg",
                "takes_bad_keep": "!complete_reg && !packet_good && bad_reg && !overrun_reg",
                "takes_too_long": "!complete_reg && !packet_good && !bad_reg && overrun_reg",
                "takes_both": "!complete_reg && !packet_good && bad_reg && overrun_reg",
                "good": "complete_reg && packet_good && !bad_reg && !overrun_reg",
                "refused": "complete_reg && !packet_good && !bad_reg && !overrun_reg",
            },
        ),
        _numbers("core.bus.sector", "beat", "beat_reg", range(p.beats)),
        _slice("core.bus.sector.slice"),
        _slice("core.bus.ring.out"),
        _numbers("core.bus.ring", "free", "free_reg", range(p.buffers.ring_sectors + 1)),
        _numbers("core.bus.ring", "to_send", "to_send_reg", range(p.buffers.ring_sectors + 1)),
        _numbers("core.bus.queue.queue", "waiting", "inner_level", range(p.buffers.ring_sectors + 4)),
        Machine(
            "core.engine.sequencer", "states", ("in_setup_reg", "at_last_reg", "scrub", "setup_done"),
            {
                "sectors": "!in_setup_reg && !at_last_reg && !scrub && !setup_done",
                # A set-up of one row is at its last one from the beginning.
                **({"set_up": "in_setup_reg && !at_last_reg && !scrub && !setup_done"} if several_rows else {}),
                "runs_empty": "in_setup_reg && at_last_reg && !scrub && !setup_done",
                "scrubs": "in_setup_reg && at_last_reg && scrub && !setup_done",
                "done": "in_setup_reg && at_last_reg && !scrub && setup_done",
            },
        ),
        _numbers("core.engine.sequencer", "row", "row", range(sum(tables))),
        Machine(
            core, "states", ("idle_reg", "free_reg"),
            {"idle": "idle_reg && free_reg", "works": "!idle_reg && !free_reg", "last_round": "!idle_reg && free_reg"},
        ),
        _numbers(core, "round", "round_reg", range(rounds + 1)),
    ]  # fmt: skip
    if len(p.sizes) > 1:
        machines.append(
            Machine("core.bus.size_gate", "restart", ("restart_reg",), {"rests": "!restart_reg", "restarts": "restart_reg"})
        )
        machines.append(_numbers("core.bus.size_gate", "size", "size_reg", range(len(p.sizes))))
    return machines


def together(compiled: Compiled) -> list[tuple[str, ...]]:
    """Registers that know of each other: what one of them may be depends on what the others are (``invariants``)."""
    machines = machines_of(compiled)
    core = machines[-1].path if len(compiled.sizes) == 1 else machines[-3].path
    groups = {
        "core.zeroizer": [("hold", "erase_we", "swept_reg", "erase_address"), ("hold", "erase_we", "swept_reg", "wait_reg")],
        "core.bus.key_port": [
            ("fsm_state", "fence_reg", "rounds_left_reg", "words_left_reg"), ("fsm_state", "beat_reg", "complete_reg"),
        ],
        "core.bus.key_schedule": [
            ("expanding_reg", "erasing_reg", "done", "round", "phase_reg"), ("expanding_reg", "erasing_reg", "done", "rcon_reg"),
            ("expanding_reg", "erasing_reg", "done", "position_reg"),
        ],
        "core.bus.sector": [("beat_reg", "final_reg", "first_reg", "overrun_reg")],
        "core.bus.ring": [
            ("beat_reg", "final_reg", "first_reg"), ("read_address_reg", "wrap_reg", "place_read_reg", "beat_reg", "final_reg"),
        ],
        "core.engine.sequencer": [
            ("row", "in_setup_reg", "at_start_reg", "at_end_reg", "at_last_reg"),
            ("wait_reg", "in_setup_reg", "at_last_reg", "scrub", "setup_done"),
        ],
        "core.engine.control": [("data",)],
        core: [("idle_reg", "free_reg", "last_reg", "round_reg")],
    }
    found = [tuple(f"{machine.path}.{name}" for name in machine.registers) for machine in machines if len(machine.registers) > 1]
    return found + [tuple(f"{path}.{name}" for name in group) for path, each in groups.items() for group in each]


def _name(top: str, path: str) -> str:
    """The module of an instance."""
    return "_".join([top, *path.split(".")]) if path else top


def _text(verilog: str, module: str) -> re.Match[str] | None:
    return re.search(rf"^module {module} *\(.*?^endmodule", verilog, re.M | re.S)


def _has(module: str, register: str) -> bool:
    return bool(re.search(rf"^ *(?:output +)?reg +(?:\[\d+:0\] )?{register}\b", module, re.M))


def missing(verilog: str, top: str, groups: Iterable[Sequence[str]]) -> set[str]:
    """Those of some registers, given with their instances, that the Verilog does not have."""
    found = set()
    for path, _, register in (name.rpartition(".") for group in groups for name in group):
        module = _text(verilog, _name(top, path))
        if not module or not _has(module[0], register):
            found.add(f"{path}.{register}")
    return found


def instrumented(verilog: str, top: str, machines: Iterable[Machine]) -> str:
    """The Verilog with a point for each state; raises ``ValueError`` if a machine's module is not there."""
    for machine in machines:
        module = _name(top, machine.path)
        found = _text(verilog, module)
        if not found:
            raise ValueError(f"there is no module {module}")
        for register in machine.registers:
            if not _has(found[0], register):
                raise ValueError(f"{module} has no register {register}")
        lines = [
            f"  {machine.label(state)}: cover property (@(posedge {machine.clock}) {condition});"
            for state, condition in machine.points().items()
        ]
        end = found.end() - len("endmodule")
        verilog = verilog[:end] + "\n".join(lines) + "\n" + verilog[end:]
    return verilog
