# SPDX-License-Identifier: Apache-2.0
"""The bill of materials and the manifest of a core."""

from __future__ import annotations

import hashlib
import json
import subprocess

import pytest
from tests.emit.package.folders import CASES, WITH_REGISTERS, folder

from modeloom.emit.package.core_file import manifest, read_manifest
from modeloom.product.description import FRONT_TOOLS, versions
from modeloom.product.folder import read_description


def bill(kind: str) -> dict:
    description = read_description(folder(kind))
    assert description.files.materials
    return json.loads((folder(kind) / description.files.materials).read_text())


@pytest.mark.parametrize("kind", CASES)
def test_the_schema_of_cyclonedx(kind):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    content = bill(kind)
    assert validator.validate_str(json.dumps(content)) is None
    content["components"][0]["type"] = "thing"
    assert validator.validate_str(json.dumps(content)) is not None


@pytest.mark.parametrize("kind", CASES)
def test_every_file_and_every_tool(kind):
    path, content = folder(kind), bill(kind)
    files = {one["name"]: one["hashes"] for one in content["components"]}
    later = {"core.json", "SHA256SUMS", read_description(path).files.materials}
    assert files.keys() == {one.name for one in path.iterdir()} - later
    for name, hashes in files.items():
        assert hashes == [{"alg": "SHA-256", "content": hashlib.sha256((path / name).read_bytes()).hexdigest()}]
    tools = {one["name"]: one["version"] for one in content["metadata"]["tools"]["components"]}
    assert tools == versions(*(FRONT_TOOLS if kind in WITH_REGISTERS else ()))
    whole = content["metadata"]["component"]["bom-ref"]
    assert content["dependencies"] == [{"ref": whole, "dependsOn": [f"file:{name}" for name in files]}]


def test_cores_have_numbers_of_their_own():
    assert bill("sectors")["serialNumber"] != bill("registers")["serialNumber"]


@pytest.mark.parametrize("kind", CASES)
def test_sha256sum_accepts_the_manifest(kind):
    done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder(kind), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) == len(list(folder(kind).iterdir())) - 1


def test_a_manifest_is_read_back():
    hashes = {"b.v": "0" * 64, "a b.txt": "f" * 64}
    assert read_manifest(manifest(hashes)) == hashes and manifest(hashes).startswith("f" * 64)
    for wrong in ("x" * 64 + "  a\n", "0" * 64 + " a\n", "0" * 64 + "  ../a\n"):
        with pytest.raises(ValueError, match="not a line of sha256sum"):
            read_manifest(wrong)
