# SPDX-License-Identifier: Apache-2.0
"""What the datasheet of a core for sectors says that no other core's does: program, commands and sectors, keys, cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modeloom.compiler.compile import Compiled
from modeloom.cores.payloads import code_table, command_table, key_table, status_line
from modeloom.cores.sector.figures import cipher_name
from modeloom.interfaces.sector import COMMANDS, STATUSES, StatusCode
from modeloom.product.core import Sheet
from modeloom.product.markdown import table
from modeloom.product.sectors import SectorDescription

__all__ = ["sheet"]

INVERSE = {
    "proved": "Encryption and decryption of the definition were proved to be inverse to each other, for any permutation as the cipher.",
    "tested": "Encryption and decryption of the definition were tested to be inverse to each other, with random and chosen values.",
    "one direction": "The mode has one direction.",
    "not checked": "**Whether decryption inverts encryption was not checked**: the core was built without the proof.",
}
"""What a core's ``inverse`` says."""


def sheet(compiled: Compiled, d: SectorDescription) -> Sheet:
    """The sections."""
    sizes = " or ".join(map(str, d.sector_sizes))
    return Sheet(
        summary=(
            f"{d.title} on sectors of {sizes} bytes with tweaks of {d.tweak_bytes} bytes and "
            f"{cipher_name(compiled)}, to {' and '.join(d.directions)}. One sector every "
            f"{d.pins.interval} cycles, {d.explain.latency} cycles of latency, {d.key_slots} key slot{'s' * (d.key_slots != 1)}."
        ),
        theory=tuple(_theory(compiled, d)),
        payloads=tuple(_payloads(d)),
        use=tuple(_use(compiled, d)),
        figures=tuple(_figures(d)),
        timing=("- Time does not depend on keys or data: every sector takes the same cycles.",),
        kept=("- Round keys and set-up values can not be read from the ports. Erasing or loading a slot overwrites them.",),
        checked=(
            "- The program was proved equal to the definition, by symbolic execution of its control words."
            if d.explain.proved
            else "- **The program was not proved**: the core was built without the proof.",
            f"- {INVERSE[d.explain.inverse]}",
        ),
        bench=(
            "It checks data, order, status codes, the distance of sectors and the "
            "latency against this datasheet; results come from the software model."
        ),
    )


def _theory(compiled: Compiled, d: SectorDescription) -> Iterator[str]:
    e = d.explain
    main = compiled.allocation.program.main
    yield (
        f"The core runs the program of `program.txt`: a table of {main.rows} control words over the functional units below. "
        + (
            f"A new sector may enter every {e.ii} cycles while up to {main.stages} are in flight; each is in a stage of "
            "its own, so no two use a unit in one cycle. "
            if e.overlap
            else "A sector enters when the one before it is done. "
        )
        + "The pipeline never stalls: a sector enters only when all of it has arrived and the result buffer has a place for it."
    )
    yield ""
    yield from table(
        ["unit", "count", "latency", "interval", "operations in a sector"],
        [[kind, u.count, u.latency, u.interval, _uses(kind, e.uses)] for kind, u in e.units.items() if kind != "out"],
    )
    yield (
        "Set-up runs on the same units when a key is loaded: round keys are expanded, and values that depend on the key alone "
        f"are computed and kept in the key memory ({e.key_words} blocks a slot, {e.setup_cycles} cycles of program)."
    )
    yield ""


def _uses(kind: str, uses: Mapping[str, int]) -> str:
    if kind == "cipher":
        return ", ".join(f"{uses[core]} {core}" for core in ("enc", "dec") if uses.get(core)) + " (of the two directions, the larger)"
    return str(uses.get(kind, 0))


