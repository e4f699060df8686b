# SPDX-License-Identifier: Apache-2.0
"""The description of a block cipher for the compiler: sizes, the timing of its cores, their hardware, and its software.

AES and SM4 have descriptions in separate files.  A mode may bring a cipher with a description of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from modeloom.ciphers.guard import guard
from modeloom.ciphers.interface import refuse_call
from modeloom.ciphers.request import CoreRequest, CoreTiming
from modeloom.spec import Cipher, DefinitionError, InputError

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

__all__ = ["BlockCipher"]


class _Keywords(type):
    """A class whose call in the form of an earlier version is an error of one line that names the new form."""

    def __call__(cls, *values: object, **given: object) -> Any:
        assert is_dataclass(cls)
        members = {one.name: one.default is MISSING and one.default_factory is MISSING for one in fields(cls)}
        refuse_call(cls.__name__, members, values, given)
        return super().__call__(**given)


@dataclass(frozen=True, kw_only=True)
class BlockCipher(metaclass=_Keywords):
    """A block cipher.

    Attributes
    ----------
    name : str
        Name for files and messages.
    block_bytes : int
        Bytes of a block.
    tweak_bytes : int
        Bytes of a tweak, as many as those of a block, or 0 for a cipher without tweaks.  The cores of a tweakable cipher have the port
        ``tweak``, which belongs to ``i``.  Its software takes the tweak of all blocks as a second argument.
    key_bits : tuple of int
        Key sizes in bits.  The default is the first.
    round_keys : callable
        ``round_keys(key_bits)``: the number of round keys, which is what the key schedule writes.
    round_key_bits : int
        Width of a round key in bits.
    most_stages : int
        Largest number of registers in a round of a pipeline.  The smallest is 1.
    pipelined, sequential, multistream : tuple of str
        Directions of the cores in this form: "encrypt", "decrypt", and "both" for one core with both directions.
    streams : tuple of int
        Possible numbers of streams of a multistream core.  The default is the last.
    timing : callable
        ``timing(request)``: the ``CoreTiming`` of the core that a ``CoreRequest`` asks for.  It is the same for any number of slots up to
        ``FEW_SLOTS`` (``ciphers.request``).
    software : callable
        ``software(key)``: the keyed cipher on bytes, with ``encrypt(blocks)`` and ``decrypt(blocks)`` for any number of whole blocks.
    sboxes : tuple of str
        Forms of the S-box that the cores may have.  The default is the first.
    hardware : callable
        ``hardware(request)``: the Amaranth component that a ``CoreRequest`` asks for, with the ports of ``AESPipeline``
        (``rtl.aes.cores.pipeline``), its ``latency``, and for a sequential one ``start``, high in the cycle of an operand.  A multistream
        one has ``batch``, high ``spec.cadence.BATCH_LEAD`` cycles before the first block of a batch.  A core for
        both directions has ``decrypt``, the direction of an operand, and ``key_data_dec``, the round key in the form for the inverse
        cipher, where that has one of its own.  Sequential and multistream cores are reset while they have no block, and keep their round
        keys in memories or in registers that are ``reset_less``.  A core for several key sizes has ``key_length``, the size of the key
        that a round key belongs to; ``key_round`` counts the round keys of this key.
    key_schedule : callable
        ``key_schedule(key_bits)``: the Amaranth component that expands keys, with the ports of ``rtl.bus.key_schedule_signature`` seen
        from outside.  It erases one round key per cycle and keeps no part of a key when it is done.
    several_sizes : tuple of str
        Directions for which pipelines and multistream cores take keys of several sizes, which are those of the slots of their blocks.
        A slot is erased with the size that has most round keys before a key of any size is written to it.
    key_schedule_for : callable or None
        ``key_schedule_for(key_sizes)``: one component that expands keys of several sizes, with the port ``length``.  None stands for a key
        schedule for each size.
    iterative_schedule : callable or None
        ``iterative_schedule(key_sizes)``: a component that expands keys of one or several sizes, with the ports of ``key_schedule_for``.
        It writes round key r in the cycle r + 1 after its start.  Pipelines that encrypt then have a request with ``writers``, and for
        it ports ``key_clear``, ``key_clear_slot``, and a second port for writes, as those of ``AESPipeline``.  None if there are none.
    expand : callable or None
        ``expand(key)``: the round keys that the key schedule writes, as bytes, bits [7:0] first, for the software of cores that take
        expanded keys (``--keys expanded``).  None if there are to be no such cores.
    """

    name: str
    block_bytes: int
    key_bits: tuple[int, ...]
    round_keys: Callable[[int], int]
    round_key_bits: int
    timing: Callable[[CoreRequest], CoreTiming]
    software: Callable[[bytes], Cipher]
    hardware: Callable[[CoreRequest], Component]
    key_schedule: Callable[[int], Component]
    tweak_bytes: int = 0
    most_stages: int = 1
    pipelined: tuple[str, ...] = ("encrypt", "decrypt")
    sequential: tuple[str, ...] = ()
    multistream: tuple[str, ...] = ()
    streams: tuple[int, ...] = ()
    sboxes: tuple[str, ...] = ("lut",)
    several_sizes: tuple[str, ...] = ()
    key_schedule_for: Callable[[tuple[int, ...]], Component] | None = None
    iterative_schedule: Callable[[tuple[int, ...]], Component] | None = None
    expand: Callable[[bytes], Sequence[bytes]] | None = None

    def __post_init__(self) -> None:
        guard(self)

    def has(self, direction: str, form: str) -> bool:
        """Whether there is a core for a direction in a form."""
        return direction in {"pipelined": self.pipelined, "sequential": self.sequential, "multistream": self.multistream}[form]

    def check_operation(self, mode: str, name: str, operands: int) -> None:
        """Raises ``DefinitionError`` if a mode uses the cipher with a tweak that it does not have, or without one that it has."""
        if (operands > 1) != bool(self.tweak_bytes):
            kind = "is a tweakable cipher" if self.tweak_bytes else "has no tweaks"
            raise DefinitionError(f"{mode}: o.{name}() is not for {self.name}, which {kind}")

    def check_sizes(self, request: CoreRequest) -> None:
        """Raises ``InputError`` if there is no core for the key sizes of a request."""
        for bits in request.key_sizes:
            if bits not in self.key_bits:
                raise InputError(f"{self.name} has keys of {', '.join(map(str, self.key_bits))} bits, not {bits}")
        if not request.more_key_bits:
            return
        if request.form == "sequential":
            raise InputError(f"{self.name} takes keys of several sizes in pipelines only, not in a {request.form} core")
        if request.direction not in self.several_sizes:
            what = {"both": "for both directions"}.get(request.direction, f"to {request.direction}")
            raise InputError(f"{self.name} has no pipeline {what} that takes keys of several sizes; choose one key size")

    def longest(self, key_sizes: Sequence[int]) -> int:
        """The index of the size with the most round keys."""
        return max(range(len(key_sizes)), key=lambda n: self.round_keys(key_sizes[n]))

    def expander(self, key_sizes: Sequence[int], iterative: bool = False) -> Component:
        """The component that expands keys of these sizes: a key schedule, with the port ``length`` if there are several sizes.

        Raises
        ------
        InputError
            There is no iterative one.
        """
        if iterative:
            if self.iterative_schedule is None:
                raise InputError(f"{self.name} has no iterative key schedule; leave out --key-schedule iterative")
            return self.iterative_schedule(tuple(key_sizes))
        if len(key_sizes) == 1:
            return self.key_schedule(key_sizes[0])
        if self.key_schedule_for is not None:
            return self.key_schedule_for(tuple(key_sizes))
        from modeloom.rtl.bus.key_schedules import KeySchedules

        return KeySchedules(
            [self.key_schedule(bits) for bits in key_sizes], max(self.round_keys(bits) for bits in key_sizes), self.round_key_bits
        )
