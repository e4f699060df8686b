# SPDX-License-Identifier: Apache-2.0
"""Writes a circuit as Verilog-2005: ports, nets and statements, each in its section.

::

    module NAME (            one port a line
    // ---- title ----       nets of a section
    // ---- title ----       its memories, expressions, registers (one always block), instances

A register whose data is a tree of choices is written with ``if`` and ``else``.  Arms that keep the value of the register are left out.
``always @*`` is not used, because some simulators do not run it at time 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from modeloom_verilog.circuit import Circuit, Memory, Net, Read, Register, Write
from modeloom_verilog.expressions import Expr, const, part_of, unary
from modeloom_verilog.memories import attributes_of

__all__ = ["WIDTH", "Sections", "literal", "text_of", "verilog_of", "wrapped"]

# Expressions as Verilog, in lines that fit on a screen.

WIDTH = 120
"""Characters in a line."""

_WORD_BITS = 256
"""Largest number of bits of a constant that is written in one piece."""

_PRECEDENCE = {
    "*": 11, "+": 10, "-": 10, "<<": 9, ">>": 9, ">>>": 9, "<": 8, "<=": 8, ">": 8, ">=": 8, "==": 7, "!=": 7, "&": 6, "^": 5, "|": 4,
}  # fmt: skip
_CHOICE, _UNARY, _ATOM = 1, 12, 13


def literal(width: int, bits: str, digits: int = 1) -> str:
    """A constant in hexadecimal with at least ``digits`` digits, or in binary if it has unknown bits."""
    if not bits.strip("0"):
        return f"{width}'h{'0' * digits}"
    if len(bits) > _WORD_BITS:
        pieces = [bits[max(0, end - _WORD_BITS) : end] for end in range(len(bits), 0, -_WORD_BITS)]
        return "{ " + ", ".join(literal(len(piece), piece, digits and -(-len(piece) // 4)) for piece in reversed(pieces)) + " }"
    if bits.strip("01"):
        return f"{width}'b{bits}"
    return f"{width}'h{int(bits, 2):0{digits}x}"


def text_of(value: Expr, width_of: Callable[[str], int]) -> str:
    """An expression in one line.

    Parameters
    ----------
    value : Expr
    width_of : callable
        Bits of a net, by its name.
    """

    def bounded(one: Expr, least: int) -> str:
        text, bound = write(one)
        return text if bound >= least else f"({text})"

    def write(one: Expr) -> tuple[str, int]:
        op = one.op
        if op == "net":
            name = one.name.removeprefix("\\")
            whole = width_of(one.name)
            if not one.low and one.width == whole:
                return name, _ATOM
            high = one.low + one.width - 1
            return f"{name}[{high}:{one.low}]" if one.width > 1 else f"{name}[{high}]", _ATOM
        if op == "const":
            return literal(one.width, one.name), _ATOM
        if op == "concat":
            return "{ " + ", ".join(write(arg)[0] for arg in one.args) + " }", _ATOM
        if op == "repeat":
            return "{" + f"{one.width // one.args[0].width}{{{write(one.args[0])[0]}}}" + "}", _ATOM
        if op == "signed":
            return f"$signed({write(one.args[0])[0]})", _ATOM
        if op == "~" or op.startswith("r"):
            return f"{op.removeprefix('r')}{bounded(one.args[0], _ATOM)}", _UNARY
        if op == "choice":
            condition, yes, no = one.args
            return f"{bounded(condition, _CHOICE + 1)} ? {bounded(yes, _CHOICE + 1)} : {bounded(no, _CHOICE)}", _CHOICE
        place = _PRECEDENCE[op]
        # Operands of "&", "|" and "^" with the same operator need no brackets.  For other operators, only the left operand needs none.
        left = bounded(one.args[0], place if op in "&|^+*" else place + (op in ("<", "<=", ">", ">=", "==", "!=")))
        right = bounded(one.args[1], place if op in "&|^" and one.args[1].op == op else place + 1)
        return f"{_readable(left, one.args[0], op)} {op} {_readable(right, one.args[1], op)}", place

    def _readable(text: str, arg: Expr, op: str) -> str:
        """Adds brackets that Verilog does not need but a reader does, around bit operators within other bit operators."""
        if arg.op == op or arg.op not in _PRECEDENCE or text.startswith("(") and text.endswith(")") and _closed(text):
            return text
        return f"({text})" if op in "&|^" and arg.op in ("&", "|", "^") else text

    return write(value)[0]


def _closed(text: str) -> bool:
    """Whether the last bracket closes the first one."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return at == len(text) - 1
    return False


