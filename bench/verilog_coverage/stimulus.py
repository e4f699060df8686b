# SPDX-License-Identifier: Apache-2.0
"""What a core meets while its coverage is measured: the pins in every cycle of the checks of ``modeloom verify`` that simulate.

::

    dynamic_checks ──▶ host, simulation (CXXRTL) ──▶ inputs and outputs of every cycle, core after core ──▶ Verilator (``simulate``)
                                                          │
                                                          └── bits that nothing may read are random: payloads without valid,
                                                              reserved bits of commands

The core in Verilator is given the same inputs and must give the same outputs, so what is random is seen to be ignored.  A check begins
with a core fresh out of its power-up; here all follow each other in one run, each behind a reset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modeloom.compiler.compile import Compiled
from modeloom.interfaces import Side
from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE
from modeloom.interfaces.table import RESERVED
from modeloom.product.simulated import SimulatedCore
from modeloom.verification.sector import dynamic_checks, run_check
from modeloom.verification.sector.host import Host, Subject
from modeloom.verification.sector.sectors import needed_sectors

__all__ = ["Pin", "Stimulus", "scramble", "stimulus"]

RESET_CYCLES = 4
"""Cycles of the reset at the beginning of a core, in which outputs are not compared: here the core before it is still to be erased."""

STALLED = 24
"""Commands that wait while the host takes nothing: more than any of the cores holds."""

NEVER = 1 - 2**-20
"""Probability of a pause with which a host takes nothing for as long as that lasts."""

HOST_PAYLOADS = {group.name: group.payload_names for group in SECTOR_CORE if group.stream and group.driver is Side.HOST}
"""Payloads of the streams that the host drives."""


@dataclass(frozen=True)
class Pin:
    """A port of the core: its name, width in bits, and whether it is an input."""

    name: str
    width: int
    is_input: bool

    @property
    def bytes(self) -> int:
        """Bytes of a value, byte 0 being bits [7:0]."""
        return (self.width + 7) // 8


@dataclass(frozen=True)
class Stimulus:
    """Values of all pins in every cycle.

    Attributes
    ----------
    pins : list of Pin
        All ports but the clock; inputs first.
    rows : array of bytes, one row a cycle
        Values of the pins one behind the other.
    compared : array of bool
        Cycles in which the outputs must be those of the row.
    """

    pins: list[Pin]
    rows: np.ndarray
    compared: np.ndarray


class _Recorder(Subject):
    """A subject whose cores keep all pins of every cycle."""

    def core(self, *, seed: int = 0) -> SimulatedCore:
        """A core fresh out of a reset, watched from its first cycle."""
        core = super().core(seed=seed)
        core.simulation.watch([pin.name for pin in pins_of(core)])
        return core


def check_stalls(subject: Subject) -> tuple[str, dict[str, Any]]:
    """A host that takes no statuses, then no data, until the core stands still; then it takes them."""
    host = Host(subject, subject.rng("stalls"))
    for slot in range(host.slots):
        host.load(subject.good_key(host.rng), slot)
    host.settle()
    for stream in ("m_axis_status", "m_axis"):
        for size in range(len(subject.sizes)):
            host.set_gaps({stream: NEVER})
            for number in range(STALLED):
                host.job(slot=number % host.slots, decrypt=host.rng.choice(subject.ways), size=size)
            host.run(STALLED * host.sector_cycles // 4)
            host.set_gaps({})
            host.settle()
    return "", {}


def pins_of(core: SimulatedCore) -> list[Pin]:
    """All ports but the clock, inputs first, each in alphabetical order."""
    pins = [Pin(name, port.width, port.kind == "input") for name, port in core.simulation.ports.items() if name != "aclk"]
    return sorted(pins, key=lambda pin: not pin.is_input)


def stimulus(directory: Path, compiled: Compiled, *, optimize: int = 0, seed: int = 1) -> Stimulus:
    """Runs the checks on a built core and gives what its pins did; raises ``CheckFailed`` if one of them does not pass."""
    subject = _Recorder(directory, optimize=optimize, seed=seed)
    parts: list[np.ndarray] = []
    pins: list[Pin] = []
    for name, check in [*dynamic_checks(needed_sectors(compiled)), ("stalls", check_stalls)]:

        def kept(subject: Subject, check: Any = check) -> Any:
            result = check(subject)
            for core in subject.cores:
                pins[:] = pins_of(core)
                parts.append(np.frombuffer(core.simulation.watched(), dtype=np.uint8).reshape(-1, sum(pin.bytes for pin in pins)))
            return result

        run_check(subject, name, kept)
    # The reset of a core that has just been made is not watched yet: it is put before what was.
    head = np.zeros((RESET_CYCLES, parts[0].shape[1]), dtype=np.uint8)
    rows = np.concatenate([piece for part in parts for piece in (head, part)])
    compared = np.concatenate([flag for part in parts for flag in (np.zeros(RESET_CYCLES, bool), np.ones(len(part), bool))])
    scramble(rows, pins, compiled.source.tweak_bytes, np.random.default_rng(seed))
    return Stimulus(pins, rows, compared)


def scramble(rows: np.ndarray, pins: Sequence[Pin], tweak_bytes: int, rng: np.random.Generator) -> None:
    """Puts random values where nothing is read: payloads without valid, and bits of commands that mean nothing."""
    place, at = {}, 0
    for pin in pins:
        place[pin.name] = (at, pin)
        at += pin.bytes

    def columns(name: str) -> np.ndarray:
        at, pin = place[name]
        return rows[:, at : at + pin.bytes]

    for stream, payloads in HOST_PAYLOADS.items():
        quiet = columns(f"{stream}_tvalid")[:, 0] == 0
        for payload in payloads:
            name = f"{stream}_{payload}"
            target, width = columns(name), place[name][1].width
            noise = rng.integers(0, 256, (int(quiet.sum()), target.shape[1]), dtype=np.uint8)
            if width % 8:
                noise[:, -1] &= (1 << width % 8) - 1
            target[quiet] = noise
    # Reserved bits of commands, which stay while a command waits.
    commands, valid = columns("s_axis_cmd_tdata"), columns("s_axis_cmd_tvalid")[:, 0]
    packing = COMMANDS.packing
    mask = packing.mask(RESERVED) | packing.mask("tweak") & ~((1 << 8 * tweak_bytes) - 1)
    mask_bytes = np.frombuffer(mask.to_bytes(commands.shape[1], "little"), dtype=np.uint8)
    # A command that waits stays as it is.  Two equal ones after each other share their noise, which breaks no rule.
    held = np.concatenate([[False], (valid[1:] == 1) & (valid[:-1] == 1) & (commands[1:] == commands[:-1]).all(axis=1)])
    numbers = np.cumsum(~held)
    noise = rng.integers(0, 256, (int(numbers[-1]) + 1, commands.shape[1]), dtype=np.uint8)[numbers]
    commands[:] = np.where(valid[:, None] == 1, commands & ~mask_bytes | noise & mask_bytes, commands)
