# SPDX-License-Identifier: Apache-2.0
"""``modeloom vectors``: the three formats through models and cores, wrong results that must fail, responses, and files that are refused."""

import copy
import json
import re
from typing import Any

import pytest
from click.testing import CliRunner
from tests import built, streamed
from tests.built import slow, slowly
from tests.conformance import made
from tests.conformance.reports import counted, run
from tests.cores.lwc import core as lwc

from modeloom.cli import cli
from modeloom.conformance import read_file, run_file, subject_of, subjects
from modeloom.conformance.case import Unreadable
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.definition.messages import StreamModel
from modeloom.emit.simulators import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.modes.gcm_siv import GCMSIV
from modeloom.product.message import Message, Outcome
from modeloom.product.simulated import Sector
from modeloom.spec import InputError

AEADS = {
    "ACVP-AES-GCM": "gcm", "ACVP-AES-GMAC": "gcm", "ACVP-AES-XPN": "gcm", "ACVP-AES-CCM": "ccm", "ACVP-AES-GCM-SIV": "gcm-siv",
}  # fmt: skip


@pytest.mark.parametrize("algorithm", AEADS)
def test_acvp_with_and_without_results(algorithm: str, tmp_path: Any) -> None:
    """Questions alone are answered, and with the expected results they pass.  The response has what was expected."""
    prompt, results = made.acvp(algorithm)
    count = sum(len(group["tests"]) for group in prompt[1]["testGroups"])
    asked, known = made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results)
    response = tmp_path / "r.json"
    # A GMAC tag to open has neither text nor answer, so nothing tells whether it is right.
    assert counted(run(AEADS[algorithm], asked)) == (0, 0, count, 0)
    assert counted(run(AEADS[algorithm], asked, known)) == (count, 0, 0, 0)
    result = CliRunner().invoke(cli, ["vectors", AEADS[algorithm], str(asked), "--response", str(response)], obj=[])
    assert result.exit_code == 0, result.output
    assert json.loads(response.read_text()) == results


@pytest.mark.parametrize("numbers", [False, True])
def test_acvp_xts(numbers: bool, tmp_path: Any) -> None:
    prompt, results = made.acvp_xts(numbers)
    asked, known = made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results)
    response = tmp_path / "r.json"
    assert counted(run("xts", asked, known)) == (8, 0, 0, 0)
    assert CliRunner().invoke(cli, ["vectors", "xts", str(asked), "--response", str(response)], obj=[]).exit_code == 0
    assert json.loads(response.read_text()) == results


NOT_BYTES, SHORT_UNIT = "its lengths are not whole bytes", "a data unit has fewer than 16 bytes"


@pytest.mark.parametrize("numbers", [False, True])
def test_acvp_xts_with_several_data_units(numbers: bool, tmp_path: Any) -> None:
    """Revision 2.0 has the lengths in its tests: each data unit runs with its own tweak, and what cannot run has its reason."""
    prompt, results = made.acvp_xts_2(numbers)
    asked, known = made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results)
    response = tmp_path / "r.json"
    report = run("xts", asked, known)
    assert (counted(report), report.not_applicable) == ((20, 0, 0, 20), {NOT_BYTES: 12, SHORT_UNIT: 8})
    assert CliRunner().invoke(cli, ["vectors", "xts", str(asked), "--response", str(response)], obj=[]).exit_code == 0
    assert json.loads(response.read_text()) == results
    # A file with the answers has both forms of the tweak, and the one that is not of its tweakMode may be anything.
    for group, answers in zip(prompt["testGroups"], results["testGroups"], strict=True):
        known_here = {test["tcId"]: test for test in answers["tests"]}
        for test in group["tests"]:
            test |= known_here.get(test["tcId"], {}) | ({"tweakValue": "00" * 16} if numbers else {"sequenceNumber": 0})
    assert counted(run("xts", made.write(tmp_path, "projection.json", prompt))) == (20, 0, 0, 20)


