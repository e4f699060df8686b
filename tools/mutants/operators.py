# SPDX-License-Identifier: Apache-2.0
"""All single mutations of a source file, as edits of its text.

::

    a < b       a <= b, a >= b         f(a, b)           f(b, a)
    a and b     a or b, a, b           min(a, b)         max(a, b); any, all likewise
    not a       a                      x[a:b]            x[a:], x[:b]
    if a:       if not a:              self.check(a)     pass
    a + 3       a - 3, a + 4, a + 2    m.If(a)           m.If(a == 0)

Docstrings, annotations, decorators, strings and the arguments of messages (``raise``, ``fail``) are left alone: no promise hangs on
their text.  Long tables of numbers are left alone, too; published vectors look at them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

__all__ = ["Mutation", "Statement", "changes", "mutations", "statements"]

_COMPARE: dict[type, tuple[str, ...]] = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"), ast.Eq: ("!=",), ast.NotEq: ("==",),
    ast.In: ("not in",), ast.NotIn: ("in",), ast.Is: ("is not",), ast.IsNot: ("is",),
}  # fmt: skip

_ARITHMETIC: dict[type, str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "//", ast.Pow: "*", ast.LShift: ">>",
    ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|",
}  # fmt: skip

_TWINS = {"min": "max", "max": "min", "any": "all", "all": "any"}

_MESSAGES = ("fail", "_fail", "print", "echo", "warn")

_FIXED_ORDER = ("min", "max", "gcd", "isinstance", "issubclass", "getattr", "setattr", "hasattr", "cast")

_TABLE = 16
"""A list or tuple of more constants than this is a table."""


@dataclass(frozen=True)
class Mutation:
    """An edit of a source file.

    Attributes
    ----------
    start, end : int
        Bytes of the source that are replaced.
    text : str
        What replaces them.
    line : int
    scope : str
        Names of the classes and functions around it, with dots.
    before : str
        What stood there, on one line.
    number : int
        Which of the places in its scope that read the same.
    statement : tuple of int
        Line and column of the statement around it; (0, 0) for what runs at import.
    """

    start: int
    end: int
    text: str
    line: int
    scope: str
    before: str
    number: int
    statement: tuple[int, int]

    @property
    def what(self) -> str:
        """The mutation without its place, the same when lines move."""
        return f"{self.scope}: {self.before} -> {self.text.strip() or 'nothing'}" + (f" #{self.number}" if self.number else "")

    def apply(self, source: str) -> str:
        """The mutated source."""
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()


@dataclass(frozen=True)
class Statement:
    """A statement of a function: where it begins, and the expression at its head if it is a compound one."""

    position: tuple[int, int]
    scope: str
    text: str
    head: ast.expr | None


def mutations(source: str) -> list[Mutation]:
    """All mutations of a source, in the order of its text.  A few do not compile or change nothing: ask ``changes``."""
    seen: Counter[tuple[str, str, str]] = Counter()
    result = []
    for mutation in sorted(_Finder(source).module(), key=lambda m: (m.start, m.end, m.text)):
        place = (mutation.scope, mutation.before, mutation.text)
        result.append(replace(mutation, number=seen[place]))
        seen[place] += 1
    return result


def changes(mutation: Mutation, source: str) -> bool:
    """Whether a mutated source compiles and reads as another program."""
    try:
        return ast.dump(ast.parse(mutation.apply(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def statements(source: str) -> list[Statement]:
    """All statements inside of functions; docstrings are none."""
    return list(_statements(ast.parse(source).body, "", False))


def _statements(body: list[ast.stmt], scope: str, inside: bool) -> Iterator[Statement]:
    for node in body:
        head: ast.expr | None = None
        if isinstance(node, ast.If | ast.While):
            head = node.test
        elif isinstance(node, ast.For):
            head = node.iter
        elif isinstance(node, ast.With):
            head = node.items[0].context_expr
        elif isinstance(node, ast.Match):
            head = node.subject
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        compound = named or isinstance(node, ast.Try)
        if inside and not compound and not _is_text(node):
            text = ast.unparse(node if head is None else head)
            yield Statement((node.lineno, node.col_offset), scope, text, head)
        below = f"{scope}.{node.name}".lstrip(".") if named else scope  # type: ignore[attr-defined]
        within = (inside or isinstance(node, ast.FunctionDef)) and not isinstance(node, ast.ClassDef)
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, name, []), below, within)
        for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            yield from _statements(part.body, below, within)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _name(node: ast.expr) -> str:
    """Last name of a function that is called."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


