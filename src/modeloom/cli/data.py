# SPDX-License-Identifier: Apache-2.0
"""``modeloom model``, ``crypt``, ``seal`` and ``open``: files through the software model of a mode, or through the simulation of a core."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from string import hexdigits
from types import SimpleNamespace
from typing import Protocol, TypedDict, Unpack

import click

from modeloom.ciphers import cipher_of
from modeloom.cli.files import check_output, transfer_progress, warn, whole_file
from modeloom.cli.options import cipher_option, optimize_option, tweaks
from modeloom.spec import InputError, UnknownName
from modeloom.spec.mode import DIRECTIONS

__all__ = ["FORMATS", "check_source", "crypt", "crypt_options", "done", "model", "open_file", "read_key", "seal_file", "transform_file"]

# Reads keys from files with raw bytes or hexadecimal digits.  The two forms are never confused.
#
#     hexadecimal   only hex digits and white space, with a correct length
#     raw           a correct length, and a byte that is not text
#     refused       anything else: text with a wrong digit, or a wrong length
#
# Of 10^14 random keys of 16 bytes, less than one consists only of hex digits and white space.  ``--key-format raw`` is for keys that are
# text.  Messages count bytes from 0 and never show a byte of a key.

FORMATS = ("auto", "raw", "hex")

_DIGITS = frozenset(hexdigits.encode())
_TEXT = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\n\v\f\r")


def read_key(path: str, lengths: Iterable[int], what: str, form: str = "auto") -> bytes:
    """Reads the key in a file.

    Parameters
    ----------
    path : str
    lengths : iterable of int
        Correct lengths in bytes.
    what : str
        The mode or core of the key, for messages.
    form : str
        "raw", "hex", or "auto" to detect the form.

    Raises
    ------
    UnknownName
        For an unknown form.
    InputError
        If the file cannot be read, or does not contain a key with a correct length.
    """
    if form not in FORMATS:
        raise UnknownName("key format", form, FORMATS)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"cannot read key file {path}: {error.strerror}") from None
    if not data:
        raise InputError(f"key file {path} is empty; write the key into it as raw bytes or as hex digits")
    fitting = sorted(set(lengths))
    wanted = f"{what} has {_or(fitting)} bytes"
    digits = bytes(byte for byte in data if not chr(byte).isspace())
    wrong = next((place for place, byte in enumerate(data) if byte not in _DIGITS and not chr(byte).isspace()), None)
    if form == "auto":
        form = _form(path, data, wrong)
    if form == "raw":
        if len(data) not in fitting:
            raise InputError(f"key file {path} has {len(data)} raw bytes, but {wanted}")
        return data
    if wrong is not None:
        raise InputError(f"key file {path}: byte {wrong} is not a hex digit")
    if len(digits) % 2:
        raise InputError(f"key file {path} has {len(digits)} hex digits, which is odd; a byte has two")
    if len(digits) // 2 not in fitting:
        instead = "; if they are the bytes of the key, add --key-format raw" if len(data) in fitting else ""
        raise InputError(f"key file {path} has {len(digits)} hex digits ({len(digits) // 2} bytes), but {wanted}{instead}")
    return bytes.fromhex(digits.decode())


def _form(path: str, data: bytes, wrong: int | None) -> str:
    """The form of a file.  Raises ``InputError`` for text that is not a hexadecimal number."""
    if not _TEXT.issuperset(data):
        return "raw"
    if wrong is not None:
        raise InputError(
            f"key file {path} is text, but its byte {wrong} is not a hex digit; if they are the bytes of the key, add --key-format raw"
        )
    return "hex"


def _or(values: list[int]) -> str:
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}" if head else last


# -- crypt -------------------------------------------------------------------------------------------------------------------------

# ``modeloom crypt``: runs a file through the simulation of a core, sector by sector.

CHUNK = 256
"""Number of sectors that are processed at a time."""


class _Named(Protocol):
    """Something with the names of its mode and cipher."""

    @property
    def mode(self) -> str: ...

    @property
    def cipher(self) -> str: ...


def done(schema: str, what: _Named, direction: str, size: int, count: int) -> dict[str, object]:
    """The output of ``--json`` after a file was processed by a core or a model."""
    return {"schema": schema, "mode": what.mode, "cipher": what.cipher, "direction": direction, "sector_bytes": size, "sectors": count}


def check_source(source: Path, sector: int) -> int:
    """The number of sectors in a file.  Raises ``InputError`` if it is missing or does not have whole sectors."""
    if not source.is_file():
        raise InputError(f"there is no file {source}; give the path of the input")
    size = source.stat().st_size
    if not size:
        raise InputError(f"{source} is empty; give a file of whole sectors of {sector} bytes")
    if size % sector:
        raise InputError(
            f"{source} has {size} bytes, which is not a whole number of sectors of {sector} bytes; pad it or "
            "choose another sector size"
        )
    return size // sector


def transform_file(
    source: Path, target: Path, sector: int, run: Callable[[int, list[bytes]], list[bytes]], title: str
) -> int:
    """Runs the sectors of a file through ``run(first number, sectors)`` with a progress bar.  The target file appears when it is complete.

    Returns the number of sectors.  Raises ``InputError`` if the file does not have whole sectors, or cannot be read or written.
    """
    check_source(source, sector)
    check_output(target, source)
    size = source.stat().st_size
    number = 0
    with whole_file(target) as out, source.open("rb") as data, transfer_progress() as progress:
        task = progress.add_task(title, total=size)
        while chunk := data.read(sector * CHUNK):
            if len(chunk) % sector:
                raise InputError(f"{source} changed while it was read; try again")
            sectors = [chunk[at : at + sector] for at in range(0, len(chunk), sector)]
            out.write(b"".join(run(number, sectors)))
            number += len(sectors)
            progress.update(task, advance=len(chunk))
    return number


def crypt_options(command: Callable) -> Callable:
    """Key, tweak and direction of ``crypt`` and ``model``, and ``--json``."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--decrypt", is_flag=True, help="Decrypt instead of encrypting."),
        click.option("--tweak-step", type=int, default=1, help="Increment of the tweak from sector to sector, at least 1 (default: 1)."),
        click.option("--tweak-base", type=int, default=0, help="Tweak of the first sector, as in dm-crypt's plain64 (default: 0)."),
        click.option("--key-format", default="auto", help="Format of the key file: raw, hex, or auto, which detects it (default: auto)."),
        click.option("--key-file", required=True, help="File with the key of the mode: raw bytes or hex digits."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("directory")
@optimize_option
@click.option("--sector", type=int, help="Sector size in bytes (default: the first size of the core).")
@crypt_options
@click.argument("source")
@click.argument("target")
def crypt(
    directory: str, optimize: int, sector: int | None, key_file: str, key_format: str, tweak_base: int, tweak_step: int, decrypt: bool,
    as_json: bool, source: str, target: str,
) -> None:  # fmt: skip
    """Run the file SOURCE through a simulation of the core in DIRECTORY and write TARGET."""
    from modeloom.product.folder import read_sectors
    from modeloom.product.simulated import Sector, SimulatedCore

    # Wrong input is refused before the simulation is built.
    description = read_sectors(directory)
    sizes = [size.sector_bytes for size in description.sizes]
    size = sizes[0] if sector is None else sector
    if size not in sizes:
        raise InputError(f"--sector {size}: this core takes sectors of {' or '.join(map(str, sizes))} bytes")
    description.check_way(decrypt)
    sectors = check_source(Path(source), size)
    parts = " || ".join(description.key_parts)
    key = read_key(key_file, [description.key_bytes], f"a key of this core, {description.mode} ({parts}),", key_format)
    tweak = tweaks(tweak_base, tweak_step, description.tweak_bytes, sectors)
    check_output(Path(target), Path(source))
    core = SimulatedCore(directory, optimize=optimize)
    core.load_key(key)
    begin = core.cycles

    def run(first: int, sectors: list[bytes]) -> list[bytes]:
        return core.run([Sector(tweak(first + i), data, decrypt) for i, data in enumerate(sectors)])

    count = transform_file(Path(source), Path(target), size, run, core.description.mode)
    cycles = core.cycles - begin
    if as_json:
        click.echo(json.dumps(done("modeloom-crypt-1", description, DIRECTIONS[decrypt], size, count) | {"cycles": cycles}, indent=2))
        return
    click.echo(f"{count} sectors of {size} bytes in {cycles} cycles ({cycles / count:.2f} per sector)", err=True)


# -- model -------------------------------------------------------------------------------------------------------------------------

# ``modeloom model``: runs a file through the software model, sector by sector.

@click.command()
@click.argument("mode")
@crypt_options
@cipher_option
@click.option("--sector", type=int, default=512, help="Sector size in bytes (default: 512).")
@click.option("--tweak", "tweak_bytes", type=int, help="Tweak size in bytes (default: the first size of the mode).")
@click.argument("source")
@click.argument("target")
def model(
    mode: str, key_file: str, key_format: str, tweak_base: int, tweak_step: int, decrypt: bool, cipher: str | None, sector: int,
    tweak_bytes: int | None, as_json: bool, source: str, target: str,
) -> None:  # fmt: skip
    """Run the file SOURCE through the software model of MODE and write TARGET."""
    from modeloom.definition.check import check_definition
    from modeloom.definition.software import Model, key_lengths
    from modeloom.modes import find

    definition = find(mode, cipher=cipher)
    definition.check_sector(sector)
    length = definition.tweak_sizes[0] if tweak_bytes is None else tweak_bytes
    definition.check_tweak(length)
    what = f"a key of {definition.name} ({' || '.join(definition.key_parts)})"
    keyed = Model(definition, read_key(key_file, key_lengths(definition, cipher), what, key_format), cipher)
    tweak = tweaks(tweak_base, tweak_step, length, check_source(Path(source), sector))
    warn(check_definition(definition, sector, length, keyed.cipher_key_bytes).warnings)
    step = keyed.decrypt if decrypt else keyed.encrypt

    def run(first: int, sectors: list[bytes]) -> list[bytes]:
        return [step(tweak(first + i), data) for i, data in enumerate(sectors)]

    count = transform_file(Path(source), Path(target), sector, run, mode)
    if as_json:
        names = SimpleNamespace(mode=definition.name, cipher=cipher_of(definition, cipher).name)
        click.echo(json.dumps(done("modeloom-model-1", names, "decrypt" if decrypt else "encrypt", sector, count), indent=2))


# -- seal --------------------------------------------------------------------------------------------------------------------------

# ``modeloom seal`` and ``modeloom open``: a file as one message through the simulation of a core.
#
#     IN ──seal──▶ OUT = ciphertext ‖ tag ──open──▶ the plaintext, or nothing if the tag is wrong

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
    from modeloom.product.simulated import message_core

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
    *before, last = description.passes.of(decrypt)
    core = message_core(directory, optimize=optimize)
    core.load_key(key)
    begin = core.cycles
    with whole_file(Path(target)) as out, path.open("rb") as file, transfer_progress() as progress:
        task = progress.add_task(description.mode, total=text * (1 + len(before)))

        def chunks() -> Iterator[bytes]:
            left = text
            while left:
                chunk = file.read(min(PIECE, left))
                if not chunk:
                    raise InputError(f"{source} changed while it was read; try again")
                left -= len(chunk)
                progress.update(task, advance=len(chunk))
                yield chunk

        for way in before:
            tag = b"".join(core.pieces(replace(message, decrypt=way), chunks(), text=text))
            file.seek(0)
        for piece in core.pieces(replace(message, decrypt=last), chunks(), tag, text):
            out.write(piece)
        if before:
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