def test_each_wrong_data_unit_fails(tmp_path: Any) -> None:
    """A wrong bit in the last byte of an expected text, and an expected text that is too long, are failures."""
    prompt, results = made.acvp_xts_2()
    asked = made.write(tmp_path, "p.json", prompt)
    for group in results["testGroups"]:
        for test in group["tests"]:
            member = "ct" if "ct" in test else "pt"
            right = test[member]
            for wrong in (right[:-1] + f"{int(right[-1], 16) ^ 1:X}", right + "00"):
                test[member] = wrong
                report = run("xts", asked, made.write(tmp_path, "e.json", results))
                assert list(report.failed) == [f"tcId {test['tcId']}"], report
            test[member] = right


def test_lengths_of_a_test_precede_those_of_its_group(tmp_path: Any) -> None:
    prompt, results = made.acvp_xts_2()
    for group in prompt["testGroups"]:
        group |= {"payloadLen": 128, "dataUnitLen": 128}
    known = made.write(tmp_path, "e.json", results)
    assert counted(run("xts", made.write(tmp_path, "p.json", prompt), known)) == (20, 0, 0, 20)
    # Ranges in a group are no lengths, and lengths in a group alone hold for its tests.
    for group in prompt["testGroups"]:
        group |= {"payloadLen": [{"min": 128, "max": 65536, "increment": 8}], "dataUnitLen": 256}
        group["tests"] = [test for test in group["tests"] if test["dataUnitLen"] == 256 and test["payloadLen"] in (640, 720, 768)]
        for test in group["tests"]:
            del test["dataUnitLen"]
    assert counted(run("xts", made.write(tmp_path, "p.json", prompt), known)) == (12, 0, 0, 0)


def test_a_file_of_which_nothing_can_run(tmp_path: Any) -> None:
    """Its tests are not applicable, and the file is not refused as one without questions."""
    prompt, _ = made.acvp_xts_2()
    prompt["testGroups"] = prompt["testGroups"][:1]
    prompt["testGroups"][0]["tests"] = [test for test in prompt["testGroups"][0]["tests"] if test["payloadLen"] == 130]
    assert run("xts", made.write(tmp_path, "p.json", prompt)).not_applicable == {NOT_BYTES: 1}


@pytest.mark.parametrize("algorithm", AEADS)
def test_acvp_with_answers_inside(algorithm: str, tmp_path: Any) -> None:
    """An internal projection has questions and answers in one file."""
    prompt, results = made.acvp(algorithm)
    for group, answers in zip(prompt[1]["testGroups"], results[1]["testGroups"], strict=True):
        for test, answer in zip(group["tests"], answers["tests"], strict=True):
            test |= answer
    report = run(AEADS[algorithm], made.write(tmp_path, "projection.json", prompt))
    assert not report.failed and report.passed and not report.answered


@pytest.mark.parametrize("algorithm", AEADS)
def test_each_wrong_result_of_acvp_fails(algorithm: str, tmp_path: Any) -> None:
    """One wrong bit of any expected text or tag, and each verdict the other way, is one failure."""
    prompt, results = made.acvp(algorithm, tests=2)
    asked = made.write(tmp_path, "p.json", prompt)
    for group in range(len(results[1]["testGroups"])):
        for number in range(2):
            for member in ("ct", "tag", "pt", "testPassed"):
                wrong = copy.deepcopy(results)
                test = wrong[1]["testGroups"][group]["tests"][number]
                if not test.get(member) and member != "testPassed" or member not in test:
                    continue
                if member == "testPassed":
                    test[member] = not test[member]
                else:
                    test[member] = f"{int(test[member][0], 16) ^ 8:X}" + test[member][1:]
                report = run(AEADS[algorithm], asked, made.write(tmp_path, "e.json", wrong))
                assert list(report.failed) == [f"tcId {test['tcId']}"], (member, report)


def test_nonces_from_inside_and_bits_are_not_applicable(tmp_path: Any) -> None:
    prompt, _ = made.acvp("ACVP-AES-GCM")
    first, second, third, _ = prompt[1]["testGroups"]
    first["ivGen"], second["payloadLen"], third["testType"] = "internal", second["payloadLen"] + 1, "MCT"
    for test in first["tests"]:
        del test["iv"]
    report = run("gcm", made.write(tmp_path, "p.json", prompt))
    assert counted(report) == (0, 0, 3, 9)
    assert {"the module under test generates the nonce, and no core of modeloom does", "its lengths are not whole bytes",
            "tests of the type MCT are not supported"} == set(report.not_applicable)  # fmt: skip


