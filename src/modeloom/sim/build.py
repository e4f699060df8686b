# SPDX-License-Identifier: Apache-2.0
"""Builds a shared library that simulates RTLIL: Yosys writes CXXRTL, a C++ compiler builds it, and a cache stores the library."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import metadata, resources, util
from pathlib import Path

from modeloom.spec.errors import MissingTool

__all__ = ["BuildError", "build", "cache_directory", "compiler", "gather_bits", "share_tables", "split_eval", "verilog_to_rtlil"]


# -- split -----------------------------------------------------------------------------------------------------------------------------

# Makes the source that CXXRTL writes for a design shorter, and splits its large function into parts that compile in parallel.
#
# The time of a compiler grows faster than the length of a function.  A whole core takes minutes in one piece, and seconds in parts.  The
# temporaries of the function become globals of the library that the parts share.  A simulation therefore runs in one thread at a time::
#
#     bool p_TOP::eval(...) { temporaries; groups of statements }   ──▶   parts.h, part_0.cc, part_1.cc, ..., design.cc calls them

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


# -- build -----------------------------------------------------------------------------------------------------------------------------

_TIMEOUT = 1800  # seconds for one tool; this catches a hung compiler and should never be reached otherwise
_HERE = Path(__file__).resolve().parent
_UNOPTIMIZED = ["-Dalways_inline=not_without_optimisation", "-fno-exceptions", "-fno-asynchronous-unwind-tables"]
"""Code that is not optimised is compiled in half the time, and runs no slower, if CXXRTL's headers do not force every function to be
inlined: they ask whether the compiler knows ``always_inline``, and it does not know this name.  Tables for exceptions, which no design
throws, would take another sixth of the time.
"""
_GCC_HEAP = ["--param", "ggc-min-heapsize=400000"]
"""GCC collects garbage only above so many kilobytes.  Code that is not optimised hardly gets there, and a tenth of the time is saved."""
_SOURCE_ATTRIBUTE = re.compile(r"^[ \t]*attribute \\src \"[^\n]*\"\n", re.MULTILINE)


class BuildError(MissingTool, RuntimeError):
    """A simulation could not be built.  The message is one line and says what to do."""


def cache_directory() -> Path:
    """Directory of the user for built simulations: ``$MODELOOM_CACHE``, or else ``$XDG_CACHE_HOME/modeloom``, or else
    ``~/.cache/modeloom``. It may be removed at any time.
    """
    if explicit := os.environ.get("MODELOOM_CACHE"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "modeloom"


def compiler() -> list[str]:
    """Command of the C++17 compiler: ``$CXX``, else the first of ``c++``, ``g++``, ``clang++`` on the path, else
    ``ziglang``.

    Raises
    ------
    BuildError
        If there is none.  The message has the install command.
    """
    if named := os.environ.get("CXX"):
        command = shlex.split(named)
        if command and shutil.which(command[0]):
            return command
        raise BuildError(f"$CXX names {named!r}, which is not on the path: correct it or unset it")
    for name in ("c++", "g++", "clang++"):
        if found := shutil.which(name):
            return [found]
    if util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "c++"]
    raise BuildError("no C++ compiler found: apt-get install g++ (or pip install ziglang), or set $CXX")


@lru_cache(maxsize=8)
def _compiler_version(command: tuple[str, ...]) -> str:
    return _run([*command, "--version"], "the C++ compiler").splitlines()[0]


@lru_cache(maxsize=8)
def _is_gcc(command: tuple[str, ...]) -> bool:
    """Whether the compiler is GCC, whatever it is called."""
    macros = _run([*command, "-E", "-dM", "-x", "c++", os.devnull], "the C++ compiler")
    return "__GNUC__" in macros and "__clang__" not in macros


def _runtime() -> Path:
    found = util.find_spec("pyosys")
    if found is None or not found.submodule_search_locations:
        raise BuildError("Yosys is missing: pip install 'pyosys>=0.70'")
    return Path(found.submodule_search_locations[0]) / "share/include/backends/cxxrtl/runtime"


def _run(command: Sequence[str], what: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise BuildError(f"{what} did not finish in {_TIMEOUT} s") from None
    except OSError as error:
        raise BuildError(f"{what} could not be started: {error}") from None
    if done.returncode:
        lines = [line for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
        telling = [line for line in lines if re.search(r"error", line, re.IGNORECASE)] or lines[-1:]
        reason = telling[0].strip() if telling else "no output"
        raise BuildError(f"{what} failed (exit status {done.returncode}): {reason}")
    return done.stdout


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Prevents two processes from compiling the same design.  Without ``fcntl``, both compile it and the last rename wins."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _digest(*parts: str) -> str:
    state = hashlib.sha256()
    for part in parts:
        data = part.encode()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()[:40]


def _driver_object(cache: Path, command: list[str], flags: list[str], key: str) -> Path:
    """The driver.  It does not depend on the design, so it is compiled once for each compiler and stored beside the libraries."""
    result = cache / f"driver-{key}.o"
    with _locked(cache / f"driver-{key}.lock"):
        if not result.exists():
            with tempfile.TemporaryDirectory(dir=cache, prefix="tmp-") as work:
                partial = Path(work) / "driver.o"
                _run([*command, *flags, "-c", str(_HERE / "driver.cc"), "-o", str(partial)], "the C++ compiler")
                os.replace(partial, result)
    return result


def _precompiled(cache: Path, command: list[str], flags: list[str], key: str) -> list[str]:
    """Flags that include CXXRTL's header, precompiled once for the flags of a simulation and stored beside the libraries.  GCC reads it in
    a fifth of the time that the text takes; it takes the text if the stored header does not fit.
    """
    header = cache / f"header-{key}.h"
    stored = header.with_name(f"{header.name}.gch")
    with _locked(cache / f"header-{key}.lock"):
        if not (header.exists() and stored.exists()):
            with tempfile.TemporaryDirectory(dir=cache, prefix="tmp-") as work:
                text, partial = Path(work) / header.name, Path(work) / stored.name
                text.write_text("#include <cxxrtl/cxxrtl.h>\n", encoding="utf-8")
                _run([*command, *flags, "-x", "c++-header", str(text), "-o", str(partial)], "the C++ compiler")
                os.replace(text, header)
                os.replace(partial, stored)
    return ["-include", str(header)]


def _part_bytes(optimize: int) -> int:
    """Size of the source text that is compiled in one piece, in bytes.  Each piece costs a second for the headers of CXXRTL if they are not
    precompiled, and the time of an optimising compiler grows faster than the piece."""
    return 100_000 if optimize else 1_500_000


def _compile(command: list[str], sources: list[Path]) -> list[Path]:
    """Compiles source files in parallel."""
    objects = [source.with_suffix(".o") for source in sources]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda pair: _run([*command, "-c", str(pair[0]), "-o", str(pair[1])], "the C++ compiler"),
                      zip(sources, objects, strict=True)))
    return objects


def build(rtlil: str, top: str, *, optimize: int = 2, cache: bool = True) -> Path:
    """Builds the simulation of a design, or finds it in the cache.

    The library needs no description of the ports, because they are read from the design when it is loaded. One library therefore serves
    the plain :class:`~modeloom.sim.Simulation` and any choice of streams.

    Parameters
    ----------
    rtlil : str
        The design as RTLIL text, for instance from ``amaranth.back.rtlil.convert``. Source locations in it are ignored.
    top : str
        Name of the top module, without backslash.
    optimize : int
        Optimisation level of the C++ compiler, 0 to 3.
    cache : bool
        ``False`` builds the library again and replaces the one in the cache.

    Returns
    -------
    pathlib.Path
        The shared library. Its name is the hash of the design, the driver, the flags and the versions of the tools.

    Raises
    ------
    BuildError
        If a tool is missing or fails.
    """
    if not isinstance(rtlil, str) or not isinstance(top, str):
        raise TypeError("rtlil and top must be strings")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.$]*", top):
        raise ValueError(f"top must be a plain module name, not {top!r}")
    if optimize not in (0, 1, 2, 3):
        raise ValueError(f"optimize must be 0, 1, 2 or 3, not {optimize!r}")
    rtlil = _SOURCE_ATTRIBUTE.sub("", rtlil)
    if f"module \\{top}\n" not in rtlil:
        raise ValueError(f"the design has no module named {top!r}")

    command = compiler()
    runtime = _runtime()
    # A read outside a memory gives zero.  Without this word it would end the process: a core may look up what it does not use, such as
    # key words of a slot that a refused command names.
    common = ["-std=c++17", "-fPIC", "-fvisibility=hidden", "-w", "-DCXXRTL_NDEBUG"]
    tools = _compiler_version(tuple(command)) + " / pyosys " + metadata.version("pyosys")
    driver = resources.files(__package__).joinpath("driver.cc").read_text(encoding="utf-8")
    translator = (_HERE / "_yosys.py").read_text(encoding="utf-8")
    driver_flags = [*common, "-O2"]
    driver_key = _digest(driver, tools, " ".join(driver_flags))
    gcc = _is_gcc(tuple(command))
    flags = [*common, f"-O{optimize}", *([] if optimize else _UNOPTIMIZED), *(_GCC_HEAP if gcc else [])]
    key = _digest(rtlil, top, driver_key, translator, Path(__file__).read_text(encoding="utf-8"), " ".join(flags))

    directory = cache_directory()
    directory.mkdir(parents=True, exist_ok=True)
    library = directory / f"{key}.so"
    if cache and library.exists():
        return library
    include = [f"-I{runtime}"]
    with _locked(directory / f"{key}.lock"):
        if cache and library.exists():
            return library
        driver_object = _driver_object(directory, command, driver_flags + include, driver_key)
        with tempfile.TemporaryDirectory(dir=directory, prefix="tmp-") as work:
            design, source, partial = Path(work) / "design.il", Path(work) / "design.cc", Path(work) / "design.so"
            design.write_text(rtlil, encoding="utf-8")
            # -P removes this directory from the module path.  The child needs only pyosys.
            _run([sys.executable, "-P", str(_HERE / "_yosys.py"), str(design), top, str(source)], "Yosys")
            gather_bits(source, source.with_suffix(".h"))
            share_tables(source)
            parts = split_eval(source, source.with_suffix(".h"), top, _part_bytes(optimize))
            header = _precompiled(directory, command, flags + include, _digest(tools, " ".join(flags))) if gcc else []
            objects = _compile([*command, *flags, *include, *header, f"-I{work}"], parts)
            _run([*command, "-shared", *map(str, objects), str(driver_object), "-o", str(partial)], "the C++ compiler")
            os.replace(partial, library)
    return library


# -- verilog ---------------------------------------------------------------------------------------------------------------------------

# Reads emitted Verilog back into RTLIL.  Simulations and measurements therefore use the emitted files.

_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
ys.run_pass("read_verilog -sv " + sys.argv[1], design)  # "tee -q" would keep its errors to itself
ys.run_pass("hierarchy -check -top " + sys.argv[2], design)
ys.run_pass("tee -q proc -noopt", design)
ys.run_pass("tee -q opt_clean", design)
ys.run_pass("tee -q write_rtlil " + sys.argv[3], design)
"""


