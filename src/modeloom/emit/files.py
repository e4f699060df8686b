# SPDX-License-Identifier: Apache-2.0
"""Writes the folder of a core, either completely or not at all.

::

    DIR.modeloom-xxxx/  files are written here  ──rename──▶  DIR/      the old contents of DIR are removed after this
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from importlib import resources
from itertools import chain, cycle
from pathlib import Path
from typing import cast

from modeloom.emit.datasheet import datasheet
from modeloom.emit.html import Measured, html_datasheet
from modeloom.emit.lock import building
from modeloom.emit.package import (
    bill_of_materials,
    fusesoc,
    interfaces_file,
    ip_xact,
    manifest,
    quartus_sdc,
    sdc,
    system_verilog,
    to_json,
    vivado_ip,
    vivado_run,
    xdc,
)
from modeloom.emit.simulators import waivers
from modeloom.front.map import Register
from modeloom.product.cases import Case, Cases, converted, fields_of, read_fields
from modeloom.product.core import CLOCK, INTERFACE_NAMES, Core, D, FrontEnd
from modeloom.product.description import ASSERT_MACRO, Description, WithBeats
from modeloom.product.folder import files_of
from modeloom.product.front import FrontDescription
from modeloom.product.message import LwcDescription
from modeloom.spec import InputError, blame
from modeloom_verilog.memories import LEAST_BITS, MemoryDescription
from modeloom_verilog.modules import component_rtlil, inner_verilog
from modeloom_verilog.names import KEYWORDS

__all__ = [
    "check_directory", "check_name", "cocotb_texts", "contents", "core_name", "core_rtlil", "core_verilog", "emit", "header",
    "rules_instance", "top_module", "with_cocotb",
]  # fmt: skip


# -- top ---------------------------------------------------------------------------------------------------------------------------------

# The top of an emitted core: the header of the file, and a module with its ports in a fixed order and a comment for each stream.

def _comment(text: str, indent: str = "") -> Iterator[str]:
    for line in textwrap.wrap(text, 116 - len(indent)) or [""]:
        yield f"{indent}// {line}".rstrip()


def header(core: Core[D], description: D) -> str:
    """The comment at the head of the Verilog file."""
    warning = "WARNING, this mode is BROKEN: " if description.broken else ""
    lines = ["// SPDX-License-Identifier: Apache-2.0", "//"]
    facts = [
        f"{description.name}: {core.headline}",
        "",
        f"Made by modeloom {description.version}: {description.command}",
        f"Definition: sha256 {description.definition_sha256}",
        f"Source: {description.source}",
        f"Security: {warning}{description.security}. Not protected against power and fault attacks.",
        "",
        core.figures,
    ]
    for fact in facts:
        lines += _comment(fact)
    return "\n".join(lines) + "\n"


def rules_instance(core: Core[D], name: str) -> str:
    """The instance of the module with the assertions, for the top module."""
    ports = [port.name for port in core.ports]
    lines = [f"`ifdef {ASSERT_MACRO}", f"  {name}_rules rules ("]
    lines += [f"    .{port}({port}){'' if port == ports[-1] else ','}" for port in ports]
    return "\n".join([*lines, "  );", "`endif"]) + "\n"


def top_module(core: Core[D], name: str, watch: str = "") -> str:
    """The module NAME, which contains an instance of NAME_core.  ``watch`` is text before its end, for checks of its ports."""
    ports = core.ports
    lines = [f"module {name} (", "    // clock, and synchronous active-low reset"]
    stream = CLOCK
    comments = {interface.name: interface.comment for interface in core.interfaces}
    for i, port in enumerate(ports):
        if port.stream != stream:
            stream = port.stream
            lines += ["", *_comment(comments[stream], "    ")]
        lines.append(f"    {port.declaration}{'' if i == len(ports) - 1 else ','}")
    lines += [");", "", f"  {name}_core core ("]
    lines += [f"    .{port.name}({port.name}){'' if i == len(ports) - 1 else ','}" for i, port in enumerate(ports)]
    lines += ["  );", "", *watch.splitlines(), *[""][: bool(watch)], "endmodule", ""]
    return "\n".join(lines)


def core_rtlil(core: Core[D], top: str) -> str:
    """RTLIL of a core.  The modules are named TOP, TOP_engine, TOP_engine_cipher0, ...

    Equal modules occur once, dead objects are removed, and every public name is a plain Verilog name.

    Parameters
    ----------
    core : Core
    top : str
        Name of the top module.
    """
    with blame(core.brought) if core.brought else contextlib.nullcontext():
        return component_rtlil(core.component(), top)


# -- files -------------------------------------------------------------------------------------------------------------------------------

# -- cocotb ----------------------------------------------------------------------------------------------------------------------------

# A test of the core with the bus models of cocotbext-axi, which runs in the user's own flow: ``build --cocotb``.
#
#     templates/core_tests.py  ──▶ test_NAME.py        the tests, the same for every core
#     templates/core_bench.py  ──▶ NAME_bench.py       the core between bus models, the same for every core
#     templates/core_models.py ──▶ NAME_models.py      packets, commands and statuses over bus models, the same for every core
#     templates/core_coverage.py ▶ NAME_coverage.py    functional coverage, the same for every core
#     Core.cases, interfaces   ──▶ test_NAME.json      keys, commands, packets and results; ports, registers and points of coverage

REFUSED = "--cocotb cannot drive this kind of core; leave it out"

TEMPLATES = {"cocotb": "core_tests.py", "cocotb_bench": "core_bench.py", "models": "core_models.py", "coverage": "core_coverage.py"}
"""Templates by kinds in ``Files``."""

PERIOD, HOST_PERIODS = 10, (13.7, 8.1, 11.3, 5.9)
"""Nanoseconds of a cycle of the core, and of the clocks of the host: slower and faster ones, in no simple ratio."""


def with_cocotb(description: D) -> D:
    """The description of a core with the files of such a test."""
    name = description.name
    files = replace(
        description.files, cocotb=f"test_{name}.py", cocotb_bench=f"{name}_bench.py", models=f"{name}_models.py",
        coverage=f"{name}_coverage.py", cases=f"test_{name}.json",
    )  # fmt: skip
    return replace(description, files=files)


def cocotb_texts(core: Core[D], description: Description) -> dict[str, str]:
    """The texts of the test by their kinds in ``Files``.  Raises ``InputError`` if the models of buses cannot drive the core."""
    front, files = description.front, description.files
    cases = core.cases()
    if cases is None:
        raise InputError(REFUSED)
    if front is not None and front.width is not None:
        # Cores with converters have beats of data.
        assert isinstance(description, WithBeats)
        cases = converted(cases, description.beat_bytes, front.width.bits // 8)
    told = _told(core, description, front, cases)
    # A line for each command, so that a difference is a line.
    lines = [f" {json.dumps(name)}: {_value(value)}" for name, value in told.items()]
    names = {
        "TEST_FILE": files.cocotb or "", "BENCH_FILE": files.cocotb_bench or "", "MODELS_FILE": files.models or "",
        "CASES_FILE": files.cases or "", "COVERAGE_FILE_NAME": files.coverage or "",
        "BENCH_MODULE": (files.cocotb_bench or "").removesuffix(".py"), "MODELS_MODULE": (files.models or "").removesuffix(".py"),
        "COVERAGE_MODULE": (files.coverage or "").removesuffix(".py"),
    }  # fmt: skip
    return {"cases": "{\n" + ",\n".join(lines) + "\n}\n", **{kind: _filled(template, names) for kind, template in TEMPLATES.items()}}


def _told(core: Core[D], description: Description, front: FrontDescription | None, cases: Cases) -> dict[str, object]:
    """What the test has to know of the core."""
    files, lwc = description.files, isinstance(description, LwcDescription)
    over_registers = front is not None and front.commands is not None
    assert isinstance(description, WithBeats)
    beat = front.width.bits // 8 if front is not None and front.width is not None else description.beat_bytes
    fields, outputs = _words(description) if isinstance(description, LwcDescription) else _streams(core, cases, over_registers)
    return {
        "schema": "modeloom-cocotb-3",
        "top": front.top if front else description.name,
        "sources": [files.verilog, *([files.front] if files.front else [])],
        "registers": dict(front.registers) if front else {},
        "apb": front is not None and front.bus is not None,
        **_clocks(front),
        "channels": cases.channels.count,
        "most_cycles": cases.most_cycles,
        "lwc": lwc,
        **fields,
        "watched": outputs,
        "points": cases.required(
            registers=front is not None and bool(front.registers), commands=over_registers,
            several_beats=cases.most_bytes is None or cases.most_bytes > beat,
        ),
        "keys": [[slot, key.hex()] for slot, key in cases.keys],
        "before": _rows(cases.before),
        "after": _rows(cases.after),
    }


def _streams(core: Core[D], cases: Cases, over_registers: bool) -> tuple[dict[str, object], dict[str, list[str]]]:
    """The fields of commands and statuses, and the payloads of outputs, of a core with AXI4-Streams."""
    streams = {one.member: one for one in core.interfaces}
    outputs = (streams["m"], *([] if over_registers else [streams["status"]]))
    status = {"code": "code", **({"tag": "tag"} if any(case.tag for case in cases.after) else {})}
    fields: dict[str, object] = {
        "command_fields": fields_of(streams["cmd"], read_fields(streams["cmd"])),
        "status": fields_of(streams["status"], status | cases.channels.named("channel")),
    }
    return fields, {one.name: [one.port_name(port) for port in one.payload] for one in outputs}


def _words(description: LwcDescription) -> tuple[dict[str, object], dict[str, list[str]]]:
    """The same behind the LWC interface.  A status is a word, of which a bit tells a failure."""
    bits = description.interface_bits
    fields: dict[str, object] = {"command_fields": {"decrypt": [0, 1]}, "status": {"code": [description.failure_bit, 1], "tag": [0, bits]}}
    return fields, {"do": ["do_data", "do_last"]}


def _clocks(front: FrontDescription | None) -> dict[str, object]:
    """The clocks of buses, the period of each clock in nanoseconds, the output that tells of an erasure in it, and the reset."""
    told = None if front is None else front.clocks
    clocks = () if told is None else told.clocks
    reset = ("aresetn", False, False) if told is None else (told.reset, told.reset_high, told.reset_asynchronous)
    return {
        "clocks": {bus: clock.name for clock in clocks for bus in clock.buses},
        "periods": dict(zip(("aclk", *(clock.name for clock in clocks)), chain((PERIOD,), cycle(HOST_PERIODS)), strict=False)),
        "erasures": {"aclk": "zeroizing", **{clock.name: clock.zeroizing for clock in clocks}},
        "reset": dict(zip(("port", "high", "asynchronous"), reset, strict=True)),
    }


def _filled(template: str, names: dict[str, str]) -> str:
    text = resources.files(__package__ or "").joinpath("templates", template).read_text(encoding="utf-8")
    for place, name in names.items():
        text = text.replace(place, name)
    return text


def _value(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in value) + "\n ]"
    return json.dumps(value)


def _rows(cases: Iterable[Case]) -> list[dict[str, object]]:
    return [
        {
            "command": case.command.hex(), "key": case.key.hex(), "channel": case.channel,
            "sent": [[data.hex(), keep] for data, keep in case.sent], "wanted": [[data.hex(), keep] for data, keep in case.wanted],
            "code": int(case.code), "tag": case.tag.hex(), "points": [*case.points],
        }
        for case in cases
    ]  # fmt: skip


# -- files -----------------------------------------------------------------------------------------------------------------------------

# The name of a core: mode, sector sizes, and a word for each option that differs from its default.
#
#     modeloom build hctr2                                      ──▶  hctr2_512
#     modeloom build hctr2 --sector 4096 --key-bits 256 --cipher-cores 2 ──▶  hctr2_4096_k256_aes2
#
# All modules, all files and the FuseSoC name begin with it.  A design can therefore contain two cores of one mode.

LONGEST = 48
"""Most characters of a generated name.  The end of a longer name is replaced by its hash."""

HASH = 8
"""Number of hexadecimal digits of this hash."""

MOST_GIVEN = 63
"""Most characters of a name that a user gives."""


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def check_name(name: str) -> None:
    """Raises ``InputError`` if a core cannot have this name."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in KEYWORDS:
        raise InputError(
            f"{name!r} cannot be the name of a core; use letters, digits and underscores, begin with a letter, and do not use a "
            "Verilog keyword"
        )
    if len(name) > MOST_GIVEN:
        raise InputError(f"a text of {len(name)} characters cannot be the name of a core; use at most {MOST_GIVEN}")
    if name in INTERFACE_NAMES:
        raise InputError(f"{name!r} cannot be the name of a core: it is that of a SystemVerilog interface; choose another one")


