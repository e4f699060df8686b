# SPDX-License-Identifier: Apache-2.0
"""Vector files for the tests: in the forms of ACVP, CAVP and Wycheproof, with results of the cryptography package."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESGCMSIV, AESOCB3

Json = dict[str, Any]


def gcm(key: bytes, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> bytes:
    sealed = AESGCM(key).encrypt(nonce, text, ad)
    return sealed[: len(text) + tag_bytes]


def added(one: bytes, two: bytes) -> bytes:
    """The sum of an IV and a salt."""
    return (int.from_bytes(one, "big") ^ int.from_bytes(two, "big")).to_bytes(len(one), "big")


def flipped(digits: str, at: int = 0) -> str:
    """Hexadecimal digits with a wrong bit in one of them."""
    return digits[:at] + f"{int(digits[at], 16) ^ 4:x}" + digits[at + 1 :]


SEAL: dict[str, Callable[[bytes, bytes, bytes, bytes, int], bytes]] = {
    "ACVP-AES-GCM": gcm,
    "ACVP-AES-GMAC": gcm,
    "ACVP-AES-XPN": gcm,
    "ACVP-AES-CCM": lambda key, nonce, text, ad, tag_bytes: AESCCM(key, tag_bytes).encrypt(nonce, text, ad),
    "ACVP-AES-GCM-SIV": lambda key, nonce, text, ad, tag_bytes: AESGCMSIV(key).encrypt(nonce, text, ad),
}

NONCE = {"ACVP-AES-GCM": 12, "ACVP-AES-GMAC": 12, "ACVP-AES-XPN": 12, "ACVP-AES-CCM": 13, "ACVP-AES-GCM-SIV": 12}

TAGS = {"ACVP-AES-GCM": (16, 12), "ACVP-AES-GMAC": (16, 4), "ACVP-AES-XPN": (16, 8), "ACVP-AES-CCM": (16, 8), "ACVP-AES-GCM-SIV": (16,)}

WITH_TAG = ("ACVP-AES-GCM", "ACVP-AES-GMAC", "ACVP-AES-XPN")
"""The algorithms whose tests have the tag in a member of its own."""


def xts(key: bytes, tweak: bytes, text: bytes, decrypt: bool = False) -> bytes:
    cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
    worker = cipher.decryptor() if decrypt else cipher.encryptor()
    return worker.update(text) + worker.finalize()


def _hex(data: bytes) -> str:
    return data.hex().upper()


def acvp(algorithm: str, key_bytes: int = 16, tests: int = 3) -> tuple[Any, Any]:
    """The prompt and the expected results of a vector set.  Each second message to open is forged."""
    rng, questions, answers, number = Random(algorithm), [], [], 0
    for direction in ("encrypt", "decrypt"):
        for tag_bytes in TAGS[algorithm]:
            text_bytes = 0 if algorithm.endswith("GMAC") else rng.randrange(50)
            group: Json = {
                "tgId": len(questions) + 1, "testType": "AFT", "direction": direction, "keyLen": 8 * key_bytes,
                "ivLen": 8 * NONCE[algorithm], "payloadLen": 8 * text_bytes, "aadLen": 8 * rng.randrange(40), "tests": [],
            }  # fmt: skip
            if algorithm in WITH_TAG:
                group |= {"ivGen": "external", "ivGenMode": "8.2.1"}
            if algorithm == "ACVP-AES-XPN":
                group |= {"saltGen": "external", "saltLen": 96}
            if algorithm != "ACVP-AES-GCM-SIV":
                group["tagLen"] = 8 * tag_bytes
            results = []
            for _ in range(tests):
                number += 1
                key, nonce = rng.randbytes(key_bytes), rng.randbytes(NONCE[algorithm])
                text, ad = rng.randbytes(text_bytes), rng.randbytes(group["aadLen"] // 8)
                salt = {"salt": rng.randbytes(12)} if algorithm == "ACVP-AES-XPN" else {}
                sealed = SEAL[algorithm](key, added(nonce, salt["salt"]) if salt else nonce, text, ad, tag_bytes)
                forged = direction == "decrypt" and number % 2 == 0
                if forged:
                    sealed = sealed[:-1] + bytes([sealed[-1] ^ 0x10])
                if algorithm in WITH_TAG:
                    output = {"ct": _hex(sealed[:text_bytes]), "tag": _hex(sealed[text_bytes:])}
                else:
                    output = {"ct": _hex(sealed)}
                given = {"pt": _hex(text)}
                if algorithm == "ACVP-AES-GMAC":
                    given, output = {}, {"tag": output["tag"]}
                test = {"tcId": number, "key": _hex(key), "iv": _hex(nonce), "aad": _hex(ad)}
                test |= {name: _hex(value) for name, value in salt.items()}
                group["tests"].append({**test, **(given if direction == "encrypt" else output)})
                if direction == "decrypt":
                    result = {"testPassed": not forged} if forged or algorithm == "ACVP-AES-GMAC" else given
                else:
                    result = output
                results.append({"tcId": number, **result})
            questions.append(group)
            answers.append({"tgId": group["tgId"], "tests": results})
    head = {"vsId": 7, "algorithm": algorithm, "revision": "1.0", "isSample": True}
    return [{"acvVersion": "1.0"}, {**head, "testGroups": questions}], [{"acvVersion": "1.0"}, {**head, "testGroups": answers}]


def acvp_ecma(tests: int = 3) -> tuple[Any, Any]:
    """The prompt and the expected results for CCM in the form of ECMA-368: ``iv`` is the first block that CCM authenticates.

    Its first byte says that there are associated data, that the tag has 8 bytes, and that the length of the text has 2.  Then come the
    nonce and this length.
    """
    rng, questions, answers, number = Random("ecma"), [], [], 0
    for direction in ("encrypt", "decrypt"):
        asked, results = [], []
        for _ in range(tests):
            number += 1
            key, nonce, text, ad = (rng.randbytes(count) for count in (16, 13, 32, 14 + rng.randrange(20)))
            sealed = AESCCM(key, 8).encrypt(nonce, text, ad)
            block = b"\x59" + nonce + (32).to_bytes(2, "big")
            given, output = {"pt": _hex(text)}, {"ct": _hex(sealed)}
            if direction == "decrypt":
                given, output = output, given
            asked.append({"tcId": number, "key": _hex(key), "aad": _hex(ad), "iv": _hex(block), **given})
            results.append({"tcId": number, **output})
        group = {"tgId": len(questions) + 1, "testType": "AFT", "direction": direction, "keyLen": 128, "ivLen": 104, "payloadLen": 256,
                 "aadLen": 0, "tagLen": 64}  # fmt: skip
        questions.append({**group, "tests": asked})
        answers.append({"tgId": group["tgId"], "tests": results})
    head = {"vsId": 3, "algorithm": "ACVP-AES-CCM", "mode": "ECMA", "revision": "1.0", "isSample": False}
    return {**head, "testGroups": questions}, {**head, "testGroups": answers}


def acvp_xts(numbers: bool = False) -> tuple[Any, Any]:
    """The prompt and the expected results for data units of 64 and 41 bytes."""
    rng, questions, answers, number = Random("xts"), [], [], 0
    for direction in ("encrypt", "decrypt"):
        for nbytes in (64, 41):
            tests, results = [], []
            for _ in range(2):
                number += 1
                key, value = rng.randbytes(32), rng.getrandbits(8 if numbers else 128)
                text = rng.randbytes(nbytes)
                tweak = value.to_bytes(16, "little")
                sealed = xts(key, tweak, text)
                named = {"sequenceNumber": value} if numbers else {"tweakValue": _hex(tweak)}
                plain, cipher = {"pt": _hex(text)}, {"ct": _hex(sealed)}
                given, output = (plain, cipher) if direction == "encrypt" else (cipher, plain)
                tests.append({"tcId": number, "key": _hex(key), **named, **given})
                results.append({"tcId": number, **output})
            group = {"tgId": len(questions) + 1, "testType": "AFT", "direction": direction, "keyLen": 128, "payloadLen": 8 * nbytes,
                     "tweakMode": "number" if numbers else "hex"}  # fmt: skip
            questions.append({**group, "tests": tests})
            answers.append({"tgId": group["tgId"], "tests": results})
    head = {"vsId": 8, "algorithm": "ACVP-AES-XTS", "revision": "1.0", "isSample": True}
    return {**head, "testGroups": questions}, {**head, "testGroups": answers}


XTS_UNITS = ((256, 640), (256, 768), (256, 720), (384, 384), (1024, 384))
"""Bits of a data unit and of a payload: a shorter last unit, whole units, one with a partial block, one unit, and one that is not full."""

XTS_UNABLE = ((256, 690), (250, 640), (130, 130), (256, 552), (64, 640))
"""The same for tests that nothing can run: three with lengths that are not whole bytes, and two with units of fewer than 16 bytes."""


def next_tweak(tweak: bytes) -> bytes:
    """The tweak of the next data unit: one is added to the first byte, and the carry goes to the bytes behind it."""
    made = bytearray(tweak)
    for at in range(len(made)):
        made[at] = (made[at] + 1) & 0xFF
        if made[at]:
            break
    return bytes(made)


def xts_units(key: bytes, tweak: bytes, text: bytes, unit_bytes: int) -> bytes:
    """A payload of several data units: each is encrypted alone."""
    sealed = b""
    while text:
        sealed += xts(key, tweak, text[:unit_bytes])
        text, tweak = text[unit_bytes:], next_tweak(tweak)
    return sealed


def acvp_xts_2(numbers: bool = False) -> tuple[Any, Any]:
    """The prompt and the expected results in the form of revision 2.0: each test has the lengths of its payload and of its data units.

    The tweaks of the second units need a carry.  One tweak has all bits set.  The first payload has a byte more than its length says.
    Tests that cannot be run have no results.
    """
    rng, questions, answers, number = Random("xts 2"), [], [], 0
    for direction in ("encrypt", "decrypt"):
        for key_bytes in (32, 64):
            tests, results = [], []
            for unit, payload in XTS_UNITS + XTS_UNABLE:
                number += 1
                key, text = rng.randbytes(key_bytes), rng.randbytes(-(-payload // 8))
                if numbers:
                    tweak = b"\xff" + bytes(15)
                else:
                    tweak = b"\xff" * 16 if (unit, payload) == XTS_UNITS[1] else b"\xff" * 3 + rng.randbytes(13)
                given = output = text
                if able := (unit, payload) in XTS_UNITS:
                    output = xts_units(key, tweak, text, unit // 8)
                if direction == "decrypt":
                    given, output = output, given
                if number == 1:
                    given += b"\x5a"
                members = ("pt", "ct") if direction == "encrypt" else ("ct", "pt")
                named = {"sequenceNumber": 255} if numbers else {"tweakValue": _hex(tweak)}
                lengths = {"dataUnitLen": unit, "payloadLen": payload}
                tests.append({"tcId": number, "key": _hex(key), **lengths, members[0]: _hex(given), **named})
                if able:
                    results.append({"tcId": number, members[1]: _hex(output)})
            group = {"tgId": len(questions) + 1, "testType": "AFT", "direction": direction, "keyLen": 4 * key_bytes,
                     "tweakMode": "number" if numbers else "hex"}  # fmt: skip
            questions.append({**group, "tests": tests})
            answers.append({"tgId": group["tgId"], "tests": results})
    head = {"vsId": 9, "algorithm": "ACVP-AES-XTS", "revision": "2.0", "isSample": True}
    return {**head, "testGroups": questions}, {**head, "testGroups": answers}


def one_xts_2(mode: str = "hex", **changes: Any) -> Json:
    """The prompt with its first test alone, changed.  None removes a member."""
    prompt, _ = acvp_xts_2(mode == "number")
    group = prompt["testGroups"][0]
    test = {name: value for name, value in (group["tests"][0] | changes).items() if value is not None}
    return {**prompt, "testGroups": [{**group, "tweakMode": mode, "tests": [test]}]}


def write(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def cavp_gcm() -> str:
    """A file of GCM with a valid message, a forged one, and a nonce of 128 bytes."""
    rng, text = Random("cavp"), "# CAVS\n\n"
    for nonce_bytes in (12, 128):
        key, nonce, plain, ad = (rng.randbytes(count) for count in (16, nonce_bytes, 13, 20))
        sealed = gcm(key, nonce, plain, ad, 14)
        text += f"[Keylen = 128]\n[IVlen = {8 * nonce_bytes}]\n[PTlen = 104]\n[AADlen = 160]\n[Taglen = 112]\n\n"
        for count, tag in enumerate((sealed[13:], sealed[13:-1] + bytes([sealed[-1] ^ 1]))):
            text += f"Count = {count}\nKey = {key.hex()}\nIV = {nonce.hex()}\nCT = {sealed[:13].hex()}\n"
            text += f"AAD = {ad.hex()}\nTag = {tag.hex()}\n"
            text += "FAIL\n\n" if count else f"PT = {plain.hex()}\n\n"
    return text


def cavp_xpn() -> str:
    """A file of XPN with a valid message and a forged one.  The remark in brackets and the sum are not needed to read it."""
    rng, text = Random("xpn"), "# CAVS\n\n[Keylen = 256]\n[IVlen = 96]\n[PTlen = 72]\n[AADlen = 64]\n[Taglen = 128]\n\n"
    key, salt, iv, plain, ad = (rng.randbytes(count) for count in (32, 12, 12, 9, 8))
    nonce = added(iv, salt)
    sealed = gcm(key, nonce, plain, ad, 16)
    for count, tag in enumerate((sealed[9:], sealed[9:-1] + bytes([sealed[-1] ^ 1]))):
        text += f"Count = {count}\n(a remark)\nKey = {key.hex()}\nSalt = {salt.hex()}\nIV = {iv.hex()}\nIVxorSalt = {nonce.hex()}\n"
        text += f"CT = {sealed[:9].hex()}\nAAD = {ad.hex()}\nTag = {tag.hex()}\n"
        text += "FAIL\n\n" if count else f"PT = {plain.hex()}\n\n"
    return text


def cavp_ccm() -> str:
    """A file of CCM: the key stands before the records, and an empty payload is 00."""
    rng, text = Random("ccm"), "# CAVS\n\n"
    for nbytes in (0, 5):
        key, nonce, ad, plain = rng.randbytes(16), rng.randbytes(7), rng.randbytes(3), rng.randbytes(nbytes)
        sealed = AESCCM(key, 4).encrypt(nonce, plain, ad)
        text += f"[Alen = 3, Plen = {nbytes}, Nlen = 7, Tlen = 4]\n\nKey = {key.hex()}\n\n"
        payload = plain.hex() or "00"
        text += f"Count = 0\nNonce = {nonce.hex()}\nAdata = {ad.hex()}\nCT = {sealed.hex()}\nResult = Pass\nPayload = {payload}\n\n"
        forged = bytes([sealed[0] ^ 2]) + sealed[1:]
        text += f"Count = 1\nNonce = {nonce.hex()}\nAdata = {ad.hex()}\nCT = {forged.hex()}\nResult = Fail\n\n"
    return text


def cavp_xts() -> str:
    """A file of XTS: both directions, a tweak and a number of a data unit, and a unit of 130 bits."""
    rng, text = Random("xts"), ""
    for section in ("ENCRYPT", "DECRYPT"):
        text += f"[{section}]\n\n"
        for count, bits in enumerate((256, 200, 130), 1):
            key, number, plain = rng.randbytes(32), rng.randrange(256), rng.randbytes(-(-bits // 8))
            tweak = number.to_bytes(16, "little")
            named = f"i = {tweak.hex()}" if count == 1 else f"DataUnitSeqNumber = {number}"
            text += f"COUNT = {count}\nDataUnitLen = {bits}\nKey = {key.hex()}\n{named}\nPT = {plain.hex()}\n"
            text += f"CT = {xts(key, tweak, plain).hex()}\n\n\n"
    return text


def sm4_gcm(key: bytes, nonce: bytes, text: bytes, ad: bytes) -> bytes:
    worker = Cipher(algorithms.SM4(key), modes.GCM(nonce)).encryptor()
    worker.authenticate_additional_data(ad)
    return worker.update(text) + worker.finalize() + worker.tag


def sm4_ccm(key: bytes, nonce: bytes, text: bytes, ad: bytes) -> bytes:
    """CCM with a tag of 16 bytes, by NIST SP 800-38C, A.2: the tag is that of CBC-MAC, enciphered with the first key stream block."""

    def padded(data: bytes) -> bytes:
        return data + bytes(-len(data) % 16)

    size = 15 - len(nonce)
    blocks = bytes([(0x40 if ad else 0) + (7 << 3) + size - 1]) + nonce + len(text).to_bytes(size, "big")
    blocks += padded(len(ad).to_bytes(2, "big") + ad) if ad else b""
    chain = Cipher(algorithms.SM4(key), modes.CBC(bytes(16))).encryptor()
    tag = chain.update(blocks + padded(text))[-16:]
    stream = Cipher(algorithms.SM4(key), modes.CTR(bytes([size - 1]) + nonce + bytes(size))).encryptor()
    stream_tag = stream.update(tag)
    return stream.update(text) + stream_tag


WYCHEPROOF: dict[str, Callable[[bytes, bytes, bytes, bytes], bytes]] = {
    "AES-GCM": lambda key, nonce, text, ad: AESGCM(key).encrypt(nonce, text, ad),
    "AES-OCB": lambda key, nonce, text, ad: AESOCB3(key).encrypt(nonce, text, ad),
    "SM4-GCM": sm4_gcm,
    "SM4-CCM": sm4_ccm,
}


def wycheproof(algorithm: str = "AES-GCM") -> Json:
    """Valid, forged and acceptable messages, and a nonce of 20 bytes, which only GCM has, and none of the modes of modeloom."""
    rng, tests = Random(algorithm), []
    for number, (result, nonce_bytes) in enumerate((("valid", 12), ("invalid", 12), ("acceptable", 12), ("valid", 20)), 1):
        key, nonce, plain, ad = (rng.randbytes(count) for count in (16, nonce_bytes, 17, 9))
        sealed = WYCHEPROOF[algorithm](key, nonce if algorithm.endswith("GCM") else nonce[:12], plain, ad)
        tag = sealed[17:] if result == "valid" else bytes(16)
        tests.append({"tcId": number, "key": key.hex(), "iv": nonce.hex(), "aad": ad.hex(), "msg": plain.hex(), "ct": sealed[:17].hex(),
                      "tag": tag.hex(), "result": result})  # fmt: skip
    return {"algorithm": algorithm, "testGroups": [{"ivSize": 96, "keySize": 128, "tagSize": 128, "tests": tests}]}
