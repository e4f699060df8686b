# SPDX-License-Identifier: Apache-2.0
"""Hosts and registers on both sides of a bridge, each in its clock: AXI4-Lite and APB."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

from tests.rtl.clocks.bench import SECOND, Bench

from modeloom.interfaces.front import APB, AXI_LITE
from modeloom.rtl.clocks import CrossingParameters
from modeloom.sim import Stream

PARAMETERS: dict[str, CrossingParameters] = {AXI_LITE: SECOND, APB: replace(SECOND, register_bus=APB)}
"""The crossings with each bus of registers."""

ORDERED = replace(
    SECOND, streams=tuple(one for one in SECOND.streams if one.name not in ("m_axis_status", "s_axis_key")), key_flags=(), ordered=True
)
"""Those of a core whose commands and statuses go over registers."""


class Lite:
    """A host on one side, and registers on the other one.  A write without all strobes is refused."""

    def __init__(self, bench: Bench, rng: random.Random | None = None):
        self.sim, self.runner = bench.sim, bench.runner
        self.memory: dict[int, int] = {}
        self.accesses = 0
        self.offers: dict[str, bool] = {}
        self.answers = False
        for name in ("awready", "wready", "arready"):
            self.sim.set(f"core_s_axil_{name}", 1)

    @staticmethod
    def streams(clock: str) -> list[Stream]:
        """What the runner drives on the side of the host."""
        payloads = {"aw": ("addr",), "w": ("data", "strb"), "b": ("resp",), "ar": ("addr",), "r": ("data", "resp")}
        found = []
        for channel, payload in payloads.items():
            name, direction = f"s_axil_{channel}", "out" if channel in ("b", "r") else "in"
            found.append(Stream(name, direction, f"{name}valid", f"{name}ready", tuple(name + one for one in payload), clock))
        return found

    def step(self) -> None:
        """Runs a cycle of the core, and answers as its registers do."""
        get, put = self.sim.get, self.sim.set
        if get("core_s_axil_awvalid"):
            self.address = get("core_s_axil_awaddr")
        if get("core_s_axil_wvalid"):
            self.given = get("core_s_axil_wdata"), get("core_s_axil_wstrb")
            self.answers = True
        read = get("core_s_axil_arvalid")
        where = get("core_s_axil_araddr")
        taken = {name: self.offers.get(name, False) and get(f"core_s_axil_{name}ready") for name in ("b", "r")}
        reset = not get("core_aresetn")
        self.runner.run(max_cycles=1)
        if reset:
            self.answers, read, taken = False, 0, dict.fromkeys(taken, 1)
        for name, moved in taken.items():
            if moved:
                put(f"core_s_axil_{name}valid", 0)
                self.offers[name] = False
        if self.answers:
            self.answers = False
            self.accesses += 1
            word, strobe = self.given
            if strobe == 15:
                self.memory[self.address] = word
            put("core_s_axil_bresp", 0 if strobe == 15 else 2)
            put("core_s_axil_bvalid", 1)
            self.offers["b"] = True
        if read:
            self.accesses += 1
            put("core_s_axil_rdata", self.memory.get(where, 0))
            put("core_s_axil_rvalid", 1)
            self.offers["r"] = True

    @property
    def answered(self) -> bool:
        """Whether an answer waits for the host."""
        return any(self.runner.waiting(f"s_axil_{name}") for name in ("b", "r"))

    def end(self, channel: str) -> list[int]:
        """The answer of an access, in the order of its ports."""
        for _ in range(4000):
            if self.answered:
                break
            self.step()
        beats = self.runner.take(f"s_axil_{channel}", 1)
        return [beats.values(port)[0] for port in beats.columns]

    def begin_write(self, address: int, word: int) -> None:
        """Offers a write."""
        self.runner.feed("s_axil_aw", {"s_axil_awaddr": [address]})
        self.runner.feed("s_axil_w", {"s_axil_wdata": [word], "s_axil_wstrb": [15]})

    def end_write(self) -> int:
        """The response of a write."""
        return self.end("b")[0]

    def write(self, address: int, word: int) -> int:
        """A whole write."""
        self.begin_write(address, word)
        return self.end_write()

    def read(self, address: int) -> int:
        """A whole read."""
        self.runner.feed("s_axil_ar", {"s_axil_araddr": [address]})
        word, response = self.end("r")
        assert not response
        return word


class Apb:
    """The same for APB.  The registers wait for some cycles.  They check that the bridge keeps the rules of APB."""

    FIELDS = ("paddr", "pwrite", "pwdata", "pstrb")

    def __init__(self, bench: Bench, rng: random.Random | None = None):
        self.sim, self.runner, self.rng = bench.sim, bench.runner, rng or random.Random(0)
        self.memory: dict[int, int] = {}
        self.accesses = 0
        self.begun: dict[str, int] = {}
        self.waits = 0

    @staticmethod
    def streams(clock: str) -> list[Stream]:
        """What the runner drives on the side of the host."""
        names = tuple(f"s_apb_{name}" for name in Apb.FIELDS)
        return [
            Stream("s_apb", "in", "s_apb_psel", "s_apb_pready", names, clock, "s_apb_penable"),
            Stream("s_apb_answer", "out", "s_apb_pready", None, ("s_apb_prdata", "s_apb_pslverr"), clock),
        ]

    def step(self) -> None:
        """Runs a cycle of the core, and answers as its registers do."""
        get, put = partial(self._port, self.sim.get), self.sim.set
        held, reset = self.sim.get("zeroizing"), not self.sim.get("core_aresetn")
        selected, enabled, ends = get("psel"), get("penable"), get("pready")
        now = {name: get(name) for name in self.FIELDS}
        self.runner.run(max_cycles=1)
        if reset:
            self.begun = {}
        elif self.begun:
            assert selected and enabled, "the access phase does not follow"
            assert all(now[name] == self.begun[name] or held and name in ("pwdata", "pstrb") for name in self.FIELDS), "a field changes"
            if ends:
                self.begun = {}
        elif selected:
            assert not enabled, "there is no setup phase"
            assert now["pwrite"] or not now["pstrb"] and not now["pwdata"], "a read has strobes or data"
            self.begun, self.waits = now, self.rng.randrange(4)
            self.accesses += 1
            if now["pwrite"] and now["pstrb"] == 15:
                self.memory[now["paddr"]] = now["pwdata"]
        ready = bool(self.begun) and not self.waits
        self.waits -= bool(self.waits)
        read = ready and not self.begun["pwrite"]
        put("core_s_apb_pready", int(ready))
        put("core_s_apb_prdata", self.memory.get(self.begun["paddr"], 0) if read else 0)
        put("core_s_apb_pslverr", int(ready and not read and self.begun["pstrb"] != 15))

    @staticmethod
    def _port(get, name: str) -> int:
        value: int = get(f"core_s_apb_{name}")
        return value

    def begin(self, address: int, write: bool, word: int = 0, strobe: int = 0) -> None:
        """Queues a transfer."""
        values = zip(self.FIELDS, (address, int(write), word, strobe), strict=True)
        self.runner.feed("s_apb", {f"s_apb_{name}": [value] for name, value in values})

    @property
    def answered(self) -> bool:
        """Whether an answer waits for the host."""
        return bool(self.runner.waiting("s_apb_answer"))

    def end(self) -> tuple[int, int]:
        """The data and the error of a transfer."""
        for _ in range(4000):
            if self.answered:
                break
            self.step()
        beats = self.runner.take("s_apb_answer", 1)
        return beats.values("s_apb_prdata")[0], beats.values("s_apb_pslverr")[0]

    def begin_write(self, address: int, word: int) -> None:
        """Queues a write."""
        self.begin(address, True, word, 15)

    def end_write(self) -> int:
        """The response of a write, as AXI4-Lite has it."""
        return 2 * self.end()[1]

    def write(self, address: int, word: int) -> int:
        """A whole write."""
        self.begin_write(address, word)
        return self.end_write()

    def read(self, address: int) -> int:
        """A whole read."""
        self.begin(address, False)
        word, refused = self.end()
        assert not refused
        return word


HOSTS: dict[str, type[Lite] | type[Apb]] = {AXI_LITE: Lite, APB: Apb}
"""The host of each bus."""
