# SPDX-License-Identifier: Apache-2.0
"""``modeloom list``: the modes and the circuits."""

from __future__ import annotations

import json

import click

from modeloom.cli.files import columns
from modeloom.modes import ON_CIPHER, VARIANTS, all_modes, all_streams
from modeloom.spec import Mode
from modeloom.vectors import count

__all__ = ["list_modes", "catalogue", "circuits", "sectors", "streams"]


def _modes() -> list[type[Mode]]:
    return sorted([*all_modes().values(), *VARIANTS], key=lambda mode: mode.name)


def catalogue() -> list[dict[str, object]]:
    """Every mode: name, kind, title, source, directions, cipher, its meaning with other ciphers, field order, partial blocks, limits, tweak
    sizes, key, vectors, security, and whether it is broken."""
    return [
        {
            "name": mode.name, "kind": "mode", "title": mode.title, "source": mode.source, "directions": list(mode.directions()),
            "cipher": mode.cipher if isinstance(mode.cipher, str) else mode.cipher.name,
            "on_cipher": {cipher: other for (name, cipher), other in ON_CIPHER.items() if name == mode.name},
            "field": mode.field.name, "partial_blocks": mode.partial, "least_bytes": mode.min_bytes or mode.block_bytes,
            "most_bytes": mode.max_blocks * mode.block_bytes or None, "tweak_bytes": list(mode.tweak_sizes),
            "key": list(mode.key_parts), "vectors": count(mode.name), "security": mode.security, "broken": mode.broken,
        }  # fmt: skip
        for mode in _modes()
    ]


def streams() -> list[dict[str, object]]:
    """Every stream mode: name, kind, title, source, cipher, field order, lengths of nonces and tags in bytes, key, vectors, security, and
    whether it is broken."""
    return [
        {
            "name": mode.name, "kind": "stream", "title": mode.title, "source": mode.source, "directions": ["encrypt", "decrypt"],
            "cipher": mode.cipher if isinstance(mode.cipher, str) else mode.cipher.name, "field": mode.field.name,
            "nonce_bytes": sorted(length for lengths in mode.nonce_bytes for length in lengths), "tag_bytes": list(mode.tag_bytes),
            "most_text_bytes": mode.most_text, "key": list(mode.key_parts), "vectors": count(mode.name), "security": mode.security,
            "broken": mode.broken,
        }  # fmt: skip
        for mode in all_streams().values()
    ]


def sectors(row: dict[str, object]) -> str:
    """The sector sizes in bytes that a mode of the catalogue accepts, in words."""
    form = f"{'any' if row['partial_blocks'] else 'whole blocks'} from {row['least_bytes']}"
    return form if row["most_bytes"] is None else f"{form} to {row['most_bytes']}"


def circuits() -> list[dict[str, object]]:
    """Every circuit of ``modeloom circuit``: name, kind, title, source, and options with their values."""
    from modeloom.circuits import all_circuits

    return [
        {
            "name": circuit.name,
            "kind": "circuit",
            "title": circuit.title,
            "source": circuit.source,
            "directions": [],
            "field": None,
            "vectors": 0,
            "options": {
                option.name: list(option.choices) or {"from": option.low, "to": option.high} for option in circuit.options
            },
        }
        for circuit in all_circuits().values()
    ]


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_modes(as_json: bool) -> None:
    """List the modes, the stream modes and the circuits, with their sources.

    Modes have their directions, sector sizes, field order and number of published vectors. Circuits have their options.
    """
    from modeloom.circuits import all_circuits

    rows, aeads = catalogue(), streams()
    if as_json:
        click.echo(json.dumps({"schema": "modeloom-list-1", "entries": rows + aeads + circuits()}, indent=2, ensure_ascii=False))
        return
    table: list[tuple[str, ...]] = [("name", "directions", "sector, bytes", "field", "vectors", "source")]
    for mode, row in zip(_modes(), rows, strict=True):
        note = "BROKEN: " if mode.broken else ""
        table.append(
            (mode.name, ", ".join(mode.directions()), sectors(row), mode.field.name, str(row["vectors"]), note + mode.source)
        )
    click.echo(columns(table))
    for mode in _modes():
        if mode.broken:
            click.echo(f"warning: {mode.name} is broken: {mode.security}\n")
    table = [("stream mode", "nonce, bytes", "tag, bytes", "field", "vectors", "source")]
    for stream, row in zip(all_streams().values(), aeads, strict=True):
        lengths = sorted(length for lengths in stream.nonce_bytes for length in lengths)
        nonces = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else str(lengths[0])
        tags = ", ".join(map(str, stream.tag_bytes))
        table.append((stream.name, nonces, tags, stream.field.name, str(row["vectors"]), stream.source))
    click.echo(columns(table))
    table = [("circuit", "options", "source")]
    for circuit in all_circuits().values():
        table.append((circuit.name, " ".join("--" + option.name.replace("_", "-") for option in circuit.options), circuit.source))
    click.echo(columns(table), nl=False)
