# SPDX-License-Identifier: Apache-2.0
"""``modeloom traffic``: packets of a mix through the simulation of a core, with the share of the peak that they reach."""

from __future__ import annotations

import json

import click

from modeloom.cli.files import columns
from modeloom.cli.options import optimize_option

__all__ = ["traffic"]


@click.command()
@click.argument("directory")
@click.option("--mix", "mix_name", required=True, help="gcm2008, imix, 64, jumbo, or a file with a line for each size: bytes and share.")
@click.option("--packets", type=click.IntRange(min=1), default=1000, help="Number of packets (default: 1000).")
@click.option("--ad-bytes", type=click.IntRange(min=0), default=0, help="Bytes of each packet that are associated data (default: 0).")
@click.option("--slots", type=click.IntRange(min=1), help="Number of key slots that packets use in rotation (default: all).")
@click.option("--seed", type=int, default=1, help="Seed of keys, data, directions and order (default: 1).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@optimize_option
def traffic(
    directory: str, mix_name: str, packets: int, ad_bytes: int, slots: int | None, seed: int, as_json: bool, optimize: int
) -> None:
    """Send packets through a simulation of the core in DIRECTORY, with a new key slot for every packet.

    Every output is compared with the cryptography package or the software model. Prints bytes, cycles, and the fraction of the
    peak rate that the packets reach: as bytes over cycles, and as in gcm2008, section 4.4.
    """
    from modeloom.measure.mixes import find_mix
    from modeloom.measure.traffic import measure_traffic
    from modeloom.product.folder import read_messages
    from modeloom.product.simulation import message_core
    from modeloom.spec import InputError

    description = read_messages(directory)
    mix = find_mix(mix_name)
    if slots is not None and slots > description.key_slots:
        raise InputError(f"--slots {slots}: this core has {description.key_slots} key slots")
    core = message_core(directory, optimize=optimize)
    figures = measure_traffic(core, directory, mix, packets=packets, seed=seed, associated=ad_bytes, slots=slots)
    if as_json:
        click.echo(json.dumps(figures, indent=2))
        return
    click.echo(columns([(name, str(value)) for name, value in figures.items() if name != "schema"]), nl=False)
