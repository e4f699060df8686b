# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of a core: CycloneDX 1.6, JSON.

It has no time and no random number, so that the same core has the same bill.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import NAMESPACE_URL, uuid5

from modeloom.emit.package.core_file import to_json
from modeloom.product.description import Description
from modeloom.product.versions import PACKAGES

__all__ = ["bill_of_materials"]

LICENCE = [{"license": {"id": "Apache-2.0"}}]


def bill_of_materials(description: Description, hashes: Mapping[str, str]) -> str:
    """Text of the bill.

    Parameters
    ----------
    description : Description
    hashes : mapping
        SHA-256 of the other files, by name.
    """
    version = description.version
    core = f"pkg:generic/{description.name}@{version}"
    files = [
        {
            "type": "file", "bom-ref": f"file:{file}", "name": file, "hashes": [{"alg": "SHA-256", "content": value}], "licenses": LICENCE,
        }
        for file, value in sorted(hashes.items())
    ]  # fmt: skip
    content: dict[str, object] = {
        "bomFormat": "CycloneDX", "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, ' '.join([core, *sorted(hashes.values())]))}",
        "version": 1,
        "metadata": {
            "tools": {"components": [_tool(name, number) for name, number in (description.versions or {}).items()]},
            "component": {
                "type": "firmware", "bom-ref": core, "name": description.name, "version": version, "description": description.summary,
                "licenses": LICENCE, "purl": core,
                "properties": [
                    {"name": "modeloom:command", "value": description.command},
                    {"name": "modeloom:mode", "value": description.mode},
                    {"name": "modeloom:source", "value": description.source},
                    {"name": "modeloom:cipher", "value": description.cipher},
                    {"name": "modeloom:definition-sha256", "value": description.definition_sha256},
                    {"name": "modeloom:broken", "value": str(description.broken).lower()},
                ],
            },
        },
        "components": files,
        "dependencies": [{"ref": core, "dependsOn": [file["bom-ref"] for file in files]}],
    }  # fmt: skip
    return to_json(content)


def _tool(name: str, version: str) -> dict[str, str]:
    purl = f"pkg:pypi/{PACKAGES.get(name, name)}@{version}"
    return {"type": "application", "bom-ref": f"tool:{name}", "name": name, "version": version, "purl": purl}
