# SPDX-License-Identifier: Apache-2.0
"""Rows of a sweep, and what a reader sees of them on the page."""

from __future__ import annotations

import json
import re

from modeloom.sweep.configuration import Configuration, Identity
from modeloom.sweep.run import row_of

__all__ = ["on_front", "plotted", "row", "rows", "shown", "stored"]


def row(name, luts=None, rate=None, target="xc7", status="ok", area="core", options=None, kind="sector", error=None, **figures):
    options = {"sector": 512} if options is None else options
    identity = Identity(Configuration(kind, name, options, target, None if target is None else area), "", {"modeloom": "0.1.0"})
    made = row_of(identity, {"status": status, "error": error, "result": {}, "seconds": 0.0}, "")
    return {**made, "luts": luts, "bytes_per_cycle": rate, "sector_bytes": 512, **figures}


def rows():
    return [
        row("hctr2", 9000, 16.0, cipher_cores=1, multipliers=2, latency=60, proved=1),
        row("hctr2", 17000, 32.0, options={"sector": 512, "cipher-cores": 2}, cipher_cores=2, multipliers=4, latency=70),
        row("hctr2", 18000, 31.0, options={"cipher-cores": 2, "cipher-sbox": "composite", "mul-arch": "lut6"}, cipher_cores=2),
        row("xts", 7000, 15.5, cipher_cores=1, latency=50, lutram_luts=100),
        row("xts", 7100, 15.5, options={"sector": 64}, sector_bytes=64),
        row("xts", 15000, 30.0, area="blocks"), row("gcm", None, 16.0, None, kind="stream", latency=40),
        row("hctr2", 8000, 16.0, "ecp5", mhz=150.0), row("xts", 9000, 15.5, "ecp5", mhz=100.0),
        row("karatsuba", 3000, None, "xc7", kind="circuit", options={"halt": 4}, sector_bytes=None, latency=0, levels=7),
        row("eme", None, None, status="refused", error="a bad option"),
    ]  # fmt: skip


def stored(page):
    """The data of a page."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def shown(text):
    """Keys of the rows of the table, in their order."""
    return re.findall(r'data-row="(\w+)"', text)


def plotted(text):
    return set(re.findall(r'data-point="(\w+)"', text))


def on_front(text):
    tags = re.findall(r"<(?:circle|polygon)[^>]*data-point[^>]*>", text)
    return {re.search(r'data-point="(\w+)"', tag)[1] for tag in tags if "on-front" in tag}