def test_cavp(tmp_path: Any) -> None:
    """Shared keys, a payload of no bytes, forged messages, numbers of data units, and lengths that are not whole bytes."""
    report = run("gcm", made.write(tmp_path, "gcm.rsp", made.cavp_gcm()))
    assert counted(report) == (2, 0, 0, 2) and "not 128" in next(iter(report.not_applicable))
    assert counted(run("ccm", made.write(tmp_path, "ccm.rsp", made.cavp_ccm()))) == (4, 0, 0, 0)
    report = run("xts", made.write(tmp_path, "xts.rsp", made.cavp_xts()))
    assert counted(report) == (4, 0, 0, 2) and report.not_applicable == {"its lengths are not whole bytes": 2}


@pytest.mark.parametrize(("mode", "text", "before", "after"), [
    ("gcm", made.cavp_gcm(), "\nPT = ", "\nPT = 00"), ("gcm", made.cavp_gcm(), "FAIL", "PT = "),
    ("ccm", made.cavp_ccm(), "Fail", "Pass\nPayload = 00"), ("ccm", made.cavp_ccm(), "Result = Pass", "Result = Fail"),
    ("xts", made.cavp_xts(), "\nCT = ", "\nCT = 00"), ("xts", made.cavp_xts(), "DataUnitSeqNumber = ", "DataUnitSeqNumber = 1"),
])  # fmt: skip
def test_wrong_results_of_cavp_fail(mode: str, text: str, before: str, after: str, tmp_path: Any) -> None:
    """Changed plaintexts, ciphertexts and tweaks, and verdicts the other way."""
    assert before in text
    report = run(mode, made.write(tmp_path, "x.rsp", text.replace(before, after, 1)))
    assert len(report.failed) == 1, report


@pytest.mark.parametrize(("algorithm", "mode", "cipher"), [
    ("AES-GCM", "gcm", None), ("SM4-GCM", "gcm", "sm4"), ("SM4-CCM", "ccm", "sm4"), ("AES-OCB", "ocb3", None),
])  # fmt: skip
def test_wycheproof(algorithm: str, mode: str, cipher: str | None, tmp_path: Any) -> None:
    def report_of(value: Any) -> Any:
        return run_file(read_file(made.write(tmp_path, "w.json", value)), subject_of(mode, cipher))

    report = report_of(made.wycheproof(algorithm))
    assert counted(report) == (2, 0, 0, 2)
    value = made.wycheproof(algorithm)
    value["testGroups"][0]["tests"][1]["result"] = "valid"
    value["testGroups"][0]["tests"][0]["result"] = "invalid"
    report = report_of(value)
    assert report.failed == {"tcId 1": "open: a forged message was accepted", "tcId 2": "seal: byte 17 of 33 differs"}
    # The file of another algorithm fits none of them.
    report = run("gcm-siv", made.write(tmp_path, "w.json", made.wycheproof(algorithm)))
    assert report.not_applicable == {
        f"the file is of {algorithm}, and the model of gcm-siv with aes": 3, "the file leaves open whether it is valid": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("mode", "options"), [
    ("gcm", {}), *slowly(("ccm", {"channels": 3}), ("gcm-siv", {"keys": "inline", "key_slots": None}), ("gcm", {"interface": "lwc"})),
])  # fmt: skip
def test_cores(mode: str, options: Any, tmp_path: Any) -> None:
    """A simulated core gives the response that the model gives, and does not run what it was not built for."""
    if options.get("interface"):
        folder = lwc.folder(mode)
    else:
        chosen = {name: value for name, value in {**streamed.SMALL, **options}.items() if value is not None}
        folder = streamed.folder(mode, **chosen)
    algorithm = next(name for name, each in AEADS.items() if each == mode)
    prompt, results = made.acvp(algorithm)
    asked, known = made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results)
    on_core, on_model = run(folder, asked, known), run(mode, asked, known)
    if options.get("interface"):  # tags of the default length only
        assert counted(on_core) == (6, 0, 0, 6)
    else:
        assert (on_core.answers, counted(on_core)) == (on_model.answers, (counted(on_model)))
    prompt, _ = made.acvp(algorithm, key_bytes=32)
    report = run(folder, made.write(tmp_path, "p.json", prompt))
    assert report.passed + report.answered == 0 and "not 32" in next(iter(report.not_applicable))


