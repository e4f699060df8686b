# SPDX-License-Identifier: Apache-2.0
"""What ``modeloom datasheet`` puts into the page of a folder: the timing of a simulation, and the areas that ``modeloom synth`` stored.

::

    DIR/synth_TARGET.json ──┐  results of the Verilog in DIR; others are left out
    simulation of DIR ──────┴──▶ Measured ──▶ datasheet.html
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modeloom.emit.html import Measured
from modeloom.emit.html.measured import Signals, Wave, WaveJson, check_page, complete
from modeloom.interfaces import Interface
from modeloom.product.beats import SectorDescription
from modeloom.product.description import Description
from modeloom.product.folder import read_description, verilog_of
from modeloom.product.message import Message
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated import KINDS, Sector, SimulatedCore
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError

__all__ = ["Recording", "complete_datasheet", "measured_of", "record", "store_result", "stored_results", "waveform"]

# Records the ports of a simulated core as WaveJSON: a reset, a key, and one or two sectors or messages.
#
#     SimulatedCore ──watch──▶ values of all ports in each cycle ──▶ columns without long idle spans ──▶ WaveJSON

IDLE = 7
"""Cycles in which only payloads change from which on some are left out."""

EDGE_CYCLES = 2
"""Cycles that are shown at each end of such a span."""

LETTERS = 4
"""Hexadecimal digits of a value that are shown: its lowest ones."""

BEHIND = 4
"""Cycles after the last status."""


@dataclass(frozen=True)
class Recording:
    """The values of ports in each cycle.

    Attributes
    ----------
    names : tuple of str
        The ports.
    widths : mapping
        Their widths in bits.
    rows : tuple of tuple of int
        For each cycle the value of each port.
    about : str
        What the core does in these cycles.
    """

    names: tuple[str, ...]
    widths: Mapping[str, int]
    rows: tuple[tuple[int, ...], ...]
    about: str

    def column(self, name: str) -> list[int]:
        """The values of a port."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]


def record(directory: str | Path, *, optimize: int = 0, library: Path | None = None) -> Recording:
    """Simulates the core of a folder and records all of its ports but the clock.  What stands around a core is left out.

    Keys and data are fixed, so that the same core gives the same recording.

    Parameters
    ----------
    optimize : int
        Optimisation level of the C++ compiler.
    library : path, optional
        What ``simulation_library`` returned for the folder.

    Raises
    ------
    InputError
        The folder holds no core of a known kind.
    BuildError
        The simulation cannot be built.
    """
    description = read_description(directory)
    kind = KINDS.get(type(description))
    if kind is None:
        raise InputError(f"{directory} contains a core of a different type ({description.schema}), which has no host in a simulation")
    core = kind(directory, optimize=optimize, library=library)
    widths = {port.name: port.width for port in description.ports if port.name != "aclk"}
    core.simulation.watch(list(widths))
    core.load_key(_bytes(description.user_key_lengths[0]))
    if isinstance(core, SimulatedCore):
        about = _sectors(core, core.description)
    else:
        assert isinstance(description, StreamDescription)
        about = _messages(core, description, Path(directory))
    core.runner.run(max_cycles=BEHIND)
    return Recording(tuple(widths), widths, tuple(_rows(core.simulation.watched(), list(widths.values()))), about)


def _bytes(count: int, first: int = 0) -> bytes:
    return bytes((first + 7 * n) & 0xFF for n in range(count))


