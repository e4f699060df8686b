# SPDX-License-Identifier: Apache-2.0
"""Names memories after what they hold.  A component for memories calls its memory ``mem0`` or ``words``, whatever is in it, but its place
in the design tells::

    core.bus.texts.queue.memory    mem0          ──▶   texts_queue
    core.bus.window.memory         mem0          ──▶   window_words
    core.engine.bank_in0           mem0, mem1    ──▶   bank_in0_part_0, bank_in0_part_1
    core.bus.command.checked       words         ──▶   command_checked
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from modeloom.emit.circuit import Circuit
from modeloom.emit.share import common
from modeloom.emit.simplify import rename
from modeloom.emit.tables import free_name

__all__ = ["name_memories"]

_NAMELESS = re.compile(r"\\(?:mem|memory|words|storage)(\d*)")
"""Memories whose names say nothing."""

_AROUND = ("bus", "core", "engine", "pipeline")
"""Parts of each core.  Their names say nothing about what is in one memory of many."""

_WORDS = 2
"""Instances whose names are in the name of a memory, at most: the innermost ones."""


def name_memories(circuits: Sequence[Circuit], top: str) -> None:
    """Gives memories without a name of their own the name of their place, in place.

    Parameters
    ----------
    circuits : sequence of Circuit
    top : str
        Name of the top in RTLIL.
    """
    parents: dict[str, list[tuple[str, str]]] = {}
    for circuit in circuits:
        for instance in circuit.instances.values():
            parents.setdefault(instance.module, []).append((circuit.name, instance.name.removeprefix("\\")))
    for circuit in circuits:
        nameless = [name for name in circuit.memories if _NAMELESS.fullmatch(name)]
        if nameless and circuit.name != top:
            _name(circuit, nameless, _place(circuit.name.removeprefix(top + "_"), _places(circuit.name, parents)))


def _places(module: str, parents: Mapping[str, Iterable[tuple[str, str]]]) -> list[str]:
    """What the instances of a module are called, with those around them: the words that tell where each one is.

    The name of a single instance has a word behind it.  Linters warn of a signal with the name of the instance in which it is.
    """
    found: dict[tuple[str, ...], None] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(module, ())]
    while waiting:
        at, path = waiting.pop(0)
        if len(path) == _WORDS or at not in parents:
            found[path] = None
            continue
        for parent, instance in parents[at]:
            plain = instance not in _AROUND and not _NAMELESS.fullmatch("\\" + instance) and path[:1] != (instance,)
            waiting.append((parent, (instance, *path) if plain else path))
    return ["_".join(path if len(path) != 1 else (*path, "words")) for path in found]


def _place(module: str, places: list[str]) -> str:
    """One name for all places of a module.  It is made from the name of the module if they differ in more than numbers."""
    name = (places[0] if len(places) == 1 else common(places)) or ""
    name = name.strip("_") or re.sub(rf"^(({'|'.join(_AROUND)})_)*|_(memory|words)$", "", module) + "_words"
    return re.sub(r"(_words)+$", "_words", re.sub("_+", "_", name))


def _name(circuit: Circuit, memories: list[str], place: str) -> None:
    taken = {*circuit.nets, *circuit.memories, *circuit.instances}
    new: dict[str, str] = {}
    for memory in memories:
        number = _NAMELESS.fullmatch(memory)
        assert number is not None, "only these are given"
        name = f"\\{place}" if len(memories) == 1 else f"\\{place.removesuffix('_words')}_part_{number[1]}"
        new[memory] = free_name(name, taken)
    nets = {}
    for old, name in new.items():
        # A net may be named after its memory.
        for net in circuit.nets:
            if re.fullmatch(rf"{re.escape(old)}_(read|write)_\w+", net):
                nets[net] = free_name(name + net.removeprefix(old), taken)
    circuit.memories = {new.get(name, name): memory for name, memory in circuit.memories.items()}
    for read in circuit.reads.values():
        read.memory = new.get(read.memory, read.memory)
    rename(circuit, nets)
