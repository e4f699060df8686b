# SPDX-License-Identifier: Apache-2.0
"""Equal modules become one, with all that is below them; different ones stay."""

from __future__ import annotations

import pytest

from modeloom_verilog.rtlil import parse, render
from modeloom_verilog.sharing import share


def unit(name: str, leaf: str) -> str:
    return f"""
module \\{name}
  wire width 4 input 1 \\a
  wire width 4 output 2 \\y
  cell \\{leaf} \\core
    connect \\a \\a
    connect \\y \\y
  end
end
"""


def leaf(name: str, gate: str) -> str:
    return f"""
module \\{name}
  wire width 4 input 1 \\a
  wire width 4 output 2 \\y
  cell {gate} $1
    connect \\A \\a
    connect \\Y \\y
  end
end
"""


TOP = """
module \\top
  cell \\top_mul0 \\mul0
  end
  cell \\top_mul1 \\mul1
  end
  cell \\top_mul2 \\mul2
  end
end
"""


def test_share() -> None:
    text = TOP + unit("top_mul0", "top_mul0_core") + unit("top_mul1", "top_mul1_core") + unit("top_mul2", "top_mul2_core")
    text += leaf("top_mul0_core", "$not") + leaf("top_mul1_core", "$not") + leaf("top_mul2_core", "$neg")
    modules = share(parse(text), "\\top")
    assert [module.name for module in modules] == [
        "\\top", "\\top_mul", "\\top_mul2", "\\top_mul_core", "\\top_mul2_core",
    ]  # fmt: skip
    assert [cell.type for cell in modules[0].of_kind("cell")] == ["\\top_mul", "\\top_mul", "\\top_mul2"]
    assert modules[1].of_kind("cell")[0].type == "\\top_mul_core"
    assert modules[2].of_kind("cell")[0].type == "\\top_mul2_core"


def test_the_shared_name_is_new() -> None:
    text = TOP.replace("\\top_mul2 ", "\\top_mul ") + leaf("top_mul0", "$not") + leaf("top_mul1", "$not") + leaf("top_mul", "$neg")
    names = [module.name for module in share(parse(text), "\\top")]
    assert len(set(names)) == 3
    assert "module \\top_mul\n" in render(share(parse(text), "\\top"))


@pytest.mark.parametrize(
    ("members", "others", "name"),
    [
        (["top_mul0", "top_mul1"], [], "top_mul"),
        (["top_mul0", "top_mul1", "top_mul12"], ["top_mul"], "top_mul_2"),
        (["top_mul0", "top_mul1"], ["top_mul", "top_mul_2"], "top_mul_3"),
        (["top2_mul3", "top2_mul4"], [], "top2_mul"),
        (["top2_mul3_s8", "top2_mul4_s8"], [], "top2_mul_s8"),
        (["top_mul1", "top_square1"], [], "top_mul1"),
        (["top_mul1", "top_mul1_2"], [], "top_mul1"),
        (["top_mul1_x", "top_mul2_y"], [], "top_mul1_x"),
        (["top_mul1"], [], "top_mul1"),
    ],
)
def test_the_name_of_a_shared_module(members: list[str], others: list[str], name: str) -> None:
    """The first one's without the numbers in which the members differ, and with a new number if that is taken."""
    cells = "".join(f"  cell \\{module} \\u_{module}\n  end\n" for module in [*members, *others])
    text = f"\nmodule \\top\n{cells}end\n" + "".join(leaf(module, "$not") for module in members)
    text += "".join(leaf(module, f"$neg{n}") for n, module in enumerate(others))
    assert [module.name[1:] for module in share(parse(text), "\\top")] == ["top", name, *others]
