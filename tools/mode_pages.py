#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page for each mode to docs/modes: ``python tools/mode_pages.py`` (``--check``: only says what differs).

Texts and code come from the definition, and what a mode gives from ``cores/described.py``.  Figures are those of ``mode_figures``.
The pictures are those of sectors of 64 bytes, or of the tokens of a stream mode.  They take half a minute; the texts take a second.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

import mode_figures  # noqa: E402
from circuit_tables import table  # noqa: E402

from modeloom import compile as compile_mode  # noqa: E402
from modeloom.cli.list import catalogue, sectors, streams  # noqa: E402
from modeloom.compiler.streams import StreamOptions, compile_stream  # noqa: E402
from modeloom.cores.described import gives  # noqa: E402
from modeloom.modes import all_streams, find_any  # noqa: E402
from modeloom.options.sectors import MOST_BLOCKS  # noqa: E402
from modeloom.report.chart import chart  # noqa: E402
from modeloom.report.token_chart import token_chart  # noqa: E402
from modeloom.spec.errors import numbers  # noqa: E402

FOLDER = ROOT / "docs" / "modes"
IMAGES = ROOT / "docs" / "img" / "modes"

SECTOR = 64
"""Bytes of the sectors in the pictures."""

WRITTEN = "<!-- tools/mode_pages.py writes this page. -->\n"

PAPERS = re.compile(r"tes2010|brw2013|gcm2008|luts2017")

SHORT = "[Papers](../papers.md) says which papers the short names stand for."

LINKS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"eprint (\d{4}/\d{3,4})", lambda m: f"https://eprint.iacr.org/{m[1]}"),
    (r"RFC (\d{4})", lambda m: f"https://www.rfc-editor.org/rfc/rfc{m[1]}"),
    (r"(?:NIST )?SP (800-38[A-G])", lambda m: f"https://doi.org/10.6028/NIST.SP.{m[1]}"),
)
"""Addresses of papers and standards that can be read freely, by the form in which ``source`` names them."""


def linked(text: str) -> str:
    """A text with links to the papers and standards that it names."""
    for pattern, address in LINKS:
        text = re.sub(pattern, lambda m, address=address: f"[{m[0]}]({address(m)})", text)  # type: ignore[misc]
    return text


def options(name: str) -> str:
    """What a command needs beside the name of a mode: the origin of keys, if each nonce has others."""
    stream = all_streams().get(name)
    return " --keys derived" if stream and stream().derives() else ""


def classes(name: str) -> list[type]:
    """The class of a mode, behind those of ``modeloom.modes`` from which it inherits."""
    found = [each for each in type(find_any(name)).__mro__ if each.__module__.startswith("modeloom.modes.")]
    return found[::-1]