def core_name(core: Core[D], name: str | None = None) -> str:
    """The given name after a check, or a name made from the words of the core.  Raises ``InputError``."""
    if name is None:
        name = "_".join(map(_plain, core.words))
        if len(name) > LONGEST:
            name = f"{name[: LONGEST - HASH - 1].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:HASH]}"
    check_name(name)
    return name

NO_MEMORY = (
    f"--ram ultra: this core has no block memory of {LEAST_BITS // 1024} Kbit or more with one port that writes and one that reads, on one "
    "clock; leave it out"
)  # fmt: skip

FRONT_TEXTS = ("registers", "header", "page", "driver_header", "driver", "command_header", "command_driver")
"""Files of a front end that it writes itself."""


def core_verilog(core: Core[D], description: D, memories: list[MemoryDescription] | None = None) -> str:
    """The whole Verilog file of a core.  Its memories are added to ``memories``."""
    name = description.name
    inner = inner_verilog(core_rtlil(core, f"{name}_core"), f"{name}_core", core.sections(), core.titles(), memories, description.ram)
    rules = core.rules(name)
    top = top_module(core, name, rules_instance(core, name) if rules else "")
    return "\n".join([header(core, description), top, inner, *([rules] if rules else [])])


def _old_files(directory: Path) -> set[str]:
    """Files that modeloom wrote into a folder.  Raises ``InputError`` if the folder has other files and no core."""
    if not directory.exists():
        return set()
    if not directory.is_dir():
        raise InputError(f"{directory} is a file; give a folder for the core")
    if not any(directory.iterdir()):
        return set()
    files = files_of(directory)
    if files is not None:
        return set(files)
    raise InputError(f"{directory} is not empty and does not contain a core of modeloom; choose another folder")


