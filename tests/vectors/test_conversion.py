# SPDX-License-Identifier: Apache-2.0
"""``tools/vectors.py``: what it reads, what it refuses, and that it writes all or nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.scripts import script

from modeloom import vectors

TOOL = Path(__file__).parents[2] / "tools" / "vectors.py"


@pytest.fixture(scope="module")
def tool():
    return script("tools/vectors.py")


@pytest.fixture
def shared(tmp_path):
    """A folder in the input's layout with a record or two of each source."""
    root = tmp_path / "shared"
    for name in ("aes_cavp", "hctr2", "polyval", "xctr"):
        (root / name).mkdir(parents=True)
        (root / name / "SOURCE.txt").write_text(
            f"repo: https://example.org/{name}\ncommit: 0123abcd\nlicence: MIT\npaths/notes: some/path whole files\n"
        )
    for bits in (128, 192, 256):
        key = "0A" * (bits // 8)
        for folder, prefix, extra in (
            ("hctr2", "HCTR2", {"tweak_hex": "ab"}),
            ("xctr", "XCTR", {"nonce_hex": "00" * 16}),
        ):
            record = {"input": {"key_hex": key, **extra}, "plaintext_hex": "01" * 17, "ciphertext_hex": "02" * 17}
            (root / folder / f"{prefix}_AES{bits}.json").write_text(json.dumps([record]))
    (root / "polyval" / "Polyval.json").write_text(
        json.dumps([{"input": {"key_hex": "00" * 16, "message_hex": ""}, "hash_hex": "00" * 16}])
    )
    record = (
        "   Record authentication key = {0}\n   POLYVAL input =             {1}\n"
        "                               {2}\n   POLYVAL result =            {3}\n\n"
    )
    (root / "polyval" / "polyval.txt").write_text(
        record.format("01" * 16, "02" * 16, "03" * 16, "04" * 16)
        + record.format("05" * 16, "06" * 16, "07" * 16, "08" * 16)
    )
    sections = "".join(
        f"[{section}]\n\nCOUNT = 0\nKEY = {'00' * 16}\n{fields}\n\n"
        for section, fields in (
            ("ENCRYPT", f"PLAINTEXT = {'11' * 16}\nCIPHERTEXT = {'22' * 16}"),
            ("DECRYPT", f"CIPHERTEXT = {'22' * 16}\nPLAINTEXT = {'11' * 16}"),
        )
    )
    (root / "aes_cavp" / "ECBGFSbox128.rsp").write_text("# CAVS 11.1\n\n" + sections)
    return root


def run(*arguments):
    return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)


def test_converts_each_format(shared, tmp_path):
    out = tmp_path / "out"
    done = run(shared, out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in out.iterdir()}
    assert sorted(files) == [
        "aes_cavp",
        "aes_fips197",
        "hctr2_aes128",
        "hctr2_aes256",
        "polyval",
        "polyval_rfc8452",
        "xctr_aes128",
        "xctr_aes192",
        "xctr_aes256",
    ]
    assert files["hctr2_aes128"]["source"] == "https://example.org/hctr2, commit 0123abcd: some/path whole files"
    assert files["hctr2_aes128"]["tests"] == [
        {
            "tcId": 1,
            "comment": "17 bytes, tweak of 1 bytes",
            "flags": ["PartialBlock", "PartialTweak", "Random"],
            "key": "0a" * 16,
            "tweak": "ab",
            "pt": "01" * 17,
            "ct": "02" * 17,
            "result": "valid",
        }
    ]
    rfc = files["polyval_rfc8452"]["tests"]
    assert [(test["key"], test["msg"], test["hash"]) for test in rfc] == [
        ("01" * 16, "02" * 16 + "03" * 16, "04" * 16),
        ("05" * 16, "06" * 16 + "07" * 16, "08" * 16),
    ]
    cavp = files["aes_cavp"]["tests"]
    assert [(test["flags"], test["pt"], test["ct"]) for test in cavp] == [
        (["Encrypt", "GFSbox"], "11" * 16, "22" * 16),
        (["Decrypt", "GFSbox"], "11" * 16, "22" * 16),
    ]


def test_output_is_deterministic(shared, tmp_path):
    for name in ("one", "two"):
        assert run(shared, tmp_path / name).returncode == 0
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("hctr2/HCTR2_AES256.json", "[", "Expecting value"),
        ("hctr2/HCTR2_AES256.json", "{}", "not a list of records"),
        ("hctr2/HCTR2_AES256.json", "[]", "no tests for HCTR2-AES-256"),
        ("xctr/XCTR_AES128.json", '[{"input": {"key_hex": "00"}}]', "lacks 'plaintext_hex'"),
        ("polyval/Polyval.json", '[{"input": {"key_hex": "0g", "message_hex": ""}}]', "not a hexadecimal string"),
        ("polyval/polyval.txt", "   nonsense\n", "cannot read line 'nonsense'"),
        ("polyval/SOURCE.txt", "repo: x\n", "no commit, licence, paths/notes"),
        ("aes_cavp/ECBGFSbox128.rsp", "COUNT = 0\n\n", "bad record COUNT 0"),
    ],
)
def test_bad_input_writes_nothing(shared, tmp_path, path, text, message):
    (shared / path).write_text(text)
    done = run(shared, tmp_path / "out")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_wrong_usage(tmp_path):
    assert run().returncode == 2
    done = run(tmp_path / "nowhere", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_fips197_examples_are_the_packaged_ones(tool):
    assert tool.convert_aes_fips197() == vectors.load("aes_fips197")
