# SPDX-License-Identifier: Apache-2.0
"""Forms that vector files may have: XPN, CCM as in ECMA-368, questions whose nonce a module made, and saved sessions."""

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner
from tests.conformance import made
from tests.conformance.reports import counted, run

from modeloom.cli import cli
from modeloom.conformance import read_file
from modeloom.conformance.case import Unreadable

NIST_XPN = """[Keylen = 256]
[IVlen = 96]
[PTlen = 0]
[AADlen = 0]
[Taglen = 128]

Count = 0
Key = 9a24d8ed693475a8fa14dbe0465001bd5314c832415d27120743bd0ac6e6727b
Salt = 70243f1992b2d3f8440a383f
IV = c26a946e5c3113d277149a9a
IVxorSalt = b24eab77ce83c02a331ea2a5
PT =
AAD =
CT =
Tag = 5ad85cfeb21a4ae2ea986a11b8cab8cc
"""
"""A record of NIST's CAVP, a work of the US government, not subject to copyright in the United States (17 USC 105)."""

REFUSED = "open: a valid message was refused"


def respond(mode: str, value: Any, folder: Any) -> Any:
    """The response to a vector set."""
    asked, response = made.write(folder, "asked.json", value), folder / "response.json"
    result = CliRunner().invoke(cli, ["vectors", mode, str(asked), "--response", str(response)], obj=[])
    assert result.exit_code == 0, result.output
    return json.loads(response.read_text(encoding="utf-8"))


def each_test(value: Any) -> list[Any]:
    vectors = value[1] if isinstance(value, list) else value
    return [test for group in vectors["testGroups"] for test in group["tests"]]


# -- XPN ----------------------------------------------------------------------------------------------------------------------------------


def test_xpn_of_cavp(tmp_path: Any) -> None:
    """Right records pass, and the forged one is refused for its tag: with the right tag of its nonce, the verdict FAIL is wrong."""
    assert counted(run("gcm", made.write(tmp_path, "nist.rsp", NIST_XPN))) == (1, 0, 0, 0)
    text = made.cavp_xpn()
    assert counted(run("gcm", made.write(tmp_path, "x.rsp", text))) == (2, 0, 0, 0)
    right, forged = re.findall("Tag = (.*)", text)
    report = run("gcm", made.write(tmp_path, "x.rsp", text.replace(forged, right)))
    assert list(report.failed.values()) == ["open: a forged message was accepted"]


@pytest.mark.parametrize("member", ["Key", "Salt", "IV", "CT", "AAD", "Tag", "PT"])
def test_each_wrong_bit_of_a_record_of_xpn_fails(member: str, tmp_path: Any) -> None:
    text = re.sub("IVxorSalt = .*\n", "", made.cavp_xpn())
    value = re.search(f"(?m)^{member} = (.*)$", text)
    assert value
    wrong = text[: value.start(1)] + made.flipped(value[1]) + text[value.end(1) :]
    assert len(run("gcm", made.write(tmp_path, "x.rsp", wrong)).failed) == 1


def test_records_of_xpn_that_are_refused(tmp_path: Any) -> None:
    sum_of = re.search("IVxorSalt = (.*)", NIST_XPN)
    assert sum_of
    for text, message in (
        (NIST_XPN.replace("IVxorSalt = b2", "IVxorSalt = b3"), "IVxorSalt is not the sum of IV and Salt"),
        (NIST_XPN.replace("Salt = 7024", "Salt = 24"), "the IV has 12 bytes, and the salt 11"),
        (re.sub("Salt = 7.*\n", "", NIST_XPN), "AES-GCM has no member 'IVxorSalt'"),
        (made.cavp_xpn() + re.sub("IVxorSalt = .*\n|Salt = .*\n", "", NIST_XPN), "Salt is missing"),
    ):
        with pytest.raises(Unreadable, match=message):
            read_file(made.write(tmp_path, "x.rsp", text))