_HEAD = re.compile(rb"\A(?:[ \t]*//[^\n]*\n|[ \t]*\n)+")
"""The comment at the head of a file."""


def verilog_to_rtlil(path: Path, top: str, *others: Path) -> str:
    """RTLIL text of a Verilog file, and of others behind it, cached by their contents.  Raises ``BuildError`` if Yosys refuses it.

    Two files that differ only in the comment at their head give the same text, because this comment has the command line.
    """
    text = _HEAD.sub(lambda head: b"\n" * head[0].count(b"\n"), path.read_bytes())
    text = b"\n".join([text, *(other.read_bytes() for other in others)])
    key = hashlib.sha256(text + top.encode() + metadata.version("pyosys").encode() + _SCRIPT.encode()).hexdigest()[:32]
    cached = cache_directory() / f"{key}.il"
    if cached.exists():
        return cached.read_text()
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent, prefix="tmp-") as work:
        source, result = Path(work) / "core.v", Path(work) / "core.il"
        source.write_bytes(text)
        run = subprocess.run(
            [sys.executable, "-P", "-c", _SCRIPT, source.name, top, result.name], cwd=work, capture_output=True, text=True, check=False
        )  # names in the RTLIL contain the path of the file, so it must always be the same
        if run.returncode or not result.exists():
            lines = [line for line in (run.stdout + run.stderr).splitlines() if line.strip()] or ["no message"]
            reason = next((line for line in lines if "ERROR" in line), lines[-1])
            raise BuildError(f"Yosys cannot read {path.name}: {reason.replace(source.name, path.name)}")
        os.replace(result, cached)
    return cached.read_text()