class _Finder:
    def __init__(self, source: str):
        self.tree = ast.parse(source)
        self.data = source.encode()
        self.lines = [0]
        for line in self.data.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.scope: list[str] = []
        self.statement = (0, 0)
        self.inside = False

    def module(self) -> Iterator[Mutation]:
        yield from self.body(self.tree.body)

    # -- edits ----------------------------------------------------------------------------------------------------------

    def at(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or 0, node.end_col_offset or 0)

    def source(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    def edit(self, node: ast.expr | ast.stmt, text: str, before: str | None = None) -> Mutation:
        start, end = self.span(node)
        short = " ".join((before or self.source(node)).split())
        return Mutation(start, end, text, node.lineno, ".".join(self.scope), short, 0, self.statement)

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str, whole: ast.expr) -> Iterator[Mutation]:
        """The operator between two operands replaced."""
        start, end = self.span(left)[1], self.span(right)[0]
        at = self.data[start:end].find(old.encode())
        if at >= 0:
            where = start + at
            short = " ".join(self.source(whole).split())
            yield Mutation(
                where, where + len(old), new, left.end_lineno or 0, ".".join(self.scope), f"{old} in {short}", 0, self.statement
            )

    # -- statements -----------------------------------------------------------------------------------------------------

    def body(self, body: list[ast.stmt]) -> Iterator[Mutation]:
        for node in body:
            if _is_text(node):
                continue
            outer = self.statement
            if self.inside:
                self.statement = (node.lineno, node.col_offset)
            yield from self.one(node)
            self.statement = outer

    def one(self, node: ast.stmt) -> Iterator[Mutation]:
        if isinstance(node, ast.FunctionDef):
            yield from self.function(node)
        elif isinstance(node, ast.ClassDef):
            self.scope.append(node.name)
            inside, self.inside = self.inside, False
            yield from self.body(node.body)
            self.inside = inside
            self.scope.pop()
        elif isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                yield from self.condition(node.test)
                yield from self.body(node.body)
                yield from self.body(node.orelse)
        elif isinstance(node, ast.While):
            yield from self.condition(node.test)
            yield from self.body(node.body)
        elif isinstance(node, ast.For):
            yield from self.expression(node.iter)
            yield from self.body(node.body)
            yield from self.body(node.orelse)
        elif isinstance(node, ast.With):
            for item in node.items:
                yield from self.expression(item.context_expr)
            yield from self.body(node.body)
        elif isinstance(node, ast.Try):
            yield from self.body(node.body)
            for handler in node.handlers:
                yield from self.body(handler.body)
            yield from self.body(node.orelse)
            yield from self.body(node.finalbody)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from self.body(case.body)
        else:
            yield from self.simple(node)

    def function(self, node: ast.FunctionDef) -> Iterator[Mutation]:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                yield from self.expression(default)
        self.scope.append(node.name)
        inside, self.inside = self.inside, True
        body = [child for child in node.body if not _is_text(child)]
        values = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node))
        if len(body) > 1 and not values:
            first = body[0]
            self.statement = (first.lineno, first.col_offset)
            start = self.span(first)[0]
            text = "return\n" + " " * first.col_offset
            yield Mutation(start, start, text, first.lineno, ".".join(self.scope), "at the start", 0, self.statement)
        yield from self.body(body)
        self.inside = inside
        self.scope.pop()

    def simple(self, node: ast.stmt) -> Iterator[Mutation]:
        if isinstance(node, ast.Raise):
            yield self.edit(node, "pass")
        elif isinstance(node, ast.Expr):
            yield self.edit(node, "pass")
            yield from self.expression(node.value)
        elif isinstance(node, ast.Break | ast.Continue):
            yield self.edit(node, "continue" if isinstance(node, ast.Break) else "break")
        elif isinstance(node, ast.Return):
            if node.value is not None:
                yield from self.expression(node.value)
            else:
                yield self.edit(node, "pass")
        elif isinstance(node, ast.AugAssign):
            yield self.edit(node, "pass")
            hardware = self.source(node.target).startswith("m.d")
            new = _ARITHMETIC.get(type(node.op))
            if new and not hardware and not _is_string(node.value):
                old = next(text for kind, text in _SIGNS.items() if isinstance(node.op, kind))
                yield from self.between(node.target, node.value, f"{old}=", f"{new}=", node.value)
            yield from self.expression(node.value)
        elif isinstance(node, ast.Assign):
            if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
                return
            if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
                yield self.edit(node, "pass")
            yield from self.expression(node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from self.expression(node.value)
        elif isinstance(node, ast.Delete):
            yield self.edit(node, "pass")

    # -- expressions ----------------------------------------------------------------------------------------------------

    def condition(self, node: ast.expr) -> Iterator[Mutation]:
        single = isinstance(node, ast.Compare) and len(node.ops) == 1
        if not single and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            yield self.edit(node, f"not ({self.source(node)})")
        yield from self.expression(node)

    def expression(self, node: ast.AST) -> Iterator[Mutation]:
        if isinstance(node, ast.JoinedStr):
            return
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            yield from method(node)
        if isinstance(node, ast.Call):
            if _name(node.func) in _MESSAGES or _name(node.func).endswith("Error"):
                return
            yield from self.expression(node.func)
            for argument in [*node.args, *(k.value for k in node.keywords)]:
                yield from self.expression(argument)
            return
        if isinstance(node, ast.Lambda):
            yield from self.expression(node.body)
            return
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            values = node.values if isinstance(node, ast.Dict) else node.elts
            if len(values) > _TABLE and sum(isinstance(v, ast.Constant) for v in values) > _TABLE:
                return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr | ast.comprehension):
                yield from self.expression(child)

    def _constant(self, node: ast.Constant) -> Iterator[Mutation]:
        if isinstance(node.value, bool):
            yield self.edit(node, str(not node.value))
        elif isinstance(node.value, int | float):
            yield self.edit(node, repr(node.value + 1))
            if node.value > 0:
                yield self.edit(node, repr(node.value - 1))

    def _compare(self, node: ast.Compare) -> Iterator[Mutation]:
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:]):
            for new in _COMPARE[type(operator)]:
                yield from self.between(left, right, _SIGNS[type(operator)], new, node)

    def _boolop(self, node: ast.BoolOp) -> Iterator[Mutation]:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:]):
            yield from self.between(left, right, old, new, node)
        for i in range(len(node.values)):
            rest = f" {old} ".join(f"({self.source(v)})" for n, v in enumerate(node.values) if n != i)
            yield self.edit(node, f"({rest})")

    def _binop(self, node: ast.BinOp) -> Iterator[Mutation]:
        new = _ARITHMETIC.get(type(node.op))
        if new and not _is_string(node.left) and not _is_string(node.right):
            yield from self.between(node.left, node.right, _SIGNS[type(node.op)], new, node)

    def _unaryop(self, node: ast.UnaryOp) -> Iterator[Mutation]:
        if not isinstance(node.op, ast.UAdd):
            yield self.edit(node, f"({self.source(node.operand)})")

    def _ifexp(self, node: ast.IfExp) -> Iterator[Mutation]:
        yield self.edit(node.test, f"(not ({self.source(node.test)}))")

    def _comprehension(self, node: ast.comprehension) -> Iterator[Mutation]:
        for test in node.ifs:
            yield self.edit(test, f"(not ({self.source(test)}))")
            yield self.edit(test, "True")

    def _call(self, node: ast.Call) -> Iterator[Mutation]:
        name = _name(node.func)
        if isinstance(node.func, ast.Name) and name in _TWINS:
            yield self.edit(node.func, _TWINS[name])
        if name in ("If", "Elif") and len(node.args) == 1:
            yield self.edit(node.args[0], f"({self.source(node.args[0])}) == 0")
        plain = len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args[:2])
        if plain and name not in _FIXED_ORDER and name not in _MESSAGES and not _is_string(node.args[0]):
            first, second = (self.source(a) for a in node.args[:2])
            start, end = self.span(node.args[0])[0], self.span(node.args[1])[1]
            yield Mutation(
                start, end, f"{second}, {first}", node.lineno, ".".join(self.scope),
                " ".join(f"arguments of {self.source(node)}".split()), 0, self.statement,
            )  # fmt: skip

    def _slice(self, node: ast.Slice) -> Iterator[Mutation]:
        for bound in (node.lower, node.upper):
            if bound is not None:
                yield self.edit(bound, "", f"bound {self.source(bound)} of {self.source(node)}")


_SIGNS: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in",
    ast.Is: "is", ast.IsNot: "is not", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Div: "/", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
