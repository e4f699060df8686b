# SPDX-License-Identifier: Apache-2.0
"""The parts of commands for stream modes."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import click

from modeloom.cli.files import columns
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode

__all__ = ["explain_stream", "stream_options"]


def stream_options(mode: StreamMode, values: dict[str, Any]) -> Any:
    """``StreamOptions`` from the options of a command; raises ``InputError`` for an option that only modes on sectors have."""
    from modeloom.compiler.streams import StreamOptions

    known = {field.name for field in fields(StreamOptions)}
    given = {name: value for name, value in values.items() if value is not None and value is not False}
    for name in given:
        if name not in known:
            raise InputError(f"--{name.replace('_', '-')} is an option of modes on sectors, and {mode.name} is a stream mode; leave it out")
    return StreamOptions(**given)


def explain_stream(mode: StreamMode, values: dict[str, Any], as_json: bool) -> None:
    """Prints the figures of the pipeline of a stream mode."""
    from modeloom.compiler.streams import compile_stream

    figures = compile_stream(mode, stream_options(mode, values)).explain()
    if as_json:
        click.echo(json.dumps(figures, indent=2))
        return
    click.echo(columns([(key, _text(value)) for key, value in figures.items()]), nl=False)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return "; ".join(_text(entry) if isinstance(entry, dict) else str(entry) for entry in value)
    return str(value)