def check_directory(directory: str | Path) -> None:
    """Raises ``InputError`` if ``emit`` would refuse the folder.  Call this before a long compilation."""
    if not str(directory):
        raise InputError("--output is empty; give a folder for the core")
    target = Path(directory).absolute()
    _old_files(Path(directory))
    above = next(folder for folder in target.parents if folder.exists())
    if not above.is_dir():
        raise InputError(f"{directory} cannot be made: {os.path.relpath(above)} is a file; choose another folder")
    if not os.access(above, os.W_OK):
        raise InputError(f"{directory} cannot be written: no permission for {above}; choose another folder")


def contents(
    core: Core[D], name: str, command: str, front: Callable[[Description], FrontEnd] | None = None, *, cocotb: bool = False,
    ram: str | None = None, measured: Measured | None = None,
) -> tuple[D, dict[str, str]]:  # fmt: skip
    """The contents of ``core.json``, and the texts of all files of a core by their names.

    ``sha256`` in ``core.json`` has the hash of every other file but the manifest, which has that of ``core.json``, too.  ``front`` makes
    a front end, and ``ram`` is the kind of large memories.  ``measured`` is what the HTML datasheet has of measurements after the build.
    Raises ``InputError`` if no memory can be of this kind.
    """
    description = replace(core.describe(name, command), ram=ram)
    end = None if front is None else front(description)
    if end is not None:
        # It changes no field that a kind of core adds.
        description = cast(D, end.described())
    if cocotb:
        description = with_cocotb(description)
    names = description.files
    memories: list[MemoryDescription] = []
    verilog = core_verilog(core, description, memories)
    around = ""
    if end is not None:
        parts = end.parts(verilog)
        modules = [
            inner_verilog(component_rtlil(one.component, f"{name}_{part}"), f"{name}_{part}", {}, one.titles, memories, ram)
            for part, one in parts.items()
        ]  # fmt: skip
        around = "\n".join([end.around(parts), *modules])
    if ram is not None and not any(one.style == ram for one in memories):
        raise InputError(NO_MEMORY)
    description = replace(description, memories=tuple(memories))

    @cache
    def registers() -> Sequence[Register]:
        return () if end is None else end.registers(verilog)

    @cache
    def more(end: FrontEnd) -> Mapping[str, str]:
        return end.texts(verilog)

    made: dict[str, Callable[[], str]] = {
        "verilog": lambda: verilog,
        "waivers": lambda: waivers(name, description.front),
        "bench": lambda: core.bench(name),
        "listing": core.listing,
        "interfaces": lambda: interfaces_file(description),
        "wrapper": lambda: system_verilog(description),
        "package": lambda: fusesoc(description),
        "ip_xact": lambda: ip_xact(description, registers()),
        "vivado_ip": lambda: vivado_ip(description, registers()),
        "vivado_run": lambda: vivado_run(description),
        "xdc": lambda: xdc(description),
        "quartus_sdc": lambda: quartus_sdc(description),
        "sdc": lambda: sdc(description),
        "datasheet": lambda: datasheet(core, description, () if end is None else end.sheet()),
        "html": lambda: html_datasheet(core, description, () if end is None else end.sheet(), registers(), measured),
    }
    if end is not None:
        made |= {"front": lambda: around}
        made |= {kind: partial(lambda kind: more(end)[kind], kind) for kind in FRONT_TEXTS}
    by_kind = names.by_kind
    if cocotb:
        made |= {kind: partial(lambda text: text, text) for kind, text in cocotb_texts(core, description).items()}
    texts = {file: made[kind]() for kind, file in by_kind.items() if kind in made}
    if names.materials is not None:
        texts[names.materials] = bill_of_materials(description, _hashes(texts))
    complete = replace(description, sha256=_hashes(texts))
    texts[names.description] = to_json(complete.as_json())
    if names.manifest is not None:
        texts[names.manifest] = manifest(_hashes(texts))
    return complete, texts