@pytest.mark.parametrize("member", ["salt", "iv", "key", "aad"])
def test_each_wrong_bit_of_a_question_of_xpn_fails(member: str, tmp_path: Any) -> None:
    """A nonce without the salt, or with another one, is not that of the expected results."""
    prompt, results = made.acvp("ACVP-AES-XPN")
    known = made.write(tmp_path, "e.json", results)
    for at in (0, 23):
        for test, answer in zip(each_test(prompt), each_test(results), strict=True):
            if answer.get("testPassed") is False or not test[member]:
                continue
            right = test[member]
            test[member] = made.flipped(right, at % len(right))
            assert list(run("gcm", made.write(tmp_path, "p.json", prompt), known).failed) == [f"tcId {test['tcId']}"]
            test[member] = right


@pytest.mark.parametrize(("iv", "salt"), [("internal", "external"), ("external", "internal"), ("internal", "internal")])
def test_nonces_and_salts_that_a_module_makes(iv: str, salt: str, tmp_path: Any) -> None:
    """What the module makes for a message to seal is not in the question, and that for a message to open is: it is answered."""
    prompt, results = made.acvp("ACVP-AES-XPN")
    for group in prompt[1]["testGroups"]:
        group |= {"ivGen": iv, "saltGen": salt}
        for test in group["tests"] if group["direction"] == "encrypt" else ():
            for member in ["iv"] * (iv == "internal") + ["salt"] * (salt == "internal"):
                del test[member]
    what = "nonce" if iv == "internal" else "salt"
    report = run("gcm", made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results))
    assert counted(report) == (6, 0, 0, 6)
    assert report.not_applicable == {f"the module under test generates the {what}, and no core of modeloom does": 6}
    opened = [group for group in results[1]["testGroups"] if group["tgId"] > 2]
    assert respond("gcm", prompt, tmp_path)[1]["testGroups"][2:] == opened


# -- nonces from inside -------------------------------------------------------------------------------------------------------------------


def test_messages_to_open_with_a_nonce_of_the_module(tmp_path: Any) -> None:
    """The nonce is in the question.  Empty texts have answers, and a forged tag has its own."""
    test = {"tcId": 1, "key": "00" * 16, "iv": "00" * 12, "aad": "", "ct": "", "tag": "58E2FCCEFA7E3061367F1D57A4E7455A"}
    forged = {**test, "tcId": 2, "tag": made.flipped(test["tag"], 31).upper()}
    group = {"tgId": 1, "testType": "AFT", "direction": "decrypt", "keyLen": 128, "ivLen": 96, "ivGen": "internal", "ivGenMode": "8.2.1",
             "payloadLen": 0, "aadLen": 0, "tagLen": 128, "tests": [test, forged]}  # fmt: skip
    prompt = [{"acvVersion": "1.0"}, {"vsId": 1, "algorithm": "ACVP-AES-GCM", "revision": "1.0", "isSample": False, "testGroups": [group]}]
    assert counted(run("gcm", made.write(tmp_path, "p.json", prompt))) == (0, 0, 2, 0)
    assert each_test(respond("gcm", prompt, tmp_path)) == [{"tcId": 1, "pt": ""}, {"tcId": 2, "testPassed": False}]
    group["direction"] = "encrypt"
    assert counted(run("gcm", made.write(tmp_path, "p.json", prompt))) == (0, 0, 0, 2)
    for changed, message in (({"ivGen": "both"}, "tgId 1: ivGen 'both' is neither internal nor external"),
                             ({"direction": "decrypt", "tests": [{**test, "iv": None}]}, "tcId 1: iv is missing")):  # fmt: skip
        prompt[1]["testGroups"] = [{**group, **changed}]
        with pytest.raises(Unreadable, match=message):
            read_file(made.write(tmp_path, "p.json", prompt))


# -- CCM as in ECMA-368 -------------------------------------------------------------------------------------------------------------------


def test_ccm_of_ecma(tmp_path: Any) -> None:
    """Bytes 1 to 13 of ``iv`` are the nonce."""
    prompt, results = made.acvp_ecma()
    known = made.write(tmp_path, "e.json", results)
    assert counted(run("ccm", made.write(tmp_path, "p.json", prompt), known)) == (6, 0, 0, 0)
    assert respond("ccm", prompt, tmp_path) == results
    for member in ("iv", "key", "aad", "pt", "ct"):
        for test in each_test(prompt):
            if member not in test:
                continue
            right = test[member]
            for at in (2, 27) if member == "iv" else (0, len(right) - 1):  # the ends of the nonce, or of the member
                test[member] = made.flipped(right, at)
                assert list(run("ccm", made.write(tmp_path, "p.json", prompt), known).failed) == [f"tcId {test['tcId']}"]
            test[member] = right


