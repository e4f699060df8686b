# SPDX-License-Identifier: Apache-2.0
"""``modeloom model``: runs a file through the software model, sector by sector."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import click

from modeloom.ciphers import cipher_of
from modeloom.cli.crypt import check_source, crypt_options, done, transform_file
from modeloom.cli.files import warn
from modeloom.cli.keys import read_key
from modeloom.cli.options import cipher_option, tweaks

__all__ = ["model"]


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
