# SPDX-License-Identifier: Apache-2.0
"""Small files of CCM, GCM-SIV, OCB3 and Deoxys in the formats of their sources."""

import json


def add_aeads(root):
    """A record or two of each source."""
    test = {"tcId": 7, "comment": "", "flags": ["Pseudorandom"], "key": "0A" * 16, "iv": "0b" * 12, "tag": "0c" * 4}
    test |= {"aad": "", "msg": "", "ct": "", "result": "valid"}
    wrong = {**test, "tcId": 8, "comment": "flipped", "flags": ["ModifiedTag"], "aad": "03", "result": "invalid"}
    group = {"type": "AeadTest", "keySize": 128, "ivSize": 96, "tagSize": 32, "tests": [test, wrong]}
    (root / "wycheproof" / "aes_ccm_test.json").write_text(json.dumps({"testGroups": [group]}))
    test = {**test, "flags": ["WrappedIv"], "msg": "01" * 17, "ct": "02" * 17, "tag": "0c" * 16}
    (root / "wycheproof" / "aes_gcm_siv_test.json").write_text(
        json.dumps({"testGroups": [{**group, "tagSize": 128, "tests": [test]}]})
    )
    fields = f"Key = {'0A' * 16}\nNonce = {'0b' * 12}\nIn = {'01' * 16}\nOut = {'02' * 16}"
    (root / "botan" / "ocb.vec").write_text(
        f"[AES-128/OCB]\n\n# From RFC 7253\n{fields}{'0c' * 16}\n\n# From CFRG i-d 03\n{fields}{'0d' * 16}\nAD = 03\n\n"
        f"[AES-128/OCB(12)]\n{fields}{'0c' * 12}\n\n[SHACAL2/OCB(32)]\n{fields}{'0d' * 32}\n"
    )
    for mode, nonce_bytes in (("i", 8), ("ii", 15)):
        record = {"name": "one", "key": "0A" * 16, "nonce": "0b" * nonce_bytes, "aad": "03", "pt": "01" * 17, "ct": "02" * 17}
        path = root / f"deoxys_{mode}_128" / f"deoxys_{mode}_128_128.json"
        path.write_text(json.dumps([record | {"tag": "0c" * 16}]))