@pytest.mark.parametrize("at", [0, 1, 28, 29, 30, 31])
def test_another_block_than_that_of_ccm_is_not_applicable(at: int, tmp_path: Any) -> None:
    """No core of CCM begins with other flags, or with another length of the text, than those of the message."""
    prompt, results = made.acvp_ecma(1)
    for test in each_test(prompt):
        test["iv"] = made.flipped(test["iv"], at)
    report = run("ccm", made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results))
    assert report.not_applicable == {"its iv is not block B0 of CCM for its lengths": 2}


# -- saved sessions -----------------------------------------------------------------------------------------------------------------------

SESSION = {"time": "2020-12-01T19:04:10-08:00", "url": "acvp/v1/testSessions/7", "vectorSetUrls": ["/acvp/v1/testSessions/7/vectorSets/7"]}


@pytest.mark.parametrize("saved", [SESSION, {"acvVersion": 1.0}, {}])
def test_what_precedes_a_vector_set(saved: Any, tmp_path: Any) -> None:
    """Any object may, and the response has it, too."""
    prompt, results = made.acvp("ACVP-AES-GCM")
    prompt[0] = results[0] = saved
    asked, known = made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results)
    assert counted(run("gcm", asked, known)) == (12, 0, 0, 0)
    assert respond("gcm", prompt, tmp_path) == results


@pytest.mark.parametrize("missing", [("algorithm",), ("algorithm", "revision", "isSample"), ("vsId",)])
def test_expected_results_without_what_the_questions_say(missing: tuple[str, ...], tmp_path: Any) -> None:
    """The specification of responses has no algorithm.  A wrong answer in such a file still fails."""
    prompt, results = made.acvp("ACVP-AES-GCM")
    for name in missing:
        del results[1][name]
    asked = made.write(tmp_path, "p.json", prompt)
    assert counted(run("gcm", asked, made.write(tmp_path, "e.json", results))) == (12, 0, 0, 0)
    assert counted(run("gcm", asked, made.write(tmp_path, "e.json", results[1]))) == (12, 0, 0, 0)
    answer = each_test(results)[0]
    answer["tag"] = made.flipped(answer["tag"], 3)
    assert list(run("gcm", asked, made.write(tmp_path, "e.json", results)).failed) == ["tcId 1"]


def test_expected_results_of_other_questions(tmp_path: Any) -> None:
    prompt, results = made.acvp("ACVP-AES-GCM")
    asked, value = made.write(tmp_path, "p.json", prompt), results[1]
    for changed, message in (
        ({**value, "algorithm": "ACVP-AES-CCM"}, "the file with the expected results is not one of ACVP-AES-GCM"),
        ({**value, "vsId": 8}, "the expected results are those of vector set 8, and the questions of 7"),
        ({"vsId": 7}, "the file with the expected results is not one of ACVP-AES-GCM"),
        ({**value, "answers": []}, "in the expected results, the vector set: ACVP-AES-GCM has no member 'answers'"),
    ):
        with pytest.raises(Unreadable, match=message):
            read_file(asked, made.write(tmp_path, "e.json", changed))


def test_several_vector_sets_in_a_file(tmp_path: Any) -> None:
    prompt, _ = made.acvp("ACVP-AES-GCM")
    with pytest.raises(Unreadable, match="it has 2 vector sets; give each of them in a file of its own"):
        read_file(made.write(tmp_path, "p.json", [*prompt, prompt[1]]))


def test_names_of_the_examples_of_the_specification(tmp_path: Any) -> None:
    """Its examples of GCM and XPN have plainText and cipherText, where its tables have pt and ct."""
    names = {"pt": "plainText", "ct": "cipherText"}
    prompt, results = ([value[0], {**value[1], "testGroups": [
        {**group, "tests": [{names.get(name, name): each for name, each in test.items()} for test in group["tests"]]}
        for group in value[1]["testGroups"]
    ]}] for value in made.acvp("ACVP-AES-XPN"))  # fmt: skip
    assert "plainText" in each_test(prompt)[0] and "cipherText" in each_test(results)[0]
    assert counted(run("gcm", made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results))) == (12, 0, 0, 0)
