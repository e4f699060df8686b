# SPDX-License-Identifier: Apache-2.0
"""AES of OpenSSL on one processor core, through the ``cryptography`` package: for Table 10 of tes2010 (``bench/papers.py``).

::

    aes-128-ecb                 ns a block, of 16 KiB a call: all blocks are independent, as in each of the two layers of EME
    xts-aes-128, 512 bytes      ns a data unit, with a tweak, a context and a call of its own: what a program pays
    xts-aes-128, 16384 bytes    ns of 512 bytes in a longer data unit: what the cipher alone takes
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB, XTS

__all__ = ["MEASURED", "measure"]

LONG = 16384
"""Bytes a call where the call itself should not count; they stay in the first cache."""

SECTOR = 512
ROUNDS, SECONDS = 300, 0.01
"""The quickest of so many rounds of so many seconds counts: whatever else the processor does makes a round longer, never shorter."""

KEY = bytes(range(32))


def _seconds(call: Callable[[], Any]) -> float:
    """Seconds that a call takes."""
    best = float("inf")
    for _ in range(ROUNDS):
        calls, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < SECONDS:
            for _ in range(16):
                call()
            calls += 16
        best = min(best, passed / calls)
    return best


def _into(context: CipherContext, nbytes: int) -> Callable[[], Any]:
    data, out = bytes(nbytes), bytearray(nbytes + 15)
    return lambda: context.update_into(data, out)


def _ecb() -> float:
    return _seconds(_into(Cipher(AES(KEY[:16]), ECB()).encryptor(), LONG)) / (LONG // 16)


def _xts_sector() -> float:
    data, out, tweak = bytes(SECTOR), bytearray(SECTOR + 15), bytes(16)

    def sector() -> None:
        Cipher(AES(KEY), XTS(tweak)).encryptor().update_into(data, out)

    return _seconds(sector)


def _xts_long() -> float:
    # A context would have another tweak for each data unit; its making is what should not count here.
    return _seconds(_into(Cipher(AES(KEY), XTS(bytes(16))).encryptor(), LONG)) * SECTOR / LONG


MEASURED: dict[str, Callable[[], float]] = {
    "aes-128-ecb": _ecb,
    "xts-aes-128, 512 bytes": _xts_sector,
    "xts-aes-128, 16384 bytes": _xts_long,
}
"""What is measured, in seconds."""


def processor() -> dict[str, Any]:
    """Model of the processor, its clock in MHz as the system states it, and whether it has instructions for AES."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", text.partition("\n\n")[0], flags=re.MULTILINE))
    return {"processor": fields["model name"], "mhz": round(float(fields["cpu MHz"])), "aes_ni": "aes" in fields["flags"].split()}


def measure(name: str) -> dict[str, Any]:
    """The figures of one row, on one processor core."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        ns = 1e9 * MEASURED[name]()
    finally:
        os.sched_setaffinity(0, allowed)
    return {"ns": round(ns, 3), **processor(), "library": backend.openssl_version_text()}
