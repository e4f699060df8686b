# SPDX-License-Identifier: Apache-2.0
"""Plain names: the rule, and that names stay apart."""

from __future__ import annotations

import pytest

from modeloom_verilog.names import plain_design, plain_name
from modeloom_verilog.rtlil import parse, render

DESIGN = """
attribute \\top 1
module \\top
  wire width 1 input 1 \\a.b
  wire width 1 input 2 \\a_b
  wire width 8 output 3 \\port$17$0
  wire width 8 \\final
  memory width 8 size 4 \\U$0
  cell \\top.sub \\u.sub
    connect \\port$99$0 \\a.b
    connect \\y \\port$17$0 [7:0]
  end
  cell $memrd_v2 $1
    parameter \\MEMID "\\\\U$0"
    connect \\ADDR { \\a.b \\a_b }
    connect \\DATA \\final
  end
end
module \\top.sub
  wire width 1 input 1 \\port$99$0
  wire width 8 output 2 \\y
  connect \\y { 7'0000000 \\port$99$0 }
end
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("key_busy$104", "key_busy_104"),
        ("s__payload.data", "s_payload_data"),
        ("port$4127$0", "p3"),
        ("final", "final_v"),
        ("1st", "p1st"),
        ("$$", "p3"),
    ],
)
def test_rule(old: str, new: str) -> None:
    assert plain_name(old, 3, "p") == new


def test_design() -> None:
    modules = parse(DESIGN)
    plain_design(modules)
    top, sub = modules
    assert [top.name, sub.name] == ["\\top", "\\top_sub"]
    assert list(top.ports()) == ["\\a_b", "\\a_b_2", "\\p2"]
    assert list(sub.ports()) == ["\\p0", "\\y"]
    text = render(modules)
    assert "cell \\top_sub \\u_sub" in text
    assert "connect \\p0 \\a_b\n" in text, "a port of an instance has its module's new name, the signal its own"
    assert 'parameter \\MEMID "\\\\memory4"' in text and "memory width 8 size 4 \\memory4" in text
    assert "connect \\ADDR { \\a_b \\a_b_2 }" in text
    assert "connect \\DATA \\final_v" in text


def test_parsed_text_is_kept() -> None:
    once = render(parse(DESIGN))
    assert render(parse(once)) == once


def test_names_that_become_equal_are_numbered() -> None:
    text = "module \\top\n" + "".join(f"  wire width 1 \\{name}\n" for name in ("a.b", "a_b_3", "a_b", "a$b", "_a__b_")) + "end\n"
    modules = parse(text)
    plain_design(modules)
    assert [wire.name for wire in modules[0].of_kind("wire")] == ["\\a_b", "\\a_b_3", "\\a_b_2", "\\a_b_4", "\\a_b_5"]


def test_modules_of_one_name() -> None:
    with pytest.raises(ValueError, match="same name"):
        plain_design(parse("module \\a.b\nend\nmodule \\a_b\nend\n"))