class DerivedKeys:
    """What a core of GCM-SIV gives whose messages bring keys that software has derived, from the model."""

    slots = 8

    def outcomes(self, messages: list[Message]) -> list[Outcome]:
        return [self.one(StreamModel(GCMSIV(), message.key, derived=True), message) for message in messages]

    def one(self, model: StreamModel, message: Message) -> Outcome:
        data, tag = (message.data[:-16], message.data[-16:]) if message.decrypt else (message.data, b"")
        text, right = model.run(("absorb", "decrypt", "encrypt")[message.decrypt], message.nonce, data, message.ad, 16, tag)
        if not message.decrypt:
            return Outcome(MessageCode.OK, text, right)
        return Outcome(MessageCode.OK if tag == right else MessageCode.WRONG_TAG, text)


def test_keys_that_software_derives(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys in the file are master keys, and the messages to the core bring the keys that are derived of them."""
    monkeypatch.setattr(subjects, "message_core", lambda *_, **__: DerivedKeys())
    description = StreamCore(streamed.compiled("gcm-siv", prove=False, key_bits=128, keys="inline")).describe("core", "modeloom build")
    prompt, results = made.acvp("ACVP-AES-GCM-SIV")
    asked, known = made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results)
    report = run_file(read_file(asked, known), subjects.MessageCoreSubject(str(tmp_path), description, 0))
    assert counted(report) == (6, 0, 0, 0)


class Sectors:
    """What a core of XTS with 128-bit keys and two key slots gives, from the cryptography package."""

    slots = 2

    def __init__(self) -> None:
        self.keys: dict[int, bytes] = {}

    def check_key(self, key: bytes) -> None:
        if len(key) != 32:
            raise InputError(f"a key has 32 bytes, not {len(key)}")

    def load_key(self, key: bytes, slot: int) -> None:
        self.keys[slot] = key

    def run(self, sectors: list[Sector]) -> list[bytes]:
        return [made.xts(self.keys[one.slot], one.tweak, one.data, one.decrypt) for one in sectors]


@pytest.mark.parametrize(("sizes", "counts"), [((32, 16), (4, 0, 0, 36)), ((32, 26, 16, 48), (10, 0, 0, 30))])
def test_data_units_on_a_core(sizes: tuple[int, ...], counts: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each data unit is a sector, and a payload is not applicable if the core lacks the size of one of its units."""
    monkeypatch.setattr(subjects, "SimulatedCore", lambda *_, **__: Sectors())
    compiled = built.compiled("xts", prove=False, sector=sizes[0], more_sectors=sizes[1:], key_bits=128)
    subject = subjects.SectorCoreSubject(str(tmp_path), SectorCore(compiled).describe("core", "modeloom build"), 0)
    prompt, results = made.acvp_xts_2()
    asked, known = made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results)
    report = run_file(read_file(asked, known), subject)
    assert counted(report) == counts
    assert (sizes == (32, 16)) == ("a sector of this core has 32 or 16 bytes, not 26" in report.not_applicable)


@slow
def test_sector_core(tmp_path: Any) -> None:
    """A core for sectors runs the data units that have its size."""
    prompt, results = made.acvp_xts()
    folder = built.folder("xts", sector=64)
    report = run(folder, made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results))
    assert counted(report) == (4, 0, 0, 4)
    folder = built.folder("xts", sector=32, more_sectors=(16,), key_bits=128)
    for numbers in (False, True):
        prompt, results = made.acvp_xts_2(numbers)
        report = run(folder, made.write(tmp_path, "p.json", prompt), made.write(tmp_path, "e.json", results))
        assert counted(report) == (4, 0, 0, 36)


