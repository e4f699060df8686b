#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convert published test vectors into the project's JSON: ``python tools/vectors.py SHARED_VECTORS_DIR OUT_DIR``.

The input folder holds one folder for each source, with its files and a ``SOURCE.txt`` of ``field: value`` lines. Each
output file is one object in the manner of Wycheproof::

    {"algorithm", "source", "licence", "schema", "notes", "numberOfTests",
     "tests": [{"tcId", "comment", "flags", …, "result"}, …]}

Vectors of a mode with another block cipher than AES have its name as ``cipher`` behind ``algorithm``.

Values are lower-case hexadecimal strings, byte 0 first. The members between ``flags`` and ``result`` depend on the
algorithm: ``key``, ``tweak``, ``pt``, ``ct`` (modes); ``key``, ``nonce``, ``pt``, ``ct`` (XCTR); ``key``, ``msg``,
``hash`` (POLYVAL); ``key``, ``pt``, ``ct`` (AES).
The output depends on the input files alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SCHEMA = "modeloom-vectors-1"
BLOCK_BYTES = 16

NOTES = {
    "CAVP": "from the files of NIST's AESAVS, as the source says",
    "Decrypt": "stated by the source as a decryption",
    "EmptyMessage": "nothing is encrypted or hashed",
    "EmptyTweak": "the tweak has no bytes",
    "Encrypt": "stated by the source as an encryption",
    "GFSbox": "the key is zero; each plaintext exercises the S-boxes",
    "Gladman": "made by B. Gladman's implementation, as the source says",
    "KeySbox": "the plaintext is zero; each key exercises the S-boxes of the key schedule",
    "OpenSSL": "made with OpenSSL, as the source says",
    "PartialBlock": "the message ends with a partial block",
    "PartialTweak": "the tweak ends with a partial block",
    "Random": "random input",
    "ShortTweak": "the source gives fewer than 16 bytes of the tweak; zeros are appended",
    "SingleBlock": "the message is one block",
    "Standard": "an example printed in a standard",
    "UnknownOrigin": "of a public source that tells neither origin nor licence",
    "VarKey": "the plaintext is zero; the keys are ones followed by zeros",
    "VarTxt": "the key is zero; the plaintexts are ones followed by zeros",
    "WholeBlocks": "the message is two or more whole blocks",
}

