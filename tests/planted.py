# SPDX-License-Identifier: Apache-2.0
"""Cores with several faults in one Verilog file, of which an input chooses one, so one simulation serves them all."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.streamed import folder
from tools.planted_faults.messages import PlantedMessages
from tools.planted_faults.schemata import INPUT

from modeloom.product.folder import read_messages

__all__ = ["planted_core"]


def planted(verilog: str, faults: Mapping[str, tuple[str, str, str, str]]) -> str:
    """The Verilog with all faults, chosen by an input of the top: the first is number 1, and 0 is none.

    Of each fault, the first two strings count: a pattern, and what replaces its first match, with the choice of the fault in place of "@".
    """
    for number, (pattern, text, _, _) in enumerate(faults.values(), 1):
        verilog, count = re.subn(pattern, text.replace("@", f"{INPUT} == 4'd{number}"), verilog, count=1)
        assert count, f"{pattern} has no place in the Verilog any more"
    names = re.findall(r"^module (\w+) \(", verilog, re.M)
    verilog = re.sub(r"^(module \w+ \()$", rf"\1\n  input  wire [3:0] {INPUT},", verilog, flags=re.M)
    return re.sub(rf"^(  (?:{'|'.join(names)}) \w+ \()$", rf"\1\n    .{INPUT}({INPUT}),", verilog, flags=re.M)


def planted_core(place: Path, faults: Mapping[str, tuple[str, str, str, str]], **options: Any) -> PlantedMessages:
    """A core with these options, emitted to a folder that does not exist yet, with all faults in its Verilog."""
    shutil.copytree(folder(prove=False, **options), place)
    verilog = place / read_messages(place).files.verilog
    verilog.write_text(planted(verilog.read_text(), faults))
    return PlantedMessages(place, optimize=0)
