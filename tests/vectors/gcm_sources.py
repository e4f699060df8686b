# SPDX-License-Identifier: Apache-2.0
"""Small files of GCM in the formats of their sources."""

import json


def add_gcm(root):
    """A record or two of each source of GCM; those of Gladman and Botan have further remarks, sections and fields."""
    record = {"key": "0A" * 16, "nonce": "0b" * 12, "plaintext": "01" * 17, "aad": "", "ciphertext": "02" * 17, "tag": "0C" * 16}
    (root / "gcm_cavp" / "gcmEncryptExtIV128_iv96.json").write_text(json.dumps([record]))
    (root / "gladman_gcm" / "gcm.1").write_text(
        f"REM Produced\nMDE GCM\n\nVEC 3\nKEY {'0A' * 16}\nIV  {'0b' * 12}\nTAG {'0c' * 16}\n\nVEC 19\nKEY {'0A' * 16}\nNCE 0b\n"
        f"HDR 0102\nHDR 03\nRPT 3\nPTX {'01' * 16}\nCTX {'02' * 16}\nTAG {'0c' * 16}\n"
    )
    fields = f"Key = {'0A' * 16}\nNonce = {'0b' * 12}\nIn = {'01' * 17}\nOut = {'02' * 17}"
    (root / "botan" / "gcm.vec").write_text(
        f"#test cpuid\n\n[AES-128/GCM]\n# Nist | Test Case 4\n# more\n{fields}{'0c' * 16}\nAD = 03\n\n# Made by OpenSSL\n"
        f"[AES-128/GCM(12)]\n{fields}{'0c' * 12}\n\n[ARIA-128/GCM]\n{fields}{'0d' * 16}\n\n"
        f"[SM4/GCM]\n# From RFC 8998\n{fields}{'0e' * 16}"
    )
    (root / "botan" / "gmac.vec").write_text(
        f"# by the Bouncy Castle\n# API\n[GMAC(AES-192)]\nIV = 0B\nKey = {'0a' * 24}\nIn =\nOut = {'0c' * 16}\n"
    )
    test = {"tcId": 7, "comment": "", "flags": ["Ktv"], "key": "0A" * 32, "iv": "0b" * 12, "tag": "0c" * 16, "result": "valid"}
    group = {"type": "AeadTest", "keySize": 256, "ivSize": 96, "tagSize": 128}
    wrong = {**test, "tcId": 8, "comment": "flipped", "flags": ["ModifiedTag"], "result": "invalid"}
    tests = [{**each, "aad": "03", "msg": "01" * 16, "ct": "02" * 16} for each in (test, wrong)]
    (root / "wycheproof" / "aes_gcm_test.json").write_text(json.dumps({"testGroups": [{**group, "tests": tests}]}))
    group |= {"type": "MacWithIvTest", "tests": [{**test, "msg": "03"}]}
    (root / "wycheproof" / "aes_gmac_test.json").write_text(json.dumps({"testGroups": [group]}))


def rsp_section(key_bits, records):
    """A section of a response file: texts and associated data of one byte, tags of 4 bytes."""
    head = f"[Keylen = {key_bits}]\r\n[IVlen = 8]\r\n[PTlen = 8]\r\n[AADlen = 8]\r\n[Taglen = 32]\r\n\r\n"
    return head + "".join(
        f"Count = {count}\r\nKey = {'0a' * (key_bits // 8)}\r\nIV = 0b\r\nCT = 02\r\nAAD = 03\r\nTag = {'0c' * 4}\r\n{last}\r\n\r\n"
        for count, last in enumerate(records)
    )


def add_responses(folder):
    """Response files of CAVP, a section or two in each."""
    for bits in (128, 192, 256):
        (folder / f"gcmEncryptExtIV{bits}.rsp").write_text("# CAVS 14.0\r\n\r\n" + rsp_section(bits, ["PT = 01", "PT = 04"]))
        # One section has nothing that must be refused.
        decrypt = rsp_section(bits, ["FAIL", "PT = 01", "FAIL"]) + rsp_section(bits, ["PT = 05"])
        (folder / f"gcmDecrypt{bits}.rsp").write_text("# CAVS 14.0\r\n\r\n" + decrypt)
