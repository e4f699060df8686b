# SPDX-License-Identifier: Apache-2.0
"""Cycle-accurate simulation: Yosys translates a design into C++ (CXXRTL).  It is compiled once, cached, and driven from Python."""

from modeloom.sim.build import BuildError, build, cache_directory, compiler
from modeloom.sim.simulation import Clock, Port, Simulation
from modeloom.sim.streams import AT_REST, Beats, RunResult, Stream, StreamRunner, Violations

__all__ = ["AT_REST", "Beats", "BuildError", "Clock", "Port", "RunResult", "Simulation", "Stream", "StreamRunner", "Violations", "build",
           "cache_directory", "compiler"]