def _tweak(d: SectorDescription) -> str:
    if not d.tweak_bytes:
        return "tweak; not read"
    read = -(-d.tweak_bytes // d.block_bytes) * d.block_bytes
    behind = f", with zeros behind the {d.tweak_bytes} of the tweak" if read > d.tweak_bytes else ""
    return f"tweak; this core reads bytes 0 to {read - 1}{behind}"


def _payloads(d: SectorDescription) -> Iterator[str]:
    own = {
        "tweak": _tweak(d),
        "slot": f"key slot, 0 to {d.key_slots - 1}",
        "size": "sector size: " + ", ".join(f"{n} for {size.sector_bytes} bytes" for n, size in enumerate(d.sizes)),
    }
    yield from command_table(COMMANDS, own)
    lanes = d.lanes
    width = lanes * d.block_bytes
    yield (
        f"A sector is one packet, {lanes} block{'s' * (lanes != 1)} a beat: byte i of beat b is byte {width}b + i of the sector. `tkeep` "
        "is all ones but in the last beat; `tlast` marks the last beat. Results have the same form; their bytes outside `tkeep` are zero."
    )
    yield ""
    yield from table(
        ["sector, bytes", "beats", "bytes of the last beat"],
        [[size.sector_bytes, size.beats, size.sector_bytes - (size.beats - 1) * width] for size in d.sizes],
    )
    yield ""
    yield from status_line(STATUSES)


def _refused(d: SectorDescription) -> str:
    """Why a key may be refused, for the middle of a sentence."""
    return f", the mode refuses the key ({d.refused_keys})," if d.refused_keys else ""


def _use(compiled: Compiled, d: SectorDescription) -> Iterator[str]:
    yield (
        f"**Keys.** A key is {d.key_bytes} bytes, sent as one packet on `s_axis_key`, 16 bytes a beat; `tdest` of the first "
        "beat names the slot."
    )
    yield ""
    yield from key_table(d, compiled.mode)
    yield (
        "The slot's old key is overwritten first, when the slot's sectors in flight have left; sectors of other slots go on, but "
        "for the set-up and the end of an erasure. `key_busy` is high meanwhile; afterwards the slot's bit of `key_loaded` is set, or "
        f"`key_error` is high because the packet had the wrong length{_refused(d)} or the slot does not exist. "
        "A packet whose first beat has `tuser` "
        f"set erases the slot: {d.key_erase_cycles} cycles later, and what the sectors in flight still need, nothing of its key is "
        "left, nor of what the core has computed with it. After a reset no slot is loaded."
    )
    yield ""
    yield (
        "**Sectors.** Send a command and a packet of data for each sector, in the same order; either may come first. Results come "
        "back in that order, and one status for each command follows its data. A refused sector gives a status and no data:"
    )
    yield ""
    yield from code_table(StatusCode)
    yield (
        "If several things are wrong, the command's (4 to 6) come before the data's, the highest code first. A host that does not "
        "take results or statuses holds up the entry of further sectors; nothing is lost."
    )
    yield ""


def _figures(d: SectorDescription) -> Iterator[str]:
    pins = d.pins
    several = len(d.sizes) > 1
    for size in d.sizes:
        e = size.explain
        if several:
            yield f"Sectors of {size.sector_bytes} bytes:"
            yield ""
        yield from table(
            ["figure", "value", "unit"],
            [
                ["cycles per sector", e.cycles_per_sector, "cycles"],
                ["initiation interval, and its bound", f"{e.ii}, {e.ii_bound}", "cycles"],
                ["distance of sectors at the pins", size.interval, "cycles"],
                ["latency, and its bound", f"{e.latency}, {e.latency_bound}", "cycles"],
                ["first output", e.first_output, "cycles"],
                ["latency over the pins, first beat in to last beat out", size.latency_pins, "cycles"],
                ["storage, and its bound", f"{e.storage_blocks}, {e.storage_bound}", "blocks"],
                ["input and result buffers", f"{e.input_blocks}, {e.output_blocks}", "blocks"],
            ],
        )
    if several:
        yield "Before the first sector of another size the engine runs empty."
        yield ""
    entry = f"{pins.last_beat_to_entry} from the last input beat"
    if d.beats == 1:
        entry = f"{pins.command_to_entry} from the command"
    yield (
        f"The latency over the pins is that of the program and {pins.overhead} cycles more: {entry} to the entry, "
        f"{pins.entry_to_program} to the program's first cycle, {pins.done_to_first_beat} from its "
        f"last cycle to the first output beat, and {2 * (d.beats - 1)} for the other beats"
        f"{' of the first size' * several}. It holds for a sector that is alone."
    )
    yield ""
