# SPDX-License-Identifier: Apache-2.0
"""Tries rare faults on a core for messages: which units of ``modeloom verify`` reach the line of a fault, and does one of them find it?

::

    good core, a unit     ──▶  monitors: the lines of faults 3, 17 and 40 would have differed
    core with fault 17    ──▶  only units whose traffic reaches its line, the shortest first, until one refuses the core
    not found             ──▶  the same traffic, and other traffic, in both cores: does any output differ in any cycle?

A fault whose line makes no difference in the good core makes none at all in the same traffic, so no unit that could find it is left out.
The other traffic (``message_traffic``) has nothing of ``verify`` in it.  So it shows what ``verify`` does not send.  It is sent twice.
Only a difference in its settled form counts, in which what comes out depends on no cycle.

A fault may change nothing but the cycles in which things happen (``what_came``): it is counted apart, because ``verify`` states only the
latencies and distances that ``core.json`` has.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from modeloom.emit import CheckFailed
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError
from modeloom.verification.steps import FAULTS
from modeloom.verification.stream import check_neighbours
from modeloom.verification.stream.bounds import bounds_units
from modeloom.verification.stream.carries import carries_units
from modeloom.verification.stream.erasure import check_erasure, check_zeroize
from modeloom.verification.stream.host import MessageReference, StreamSubject
from modeloom.verification.stream.pace import check_pace, full_units
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_reloads, check_statuses

from .message_traffic import MessageTraffic
from .schemata import INPUT, SEEN, schemata
from .sites import Fault
from .trial import edited_folder
from .what_came import WhatCame

__all__ = ["MessageResult", "MessageTrial", "units_of"]

Unit = Callable[[StreamSubject], Any]

OTHER, SETTLED = "other traffic", "other traffic, settled"
"""The names of the traffic that is none of ``verify``."""

OTHER_CYCLES = 200_000

FEW_MESSAGES, FEW_ROUNDS = 320, 8
"""Random messages and rounds of new keys, which are fewer than in the command."""


def units_of(subject: StreamSubject) -> dict[str, Unit]:
    """What ``modeloom verify`` sends to a core, in independent parts.

    The random messages and rounds of new keys are the first ones of the command.  Its published vectors are left out.
    """
    return {
        "pace": check_pace, "erasure": check_erasure, "zeroize": check_zeroize,
        "neighbours": check_neighbours, "statuses": check_statuses,
        **{f"bounds: {name}": unit for name, unit in bounds_units(subject).items()},
        **{f"full: {name}": unit for name, unit in full_units(subject).items()},
        **{f"carries: {name}": unit for name, unit in carries_units(subject).items()},
        "reloads": partial(check_reloads, rounds=FEW_ROUNDS), "messages": partial(check_messages, wanted=FEW_MESSAGES),
        "lengths": check_lengths,
    }  # fmt: skip


@dataclass(frozen=True)
class MessageResult:
    """What became of a fault.

    Attributes
    ----------
    reached : int
        Number of units whose traffic reaches its line; and the other traffic, if no unit shows any difference.
    caught : str
        The unit that found it; empty if none did.
    message : str
        What it said.
    changes : str
        Of a fault that was not found: the unit and the cycle in which an output differs from that of the good core; empty if none does.
    shifts : str
        The same of one that changes nothing but the cycles in which things happen.
    """

    core: str
    number: int
    kind: str
    module: str
    line: int
    old: str
    new: str
    reached: int
    caught: str
    message: str
    changes: str
    shifts: str

    def as_dict(self) -> dict[str, Any]:
        """For the file of results."""
        return asdict(self)


@dataclass(frozen=True)
class KnownReference(MessageReference):
    """A reference that keeps the results of another one: the same messages go through many faulty cores."""

    made: MessageReference

    def run(self, decrypt: int, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int, known: bytes = b"") -> tuple[bytes, bytes]:
        """As in the class above."""
        results: dict[Any, tuple[bytes, bytes]] = self.__dict__.setdefault("results", {})
        asked = decrypt, nonce, text, ad, tag_bytes, known
        if asked not in results:
            results[asked] = self.made.run(*asked)
        return results[asked]

    def sealed(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> tuple[bytes, bytes]:
        """As in the class above."""
        return self.made.sealed(nonce, text, ad, tag_bytes)


class PlantedMessages(StreamSubject):
    """A subject whose cores have one fault of a file of schemata; 0 is none."""

    fault = 0
    came: WhatCame
    monitors: Sequence[str] = ()

    def reference(self, key: bytes) -> MessageReference | None:
        """The reference under a key, with results that it keeps; None if the mode refuses the key."""
        known: dict[bytes, MessageReference | None] = self.__dict__.setdefault("references", {})
        if key not in known:
            made = super().reference(key)
            known[key] = None if made is None else KnownReference(made.model, made.golden, made)
        return known[key]

    def core(self, *, seed: int = 0) -> SimulatedStreamCore:
        """A core fresh out of a reset, the fault in it from the first cycle on."""
        core = super().core(seed=seed)
        core.simulation.set(INPUT, self.fault)
        core.runner.reset(4)
        # The registers of the monitors are none of the core's, whose state some checks compare.
        self.monitors = [name for name in core.simulation.objects if SEEN in name]
        for name in self.monitors:
            del core.simulation.objects[name]
        self.came = WhatCame(core.simulation, self.description.block_bytes)
        core.simulation.watch(self.came.names)
        return core

    def outputs(self) -> list[bytes]:
        """What each core showed since the last call, cycle after cycle; the cores are forgotten."""
        outputs = [core.simulation.watched() for core in self.cores]
        self.take_cycles()
        return outputs


class MessageTrial:
    """Faults in the Verilog of one core for messages.

    Parameters
    ----------
    name : str
        For the results.
    folder : path
        The good core, whose Verilog has one operator a line.
    work : path
        Where the file with all faults goes.
    faults : sequence of Fault
    """

    def __init__(self, name: str, folder: Path, work: Path, faults: Sequence[Fault], *, optimize: int = 0, seed: int = 1):
        self.name, self.faults = name, faults
        verilog = (folder / StreamSubject(folder).description.verilog).read_text(encoding="utf-8")
        self.subject = PlantedMessages(edited_folder(folder, work, schemata(verilog, faults, monitors=True)), optimize=optimize, seed=seed)
        self.units = units_of(self.subject)
        other = partial(MessageTraffic, self.subject.description, self.subject.mode, OTHER_CYCLES, seed)
        self.others = {OTHER: other(), SETTLED: other(settled=True)}
        self.reached: dict[str, set[int]] = {}
        self.seconds: dict[str, float] = {}
        self.good: dict[str, list[bytes]] = {}
        self.monitored: set[int] = set()

    def learn(self) -> None:
        """Runs all units on the good core, which passes them; raises ``CheckFailed`` otherwise."""
        self.subject.fault = 0
        others = {name: partial(self._other, name) for name in self.others}
        for name, unit in {**self.units, **others}.items():
            began = time.process_time()
            unit(self.subject)
            self.seconds[name] = time.process_time() - began
            self.reached[name] = set()
            for core in self.subject.cores:
                for monitor in self.subject.monitors:
                    number = int(re.sub(rf".*{SEEN}", "", monitor))
                    self.monitored.add(number)
                    if core.simulation.get(monitor):
                        self.reached[name].add(number)
            self.good[name] = self.subject.outputs()
            told = f"{self.name}: {name} reaches {len(self.reached[name])} faults in {self.seconds[name]:.0f} s"
            print(told, file=sys.stderr, flush=True)

    def _other(self, name: str, subject: StreamSubject) -> None:
        self.others[name].run(subject.core())

    def run(self, numbers: Iterable[int] = ()) -> Iterator[MessageResult]:
        """Tries every fault, or those with some numbers."""
        self.learn()
        for number in numbers or range(1, len(self.faults) + 1):
            yield self.result(number)

    def result(self, number: int) -> MessageResult:
        """Tries one fault, counted from 1."""
        fault = self.faults[number - 1]
        able = [name for name in self.units if number in self.reached[name] or number not in self.monitored]
        able.sort(key=lambda name: self.seconds[name])
        self.subject.fault = number
        caught = message = changes = shifts = ""
        for name in able:
            try:
                self.units[name](self.subject)
            except (*FAULTS, CheckFailed, InputError) as error:
                caught, message = name, str(error).replace(f"{self.subject.directory}: ", "")
            outputs = self.subject.outputs()
            if caught:
                changes = shifts = ""
                break
            changed, shifted = self._difference(name, outputs)
            changes, shifts = changes or changed, shifts or shifted
        for name in self.others if not caught and not changes else ():
            if number in self.reached[name] or number not in self.monitored:
                able.append(name)
                self._other(name, self.subject)
                changes, shifted = self._difference(name, self.subject.outputs())
                shifts = shifts or shifted
        return MessageResult(
            self.name, number, fault.kind, fault.module, fault.line + 1, fault.old.strip(), fault.new.strip(), len(able), caught, message,
            changes, "" if changes else shifts,
        )  # fmt: skip

    def _difference(self, name: str, outputs: Sequence[bytes]) -> tuple[str, str]:
        """Where what came in a unit differs from the good core's, and where it only came in other cycles; empty if it does not."""
        changed = shifted = ""
        for good, other in zip(self.good[name], outputs, strict=False):
            if good != other:
                cycle = f"{name}, cycle {self.subject.came.first_difference(good, other)}"
                shifted = shifted or cycle
                own = name not in self.others
                if name != OTHER and not self.subject.came.same(good, other, whole=own, judged=own):
                    changed = changed or cycle
        return changed, shifted
