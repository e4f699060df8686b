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

from modeloom.sim.split import gather_bits, share_tables, split_eval
from modeloom.spec.errors import MissingTool

__all__ = ["BuildError", "build", "cache_directory", "compiler"]

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
    cutter = (_HERE / "split.py").read_text(encoding="utf-8")
    key = _digest(rtlil, top, driver_key, translator, cutter, " ".join(flags))

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