def _hashes(texts: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of files, by their names."""
    return {file: hashlib.sha256(text.encode()).hexdigest() for file, text in texts.items()}


def emit(
    core: Core[D], directory: str | Path, *, name: str | None = None, command: str, exclusive: bool = True,
    front: Callable[[Description], FrontEnd] | None = None, cocotb: bool = False, ram: str | None = None,
) -> D:
    """Writes the folder of a core: Verilog, waivers, bench, listing, datasheet, ``core.json``, and packages for the tools of others.

    If the folder already holds a core, this core is replaced.  Files that modeloom did not write stay.

    Parameters
    ----------
    core : Core
    directory : path
        It is created if it does not exist.
    name : str, optional
        Name of the top and of the files.  The default is made of mode, sector sizes and chosen options: ``hctr2_512_k256``.
    command : str
        The command line, which the files record.
    exclusive : bool
        Whether to lock the folder against other builds.  False for callers that have locked it (``emit.lock``).
    front : callable, optional
        Makes a front end of the description of the core.
    cocotb : bool
        Whether to write a test with the bus models of cocotbext-axi.
    ram : str, optional
        "ultra": large memories become UltraRAM.

    Returns
    -------
    Description
        The contents of ``core.json``.

    Raises
    ------
    InputError
        If the folder holds anything except a core, the name is not a plain identifier, the folder cannot be written, or another core
        is being built into it.
    DefinitionError
        If ``Core.check`` finds that the hardware of a mode's own cipher differs from its software.
    """
    target = Path(directory).absolute()
    if not command or "\n" in command:
        raise ValueError("command is one line of text")
    old = _old_files(target)
    name = core_name(core, name)
    core.check()
    # The path is relative to the core, so commands can later run from any folder.
    description, texts = contents(core.seen_from(target), name, command, front, cocotb=cocotb, ram=ram)
    try:
        with building(target) if exclusive else nullcontext():
            _write(target, texts, old)
    except OSError as error:
        raise InputError(f"{directory} cannot be written: {error.strerror or error}") from None
    return description


def _write(target: Path, texts: dict[str, str], old: set[str]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=target.name + ".modeloom-", dir=target.parent))
    try:
        new, before = work / "new", work / "old"
        new.mkdir()
        for file, text in texts.items():
            (new / file).write_text(text, encoding="utf-8")
        if target.exists():
            for entry in sorted(target.iterdir()):
                if entry.name in texts or entry.name in old:
                    continue
                if entry.is_dir() and not entry.is_symlink():
                    shutil.copytree(entry, new / entry.name, symlinks=True)
                else:
                    shutil.copy2(entry, new / entry.name, follow_symlinks=False)
            os.replace(target, before)
        try:
            os.replace(new, target)
        except OSError:
            if before.exists():
                os.replace(before, target)
            raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
