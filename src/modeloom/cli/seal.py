# SPDX-License-Identifier: Apache-2.0
"""``modeloom seal`` and ``modeloom open``: a file as one message through the simulation of a core.

::

    IN ──seal──▶ OUT = ciphertext ‖ tag ──open──▶ the plaintext, or nothing if the tag is wrong
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

import click

from modeloom.cli.files import check_output, transfer_progress, whole_file
from modeloom.cli.keys import read_key
from modeloom.cli.options import optimize_option
from modeloom.spec import InputError

__all__ = ["open_file", "seal_file"]

PIECE = 1 << 18
"""Bytes that go through at a time: whole beats of any width."""


class _Messages(TypedDict):
    """The options of both commands."""

    directory: str
    source: str
    target: str
    key_file: str
    key_format: str
    nonce: str
    ad: str | None
    tag_bytes: int | None
    optimize: int
    as_json: bool


def _message_options(command: Callable[..., object]) -> Callable[..., object]:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        optimize_option,
        click.option("--tag-bytes", type=int, help="Bytes of the tag (default: the longest tag of the mode)."),
        click.option("--ad", help="File with the associated data (default: none)."),
        click.option("--nonce", required=True, help="The nonce, in hex digits."),
        click.option("--key-format", default="auto", help="Format of the key file: raw, hex, or auto, which detects it (default: auto)."),
        click.option("--key-file", required=True, help="File with the key of the mode: raw bytes or hex digits."),
        click.argument("target"),
        click.argument("source"),
        click.argument("directory"),
    ):
        command = option(command)
    return command


@click.command("seal")
@_message_options
def seal_file(**values: Unpack[_Messages]) -> None:
    """Seal the file SOURCE with a simulation of the core in DIRECTORY, and write ciphertext and tag to TARGET.

    A mode with two passes takes the file twice.

    Never use a nonce twice with the same key.
    """
    _transform(False, **values)


@click.command("open")
@_message_options
def open_file(**values: Unpack[_Messages]) -> None:
    """Open the sealed file SOURCE with a simulation of the core in DIRECTORY, and write the plaintext to TARGET.

    If the tag is wrong, the exit status is 1 and TARGET is not written.
    """
    _transform(True, **values)


def read_nonce(text: str) -> bytes:
    """The bytes of a nonce in hex digits.  Raises ``InputError`` for anything else."""
    digits = "".join(text.split())
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise InputError("--nonce must be hex digits, two for each byte") from None


def _read(path: str, what: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {what} {path}: {error.strerror}") from None


def _transform(
    decrypt: bool, *, directory: str, key_file: str, key_format: str, nonce: str, ad: str | None, tag_bytes: int | None, optimize: int,
    as_json: bool, source: str, target: str,
) -> None:  # fmt: skip
    from modeloom.product.folder import read_messages
    from modeloom.product.message import Message, check_message
    from modeloom.product.simulation import message_core

    # What can be refused is refused before the simulation is built.
    description = read_messages(directory)
    path = Path(source)
    if not path.is_file():
        raise InputError(f"there is no file {source}; give the path of the input")
    parts = " || ".join(description.key_parts)
    key = read_key(key_file, description.user_key_lengths, f"a key of this core, {description.mode} ({parts}),", key_format)
    message = Message(read_nonce(nonce), b"", b"" if ad is None else _read(ad, "associated data"), decrypt, 0, tag_bytes)
    size = path.stat().st_size
    length = check_message(description, message, size)
    inputs = [path, Path(key_file), *([Path(ad)] if ad else [])]
    check_output(Path(target), *inputs)
    tag = b""
    text = size - length if decrypt else size
    if decrypt:
        with path.open("rb") as file:
            file.seek(text)
            tag = file.read()
    core = message_core(directory, optimize=optimize)
    core.load_key(key)
    begin = core.cycles
    with whole_file(Path(target)) as out, path.open("rb") as file, transfer_progress() as progress:
        task = progress.add_task(description.mode, total=text * (1 + (description.two_passes and not decrypt)))

        def chunks() -> Iterator[bytes]:
            left = text
            while left:
                chunk = file.read(min(PIECE, left))
                if not chunk:
                    raise InputError(f"{source} changed while it was read; try again")
                left -= len(chunk)
                progress.update(task, advance=len(chunk))
                yield chunk

        if description.two_passes and not decrypt:
            tag = b"".join(core.pieces(message, chunks(), text=text))
            message = replace(message, decrypt=2)
            file.seek(0)
        for piece in core.pieces(message, chunks(), tag, text):
            out.write(piece)
        if message.decrypt == 2:
            out.write(tag)
    cycles = core.cycles - begin
    if as_json:
        figures = {
            "schema": "modeloom-open-1" if decrypt else "modeloom-seal-1", "mode": description.mode, "cipher": description.cipher,
            "bytes": text, "ad_bytes": len(message.ad), "tag_bytes": length, "cycles": cycles,
        }  # fmt: skip
        click.echo(json.dumps(figures, indent=2))
        return
    click.echo(f"{text} bytes {'opened' if decrypt else 'sealed'} in {cycles} cycles", err=True)