def wrapped(text: str, indent: int = 2, width: int = WIDTH) -> list[str]:
    """A statement in lines.  Lines break at spaces, before operators and after commas."""
    margin = " " * indent
    if indent + len(text) <= width:
        return [margin + text]
    lines, line = [], margin
    for word in _words(text):
        if len(line) + 1 + len(word) > width and line.strip():
            lines.append(line)
            line = margin + "    " + word
        else:
            line = f"{line} {word}" if line.strip() else line + word
    return [*lines, line]


_OPERATORS = {"?", ":", "*", "+", "-", "<<", ">>", ">>>", "<", ">", ">=", "==", "!=", "&", "^", "|"}


def _words(text: str) -> list[str]:
    """Words that may begin a line.  An operator belongs to the word after it."""
    words: list[str] = []
    for word in text.split(" "):
        if words and words[-1] in _OPERATORS:
            words[-1] += " " + word
        else:
            words.append(word)
    return words


# -- verilog -----------------------------------------------------------------------------------------------------------------------

def plain(name: str) -> str:
    """A name without the backslash of RTLIL."""
    return name.removeprefix("\\")


class _Writer:
    def __init__(self, circuit: Circuit, sections: Sections):
        self.circuit, self.sections = circuit, sections
        self.registered = {*circuit.registers, *(name for name, read in circuit.reads.items() if read.clock is not None)}

    def text(self, value: Expr) -> str:
        """An expression in one line."""
        return text_of(value, lambda name: self.circuit.nets[name].width)

    # -- declarations ----------------------------------------------------------------------------------------------------

    def module(self, title: Iterable[str]) -> str:
        circuit = self.circuit
        lines = [f"// {line}".rstrip() for line in title]
        ports = circuit.ports()
        if circuit.whole_module:
            lines.append('(* keep_hierarchy = "yes" *)')
        lines.append(f"module {plain(circuit.name)} (")
        lines += [f"  {self._port(name)}{',' if name != ports[-1] else ''}" for name in ports]
        lines.append(");")
        owned: dict[tuple[int, str], list[str]] = {}
        for name in (*circuit.memories, *(name for name, one in circuit.nets.items() if not one.port)):
            owned.setdefault(self.sections(plain(name)), []).append(name)
        for section in sorted(owned):
            lines += [""] if section[1] or section == min(owned) else []
            lines += [f"  // {section[1]}"] if section[1] else []
            for name in owned[section]:
                lines += self._declared(name)
        lines += self._initial()
        statements: dict[tuple[int, str], tuple[list[str], ...]] = {}
        for place, (name, text) in self._statements():
            statements.setdefault(self.sections(plain(name)), ([], [], [], []))[place].extend(text)
        for section in sorted(statements):
            assigns, clocked, writes, instances = statements[section]
            if section[1]:
                lines += ["", f"  // {'-' * (WIDTH - 5)}", f"  // {section[1]}"]
            lines += ["", *assigns] if assigns else []
            lines += self._always(clocked)
            lines += [line for text in (writes, instances) for line in text]
        lines += ["endmodule", ""]
        return "\n".join(lines)

    def _range(self, width: int) -> str:
        return f"[{width - 1}:0] " if width > 1 else ""

    def _port(self, name: str) -> str:
        one = self.circuit.nets[name]
        kind = "reg " if name in self.registered else "wire"
        return f"{attributes_of(one.attributes)}{one.port:<6} {kind} {self._range(one.width)}{plain(name)}{self._start(name, one)}"

    def _start(self, name: str, one: Net) -> str:
        if name not in self.circuit.registers or "init" not in one.attributes:
            return ""
        return f" = {literal(one.width, one.attributes['init'].partition(chr(39))[2])}"

    def _declared(self, name: str) -> list[str]:
        if name in self.circuit.memories:
            memory = self.circuit.memories[name]
            styles = attributes_of(memory.attributes)
            return [*([f"  {styles.strip()}"] if styles else []), f"  reg {self._range(memory.width)}{plain(name)} [{memory.depth - 1}:0];"]
        one = self.circuit.nets[name]
        kind = "reg" if name in self.registered else "wire"
        return [f"  {attributes_of(one.attributes)}{kind} {self._range(one.width)}{plain(name)}{self._start(name, one)};"]

    def _initial(self) -> list[str]:
        """The initial contents of memories."""
        lines: list[str] = []
        for name, memory in self.circuit.memories.items():
            lines += ["", "  initial begin"]
            if not any(memory.words):
                words = [literal(memory.width, "0")] * memory.depth
            else:
                digits = -(-memory.width // 4)
                words = [literal(memory.width, format(word, f"0{memory.width}b"), digits) for word in memory.words]
                words += [literal(memory.width, "0", digits)] * (memory.depth - len(words))
            line = "   "
            for at, word in enumerate(words):
                text = f" {plain(name)}[{at}] = {word};"
                if len(line) + len(text) > WIDTH and line.strip():
                    lines.append(line)
                    line = "   "
                line += text
            lines += [line, "  end"]
        return lines

    # -- statements ------------------------------------------------------------------------------------------------------

    def _statements(self) -> Iterator[tuple[int, tuple[str, list[str]]]]:
        """All statements.  Each has its place in its section (0: assignments, 1: in the always block of a clock, 2: other blocks,
        3: instances), its name and its lines.
        """
        circuit = self.circuit
        for name in circuit.nets:
            if name in circuit.assigned:
                yield 0, (name, self._assign(name))
            elif name in circuit.registers:
                register = circuit.registers[name]
                lines = self._register(name, register)
                if register.reset is None and register.rising:
                    clock = self.text(register.clock)
                    value = register.data
                    if value.op == "choice" and value.args[0].op == "net" and value.args[1].constant:
                        # Registers with the same reset share an ``if``.
                        reset = self.text(value.args[0])
                        first = f"{plain(name)} <= {self.text(value.args[1])};"
                        rest = self._tree(plain(name), self.circuit.whole(name), value.args[2], 6)
                        yield 1, (name, ["\n".join([clock, reset, "\n".join(wrapped(first, 6)), *rest])])
                    else:
                        yield 1, (name, ["\n".join([clock, "", *lines])])
                else:
                    yield 2, (name, self._own_block(register, lines, name))
            elif name in circuit.reads:
                read = circuit.reads[name]
                if read.clock is None:
                    yield 0, (name, wrapped(f"assign {plain(name)} = {plain(read.memory)}[{self.text(read.address)}];"))
                else:
                    yield 2, (name, self._block(read.clock, read.rising, self._read(name, read)))
        for name, memory in circuit.memories.items():
            for write in memory.writes:
                yield 2, (name, self._block(write.clock, write.rising, self._write(name, memory, write)))
        for name in circuit.instances:
            yield 3, (name, self._instance(name))

    def _assign(self, name: str) -> list[str]:
        value = self.circuit.assigned[name]
        flat = f"assign {plain(name)} = {self.text(value)};"
        if len(flat) + 2 <= WIDTH or value.op not in ("choice", "^", "|", "&", "concat"):
            return wrapped(flat)
        if value.op == "concat":
            texts = [self.text(arg) for arg in value.args]
            parts = [line for i, text in enumerate(texts) for line in wrapped(text + ("," if i < len(texts) - 1 else ""), 6)]
            return [f"  assign {plain(name)} = {{", *parts, "  };"]
        if value.op != "choice":
            # A line for each term.
            terms = [f"{' ' if i else ''}{self._term(term, value.op)}" for i, term in enumerate(_terms(value))]
            lines = [f"  assign {plain(name)} =", *wrapped(terms[0].strip(), 6)]
            for term in terms[1:]:
                lines += wrapped(f"{value.op} {term.strip()}", 6)
            lines[-1] += ";"
            return lines
        # A line for each arm.
        lines = [f"  assign {plain(name)} ="]
        while value.op == "choice":
            condition, one, value = value.args
            shown = Expr("choice", one.width, (condition, one, const(one.width)))
            arm = self.text(shown).rpartition(" : ")[0] + " :"
            lines += wrapped(arm, 6)
        return [*lines, *wrapped(f"{self.text(value)};", 6)]

    def _term(self, term: Expr, op: str) -> str:
        text = self.text(term)
        return text if term.op in ("net", "const", "concat", "repeat", "~") or term.op.startswith("r") else f"({text})"

    def _always(self, clocked: list[str]) -> list[str]:
        """One block for each clock, with the registers of each reset and the registers without a reset."""
        by_clock: dict[str, dict[str, list[tuple[str, list[str]]]]] = {}
        for entry in clocked:
            clock, reset, *texts = entry.split("\n")
            by_clock.setdefault(clock, {}).setdefault(reset, []).append((texts[0] if reset else "", texts[bool(reset) :]))
        lines: list[str] = []
        for clock, by_reset in by_clock.items():
            lines += ["", f"  always @(posedge {clock}) begin"]
            for reset in sorted(by_reset):
                found = by_reset[reset]
                if not reset:
                    lines += [line for _, texts in found for line in texts]
                    continue
                lines += [f"    if ({reset}) begin", *(first for first, _ in found)]
                rest = [line for _, texts in found for line in texts]
                lines += ["    end", "    else begin", *rest, "    end"] if rest else ["    end"]
            lines.append("  end")
        return lines

    def _block(self, clock: Expr, rising: bool, lines: list[str]) -> list[str]:
        return ["", f"  always @({'posedge' if rising else 'negedge'} {self.text(clock)}) begin", *lines, "  end"]

    def _own_block(self, register: Register, lines: list[str], name: str) -> list[str]:
        if register.reset is None:
            return self._block(register.clock, register.rising, lines)
        assert register.value is not None
        edges = f"{'posedge' if register.rising else 'negedge'} {self.text(register.clock)} or posedge {self.text(register.reset)}"
        reset = f"    if ({self.text(register.reset)}) {plain(name)} <= {self.text(register.value)};"
        return ["", f"  always @({edges}) begin", reset, "    else begin", *("  " + line for line in lines), "    end", "  end"]

    def _register(self, name: str, register: Register) -> list[str]:
        """The assignments of a register.  Parts of it that have separate choices are assigned separately."""
        value = register.data
        width = self.circuit.nets[name].width
        held = self.circuit.whole(name)
        if value.op == "concat" and any(one.op == "choice" for one in value.args):
            lines: list[str] = []
            low = width
            for one in value.args:
                low -= one.width
                own = part_of(held, low, one.width)
                assert own is not None
                lines += self._tree(self.text(own), own, one, 4)
            return lines
        return self._tree(plain(name), held, value, 4) or [f"    {plain(name)} <= {plain(name)};"]

    def _tree(self, target: str, held: Expr, value: Expr, indent: int) -> list[str]:
        """A tree of choices as ``if`` and ``else``.  Nothing is written where the register keeps its value."""
        if _same(value, held):
            return []
        if value.op != "choice":
            return wrapped(f"{target} <= {self.text(value)};", indent)
        if cases := _cases(value):
            return self._case(target, held, cases, indent)
        condition, one, other = value.args
        if _same(one, held):
            condition, one, other = unary("~", condition), other, one
        head = f"if ({self.text(condition)})"
        lines = self._branch(head, target, held, one, indent)
        while other.op == "choice" and not _cases(other) and not _same(other.args[1], held) and not _same(other, held):
            condition, one, rest = other.args
            lines += self._branch(f"else if ({self.text(condition)})", target, held, one, indent)
            other = rest
        if not _same(other, held):
            lines += self._branch("else", target, held, other, indent)
        return lines

    def _case(self, target: str, held: Expr, cases: tuple[Expr, list[tuple[Expr, Expr]], Expr], indent: int) -> list[str]:
        """A tree that compares one value with many constants, as ``case``."""
        tested, arms, other = cases
        lines = wrapped(f"case ({self.text(tested)})", indent)
        if _same(other, held):
            arms = [(number, value) for number, value in arms if not _same(value, held)]
        for number, value in arms:
            lines += self._arm(self.text(number), target, held, value, indent + 2)
        lines += self._arm("default", target, held, other, indent + 2)
        return [*lines, " " * indent + "endcase"]

    def _arm(self, head: str, target: str, held: Expr, value: Expr, indent: int) -> list[str]:
        body = self._tree(target, held, value, indent + 2)
        margin = " " * indent
        if len(body) == 1:
            return wrapped(f"{head}: {body[0].strip()}", indent)
        return [f"{margin}{head}: begin", *body, f"{margin}end"] if body else [f"{margin}{head}: ;"]

    def _branch(self, head: str, target: str, held: Expr, value: Expr, indent: int) -> list[str]:
        body = self._tree(target, held, value, indent + 2)
        margin = " " * indent
        if len(body) == 1 and len(head) + len(body[0].strip()) + indent + 1 <= WIDTH and value.op != "choice":
            return [f"{margin}{head} {body[0].strip()}"]
        return [*wrapped(f"{head} begin", indent), *body, f"{margin}end"]

    def _read(self, name: str, read: Read) -> list[str]:
        """A read port with a register.  Memories have the forms of templates (``memories``), so that tools infer them."""
        text = f"{plain(name)} <= {plain(read.memory)}[{self.text(read.address)}];"
        always = read.enable.constant and "0" not in read.enable.name
        return wrapped(text if always else f"if ({self.text(read.enable)}) {text}", 4)

    def _write(self, name: str, memory: Memory, write: Write) -> list[str]:
        """One line for each run of bits that has its own enable."""
        lines: list[str] = []
        runs: list[tuple[Expr, int, int]] = []
        for bit in range(memory.width):
            enable = part_of(write.enable, bit, 1)
            assert enable is not None
            if runs and runs[-1][0] == enable:
                runs[-1] = (enable, runs[-1][1], bit + 1)
            else:
                runs.append((enable, bit, bit + 1))
        for enable, low, high in runs:
            data = part_of(write.data, low, high - low)
            assert data is not None
            bits = "" if high - low == memory.width else f"[{high - 1}:{low}]"
            text = f"{plain(name)}[{self.text(write.address)}]{bits} <= {self.text(data)};"
            if enable.constant:
                lines += wrapped(text, 4) if enable.name == "1" else []
            else:
                lines += [*wrapped(f"if ({self.text(enable)})", 4), *wrapped(text, 6)]
        return lines

    def _instance(self, name: str) -> list[str]:
        instance = self.circuit.instances[name]
        ports = [(plain(port), self.text(value)) for port, value in (*instance.inputs.items(), *instance.outputs.items())]
        lines = ["", f"  {plain(instance.module)} {plain(name)} ("]
        for i, (port, text) in enumerate(ports):
            lines += wrapped(f".{port}({text}){',' if i < len(ports) - 1 else ''}", 4)
        return [*lines, "  );"]


_FEW = 3
"""Comparisons of one value that are written as ``if``; more of them are a ``case``."""


def _cases(value: Expr) -> tuple[Expr, list[tuple[Expr, Expr]], Expr] | None:
    """For a tree that compares one value with many different constants: the value, each constant with what is chosen, and the rest."""
    arms: list[tuple[Expr, Expr]] = []
    tested: Expr | None = None
    while value.op == "choice" and value.args[0].op == "==" and value.args[0].args[1].constant:
        left, number = value.args[0].args
        if tested is not None and left != tested or any(number == other for other, _ in arms):
            break
        tested = left
        arms.append((number, value.args[1]))
        value = value.args[2]
    return (tested, arms, value) if tested is not None and len(arms) > _FEW else None


def _terms(value: Expr) -> list[Expr]:
    """The operands of one operator, in order."""
    terms: list[Expr] = []
    stack = [value]
    while stack:
        one = stack.pop()
        if one.op == value.op:
            stack += reversed(one.args)
        else:
            terms.append(one)
    return terms


def _same(value: Expr, held: Expr) -> bool:
    """Whether a value is what the register holds."""
    return value.op == held.op == "net" and (value.name, value.low, value.width) == (held.name, held.low, held.width)


Sections = Callable[[str], tuple[int, str]]
"""Maps the name of a net, memory or instance of a module to its section: a number for the order, and a title ("" for none)."""


def verilog_of(circuit: Circuit, sections: Sections = lambda name: (0, ""), title: Iterable[str] = ()) -> str:
    """The text of a module.

    Parameters
    ----------
    circuit : Circuit
        With names for all nets.
    sections : callable
    title : iterable of str
        Lines of the comment before it.
    """
    return _Writer(circuit, sections).module(title)
