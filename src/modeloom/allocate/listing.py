# SPDX-License-Identifier: Apache-2.0
"""The program as text: a listing that a person can follow, the same for the same program."""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.allocate.program import ChainName, NetName, NetRow, OutName, Program, Source, Table

__all__ = ["listing"]


def _source_text(source: Source) -> str:
    text = {
        "bank": f"{source.name}[{source.index}]",
        "y": f"{source.name}.y" + (f"-{source.index}" if source.index else ""),
        "chain": f"chain{source.index}",
        "key": f"key[{source.index}]",
        "const": "const",
    }[source.kind]
    if source.keep:
        text = f"head({text},{source.keep})" if source.keep > 0 else f"tail({text},{-source.keep})"
    return f"{text}*x^{source.k}" if source.k else text


def _sides(values: dict[str, object]) -> str:
    texts = {d: str(v) for d, v in values.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return " | ".join(f"{d}: {v}" for d, v in texts.items())


def _table(program: Program, table: Table) -> Iterator[str]:
    yield f"table {table.name}: {table.rows} rows, {table.stages} stages, latency {table.latency}"
    if table.inputs:
        yield "  blocks  " + " ".join(f"P{i}:{cell}" for i, cell in sorted(table.inputs.items()))
    if table.tweaks:
        yield "  tweak   " + " ".join(f"T{i}:{cell}" for i, cell in sorted(table.tweaks.items()))
    for slot in range(table.rows):
        yield f"row {slot}"
        for name, rows in sorted(table.nets.items()):
            row = rows[slot]
            if row is None:
                continue
            yield f"  {name:<14} s{row.stage}  {_sides(_net_sides(program, table, name, slot, row))}"
        for unit, batches in sorted(table.batches.items()):
            if (batch := batches[slot]) is not None:
                sides = {d: ",".join(f"s{stage}" for stage in stages) for d, stages in batch.stages.items()}
                yield f"  {unit:<14} a batch begins: {_sides(dict(sides))}"
        for bank, writes in sorted(table.writes.items()):
            if (write := writes[slot]) is not None:
                yield f"  {bank + ' <-':<14} s{write.stage}  cell {_sides(dict(write.cell))}"
        for lane, outs in sorted(table.outs.items()):
            if (out := outs[slot]) is not None:
                names = {d: program.key_words[i] if table.name == "setup" else f"C{i}" for d, i in out.index.items()}
                yield f"  {OutName(lane) + ' ->':<14} s{out.stage}  {_sides(dict(names))}"
        for chain, steps in sorted(table.chains.items()):
            if (step := steps[slot]) is not None:
                yield f"  {ChainName(chain):<14} s{step.stage}  {step.action}"


def _net_sides(program: Program, table: Table, name: NetName, slot: int, row: NetRow) -> dict[str, object]:
    sides: dict[str, object] = {}
    for direction, numbers in row.select.items():
        texts = []
        for number in numbers:
            source = program.nets[name].sources[number]
            text = _source_text(source)
            if source.kind == "bank":
                port = table.ports[source.name, source.index][slot]
                text = text.replace("]", f"]@{port.cell[direction]}" if port else "]@?", 1)
            elif source.kind == "key":
                word = table.keys[name, source.index][slot]
                text = text.replace(f"key[{source.index}]", program.key_words[word.word[direction]] if word else "?", 1)
            elif source.kind == "const":
                text = text.replace("const", f"{row.const.get(direction, 0):#x}", 1)
            texts.append(text)
        prefix = "" if not name.first else _prefix(program, row, direction)
        if kept := row.keep.get(direction, 0):
            prefix = f"head {kept} of y ^ " if kept > 0 else f"tail {-kept} of y ^ "
        sides[direction] = prefix + (" ^ ".join(texts) or "0")
    return sides


def _prefix(program: Program, row: NetRow, direction: str) -> str:
    """The text before the operand of an operation: name and key of a cipher operation, or the number of an operation with numbers."""
    core, number = row.core.get(direction), row.number.get(direction, 0)
    if core is None or not core.operation.numbered:
        return ""
    if core.operation.keyed:
        return f"{core} " + (f"under {program.cipher_keys[number]} " if len(program.cipher_keys) > 1 else "")
    return f"{number} {core.operation.sign or core} "


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listing(program: Program) -> str:
    """The whole program as text."""
    lanes = _count(program.lanes, "lane")
    lines = [
        f"program {program.name}: sectors of {program.nbytes} bytes, {program.blocks} blocks on {lanes}, "
        f"tweaks of {program.tweak_bytes} bytes, {' and '.join(program.directions)}",
    ]
    for unit in program.units:
        times = [f"post at {unit.post_at}", f"latency {unit.latency}", *unit.cadence.told]
        lines.append(f"unit {unit.name}: {', '.join(unit.cores)}; {', '.join(times)}")
    for bank in program.banks.values():
        lines.append(f"bank {bank.name}: {bank.cells} cells, written by {bank.writer}, {_count(bank.ports, 'read port')}")
    for chain in program.chains:
        lines.append(f"chain {chain.id}: times x^{chain.stride}")
    lines.append("key words " + " ".join(f"{i}:{name}" for i, name in enumerate(program.key_words)))
    for name, words in zip(program.cipher_keys[program.host_keys :], program.derived, strict=True):
        lines.append(f"cipher key {name}: {' '.join(program.key_words[i] for i in words)}")
    if program.nonzero:
        lines.append("not 0: " + " ".join(program.key_words[i] for i in program.nonzero))
    for name, net in sorted(program.nets.items()):
        lines.append(f"net {name}: " + ", ".join(map(_source_text, net.sources)))
    for table in program.tables.values():
        lines.extend(_table(program, table))
    return "\n".join(lines) + "\n"