def definition(name: str) -> str:
    """The text of a definition, and links to its file and to files with functions that it uses."""
    parts = classes(name)
    files = list(dict.fromkeys(Path(inspect.getfile(each)) for each in parts))
    used = [
        ROOT / "src" / f"{module.replace('.', '/')}.py"
        for path in files for module in re.findall(r"^from (modeloom\.modes\.\w+) import", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]  # fmt: skip
    own = " and ".join(map(_link, files))
    more = [path for path in dict.fromkeys(used) if path not in files]
    helpers = f" It uses functions of {' and '.join(map(_link, more))}." if more else ""
    code = "\n\n\n".join(inspect.getsource(each).rstrip() for each in parts)
    return f"This is the text in {own}.{helpers} [A new mode](../new-mode.md) explains the operations.\n\n```python\n{code}\n```\n"


def _link(path: Path) -> str:
    inside = path.resolve().relative_to(ROOT)
    return f"[`{inside}`](../../{inside})"


def facts(row: dict[str, Any]) -> str:
    """The list of sizes, keys and vectors."""
    key = " ‖ ".join("cipher key" if part == "cipher" else f"`{part}`" for part in row["key"])
    if row["kind"] == "stream":
        sizes = f"Nonces of {numbers(row['nonce_bytes'])} bytes, tags of {numbers(row['tag_bytes'])} bytes, and messages of any length"
    else:
        form = sectors(row).replace("any from", "any number of bytes from").replace("blocks from", "blocks, from")
        largest = MOST_BLOCKS * find_any(row["name"]).block_bytes
        limit = f". A core takes sectors of at most {largest} bytes" if row["most_bytes"] is None or row["most_bytes"] > largest else ""
        sizes = f"Sectors: {form}{'' if row['partial_blocks'] else ' bytes'}{limit}. Tweaks: {numbers(row['tweak_bytes'])} bytes"
    lines = [
        f"Source: {linked(row['source'])}",
        f"Security, as the definition states it: {linked(row['security'])}",
        f"{sizes}",
        f"Cipher: `{row['cipher']}`. Key: {key}. Order of bits in the field: `{row['field']}`",
        f"Published vectors that the tests run: {row['vectors'] or 'none'}",
    ]
    return "".join(f"- {line}.\n" for line in lines)


def figure(name: str, stream: bool) -> str:
    """The picture with what it shows."""
    if stream:
        return (
            f"![The tokens of {name} in its pipeline](../img/modes/{name}.svg)\n\n"
            "*The pipeline of the core in one cycle. A token is a block of a message, and moves one stage to the right in each cycle. "
            "A cell of a unit is filled if the token in this stage uses the unit.*\n"
        )
    return (
        f"![The schedule of {name} for sectors of {SECTOR} bytes](../img/modes/{name}.svg)\n\n"
        f"*The schedule of sectors of {SECTOR} bytes. A row is a unit, a column is a cycle, and each sector has a colour. "
        "[How it works](../how-it-works.md) explains the picture.*\n"
    )


def figures(name: str, stream: bool) -> str:
    """The sections with cycles and area."""
    if stream:
        first = (
            "These are cores for keys of 128 bits, and [what authenticated encryption costs](../aead.md) explains the columns. A pipeline "
            "takes at most one block in each cycle, so no core with one pipeline needs fewer cycles than one per block.\n"
        )
    else:
        first = (
            "The bound is the number of cycles that the busiest unit needs, and no schedule on the same units is shorter. "
            "[The unit model](../model.md) defines all figures.\n"
        )
    areas = mode_figures.area(name)
    measured = (
        "Each row is a core, and the command that builds it. [Reading reports](../reading-reports.md#area) explains the columns.\n\n"
        + areas
        if areas
        else "No area of this mode is stored. `modeloom synth core --target xc7` measures that of the core below.\n"
    )
    return f"## Bound and cycles\n\n{first}\n{mode_figures.cycles(name)}\n## Area\n\n{measured}"


def commands(name: str, stream: bool) -> str:
    """The section with commands.  The core is one of the smallest ones."""
    keys = options(name)
    if stream:
        draw = f"{name}{keys} --svg {name}.svg"
        build = f"{name}{keys} --key-bits 128 --cipher-arch multistream --streams 1"
        small = (
            "Its cipher has one round for one block, and its keys have 128 bits. Without the options, the core has a pipeline of all "
            "rounds."
        )
    else:
        draw = f"{name} --sector {SECTOR} --svg {name}.svg"
        build = f"{name} --sector {SECTOR} --cipher-arch sequential"
        small = (
            f"It takes sectors of {SECTOR} bytes, and its cipher computes one round at a time. Without the options, the sectors have "
            "512 bytes and the core has a pipeline of all rounds."
        )
    return (
        "## Commands\n\nThe first command draws the picture above. The second one builds a small core and proves its program, and the "
        f"third one checks the core. {small}\n\n"
        f"```console\n$ modeloom explain {draw}\n$ modeloom build {build} -o core\n$ modeloom verify core\n```\n"
    )


def page(row: dict[str, Any]) -> str:
    """The page of a mode; ``row`` is what ``modeloom list`` says of it."""
    name, stream = row["name"], row["kind"] == "stream"
    warning = "**This mode is broken. Do not use it to protect new data.**\n\n" if row["broken"] else ""
    short = f"\n{SHORT}\n" if PAPERS.search(row["source"]) else ""
    given = "\n\n".join(gives(find_any(name)))
    return (
        f"# {row['title']}\n\n{WRITTEN}\n{warning}## Security properties\n\n{given}\n\n{facts(row)}{short}\n"
        f"## Definition\n\n{definition(name)}\n## Picture\n\n{figure(name, stream)}\n{figures(name, stream)}\n{commands(name, stream)}"
    )


def index(rows: list[dict[str, Any]]) -> str:
    """The tables of all modes, those for sectors before those for messages."""
    parts = [f"# The modes\n\n{WRITTEN}\nEach mode has a page, which is generated from its definition. {SHORT}\n"]
    for kind, head, text in (
        ("mode", "Modes for sectors", "A sector has a fixed size, and its ciphertext has the same size."),
        ("stream", "Modes for messages", "A message has any length, and a tag tells whether it was changed."),
    ):
        lines = [
            (f"[{row['title']}]({row['name']}.md){' **broken**' if row['broken'] else ''}", f"`{row['name']}`", linked(row["source"]))
            for row in rows if row["kind"] == kind
        ]  # fmt: skip
        parts.append(f"\n## {head}\n\n{text}\n\n{table(('mode', 'name', 'source'), lines, 3)}")
    return "".join(parts)


def texts() -> dict[Path, str]:
    """Every page with its text."""
    rows = [*catalogue(), *streams()]
    return {FOLDER / "index.md": index(rows)} | {FOLDER / f"{row['name']}.md": page(row) for row in rows}


def _sector_picture(name: str) -> str:
    return chart(compile_mode(name, sector=SECTOR))


def _stream_picture(name: str) -> str:
    changed = {"keys": "derived"} if options(name) else {}
    return token_chart(compile_stream(all_streams()[name](), StreamOptions(**changed), prove=False))


def pictures() -> dict[Path, Callable[[], str]]:
    """For every picture the function that draws it."""
    drawn: dict[Path, Callable[[], str]] = {IMAGES / f"{row['name']}.svg": partial(_sector_picture, row["name"]) for row in catalogue()}
    return drawn | {IMAGES / f"{name}.svg": partial(_stream_picture, name) for name in all_streams()}


def stale(files: dict[Path, str]) -> list[Path]:
    """The files that are missing or differ."""
    return [path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]


def main(arguments: Sequence[str]) -> int:
    """Writes, or with ``--check`` says what differs; exit status 1 if something does."""
    if list(arguments) not in ([], ["--check"]):
        print("usage: python tools/mode_pages.py [--check]", file=sys.stderr)
        return 2
    files = texts() | {path: draw() for path, draw in pictures().items()}
    found = stale(files)
    for path in found:
        if not arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {'differs; run python tools/mode_pages.py' if arguments else 'written'}")
    return 1 if arguments and found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
