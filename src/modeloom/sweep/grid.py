# SPDX-License-Identifier: Apache-2.0
"""The file of a sweep: grids of modes or circuits with options and targets, as TOML.

::

    [sweep]                                what all grids have that say nothing else
    targets = ["xc7"]

    [[grid]]                               2 modes × 2 sector sizes × 3 numbers of cipher cores × 1 target
    modes = ["hctr2", "mine.py:Mine"]
    sector = [512, 4096]
    aes = [1, 2, 4]
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from modeloom.measure.area import check_clock, check_target
from modeloom.spec import InputError, UnknownName
from modeloom.sweep.configuration import AREAS, Configuration, check_options, is_foreign, option_name
from modeloom.sweep.point import Outcome, read_point
from modeloom.sweep.worker import perform
from modeloom.synth.targets import DEVICES
from modeloom_circuits import find_circuit

__all__ = ["MOST_POINTS", "Sweep", "points", "read_sweep"]

MOST_POINTS = 100_000
"""Points of a sweep.  More of them are a mistake in the file."""

Types = tuple[type, ...]

STEPS: dict[str, Types] = {"targets": (list,), "area": (str,), "simulate": (bool,), "pnr": (bool,), "freq": (int, float)}
"""What ``[sweep]`` and ``[[grid]]`` may say of the steps, with its types."""

OF_ALL: dict[str, Types] = {"results": (str,), "timeout": (int, float)}
"""What only ``[sweep]`` may say."""

SUBJECTS = ("modes", "circuits")


@dataclass(frozen=True)
class Sweep:
    """A sweep: its points in the order of the file, where its results are stored, and the time limit of a point in seconds.

    ``folder`` is that of the file, where relative paths begin.  ``broken`` has the reason for each mode that is broken.
    """

    points: tuple[Configuration, ...]
    results: Path
    folder: Path
    timeout: float | None = None
    broken: Mapping[str, str] = field(default_factory=dict)


def read_sweep(path: str | Path) -> Sweep:
    """Reads the file of a sweep.

    Raises
    ------
    InputError
        There is no such file, it is no TOML, or it has an unknown key, a wrong value or no points.  The file of a mode cannot be read, or
        not in the time limit.
    """
    file, data = Path(path), _toml(path)
    for name, value in data.items():
        if name not in ("sweep", "grid"):
            if not isinstance(value, (dict, list)):
                raise InputError(f"{path}: {name} is outside of [sweep] and [[grid]]; move it into one of them")
            raise UnknownName("table", name, ["sweep", "grid"], f"in {path}")
    common, grids = data.get("sweep", {}), data.get("grid", [])
    if not isinstance(common, dict):
        raise InputError(f"{path}: sweep must be a table; write [sweep]")
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise InputError(f"{path}: a sweep has one or more grids; write [[grid]] before each")
    for name, value in common.items():
        if name not in STEPS | OF_ALL:
            raise UnknownName("key", name, [*STEPS, *OF_ALL], f"of [sweep] in {path}")
        _typed(f"{path}, [sweep]", name, value)
    timeout = common.get("timeout")
    if timeout is not None and not timeout > 0:
        raise InputError(f"{path}: timeout must be a number of seconds above 0, not {timeout}")
    modes: dict[str, Outcome] = {}

    def kind_of(name: str) -> str:
        if name not in modes:
            modes[name] = _mode(name, file.parent, timeout)
        kind: str = modes[name]["result"]["kind"]
        return kind

    found: dict[str, Configuration] = {}
    for number, grid in enumerate(grids, 1):
        place = f"{path}, grid {number}"
        try:
            for point in points(grid, {name: common[name] for name in STEPS if name in common}, file.parent, kind_of):
                found.setdefault(point.canonical, point)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
    if not found:
        raise InputError(f"{path} has no points; add a [[grid]] with modes or circuits")
    if len(found) > MOST_POINTS:
        raise InputError(f"{path} has {len(found)} points, more than {MOST_POINTS}; make several sweeps of it")
    results = file.parent / common["results"] if "results" in common else file.with_suffix(".sqlite")
    broken = {name: mode["result"]["broken"] for name, mode in modes.items() if mode["result"]["broken"] is not None}
    return Sweep(tuple(found.values()), results, file.parent, timeout, broken)


def _toml(path: str | Path) -> dict[str, Any]:
    """The tables of a file.  Raises ``InputError``."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} cannot be read: it is not valid UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not valid TOML: {error}") from None


