#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convert published test vectors into the project's JSON: ``python tools/vectors.py SHARED_VECTORS_DIR OUT_DIR [CAVP_GCM_DIR]``.

The input folder holds one folder for each source, with its files and a ``SOURCE.txt`` of ``field: value`` lines. Each
output file is one object in the manner of Wycheproof::

    {"algorithm", "source", "licence", "schema", "notes", "numberOfTests",
     "tests": [{"tcId", "comment", "flags", …, "result"}, …]}

Vectors of a mode with another block cipher than AES have its name as ``cipher`` behind ``algorithm``.

Values are lower-case hexadecimal strings, byte 0 first. The members between ``flags`` and ``result`` depend on the
algorithm: ``key``, ``tweak``, ``pt``, ``ct`` (modes); ``key``, ``nonce``, ``pt``, ``ct`` (XCTR); ``key``, ``msg``,
``hash`` (POLYVAL); ``key``, ``pt``, ``ct`` (AES, LED); ``key``, ``nonce``, ``aad``, ``pt``, ``ct``, ``tag`` (GCM and GMAC, CCM,
GCM-SIV, OCB3, Deoxys).
The result is "valid" or "invalid"; a test that must be refused may have no ``pt``.

CAVP's response files of GCM, 18 MB, do not lie in the input folder: CAVP_GCM_DIR is ``ciphers/AES/GCM`` of the Python package
``cryptography-vectors``. Without it the files that come of them are not written.

The output depends on the input files alone. ``vector_sources`` reads the input, a file for each source.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from vector_sources import botan, gladman, google, led, lists, nist, nist_gcm, openssl, wycheproof  # noqa: E402
from vector_sources.files import InputError, VectorFile  # noqa: E402


def conversions(shared: Path) -> dict[str, Callable[[], VectorFile]]:
    """The output files by name, without ``.json``."""
    return {
        "aes_botan": lambda: botan.convert_aes_botan(shared / "botan"),
        "aes_cavp": lambda: nist.convert_aes_cavp(shared / "aes_cavp"),
        "aes_fips197": nist.convert_aes_fips197,
        "ccm_wycheproof": lambda: wycheproof.convert_ccm(shared / "wycheproof"),
        "deoxys_i": lambda: lists.convert_deoxys(shared / "deoxys_i_128", "I"),
        "deoxys_ii": lambda: lists.convert_deoxys(shared / "deoxys_ii_128", "II"),
        "eme2_gladman": lambda: gladman.convert_eme2(shared / "gladman_eme2"),
        "eme_aes256": lambda: lists.convert_eme(shared / "eme32"),
        "gcm_botan": lambda: botan.convert_gcm_botan(shared / "botan"),
        "gcm_cavp_iv96": lambda: nist_gcm.convert_gcm_iv96(shared / "gcm_cavp"),
        "gcm_gladman": lambda: gladman.convert_gcm_gladman(shared / "gladman_gcm"),
        "gcm_siv_wycheproof": lambda: wycheproof.convert_gcm_siv(shared / "wycheproof"),
        "gcm_sm4": lambda: botan.convert_gcm_botan(shared / "botan", "SM4"),
        "gcm_wycheproof": lambda: wycheproof.convert_gcm(shared / "wycheproof"),
        "gmac_botan": lambda: botan.convert_gmac_botan(shared / "botan"),
        "gmac_wycheproof": lambda: wycheproof.convert_gmac(shared / "wycheproof"),
        "hctr2_aes128": lambda: google.convert_hctr2(shared / "hctr2", 128),
        "hctr2_aes256": lambda: google.convert_hctr2(shared / "hctr2", 256),
        "hctr_sm4": lambda: lists.convert_hctr_sm4(shared / "hctr_sm4"),
        "led128": led.convert_led128,
        "led64": lambda: led.convert_led64(shared / "led64"),
        "ocb3_botan": lambda: botan.convert_ocb3_botan(shared / "botan"),
        "polyval": lambda: google.convert_polyval(shared / "polyval"),
        "polyval_rfc8452": lambda: google.convert_polyval_rfc8452(shared / "polyval"),
        "xcb_1619": lambda: lists.convert_xcb_1619(shared / "xcb_1619_2"),
        "xctr_aes128": lambda: google.convert_xctr(shared / "xctr", 128),
        "xctr_aes192": lambda: google.convert_xctr(shared / "xctr", 192),
        "xctr_aes256": lambda: google.convert_xctr(shared / "xctr", 256),
        "xts_botan": lambda: botan.convert_xts_botan(shared / "botan"),
        "xts_sm4_gb": lambda: openssl.convert_xts_sm4("gb"),
        "xts_sm4_ieee": lambda: openssl.convert_xts_sm4("ieee"),
        "xts_gladman": lambda: gladman.convert_xts_gladman(shared / "gladman_xts"),
    }


def conversions_of_responses(responses: Path) -> dict[str, Callable[[], VectorFile]]:
    """The output files that come of CAVP's response files of GCM."""
    return {
        "gcm_cavp_decrypt": lambda: nist_gcm.convert_gcm_decrypt(responses),
        "gcm_cavp_encrypt": lambda: nist_gcm.convert_gcm_encrypt(responses),
    }


def dump(vectors: VectorFile) -> str:
    """JSON with one test on a line, so that a change of one test is a change of one line."""
    head = json.dumps({name: value for name, value in vectors.items() if name != "tests"}, indent=1, ensure_ascii=False)
    tests = ",\n".join("  " + json.dumps(test, ensure_ascii=False) for test in vectors["tests"])
    return f'{head.removesuffix("}").rstrip()},\n "tests": [\n{tests}\n ]\n}}\n'


def main(arguments: list[str]) -> int:
    """Convert; 0 when done, 2 on wrong usage or input. Nothing is written unless every file converts."""
    if len(arguments) not in (2, 3):
        print("usage: vectors.py SHARED_VECTORS_DIR OUT_DIR [CAVP_GCM_DIR]", file=sys.stderr)
        return 2
    shared, out, *responses = map(Path, arguments)
    try:
        files = conversions(shared)
        for folder in responses:
            files |= conversions_of_responses(folder)
        texts = {name: dump(convert()) for name, convert in files.items()}
    except (OSError, InputError, ValueError) as error:
        print(f"vectors.py: {error}", file=sys.stderr)
        return 2
    except (KeyError, TypeError) as error:
        print(f"vectors.py: a record lacks {error}", file=sys.stderr)
        return 2
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            partial = out / f".{name}.json.part"
            partial.write_text(text, encoding="utf-8")
            partial.replace(out / f"{name}.json")
    except OSError as error:
        print(f"vectors.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
