# SPDX-License-Identifier: Apache-2.0
"""Encrypts a FAT disk image with a simulated HCTR2 core, decrypts it with the independent reference, and reads the files again.

Everything is made in build/demo; the last table says where.
"""

from __future__ import annotations

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

import modeloom_golden as golden
from modeloom import compile as compile_mode
from modeloom.cli.data import transform_file
from modeloom.cli.options import tweaks
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.measure.area import measure_core
from modeloom.measure.datasheet import complete_datasheet, store_result
from modeloom.product.simulated import Sector, SimulatedCore

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fat import make_image, read_files  # noqa: E402

FOLDER = Path("build/demo")
MODE = "hctr2"
SEED = 2021
IMAGE_BYTES = 2 << 20


def files(rng: random.Random) -> dict[str, bytes]:
    """Files for the image: text, noise, an empty one, and folders."""
    words = ["sector", "tweak", "block", "cipher", "hash", "key", "mode", "wide"]
    text = " ".join(rng.choice(words) for _ in range(20_000)).encode()
    return {
        "/readme.txt": b"These files have been through a simulated HCTR2 core.\n",
        "/words.txt": text,
        "/noise.bin": rng.randbytes(700_000),
        "/empty.dat": b"",
        "/photos/2021/zeros.raw": bytes(300_000),
    }


def main() -> int:
    """Runs the demonstration; exit status 1 if a file does not come back."""
    console = Console()
    rng = random.Random(SEED)
    begin = time.monotonic()
    FOLDER.mkdir(parents=True, exist_ok=True)
    core_folder, plain, secret = FOLDER / "core", FOLDER / "disk.img", FOLDER / "disk.hctr2"

    console.print(f"[1/5] compile and prove {MODE} for 512-byte sectors")
    compiled = compile_mode(MODE)
    figures = compiled.explain()
    emit(SectorCore(compiled), core_folder, command=f"modeloom build {MODE}")

    console.print("[2/5] make a FAT image with files in it")
    written = files(rng)
    make_image(plain, IMAGE_BYTES, written)

    # Synthesis and the compilation of the simulation take a core each.
    with ThreadPoolExecutor(1) as background:
        area = background.submit(measure_core, core_folder, "xc7", blocks=False)

        console.print("[3/5] encrypt it with the simulated core (the first time, the simulation is compiled)")
        key = rng.randbytes(figures["key_bits"] // 8)
        core = SimulatedCore(core_folder)
        core.load_key(key)
        tweak = tweaks(0, 1, core.tweak_bytes, IMAGE_BYTES // core.sector_bytes)
        spent = 0.0
        first = core.cycles

        def run(number: int, sectors: list[bytes]) -> list[bytes]:
            nonlocal spent
            start = time.monotonic()
            results = core.run([Sector(tweak(number + i), data) for i, data in enumerate(sectors)])
            spent += time.monotonic() - start
            return results

        count = transform_file(plain, secret, core.sector_bytes, run, MODE)
        cycles = core.cycles - first

        console.print("[4/5] decrypt it with the independent reference and read the files")
        reference = golden.mode(MODE, key)
        image = secret.read_bytes()
        size = core.sector_bytes
        back = b"".join(
            reference.decrypt(tweak(i), image[at : at + size]) for i, at in enumerate(range(0, len(image), size))
        )
        opened = FOLDER / "disk.back.img"
        opened.write_bytes(back)
        found = read_files(opened)
        if found != written or image == plain.read_bytes():
            console.print("[red]the files did not come back[/red]")
            return 1
        console.print(f"      {len(found)} files, {sum(map(len, found.values()))} bytes: all back")

        console.print("[5/5] synthesis for xc7, and the datasheet with timing and area")
        xc7 = area.result()
        store_result(core_folder, "xc7", xc7)
        # The simulation is the one from above.
        page, _, _ = complete_datasheet(core_folder, optimize=2)

    table = Table(show_header=False, box=None)
    rows = [
        ("cycles per sector", f"{cycles / count:.2f} measured over {count} sectors"),
        ("initiation interval", f"{figures['ii']} (bound {figures['ii_bound']}), latency {figures['latency']}, proved"),
        ("simulation", f"{len(image) / spent / 1e6:.2f} MB/s, {cycles / spent / 1e3:.0f} k cycles/s"),
        ("xc7", f"{xc7['luts']} LUTs, {xc7['ffs']} registers, {xc7['levels']} levels"),
        ("core", str(core_folder)),
        ("datasheet", str(core_folder / page.name)),
        ("image, encrypted, decrypted", f"{plain}, {secret}, {opened}"),
        ("time", f"{time.monotonic() - begin:.0f} s"),
    ]
    for name, value in rows:
        table.add_row(name, value)
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