def points(
    grid: Mapping[str, object], common: Mapping[str, object], folder: Path, kind_of: Callable[[str], str]
) -> Iterator[Configuration]:
    """The points of a grid.

    Parameters
    ----------
    grid : mapping
        Subjects, steps and options, as in the file.
    common : mapping
        The steps that hold if the grid says nothing else.
    folder : Path
        Where relative paths begin.
    kind_of : callable
        Gives the kind of the mode of a name, "sector" or "stream".  It raises ``InputError`` if there is none.

    Raises
    ------
    InputError
        A name or a value is unknown or wrong.
    """
    subjects = [name for name in SUBJECTS if name in grid]
    if len(subjects) != 1:
        raise InputError("a grid has either modes or circuits" if subjects else "a grid needs modes = [...] or circuits = [...]")
    for name in STEPS:
        if name in grid:
            _typed("", name, grid[name])
    steps = {**common, **{name: value for name, value in grid.items() if name in STEPS}}
    listed = _listed(subjects[0], grid[subjects[0]])
    names = [name for name in listed if isinstance(name, str)]
    if not names or len(names) < len(listed):
        raise InputError(f"{subjects[0]} must be a non-empty list of names")
    targets = _targets(steps, folder)
    kinds = [_circuit(name) if subjects[0] == "circuits" else kind_of(name) for name in names]
    _check_steps(grid, steps, subjects[0], targets)
    given = {name: _listed(name, value) for name, value in grid.items() if name not in (*SUBJECTS, *STEPS)}
    if len(names) * len(targets) * prod(map(len, given.values())) > MOST_POINTS:
        raise InputError(f"more than {MOST_POINTS} points; make several sweeps of it")
    for name, kind in zip(names, kinds, strict=True):
        axes = _axes(kind, name, given)
        for chosen in product(*axes.values()):
            options = {option: value for option, value in zip(axes, chosen, strict=True) if value is not False}
            check_options(kind, name, options)
            for target in targets:
                yield _point(kind, name, options, target, steps)


def _axes(kind: str, name: str, given: Mapping[str, list[object]]) -> dict[str, list[int | str]]:
    """The values of each option of a mode or a circuit, by its name in a configuration.  Raises ``InputError``."""
    axes: dict[str, list[int | str]] = {}
    spellings: dict[str, str] = {}
    for option, values in given.items():
        spelled = option_name(kind, name, option)
        if spelled in axes:
            raise InputError(f"{spelled} is given twice, as {spellings[spelled]} and as {option}; leave out one of them")
        spellings[spelled] = option
        if not values:
            raise InputError(f"{option} is an empty list, so that there are no points")
        axes[spelled] = [_value(option, value) for value in values]
    return axes


def _point(kind: str, name: str, options: dict[str, int | str], target: str | None, steps: Mapping[str, Any]) -> Configuration:
    pnr = bool(steps.get("pnr")) and target in DEVICES
    # A core is placed and routed as a whole, and a circuit is one block.
    whole = pnr or kind == "circuit" or steps.get("area", AREAS[0]) == AREAS[0]
    return Configuration(
        kind, name, options, target, None if target is None else AREAS[not whole], bool(steps.get("simulate")) and kind != "circuit", pnr,
        float(steps["freq"]) if pnr and "freq" in steps else None,
    )  # fmt: skip


def _circuit(name: str) -> str:
    """The kind of a circuit.  Raises ``InputError`` if there is none of this name."""
    find_circuit(name)
    return "circuit"


def _mode(name: str, folder: Path, timeout: float | None) -> Outcome:
    """What ``read_point`` says of a mode.  The file of a user is read in another process, which it may end.  Raises ``InputError``."""
    asked = Configuration("", name)
    if is_foreign(asked):
        outcome = perform({"task": "read", "configuration": asked.as_dict(), "folder": str(folder.resolve()), "timeout": timeout})
    else:
        outcome = read_point(asked, folder)
    if outcome["status"] in ("crashed", "timeout"):
        raise InputError(f"{name}: {outcome['error']}; a file must only define modes")
    if outcome["status"] != "ok":
        raise InputError(outcome["error"])
    return outcome


def _targets(steps: Mapping[str, Any], folder: Path) -> Sequence[str | None]:
    """The targets of a grid; None stands for no synthesis."""
    targets = list(dict.fromkeys(steps.get("targets", ())))
    for target in targets:
        if not isinstance(target, str):
            raise InputError(f"targets must be a list of names, not of {target!r}")
        library = target.removeprefix("liberty:")
        check_target(target if library == target else f"liberty:{folder / library}")
    return targets or [None]


def _check_steps(grid: Mapping[str, object], steps: Mapping[str, Any], subject: str, targets: Sequence[str | None]) -> None:
    """Raises ``InputError`` for steps that do not go with each other."""
    if steps.get("area", AREAS[0]) not in AREAS:
        raise UnknownName("area", str(steps["area"]), AREAS)
    check_clock(steps.get("freq"))
    if grid.get("pnr") and not DEVICES.keys() & {*targets}:
        raise InputError(f"pnr is for {', '.join(DEVICES)}; add one of them to the targets, or leave pnr out")
    if "freq" in grid and not steps.get("pnr"):
        raise InputError("freq is the clock target of place and route; add pnr = true, or leave it out")
    if grid.get("simulate") and subject == "circuits":
        raise InputError("simulate is for modes, whose cores have a bench; leave it out")


def _typed(place: str, name: str, value: object) -> None:
    """Raises ``InputError`` unless a value has the type of its key."""
    kinds = {**STEPS, **OF_ALL}[name]
    words = {list: "a list", str: "a string", bool: "true or false"}.get(kinds[0], "a number")
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise InputError(f"{place}: {name} must be {words}, not {value!r}".removeprefix(": "))


def _listed(name: str, value: object) -> list[object]:
    """The values of an axis: those of a list, or one."""
    if isinstance(value, dict):
        raise InputError(f"{name} is a value or a list of values, not a table")
    return value if isinstance(value, list) else [value]


def _value(name: str, value: object) -> int | str:
    """A value of an option.  A list of sizes becomes text as on the command line."""
    if isinstance(value, list) and value and all(isinstance(each, (int, str)) and not isinstance(each, bool) for each in value):
        return ",".join(map(str, value))
    if not isinstance(value, (int, str)):
        raise InputError(f"{name} must be an integer, a string, true or false, not {value!r}")
    return value