def changed_acvp(member: str, value: Any, index: int = 0, algorithm: str = "ACVP-AES-GCM") -> Any:
    """A prompt in which a group (``tgId``) or a test of the second group (``tcId``) has another number.  None removes it."""
    prompt, _ = made.acvp(algorithm)
    groups = prompt[1]["testGroups"]
    one = (groups if member == "tgId" else groups[1]["tests"])[index]
    one.pop(member)
    if value is not None:
        one[member] = value
    return prompt


def without_line(text: str, name: str) -> str:
    """A file of CAVP without the first line of this name that is not empty."""
    made_text = re.sub(rf"(?m)^{name} = .+\n", "", text, count=1)
    assert made_text != text
    return made_text


REFUSED = [
    ("x", "neither JSON of ACVP or Wycheproof nor a response file of CAVP"),
    ({"algorithm": "AES-EAX", "testGroups": []}, "algorithm 'AES-EAX' is none of AES-GCM"),
    ({"algorithm": "ACVP-AES-CBC", "testGroups": []}, "algorithm 'ACVP-AES-CBC' is none of ACVP-AES-GCM"),
    ({"algorithm": "ACVP-AES-GCM", "testGroups": []}, "it has no questions"),
    ({"algorithm": "ACVP-AES-GCM"}, "'testGroups' is missing"),
    ({"algorithm": "AES-GCM", "testGroups": [{"tests": [{"tcId": 1}]}]}, "'result' is missing"),
    ({"algorithm": "AES-GCM", "testGroups": [3]}, "a member has the wrong type"),
    ("Count = 0\nPLAINTEXT = 00\n", "its records are none of GCM, XPN, CCM and XTS"),
    ("Count = 0\nIV = 00\n", "Tag is missing"),
    ("Count = 0\nIV 00\n", "line 2 is not NAME = VALUE"),
    ("Count = 0\nIV = 00\nTag = 0\nKey = 00\n", "Tag is not a string of hexadecimal digits"),
    (made.one_xts_2(dataUnitLen="256"), "tcId 1: dataUnitLen is not a number of bits"),
    (made.one_xts_2(payloadLen=None), "'payloadLen' is missing"),
    (made.one_xts_2(payloadLen=1024), "tcId 1: pt has 81 bytes, not 128"),
    (made.one_xts_2(tweakValue="00" * 15), "tcId 1: tweakValue has 15 bytes, not 16"),
    (made.one_xts_2(tweakValue=None), "tcId 1: tweakValue is missing"),
    (made.one_xts_2("number", sequenceNumber=None), "tcId 1: sequenceNumber is missing"),
    (made.one_xts_2("number", sequenceNumber=-1), "tcId 1: sequenceNumber is missing, or no number of 16 bytes"),
    (made.one_xts_2("both"), "tcId 1: tweakMode 'both' is neither hex nor number"),
    (changed_acvp("tgId", None), "'tgId' is missing"),
    (changed_acvp("tgId", "1"), "tgId '1' is not an integer"),
    (changed_acvp("tgId", True), "tgId True is not an integer"),
    (changed_acvp("tgId", 2), "tgId 2 is there twice"),
    (changed_acvp("tcId", None), "'tcId' is missing"),
    (changed_acvp("tcId", 4.5), "tcId 4.5 is not an integer"),
    (changed_acvp("tcId", 5), "tcId 5 is there twice"),
    (changed_acvp("tcId", 1), "tcId 1 is there twice"),
    (without_line(made.cavp_gcm(), "CT"), "Count 0: CT is missing"),
    (without_line(made.cavp_gcm(), "PT"), "Count 0: PT is missing"),
    (without_line(made.cavp_ccm(), "CT"), "Count 0: CT is missing"),
    (without_line(made.cavp_xts(), "CT"), "Count 1: CT is missing"),
    ("Count = 0\nKey = 00\nIV = 00\nPT = 00\nAAD =\nTag = 00\n", "Count 0: CT is missing"),
    ("[BOTH]\nCount = 0\nDataUnitLen = 8\n", "it stands in no section [ENCRYPT] or [DECRYPT]"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED)
def test_files_that_are_refused(value: Any, message: str, tmp_path: Any) -> None:
    """One line and exit status 2."""
    path = made.write(tmp_path, "f", value)
    with pytest.raises(Unreadable) as caught:
        read_file(path)
    assert message in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(InputError):
        CliRunner().invoke(cli, ["vectors", "gcm", str(path)], obj=[], catch_exceptions=False)


@pytest.mark.parametrize("member", ["tgId", "tcId"])
def test_a_prompt_without_numbers_has_no_response(member: str, tmp_path: Any) -> None:
    path, out = made.write(tmp_path, "p.json", changed_acvp(member, None)), tmp_path / "r.json"
    with pytest.raises(InputError, match=f"^{path}: '{member}' is missing$"):
        CliRunner().invoke(cli, ["vectors", "gcm", str(path), "--response", str(out)], obj=[], catch_exceptions=False)
    assert not out.exists()


def test_gmac_of_cavp_without_lines_of_text(tmp_path: Any) -> None:
    """A record without text, with and without its length, may leave out the lines of the texts."""
    key, nonce, ad = bytes(16), bytes(12), bytes(20)
    record = f"Count = 0\nKey = {key.hex()}\nIV = {nonce.hex()}\nAAD = {ad.hex()}\nTag = {made.gcm(key, nonce, b'', ad, 16).hex()}\n\n"
    for text in (record, f"[PTlen = 0]\n\n{record}"):
        assert counted(run("gcm", made.write(tmp_path, "g.rsp", text))) == (1, 0, 0, 0)


def test_byte_order_marks(tmp_path: Any) -> None:
    """Files of all formats may begin with one."""
    prompt, results = made.acvp("ACVP-AES-GCM")
    for mode, value in (("gcm", made.cavp_gcm()), ("gcm", prompt), ("gcm", made.wycheproof())):
        text = value if isinstance(value, str) else json.dumps(value)
        plain, marked = made.write(tmp_path, "plain", text), made.write(tmp_path, "marked", "\ufeff" + text)
        assert counted(run(mode, marked)) == counted(run(mode, plain))
    asked, known = (made.write(tmp_path, name, "\ufeff" + json.dumps(value)) for name, value in (("p", prompt), ("e", results)))
    assert counted(run("gcm", asked, known))[0] == sum(len(group["tests"]) for group in prompt[1]["testGroups"])


def test_command_line(tmp_path: Any) -> None:
    """JSON, exit status 1 for a failure and for a run of nothing, and no response for other formats."""
    good, response = made.write(tmp_path, "w.json", made.wycheproof()), tmp_path / "r.json"
    result = CliRunner().invoke(cli, ["vectors", "gcm", str(good), "--json"], obj=[])
    figures = json.loads(result.output)
    assert (figures["schema"], figures["subject"]) == ("modeloom-vectors-1", "model")
    assert (figures["files"][0]["passed"], figures["files"][0]["tests"]) == (2, 4)
    for arguments, error, message in (
        (["gcm", str(good), "--response", str(response)], InputError, "--response answers a vector set of ACVP"),
        (["gcm", str(good), "--expected", str(good)], InputError, "--expected is for these"),
        (["gcm", str(good), str(good), "--response", str(response)], InputError, "give one FILE"),
        (["ccm", str(good)], CheckFailed, "no test could be run"),
        (["gcm", str(tmp_path / "none")], InputError, "cannot be read"),
    ):
        with pytest.raises(error, match=message):
            CliRunner().invoke(cli, ["vectors", *arguments], obj=[], catch_exceptions=False)
    assert not response.exists()
    value = made.wycheproof()
    value["testGroups"][0]["tests"][0]["ct"] = "00" * 17
    with pytest.raises(CheckFailed, match="1 test failed"):
        CliRunner().invoke(cli, ["vectors", "gcm", str(made.write(tmp_path, "w.json", value))], obj=[], catch_exceptions=False)