# Name, key, plaintext, ciphertext: typed in from the standard.
FIPS_197 = (
    (
        "appendix B, AES-128",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    (
        "appendix C.1, AES-128",
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    (
        "appendix C.2, AES-192",
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        "00112233445566778899aabbccddeeff",
        "dda97ca4864cdfe06eaf70a0ec0d7191",
    ),
    (
        "appendix C.3, AES-256",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "00112233445566778899aabbccddeeff",
        "8ea2b7ca516745bfeafc49904b496089",
    ),
)

Test = dict[str, Any]
VectorFile = dict[str, Any]


class InputError(Exception):
    """An input file is not what its format promises."""


def provenance(folder: Path) -> tuple[str, str]:
    """Source and licence from the ``SOURCE.txt`` of *folder*."""
    fields: dict[str, str] = {}
    for line in (folder / "SOURCE.txt").read_text(encoding="utf-8").splitlines():
        name, separator, value = line.partition(": ")
        if separator:
            fields[name] = value.strip()
    if "path" in fields:
        fields.setdefault("paths/notes", fields["path"])
    missing = [name for name in ("repo", "commit", "licence", "paths/notes") if name not in fields]
    if missing:
        raise InputError(f"{folder.name}/SOURCE.txt: no {', '.join(missing)}")
    return f"{fields['repo']}, commit {fields['commit']}: {fields['paths/notes']}", fields["licence"]


def vector_file(algorithm: str, source: str, licence: str, tests: list[Test]) -> VectorFile:
    """The object of one output file; test numbers follow the order of *tests*."""
    if not tests:
        raise InputError(f"no tests for {algorithm}")
    flags = sorted({flag for test in tests for flag in test["flags"]})
    return {
        "algorithm": algorithm,
        "source": source,
        "licence": licence,
        "schema": SCHEMA,
        "notes": {flag: NOTES[flag] for flag in flags},
        "numberOfTests": len(tests),
        "tests": [{"tcId": number, **test, "result": "valid"} for number, test in enumerate(tests, 1)],
    }


def hexadecimal(text: str) -> str:
    """*text* in lower case, checked."""
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", text):
        raise InputError(f"not a hexadecimal string: {text[:40]!r}")
    return text.lower()


def message_flags(length: int) -> list[str]:
    """The flag that tells how a message of *length* bytes divides into blocks."""
    if length == 0:
        return ["EmptyMessage"]
    if length % BLOCK_BYTES:
        return ["PartialBlock"]
    return ["SingleBlock"] if length == BLOCK_BYTES else ["WholeBlocks"]


def tweak_flags(length: int) -> list[str]:
    """The flag of a tweak of *length* bytes; none for whole blocks."""
    if length == 0:
        return ["EmptyTweak"]
    return ["PartialTweak"] if length % BLOCK_BYTES else []


def json_records(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON file that is a list of them."""
    records = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(records, list):
        raise InputError(f"{path.name}: not a list of records")
    return records


def convert_hctr2(folder: Path, key_bits: int) -> VectorFile:
    """``HCTR2_AES<key_bits>.json``, all records."""
    tests = []
    for record in json_records(folder / f"HCTR2_AES{key_bits}.json"):
        tweak = hexadecimal(record["input"]["tweak_hex"])
        pt = hexadecimal(record["plaintext_hex"])
        tests.append(
            {
                "comment": f"{len(pt) // 2} bytes, tweak of {len(tweak) // 2} bytes",
                "flags": sorted(["Random", *message_flags(len(pt) // 2), *tweak_flags(len(tweak) // 2)]),
                "key": hexadecimal(record["input"]["key_hex"]),
                "tweak": tweak,
                "pt": pt,
                "ct": hexadecimal(record["ciphertext_hex"]),
            }
        )
    return vector_file(f"HCTR2-AES-{key_bits}", *provenance(folder), tests)


def convert_hctr_sm4(folder: Path) -> VectorFile:
    """``hctr_sm4.json``, all records; the key is K ‖ h."""
    tests = []
    for record in json_records(folder / "hctr_sm4.json"):
        if record["cipher"] != "SM4":
            raise InputError(f"hctr_sm4.json: a record of cipher {record['cipher']}")
        tweak, pt = hexadecimal(record["tweak"]), hexadecimal(record["pt"])
        standard = "GB/T" in record["origin"]
        sizes = f"{len(pt) // 2} bytes, tweak of {len(tweak) // 2} bytes"
        tests.append(
            {
                "comment": f"{record['name']}, {sizes}" if standard else sizes,
                "flags": sorted(["Standard" if standard else "UnknownOrigin", *message_flags(len(pt) // 2)]),
                "key": hexadecimal(record["k_cipher"] + record["k_hash"]),
                "tweak": tweak,
                "pt": pt,
                "ct": hexadecimal(record["ct"]),
            }
        )
    algorithm = "HCTR-SM4"
    return {"algorithm": algorithm, "cipher": "sm4", **vector_file(algorithm, *provenance(folder), tests)}


def convert_xctr(folder: Path, key_bits: int) -> VectorFile:
    """``XCTR_AES<key_bits>.json``, all records."""
    tests = []
    for record in json_records(folder / f"XCTR_AES{key_bits}.json"):
        pt = hexadecimal(record["plaintext_hex"])
        tests.append(
            {
                "comment": f"{len(pt) // 2} bytes",
                "flags": sorted(["Random", *message_flags(len(pt) // 2)]),
                "key": hexadecimal(record["input"]["key_hex"]),
                "nonce": hexadecimal(record["input"]["nonce_hex"]),
                "pt": pt,
                "ct": hexadecimal(record["ciphertext_hex"]),
            }
        )
    return vector_file(f"XCTR-AES-{key_bits}", *provenance(folder), tests)


def convert_polyval(folder: Path) -> VectorFile:
    """``Polyval.json``, all records."""
    tests = []
    for record in json_records(folder / "Polyval.json"):
        msg = hexadecimal(record["input"]["message_hex"])
        tests.append(
            {
                "comment": f"{len(msg) // 2} bytes",
                "flags": sorted(["Random", *message_flags(len(msg) // 2)]),
                "key": hexadecimal(record["input"]["key_hex"]),
                "msg": msg,
                "hash": hexadecimal(record["hash_hex"]),
            }
        )
    return vector_file("POLYVAL", *provenance(folder), tests)


def rfc_records(text: str) -> Iterator[dict[str, str]]:
    """The records of RFC 8452's appendix C: lines ``name = hex``, more hex without a name; then a blank."""
    record: dict[str, str] = {}
    name = ""
    for line in [*text.splitlines(), ""]:
        if named := re.fullmatch(r"\s+(\S.*?) =\s*([0-9a-f]*)", line):
            name = named[1]
            record[name] = named[2]
        elif record and (continued := re.fullmatch(r"\s+([0-9a-f]+)", line)):
            record[name] += continued[1]
        elif line.strip():
            raise InputError(f"polyval.txt: cannot read line {line.strip()[:60]!r}")
        elif record:
            yield record
            record = {}


def convert_polyval_rfc8452(folder: Path) -> VectorFile:
    """The POLYVAL values of RFC 8452's appendix C."""
    tests = []
    for record in rfc_records((folder / "polyval.txt").read_text(encoding="utf-8")):
        msg = hexadecimal(record["POLYVAL input"])
        tests.append(
            {
                "comment": f"RFC 8452, appendix C, {len(msg) // 2} bytes",
                "flags": sorted(["Standard", *message_flags(len(msg) // 2)]),
                "key": hexadecimal(record["Record authentication key"]),
                "msg": msg,
                "hash": hexadecimal(record["POLYVAL result"]),
            }
        )
    repository, licence = provenance(folder)
    return vector_file(
        "POLYVAL",
        f"RFC 8452, appendix C, as kept in {repository}",
        f"{licence} (the repository); RFC 8452 itself: IETF Trust Legal Provisions",
        tests,
    )


def convert_aes_fips197() -> VectorFile:
    """The example vectors of FIPS 197."""
    tests = [{"comment": name, "flags": ["Standard"], "key": key, "pt": pt, "ct": ct} for name, key, pt, ct in FIPS_197]
    return vector_file("AES", "NIST FIPS 197, appendices B and C.1 to C.3", "US Government work, public domain", tests)


def convert_aes_cavp(folder: Path) -> VectorFile:
    """All ``ECB*.rsp`` files, both sections of each, in order of the file name."""
    tests = []
    for path in sorted(folder.glob("*.rsp")):
        kind = re.fullmatch(r"ECB([A-Za-z]+)\d+", path.stem)
        if kind is None:
            raise InputError(f"{path.name}: not the name of an ECB file")
        for direction, record in rsp_records(path):
            tests.append(
                {
                    "comment": f"{path.name}, {direction.upper()}, COUNT {record['COUNT']}",
                    "flags": sorted([direction.capitalize(), kind[1]]),
                    "key": hexadecimal(record["KEY"]),
                    "pt": hexadecimal(record["PLAINTEXT"]),
                    "ct": hexadecimal(record["CIPHERTEXT"]),
                }
            )
    return vector_file("AES", *provenance(folder), tests)


def rsp_records(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Direction (``encrypt`` or ``decrypt``) and fields of each record of a CAVP response file."""
    direction = ""
    record: dict[str, str] = {}
    for line in [*path.read_text(encoding="ascii").splitlines(), ""]:
        if line.startswith("#"):
            continue
        if line.startswith("["):
            direction = line.strip("[] ").lower()
        elif " = " in line:
            name, _, value = line.partition(" = ")
            record[name.strip()] = value.strip()
        elif record:
            if direction not in ("encrypt", "decrypt") or len(record) != 4:
                raise InputError(f"{path.name}: bad record COUNT {record.get('COUNT')}")
            yield direction, record
            record = {}


def convert_aes_botan(folder: Path) -> VectorFile:
    """Botan's ``aes.vec``: keys with one or more blocks each, the sizes in sections."""
    tests = []
    origin, section = "CAVP", ""
    record: dict[str, str] = {}
    for line in (folder / "aes.vec").read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            # What is behind the last remark of a section has no remark of its own.
            origin, section = "CAVP", line.strip("[] ")
        elif line.startswith("# Generated by OpenSSL"):
            origin = "OpenSSL"
        elif " = " in line:
            name, _, value = line.partition(" = ")
            record[name.strip()] = hexadecimal(value.strip())
            if len(record) < 3:
                continue
            if set(record) != {"Key", "In", "Out"} or f"AES-{4 * len(record['Key'])}" != section:
                raise InputError(f"aes.vec: bad record in section {section}")
            tests.append(
                {
                    "comment": f"aes.vec, {section}",
                    "flags": sorted([origin, *message_flags(len(record["In"]) // 2)]),
                    "key": record["Key"],
                    "pt": record["In"],
                    "ct": record["Out"],
                }
            )
            record = {}
    return vector_file("AES", *provenance(folder), tests)


def convert_eme(folder: Path) -> VectorFile:
    """``eme32_aes256.json``: EME-32-AES of the IEEE 1619 list, one record for each direction."""
    tests = []
    for record in json_records(folder / "eme32_aes256.json"):
        direction = record["dir"]
        if direction not in ("encrypt", "decrypt"):
            raise InputError(f"eme32_aes256.json: no direction {direction!r}")
        text_in, text_out = hexadecimal(record["in"]), hexadecimal(record["out"])
        pt, ct = (text_in, text_out) if direction == "encrypt" else (text_out, text_in)
        tests.append(
            {
                "comment": f"{record['name']}, {len(pt) // 2} bytes",
                "flags": sorted([direction.capitalize(), *message_flags(len(pt) // 2)]),
                "key": hexadecimal(record["key"]),
                "tweak": hexadecimal(record["tweak"]),
                "pt": pt,
                "ct": ct,
            }
        )
    return vector_file("EME-AES", *provenance(folder), tests)


def convert_xcb_1619(folder: Path) -> VectorFile:
    """``xcb_aes.json``: XCB-AES of IEEE 1619.2, all records."""
    tests = []
    for record in json_records(folder / "xcb_aes.json"):
        tweak, pt = hexadecimal(record["tweak"]), hexadecimal(record["pt"])
        tests.append(
            {
                "comment": f"{record['name']}, {len(pt) // 2} bytes, tweak of {len(tweak) // 2} bytes",
                "flags": sorted([*message_flags(len(pt) // 2), *tweak_flags(len(tweak) // 2)]),
                "key": hexadecimal(record["key"]),
                "tweak": tweak,
                "pt": pt,
                "ct": hexadecimal(record["ct"]),
            }
        )
    return vector_file("XCB-AES of IEEE 1619.2", *provenance(folder), tests)


def gladman_records(folder: Path, mode: str, tags: set[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The records of all files ``<mode>.<number>``, by number, and what to call each: ``TAG HEX`` after a ``VEC n``."""
    for path in sorted(folder.glob(f"{mode}.*"), key=lambda path: int(path.suffix[1:])):
        record: dict[str, str] = {}
        name = ""
        for line in [*path.read_text(encoding="ascii").splitlines(), "END"]:
            tag, _, value = line.strip().partition(" ")
            if tag in ("VEC", "END"):
                if record and set(record) != tags:
                    raise InputError(f"{path.name}: bad record {name}")
                if record:
                    yield f"{path.name}, {name}", record
                record, name = {}, line.strip()
            elif name and tag and tag != "REM":
                record[tag] = record.get(tag, "") + hexadecimal(value.strip())


def convert_eme2(folder: Path) -> VectorFile:
    """Gladman's ``eme2.*``, all records; the key is K_AD ‖ K_ECB ‖ K_AES."""
    tests = []
    for name, record in gladman_records(folder, "eme2", {"KEY", "ADT", "PTX", "CTX"}):
        tweak, pt = record["ADT"], record["PTX"]
        tests.append(
            {
                "comment": f"{name}: {len(pt) // 2} bytes, tweak of {len(tweak) // 2} bytes",
                "flags": sorted(["Gladman", *message_flags(len(pt) // 2), *tweak_flags(len(tweak) // 2)]),
                "key": record["KEY"],
                "tweak": tweak,
                "pt": pt,
                "ct": record["CTX"],
            }
        )
    return vector_file("EME2-AES", *provenance(folder), tests)


def xts_test(name: str, origin: list[str], keys: tuple[str, str], tweak: str, pt: str, ct: str) -> Test | None:
    """One test of XTS; None if its keys are equal, which FIPS 140 forbids."""
    if keys[0] == keys[1]:
        return None
    flags = [*origin, *message_flags(len(pt) // 2)]
    if len(tweak) < 2 * BLOCK_BYTES:
        flags.append("ShortTweak")
    return {
        "comment": f"{name}, {len(pt) // 2} bytes",
        "flags": sorted(flags),
        "key": "".join(keys),
        "tweak": tweak.ljust(2 * BLOCK_BYTES, "0"),
        "pt": pt,
        "ct": ct,
    }


def convert_xts_gladman(folder: Path) -> VectorFile:
    """Gladman's ``xts.*``, without the records whose length is no number of bytes or whose keys are equal."""
    tests = []
    for name, record in gladman_records(folder, "xts", {"LEN", "EKY", "TKY", "LBA", "PTX", "CTX"}):
        bits = int.from_bytes(bytes.fromhex(record["LEN"]), "little")
        if -(-bits // 8) != len(record["PTX"]) // 2:
            raise InputError(f"{name}: {bits} bits do not fit the plaintext")
        keys = record["EKY"], record["TKY"]
        if bits % 8 == 0 and (test := xts_test(name, ["Gladman"], keys, record["LBA"], record["PTX"], record["CTX"])):
            tests.append(test)
    source, licence = provenance(folder)
    return vector_file("XTS-AES", f"{source}; without records of equal keys or of bits that are no whole bytes", licence, tests)


def convert_xts_botan(folder: Path) -> VectorFile:
    """Botan's ``xts.vec``, the sections of AES, without records whose keys are equal."""
    tests = []
    section = origin = ""
    record: dict[str, str] = {}
    for line in (folder / "xts.vec").read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            section = origin = line.strip("[] ")
        elif line.startswith("#"):
            origin = line.strip("# ")
        elif section.startswith("AES-") and " = " in line:
            name, _, value = line.partition(" = ")
            record[name.strip()] = hexadecimal(value.strip())
            if len(record) < 4:
                continue
            if set(record) != {"Key", "Nonce", "In", "Out"} or section != f"AES-{2 * len(record['Key'])}/XTS":
                raise InputError(f"xts.vec: bad record in section {section}")
            half = len(record["Key"]) // 2
            keys = record["Key"][:half], record["Key"][half:]
            by = [flag for flag, start in (("Standard", "IEEE"), ("OpenSSL", "Generated by OpenSSL")) if origin.startswith(start)]
            comment = f"xts.vec, {section.removesuffix('/XTS')}, {origin}"
            if test := xts_test(comment, by, keys, record["Nonce"], record["In"], record["Out"]):
                tests.append(test)
            record = {}
    source, licence = provenance(folder)
    return vector_file("XTS-AES", f"{source}; without records of equal keys", licence, tests)


def conversions(shared: Path) -> dict[str, Callable[[], VectorFile]]:
    """The output files by name, without ``.json``."""
    return {
        "aes_botan": lambda: convert_aes_botan(shared / "botan"),
        "aes_cavp": lambda: convert_aes_cavp(shared / "aes_cavp"),
        "aes_fips197": convert_aes_fips197,
        "eme2_gladman": lambda: convert_eme2(shared / "gladman_eme2"),
        "eme_aes256": lambda: convert_eme(shared / "eme32"),
        "hctr2_aes128": lambda: convert_hctr2(shared / "hctr2", 128),
        "hctr2_aes256": lambda: convert_hctr2(shared / "hctr2", 256),
        "hctr_sm4": lambda: convert_hctr_sm4(shared / "hctr_sm4"),
        "polyval": lambda: convert_polyval(shared / "polyval"),
        "polyval_rfc8452": lambda: convert_polyval_rfc8452(shared / "polyval"),
        "xcb_1619": lambda: convert_xcb_1619(shared / "xcb_1619_2"),
        "xctr_aes128": lambda: convert_xctr(shared / "xctr", 128),
        "xctr_aes192": lambda: convert_xctr(shared / "xctr", 192),
        "xctr_aes256": lambda: convert_xctr(shared / "xctr", 256),
        "xts_botan": lambda: convert_xts_botan(shared / "botan"),
        "xts_gladman": lambda: convert_xts_gladman(shared / "gladman_xts"),
    }


def dump(vectors: VectorFile) -> str:
    """JSON with one test on a line, so that a change of one test is a change of one line."""
    head = json.dumps({name: value for name, value in vectors.items() if name != "tests"}, indent=1, ensure_ascii=False)
    tests = ",\n".join("  " + json.dumps(test, ensure_ascii=False) for test in vectors["tests"])
    return f'{head.removesuffix("}").rstrip()},\n "tests": [\n{tests}\n ]\n}}\n'


def main(arguments: list[str]) -> int:
    """Convert; 0 when done, 2 on wrong usage or input. Nothing is written unless every file converts."""
    if len(arguments) != 2:
        print("usage: vectors.py SHARED_VECTORS_DIR OUT_DIR", file=sys.stderr)
        return 2
    shared, out = map(Path, arguments)
    try:
        texts = {name: dump(convert()) for name, convert in conversions(shared).items()}
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
