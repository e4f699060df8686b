# SPDX-License-Identifier: Apache-2.0
"""A member of a vector file that the reader does not know is an error, in each object of each format, and each member of published files
is known."""

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from tests.conformance import made
from tests.conformance.reports import PUBLISHED

from modeloom.cli import cli
from modeloom.conformance import read_file
from modeloom.conformance.acvp import ALGORITHMS
from modeloom.conformance.case import Unreadable
from modeloom.spec import InputError

PROMPTS: dict[str, Any] = {
    **{name: made.acvp(name)[0] for name in ALGORITHMS if name != "ACVP-AES-XTS"}, "ACVP-AES-XTS": made.acvp_xts()[0],
    "ACVP-AES-XTS 2.0": made.acvp_xts_2()[0], "ACVP-AES-CCM, ECMA": made.acvp_ecma()[0], "AES-GCM": made.wycheproof(),
    "SM4-CCM": made.wycheproof("SM4-CCM"),
    **{path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(PUBLISHED.glob("*.json"))},
}  # fmt: skip
RECORDS = {"GCM": made.cavp_gcm(), "XPN": made.cavp_xpn(), "CCM": made.cavp_ccm(), "XTS": made.cavp_xts()}


def objects(value: Any) -> Iterator[Any]:
    """The objects of a file that tell of its tests: the whole, the first and the last group, and a test of each."""
    vectors = value[1] if isinstance(value, list) else value
    yield vectors
    for group in (vectors["testGroups"][0], vectors["testGroups"][-1]):
        yield group
        yield group["tests"][-1]


@pytest.mark.parametrize("name", PROMPTS)
def test_a_member_that_no_object_has(name: str, tmp_path: Any) -> None:
    """The line names the object, the algorithm and the member."""
    value = copy.deepcopy(PROMPTS[name])
    read_file(made.write(tmp_path, "f.json", value))
    algorithm = (value[1] if isinstance(value, list) else value)["algorithm"]
    for one in objects(value):
        one["offset"] = "00"
        where = f"tcId {one['tcId']}" if "tcId" in one else f"tgId {one['tgId']}" if "tgId" in one else "(the vector set|the file|group .+)"
        with pytest.raises(Unreadable, match=f"^.*f.json: {where}: {algorithm} has no member 'offset'$"):
            read_file(made.write(tmp_path, "f.json", value))
        del one["offset"]


@pytest.mark.parametrize("name", RECORDS)
def test_a_line_that_no_record_has(name: str, tmp_path: Any) -> None:
    """In a record, and in front of all records of a section."""
    text = RECORDS[name]
    read_file(made.write(tmp_path, "f.rsp", text))
    for wrong in (re.sub("(?m)^CT = ", "Offset = 00\nCT = ", text, count=1), "[Offset = 8]\n" + text):
        with pytest.raises(Unreadable, match=r"Count .*: AES-\w+ has no member 'Offset'$"):
            read_file(made.write(tmp_path, "f.rsp", wrong))


@pytest.mark.parametrize(("name", "level", "member"), [
    ("ACVP-AES-GCM", 2, "salt"), ("ACVP-AES-GCM", 1, "saltGen"), ("ACVP-AES-GCM", 1, "dataUnitLen"), ("ACVP-AES-CCM", 1, "ivGen"),
    ("ACVP-AES-CCM", 2, "tag"), ("ACVP-AES-GCM-SIV", 2, "tag"), ("ACVP-AES-XTS", 2, "iv"), ("ACVP-AES-XTS", 1, "tagLen"),
    ("ACVP-AES-GCM", 2, "tweakValue"), ("ACVP-AES-GMAC", 2, "key2"), ("wycheproof_gmac", 2, "aad"), ("AES-GCM", 2, "salt"),
])  # fmt: skip
def test_a_member_of_another_algorithm(name: str, level: int, member: str, tmp_path: Any) -> None:
    """What one algorithm needs would be ignored in another one."""
    value = copy.deepcopy(PROMPTS[name])
    list(objects(value))[level][member] = "00"
    with pytest.raises(Unreadable, match=f"has no member '{member}'"):
        read_file(made.write(tmp_path, "f.json", value))


@pytest.mark.parametrize(("name", "line"), [("GCM", "DataUnitLen = 8"), ("CCM", "Salt = 00"), ("XTS", "Tag = 00"), ("GCM", "Nonce = 00")])
def test_a_line_of_another_algorithm(name: str, line: str, tmp_path: Any) -> None:
    text = re.sub("(?m)^CT = ", f"{line}\nCT = ", RECORDS[name], count=1)
    with pytest.raises(Unreadable, match=f"has no member '{line.split()[0]}'"):
        read_file(made.write(tmp_path, "f.rsp", text))


def test_a_salt_in_some_records_only(tmp_path: Any) -> None:
    """The first record decides: a salt in a later one is not ignored, and none may lack it."""
    for text, message in ((made.cavp_gcm() + made.cavp_xpn(), "AES-GCM has no member 'Salt'"),
                          (made.cavp_xpn() + made.cavp_gcm(), "Salt is missing")):  # fmt: skip
        with pytest.raises(Unreadable, match=message):
            read_file(made.write(tmp_path, "f.rsp", text))


def test_a_member_that_is_there_twice(tmp_path: Any) -> None:
    """JSON with two values for a member, and a record with two lines of a name: one of them would be ignored."""
    text = json.dumps(made.wycheproof())
    path = made.write(tmp_path, "f.json", text.replace('"iv": ', '"iv": "00", "iv": ', 1))
    with pytest.raises(Unreadable, match="^.*f.json: an object has the member 'iv' twice$"):
        read_file(path)
    text = json.dumps(made.acvp("ACVP-AES-GCM")[1])
    with pytest.raises(Unreadable, match="^.*e.json: an object has the member 'tag' twice$"):
        read_file(made.write(tmp_path, "p.json", made.acvp("ACVP-AES-GCM")[0]),
                  made.write(tmp_path, "e.json", text.replace('"tag": ', '"tag": "00", "tag": ', 1)))  # fmt: skip
    with pytest.raises(Unreadable, match="line .*: the record has IV twice"):
        read_file(made.write(tmp_path, "f.rsp", made.cavp_gcm().replace("IV = ", "IV = 00\niv = ", 1)))


def test_spelling_of_names_in_records(tmp_path: Any) -> None:
    """Files of CAVP write names in several ways."""
    text = made.cavp_gcm()
    spelled = re.sub(r"(?m)^\[?\w+(?= =)", lambda found: found[0].upper(), text)
    assert spelled != text and "TAGLEN" in spelled
    right, other = (read_file(made.write(tmp_path, "f.rsp", each)).cases for each in (text, spelled))
    assert right == other


def test_an_unknown_member_is_wrong_usage(tmp_path: Any) -> None:
    """One line of an error of input, which has exit status 2, before anything is run or written."""
    value, out = made.acvp("ACVP-AES-GCM")[0], tmp_path / "r.json"
    value[1]["testGroups"][0]["tests"][0]["sal\nt"] = "00"
    path = made.write(tmp_path, "p.json", value)
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(cli, ["vectors", "gcm", str(path), "--response", str(out)], obj=[], catch_exceptions=False)
    assert str(caught.value) == f"{path}: tcId 1: ACVP-AES-GCM has no member 'sal\\nt'" and not out.exists()
