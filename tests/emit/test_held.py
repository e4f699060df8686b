# SPDX-License-Identifier: Apache-2.0
"""Memories without a name of their own are named after their place."""

from __future__ import annotations

import pytest

from modeloom_verilog.circuit import Circuit, Instance, Memory, Net, Read
from modeloom_verilog.expressions import const, net
from modeloom_verilog.memories import name_memories


def design(*paths: str, memories: tuple[str, ...] = ("mem0",)) -> Circuit:
    """The last module of the first path, after naming.  A path is instances below the top; those at its end are of one module."""
    circuits = {"\\top": Circuit("\\top")}
    shared = Circuit(f"\\top_{'_'.join(paths[0].split('.'))}", memories={f"\\{name}": Memory(8, 4, {}) for name in memories})
    for path in paths:
        around, *names = circuits["\\top"], *path.split(".")
        for at, name in enumerate(names):
            part = f"\\top_{'_'.join(names[: at + 1])}"
            inner = shared if at == len(names) - 1 else circuits.setdefault(part, Circuit(part))
            around.instances.setdefault(f"\\{name}", Instance(inner.name, f"\\{name}"))
            around = inner
    name_memories([*circuits.values(), shared], "\\top")
    return shared


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["bus.texts.queue.memory"], "texts_queue"),
        (["bus.messages.memory"], "messages_words"),
        (["engine.bank_in0"], "bank_in0_words"),
        (["bus.queue.queue"], "queue_words"),
        (["bus.core.pipeline.key_memory"], "key_memory_words"),
        # Several places of one module: numbers in which they differ go, and other names are those of the module.
        (["engine.bank_acc0", "engine.bank_acc1"], "bank_acc_words"),
        (["bus.keys.word_0", "bus.keys.word_1"], "keys_word"),
        (["pipeline.chains_0", "pipeline.chains_1"], "chains_words"),
        (["pipeline.y_words_0.words", "pipeline.y_words_1.words"], "y_words"),
        (["bus.new.first.memory", "bus.new.second.memory"], "new_first_words"),
    ],
)
def test_places(paths: list[str], name: str) -> None:
    assert [*design(*paths).memories] == [f"\\{name}"]


def test_parts_and_names_that_stay() -> None:
    assert [*design("engine.bank_in0", memories=("mem0", "mem1", "skips")).memories] == [
        "\\bank_in0_part_0", "\\bank_in0_part_1", "\\skips"
    ]  # fmt: skip


def test_what_reads_a_memory_follows() -> None:
    inner = Circuit(
        "\\top_window", nets={"\\window_words": Net(1, "input"), "\\mem0_read_data_2": Net(8), "\\mem0_full": Net(1)},
        reads={"\\mem0_read_data_2": Read("\\mem0", net("\\window_words", 1), const(1, 1), None, True)},
        memories={"\\mem0": Memory(8, 2, {})},
    )  # fmt: skip
    name_memories([Circuit("\\top", instances={"\\window": Instance("\\top_window", "\\window")}), inner], "\\top")
    # A port has the name of the place.
    assert [*inner.memories] == ["\\window_words_2"] and [*inner.nets] == ["\\window_words", "\\window_words_2_read_data_2", "\\mem0_full"]
    assert [(name, read.memory) for name, read in inner.reads.items()] == [("\\window_words_2_read_data_2", "\\window_words_2")]
