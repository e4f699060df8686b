# SPDX-License-Identifier: Apache-2.0
"""Makes the source that CXXRTL writes for a design shorter, and splits its large function into parts that compile in parallel.

The time of a compiler grows faster than the length of a function.  A whole core takes minutes in one piece, and seconds in parts.  The
temporaries of the function become globals of the library that the parts share.  A simulation therefore runs in one thread at a time::

    bool p_TOP::eval(...) { temporaries; groups of statements }   ──▶   parts.h, part_0.cc, part_1.cc, ..., design.cc calls them
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["gather_bits", "share_tables", "split_eval"]

_TEMPORARY = re.compile(r"^\t((?:value|wire)<\d+>|bool) (\w+)(?: = (.*))?;$")
_EDGE = re.compile(r"^\tbool (?:pos|neg)edge_\w+ = this->\w+\(\);$")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_TABLE = re.compile(r"^\tstatic const (value<\d+>) (mem_init_\d+)\[(\d+)\] \{\n(.*?)^\t\};\n", re.MULTILINE | re.DOTALL)
_RESET = re.compile(r"^void p_\w+::reset\(\) \{\n.*?^\}\n", re.MULTILINE | re.DOTALL)

_BITS = re.compile(r"\.concat\(([\w.]+)\.slice<\d+>\(\)\)(?:\.concat\(\1\.slice<\d+>\(\)\)){7,}")
_STATEMENT = re.compile(r"^([^\n\"]*? = )?(.*)$", re.MULTILINE)
_NAMESPACE = "\nnamespace cxxrtl_design {\n"
_GATHER = """
// Single bits of a value, the highest one of the result first.
template<size_t Bits> static inline value<Bits> gather(const chunk_t *from, const uint16_t *at) {
	value<Bits> result;
	for (size_t bit = Bits; bit-- > 0; at++)
		result.data[bit / 32] |= ((from[*at / 32] >> (*at % 32)) & 1u) << (bit % 32);
	return result;
}
"""


def gather_bits(source: Path, header: Path) -> None:
    """Takes single bits of a value in another order, as of a field with reflected bits, in one call in place of as many concatenations."""

    def call(run: re.Match[str]) -> str:
        places = re.findall(r"slice<(\d+)>", run[0])
        table = f"[]() {{ static const uint16_t at[] = {{{','.join(places)}}}; return at; }}()"
        return f".concat(gather<{len(places)}>({run[1]}.data, {table}))"

    def read(statement: re.Match[str]) -> str:
        # Bits on the left are written.
        return (statement[1] or "") + _BITS.sub(call, statement[2])

    before = source.read_text(encoding="utf-8")
    text = _STATEMENT.sub(read, before)
    if text != before:
        source.write_text(text, encoding="utf-8")
        head = header.read_text(encoding="utf-8")
        header.write_text(head.replace(_NAMESPACE, _GATHER + _NAMESPACE, 1), encoding="utf-8")


def share_tables(source: Path) -> None:
    """Lets memories with equal contents, such as S-boxes, be filled from one table.  Each element costs the compiler a constructor."""
    text = source.read_text(encoding="utf-8")
    source.write_text(_RESET.sub(lambda function: _shared(function[0]), text), encoding="utf-8")


def _shared(function: str) -> str:
    first: dict[tuple[str, str, str], str] = {}
    names: dict[str, str] = {}

    def once(table: re.Match[str]) -> str:
        names[table[2]] = first.setdefault((table[1], table[3], table[4]), table[2])
        return table[0] if names[table[2]] == table[2] else ""

    return re.sub(r"\bmem_init_\d+\b", lambda name: names.get(name[0], name[0]), _TABLE.sub(once, function))


def split_eval(source: Path, header: Path, top: str, part_bytes: int) -> list[Path]:
    """Splits ``eval`` of module ``top``, and returns all source files to compile, including the rewritten ``source``.

    Parts have about ``part_bytes`` bytes of source text.  A function shorter than two parts is not changed.
    """
    text = source.read_text(encoding="utf-8")
    start = text.find(f"bool p_{_mangled(top)}::eval(performer *performer) {{\n")
    if start < 0 or len(text) - start < 2 * part_bytes:
        return [source]
    end = text.index("\n}\n", start)
    first, *body = text[start:end].split("\n")
    temporaries: list[tuple[str, str]] = []
    statements: list[str] = []
    opening: list[str] = []
    edges: list[str] = []
    for line in body:
        if _EDGE.match(line):
            edges.append(line)  # it has the name of the member function that it calls, so it stays a local of each part
            continue
        match = _TEMPORARY.match(line)
        if match and (match[3] is None or match[1] == "bool"):
            temporaries.append((match[1], match[2]))
            if match[3] is not None:
                opening.append(f"\t{match[2]} = {match[3]};")
        elif line != "\treturn converged;":
            statements.append(line)
    parts = _parts(statements, part_bytes)
    class_name = f"p_{_mangled(top)}"
    declarations = "".join(f"\tvoid eval_part_{i}(performer *performer);\n" for i in range(len(parts)))
    head = header.read_text(encoding="utf-8")
    # A module that is kept has a class of its own before this one.
    at = head.index("\tbool eval(performer *performer = nullptr) override;\n", head.index(f"struct {class_name} : public module"))
    header.write_text(head[:at] + declarations + head[at:], encoding="utf-8")
    shared = source.with_name("parts.h")
    names = "".join(f"extern {kind} {name};\n" for kind, name in temporaries)
    opening_lines = f'#include "{header.name}"\nusing namespace cxxrtl_yosys;\nnamespace cxxrtl_design {{\n'
    shared.write_text(f"{opening_lines}{names}}}\n", encoding="utf-8")
    files = [source]
    for i, part in enumerate(parts):
        path = source.with_name(f"part_{i}.cc")
        code = "\n".join([*edges, *part])
        path.write_text(
            f'#include "parts.h"\nnamespace cxxrtl_design {{\nvoid {class_name}::eval_part_{i}(performer *performer) {{\n{code}\n}}\n}}\n',
            encoding="utf-8",
        )
        files.append(path)
    calls = "\n".join(f"\teval_part_{i}(performer);" for i in range(len(parts)))
    whole = "\n".join([first, *opening, calls, "\treturn converged;"])
    definitions = "".join(f"{kind} {name};\n" for kind, name in temporaries)
    text = text[:start] + definitions + whole + text[end:]
    source.write_text(text.replace(f'#include "{header.name}"', '#include "parts.h"', 1), encoding="utf-8")
    return files


def _mangled(name: str) -> str:
    """The form of a public name in CXXRTL: underscores are doubled, and other special characters are hexadecimal."""
    return "".join("__" if c == "_" else c if c.isalnum() else f"_{ord(c):x}_" for c in name)


def _parts(statements: list[str], part_bytes: int) -> list[list[str]]:
    """The statements in parts.  A cut is always before a comment at the outermost level, where a new cell begins."""
    parts: list[list[str]] = [[]]
    size = depth = 0
    for line in statements:
        if depth == 0 and size > part_bytes and line.startswith("\t// ") and not (parts[-1] and parts[-1][-1].startswith("\t// ")):
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line)
        code = _STRING.sub("", line.split("//")[0])
        depth += code.count("{") - code.count("}")
    return parts
