# SPDX-License-Identifier: Apache-2.0
"""Edits of emitted Verilog, for tests of what finds faults."""

from __future__ import annotations

import re

__all__ = ["edit_module"]


def edit_module(verilog: str, module: str, pattern: str, replacement: str) -> str:
    """Verilog with the first match of *pattern* in a module replaced; raises ``ValueError`` if there is nothing to edit."""
    text = re.search(rf"^module {module} *\((?:.|\n)*?^endmodule", verilog, re.MULTILINE)
    if text is None:
        raise ValueError(f"no module {module}")
    edited, count = re.subn(pattern, replacement, text[0], count=1)
    if not count:
        raise ValueError(f"nothing to edit in {module}")
    return verilog[: text.start()] + edited + verilog[text.end() :]
