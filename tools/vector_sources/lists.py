# SPDX-License-Identifier: Apache-2.0
"""Short lists in JSON of other sources: EME of the IEEE 1619 list, HCTR with SM4, XCB-AES of IEEE 1619.2, Deoxys-I and -II."""

from __future__ import annotations

from pathlib import Path

from .aead import aead_test
from .files import InputError, VectorFile, json_records, mode_test, provenance, sizes, vector_file


def convert_eme(folder: Path) -> VectorFile:
    """``eme32_aes256.json``: EME-32-AES of the IEEE 1619 list, one record for each direction."""
    tests = []
    for record in json_records(folder / "eme32_aes256.json"):
        direction = record["dir"]
        if direction not in ("encrypt", "decrypt"):
            raise InputError(f"eme32_aes256.json: no direction {direction!r}")
        pt, ct = record["in"], record["out"]
        if direction == "decrypt":
            pt, ct = ct, pt
        comment = f"{record['name']}, {len(pt) // 2} bytes"
        tests.append(mode_test(comment, [direction.capitalize()], record["key"], record["tweak"], pt, ct))
    return vector_file("EME-AES", *provenance(folder), tests)


def convert_hctr_sm4(folder: Path) -> VectorFile:
    """``hctr_sm4.json``, all records; the key is K ‖ h."""
    tests = []
    for record in json_records(folder / "hctr_sm4.json"):
        if record["cipher"] != "SM4":
            raise InputError(f"hctr_sm4.json: a record of cipher {record['cipher']}")
        tweak, pt = record["tweak"], record["pt"]
        comment, flag = sizes(pt, tweak), "UnknownOrigin"
        if "GB/T" in record["origin"]:
            comment, flag = f"{record['name']}, {comment}", "Standard"
        tests.append(mode_test(comment, [flag], record["k_cipher"] + record["k_hash"], tweak, pt, record["ct"]))
    algorithm = "HCTR-SM4"
    return {"algorithm": algorithm, "cipher": "sm4", **vector_file(algorithm, *provenance(folder), tests)}


def convert_xcb_1619(folder: Path) -> VectorFile:
    """``xcb_aes.json``: XCB-AES of IEEE 1619.2, all records."""
    tests = []
    for record in json_records(folder / "xcb_aes.json"):
        tweak, pt = record["tweak"], record["pt"]
        comment = f"{record['name']}, {sizes(pt, tweak)}"
        tests.append(mode_test(comment, [], record["key"], tweak, pt, record["ct"]))
    return vector_file("XCB-AES of IEEE 1619.2", *provenance(folder), tests)


def convert_deoxys(folder: Path, mode: str) -> VectorFile:
    """``deoxys_i_128_128.json`` or ``deoxys_ii_128_128.json``, all records; *mode* is "I" or "II"."""
    tests = [
        aead_test(record["name"], ["Standard"], *(record[name] for name in ("key", "nonce", "aad", "pt", "ct", "tag")))
        for record in json_records(folder / f"deoxys_{mode.lower()}_128_128.json")
    ]
    algorithm = f"Deoxys-{mode}-128-128"
    return {"algorithm": algorithm, "cipher": "deoxys-bc", **vector_file(algorithm, *provenance(folder), tests)}