def _rows(raw: bytes, widths: Sequence[int]) -> list[tuple[int, ...]]:
    sizes = [-(-width // 8) for width in widths]
    rows = []
    for start in range(0, len(raw), sum(sizes)):
        at, row = start, []
        for size in sizes:
            row.append(int.from_bytes(raw[at : at + size], "little"))
            at += size
        rows.append(tuple(row))
    return rows


def _sectors(core: SimulatedCore, description: SectorDescription) -> str:
    """A sector in each direction, back to back; two if there is one direction."""
    size = min(one.sector_bytes for one in description.sizes)
    directions = (*description.directions, *description.directions)[:2]
    core.run([Sector(_bytes(description.tweak_bytes, n), _bytes(size, 16 * n), way == "decrypt") for n, way in enumerate(directions)])
    done = " and ".join("encrypted" if way == "encrypt" else "decrypted" for way in directions)
    return f"A key is loaded; then two sectors of {size} bytes are {done}."


def _messages(core: SimulatedStreamCore | SimulatedLwcCore, description: StreamDescription, directory: Path) -> str:
    """A message that is sealed, and one that is opened, whichever the core can."""
    nonce, ad = _bytes(description.nonces[0], 5), _bytes(20, 1)
    text = _bytes(2 * description.beat_bytes + 8, 9)
    done = []
    if "encrypt" in description.directions:
        sealed = core.run([Message(nonce, text, ad)])[0]
        done.append("a message is sealed")
    else:
        sealed = _sealed(description, directory, nonce, text, ad)
    if "decrypt" in description.directions:
        core.run([Message(nonce, sealed, ad, True)])
        done.append("it is opened" if done else "a message is opened")
    first = description.key_source.begins
    return f"{first}; then {' and '.join(done)}, with {len(ad)} bytes of associated data and {len(text)} bytes of text."


def _sealed(description: StreamDescription, directory: Path, nonce: bytes, text: bytes, ad: bytes) -> bytes:
    """The message as the software model seals it, for cores that only open."""
    from modeloom.definition.messages import StreamModel
    from modeloom.modes import find_any
    from modeloom.spec.stream import StreamMode

    mode = find_any(description.definition, directory, cipher=description.cipher)
    assert isinstance(mode, StreamMode)
    return StreamModel(mode, _bytes(description.user_key_lengths[0])).seal(nonce, text, ad)


def waveform(recording: Recording, interfaces: Sequence[Interface], name: str) -> WaveJson:
    """WaveJSON of a recording: a group for each interface, in their order.

    A payload is shown while its ``valid`` is high, with its lowest digits.  Spans in which only payloads change are shortened.
    """
    control = [port for port, width in recording.widths.items() if width == 1 or _valid_of(port, interfaces) == ""]
    shown = _shown([recording.column(port) for port in control], len(recording.rows))
    signal: Signals = [{"name": "aclk", "wave": "p" + "".join("|" if gap else "." for _, gap in shown[1:])}]
    signal += [_signal(port, port, "", recording, shown) for port in recording.names if port == "aresetn"]
    for group in interfaces:
        ports = [port for port in group.ports if group.port_name(port) in recording.names and group.port_name(port) != "aresetn"]
        if not ports:
            continue
        rows = [_signal(port.name, group.port_name(port), _valid_of(group.port_name(port), interfaces), recording, shown) for port in ports]
        signal.append([group.name, *rows] if group.name else rows[0])
        signal += rows[1:] if not group.name else []
    cycles = " ".join("…" if gap else str(cycle) for cycle, gap in shown)
    text = (
        f"{name}: {recording.about} Recorded in a simulation of the emitted Verilog, {len(recording.rows)} cycles. … marks omitted cycles."
    )
    return {"signal": signal, "head": {"text": text}, "foot": {"tock": cycles}}


def _valid_of(port: str, interfaces: Sequence[Interface]) -> str:
    """The port that says whether a payload is there; "" for other ports."""
    for group in interfaces:
        names = {each.name: group.port_name(each) for each in group.ports}
        if port in names.values():
            valid = next((names[each] for each in names if each in ("tvalid", "valid")), "")
            handshake = {valid, *(names[each] for each in names if each in ("tready", "ready"))}
            return "" if port in handshake else valid
    return ""


def _shown(control: Sequence[Sequence[int]], count: int) -> list[tuple[int, bool]]:
    """The cycles that are shown, and whether others stand for what is left out behind them."""
    shown: list[tuple[int, bool]] = []
    start = 0
    states = list(zip(*control, strict=True))
    while start < count:
        end = start + 1
        while end < count and states[end] == states[start]:
            end += 1
        if end - start > IDLE:
            shown += [(cycle, False) for cycle in range(start, start + EDGE_CYCLES)]
            shown.append((start + EDGE_CYCLES, True))
            shown += [(cycle, False) for cycle in range(end - EDGE_CYCLES, end)]
        else:
            shown += [(cycle, False) for cycle in range(start, end)]
        start = end
    return shown


def _signal(name: str, port: str, valid: str, recording: Recording, shown: Sequence[tuple[int, bool]]) -> Wave:
    values, width = recording.column(port), recording.widths[port]
    valids = recording.column(valid) if valid else [1] * len(values)
    wave, data, before = "", list[str](), None
    for cycle, gap in shown:
        bit = width == 1
        state = str(values[cycle]) if bit else "=" + _hex(values[cycle], width) if valids[cycle] else "x"
        if gap:
            wave += "|"
        elif state == before:
            wave += "."
        else:
            wave += state[0]
            if state[0] == "=":
                data.append(state[1:])
            before = state
    return {"name": name, "wave": wave, "data": data} if data else {"name": name, "wave": wave}


def _hex(value: int, width: int) -> str:
    digits = -(-width // 4)
    text = f"{value:0{digits}x}"
    return text if digits <= LETTERS + 2 else f"…{text[-LETTERS:]}"


# -- datasheet ---------------------------------------------------------------------------------------------------------------------

PREFIX = "synth_"
"""What the names of files with results begin with."""

SHOWN_MEMBERS = (
    "design", "device", "command", "tools", "luts", "area", "ffs", "memories", "levels", "clock_mhz", "blocks", "blocks_total", "core",
)  # fmt: skip
"""The parts of a result that the page has."""


def result_name(target: str) -> str:
    """The name of the file with the result for a target."""
    return f"{PREFIX}{re.sub(r'[^A-Za-z0-9]+', '_', target).strip('_')}.json"


def store_result(directory: str | Path, target: str, result: Mapping[str, object]) -> Path:
    """Stores a result of ``measure_core`` in the folder, with the hash of the Verilog that it belongs to.  Raises ``OSError``."""
    folder = Path(directory)
    path = folder / result_name(target)
    content = {**result, "verilog_sha256": _verilog_hash(folder)}
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _verilog_hash(folder: Path) -> str:
    return hashlib.sha256(verilog_of(folder, read_description(folder)).read_bytes()).hexdigest()


def stored_results(directory: str | Path) -> tuple[list[dict[str, object]], list[str]]:
    """The results for the Verilog of a folder in the order of their names, and the names of files with results for another one."""
    folder = Path(directory)
    wanted = _verilog_hash(folder)
    found, others = [], []
    for path in sorted(folder.glob(f"{PREFIX}*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            matches = content["verilog_sha256"] == wanted
        except (OSError, ValueError, KeyError, TypeError):
            matches = False
        if matches:
            found.append({name: content[name] for name in SHOWN_MEMBERS if name in content})
        else:
            others.append(path.name)
    return found, others


def measured_of(
    directory: str | Path, description: Description, *, optimize: int = 0, library: Path | None = None,
    areas: Sequence[Mapping[str, object]] = (),
) -> Measured:
    """Simulates the core, and puts areas beside its timing."""
    recording = record(directory, optimize=optimize, library=library)
    return Measured(waveform(recording, description.interfaces, description.name), areas)


def complete_datasheet(directory: str | Path, *, optimize: int = 0) -> tuple[Path, int, list[str]]:
    """Writes the page of a folder anew.  Returns its path, the number of areas in it, and files with results of other Verilog.

    Raises ``InputError`` if the folder holds no core, or files that are not those of its build, and ``BuildError`` if the simulation
    cannot be built.
    """
    description = check_page(directory)
    areas, others = stored_results(directory)
    measured = measured_of(directory, description, optimize=optimize, areas=tuple(areas))
    return complete(directory, measured), len(areas), others
