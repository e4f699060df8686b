# SPDX-License-Identifier: Apache-2.0
"""The description of a block cipher for the compiler: sizes, the timing of its cores, their hardware, and its software.

AES and SM4 have descriptions in separate files.  A mode may bring a cipher with a description of the same kind.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakKeyDictionary

from modeloom.spec import Cipher, DefinitionError, InputError, blame
from modeloom.spec.cadence import Cadence
from modeloom.spec.errors import is_users, many, place_of
from modeloom.spec.mode import DIRECTIONS

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

__all__ = [
    "CALLS", "DIRECTION_OF", "FEW_SLOTS", "FORMS", "INTERFACE", "OLD_DIRECTIONS", "OLD_MEMBERS", "SERIAL", "STARTED", "BlockCipher",
    "CoreRequest", "CoreTiming", "guard", "made", "old_form", "refuse_call", "users_cipher",
]  # fmt: skip


# -- request ---------------------------------------------------------------------------------------------------------------------------

# A request to a block cipher for one of its cores, and the cycles of this core.

# The version of what a file of a user may import and call, and the new form of each call that has changed.
#
# ``docs/user-api.md`` lists the interface, and a test compares it with the code.  A change of a call is a new version, an entry below, and
# a row on the page.

INTERFACE = 2
"""Version of the interface."""

CALLS = {
    "timing": "timing(request)", "hardware": "hardware(request)", "round_keys": "round_keys(key_bits)", "software": "software(key)",
    "key_schedule": "key_schedule(key_bits)", "key_schedule_for": "key_schedule_for(key_sizes)",
    "iterative_schedule": "iterative_schedule(key_sizes)", "expand": "expand(key)",
}  # fmt: skip
"""The functions of a description in their form of today."""

_REQUEST = "a CoreRequest with direction, form, key_bits, stages, slots and sbox"

_OLD = {
    "timing": {4: f"timing(core, architecture, key_bits, stages) of interface 1 is now timing(request), {_REQUEST}"},
    "hardware": {
        count: f"hardware(core, architecture, key_bits, stages, slots{more}) of interface 1 is now hardware(request), {_REQUEST}"
        for count, more in ((5, ""), (6, ", sbox"))
    },
}
"""Functions of earlier versions, by the number of their arguments, with their new form."""

OLD_DIRECTIONS = {"enc": "encrypt", "dec": "decrypt"}
"""Names of directions in interface 1."""

OLD_MEMBERS = {"core": "direction", "architecture": "form"}
"""Arguments of interface 1, and the members of a request that replace them."""


def old_form(word: str, arguments: int) -> str | None:
    """The new form of a function that takes this number of arguments; None if no earlier version had such a function."""
    return _OLD.get(word, {}).get(arguments)


def refuse_call(name: str, members: Mapping[str, bool], values: tuple[object, ...], given: Mapping[str, object]) -> None:
    """Raises ``DefinitionError`` for a call with other arguments than keywords of today.

    Parameters
    ----------
    name : str
        What is called.
    members : mapping
        Its keywords, and whether each is needed.
    values, given : tuple, mapping
        The arguments without and with keywords.
    """
    form = f"{name}({', '.join(f'{word}=...' for word, needed in members.items() if needed)})"
    if values:
        raise DefinitionError(f"{name}() takes keywords only since interface 2: {form}; docs/user-api.md lists them")
    unknown = [word for word in given if word not in members]
    if unknown:
        raise DefinitionError(f"{name}() has no {unknown[0]}; docs/user-api.md lists its members, of which {form} are needed")
    missing = [word for word, needed in members.items() if needed and word not in given]
    if missing:
        raise DefinitionError(f"{name}() lacks {', '.join(missing)}: {form}; docs/user-api.md describes them")


def arguments_of(function: Callable[..., object]) -> int | None:
    """The number of arguments that a function needs, as far as this is known."""
    import inspect

    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty for one in found)

FEW_SLOTS = 64
"""Up to this number, key slots do not change the timing of a core.  With more, round keys may be in block memories."""

SERIAL = {"serial32": 32, "serial8": 8}
"""Forms of a core with a narrow data path, and its bits.  Such a core takes one block after another."""

STARTED = {"sequential": 1, **{form: 128 // bits for form, bits in SERIAL.items()}}
"""Forms of a core that takes one block after another, and how often a round of 128 bits uses each of its S-boxes."""

FORMS = ("pipelined", "multistream", *STARTED)
"""The forms of a core: it takes a block in every cycle, several blocks in successive cycles, or one block after another."""

DIRECTION_OF = {"enc": "encrypt", "dec": "decrypt", "tenc": "encrypt", "tdec": "decrypt", "both": "both"}
"""The direction of a core, by its name in a functional unit, which is the name of its operation."""


@dataclass(frozen=True, kw_only=True)
class CoreRequest:
    """A request for a core of a cipher.

    Attributes
    ----------
    direction : str
        "encrypt", "decrypt" or "both".
    form : str
        "pipelined", "sequential", "multistream", "serial32" or "serial8".
    key_bits : int
        Bits of a key.
    stages : int
        Registers in a round of a pipeline, or cycles in a round of a sequential or multistream core, which are its ``streams``; 1 for a
        serial one.
    slots : int
        Number of keys that the core holds.
    sbox : str
        Form of the S-boxes, one of ``BlockCipher.sboxes``.
    more_key_bits : tuple of int
        Other key sizes that a slot may have.  All sizes have the same timing.
    writers : int
        0, or the number of iterative key schedules that write round keys at the same time.  The core then clears all round keys of a
        slot at once.
    streams : int
        Blocks of a batch in a multistream core, which a round has registers for; otherwise 1.
    networks : str
        "plain", or "lut6": a cipher may divide its XOR networks into LUTs of six inputs, as multipliers for such LUTs do.
    batch : bool
        Whether a serial core has the port ``batch`` of a multistream one in place of ``start``, as in cores for messages.

    Raises
    ------
    ValueError
        The direction or the form is unknown, a key size occurs twice, or a core of another form has streams.
    """

    direction: str
    form: str
    key_bits: int
    stages: int
    slots: int = 1
    sbox: str = "lut"
    more_key_bits: tuple[int, ...] = ()
    writers: int = 0
    networks: str = "plain"
    streams: int = 1
    batch: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (("direction", self.direction, DIRECTIONS), ("form", self.form, FORMS)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
        if self.streams != 1 and self.form != "multistream":
            raise ValueError(f"streams are for multistream cores, and this one is {self.form}")
        if len(set(self.key_sizes)) != len(self.key_sizes):
            raise ValueError(f"key sizes must differ, not {', '.join(map(str, self.key_sizes))}")

    def __getattr__(self, name: str) -> NoReturn:
        """Nothing but the name of the member that replaces one of an earlier version.  Raises ``AttributeError``."""
        now = OLD_MEMBERS.get(name)
        raise AttributeError(
            f"a CoreRequest has no {name}; {f'{name} of interface 1 is now {now}' if now else 'docs/user-api.md lists its members'}"
        )

    def __str__(self) -> str:
        does = {"encrypt": "encrypter", "decrypt": "decrypter", "both": "core for both directions"}[self.direction]
        if self.form == "multistream":
            return f"the {self.form} {does} for {self._sizes}-bit keys with {many(self.streams, 'stream')}"
        if self.form in SERIAL:
            return f"the {self.form} {does} for {self._sizes}-bit keys"
        what = ("register" if self.form == "pipelined" else "cycle") + "s" * (self.stages != 1)
        return f"the {self.form} {does} for {self._sizes}-bit keys with {self.stages} {what} per round"

    @property
    def _sizes(self) -> str:
        return "- and ".join(filter(None, ("-, ".join(map(str, self.key_sizes[:-1])), str(self.key_sizes[-1]))))

    @property
    def key_sizes(self) -> tuple[int, ...]:
        """Bits of the keys that a slot may have.  Ports named ``key_length`` and ``length`` carry an index into this tuple."""
        return (self.key_bits, *self.more_key_bits)

    @property
    def started(self) -> bool:
        """Whether the core has the port ``start``, and holds a result until the next one."""
        return self.form in STARTED and not self.batch

    @property
    def decrypts(self) -> tuple[bool, ...]:
        """The directions that blocks may have.  True is decryption."""
        return {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[self.direction]

    @property
    def choice(self) -> tuple[str, ...]:
        """The port of a core for both directions that tells the direction of a block."""
        return {"encrypt": (), "decrypt": (), "both": ("decrypt",)}[self.direction]

    def but(self, **changes: object) -> CoreRequest:
        """The same request with some members changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class CoreTiming:
    """Cycles from operand to result, and between two operations.

    Attributes
    ----------
    latency, interval : int
    blocks : int
        Blocks that a multistream core takes in successive cycles, in each ``interval``; otherwise 1.
    """

    latency: int
    interval: int
    blocks: int = 1

    @property
    def cadence(self) -> Cadence | None:
        """The cycles in which the core takes blocks; None if it takes one in every cycle."""
        return None if self.interval == 1 else Cadence(self.interval, self.blocks)


# -- description -----------------------------------------------------------------------------------------------------------------------

# Which cipher of a user made a component, and for which request.

_MADE: WeakKeyDictionary[object, tuple[BlockCipher, CoreRequest]] = WeakKeyDictionary()


def made(component: object, cipher: BlockCipher, request: CoreRequest) -> None:
    """Notes who made a component."""
    _MADE[component] = cipher, request


def users_cipher(component: object) -> tuple[BlockCipher, CoreRequest] | None:
    """The cipher of a user that made a component, and the request for it; None for a component of this project."""
    return _MADE.get(component)


# -- guard -------------------------------------------------------------------------------------------------------------------------

# Checks the description of a block cipher, which may come from a user, and the results of its functions.
#
# An exception in one of its functions, or an impossible result, becomes one line with the place of the function.

FUNCTIONS = {
    "round_keys": "key_bits", "timing": "a CoreRequest", "software": "key", "hardware": "a CoreRequest", "key_schedule": "key_bits",
    "key_schedule_for": "key_sizes", "iterative_schedule": "key_sizes", "expand": "key",
}  # fmt: skip
"""The functions of a description, each with its argument."""

OPTIONAL = ("key_schedule_for", "iterative_schedule", "expand")
"""The functions that may be None."""


@dataclass(frozen=True)
class Guarded:
    """Wraps a function of the description of a cipher.  Exceptions and wrong results become errors of one line."""

    cipher: str
    word: str
    function: Callable[..., Any]
    description: BlockCipher = field(repr=False, compare=False)

    def __call__(self, *arguments: Any) -> Any:
        with blame(self.cipher, self.function):
            result = self.function(*arguments)
        if self.word == "timing":
            self._check(isinstance(result, CoreTiming), result, "a CoreTiming(latency=..., interval=...)")
            for cycles in (result.latency, result.interval, result.blocks):
                self._check(_is_count(cycles), result, "a CoreTiming of whole numbers of cycles from 1")
            self._check(result.blocks < max(2, result.interval), result, "a CoreTiming with fewer blocks than cycles of an interval")
        elif self.word == "round_keys":
            self._check(_is_count(result), result, "a number of round keys from 1")
        elif self.word == "expand":
            self._check(isinstance(result, list | tuple) and all(isinstance(one, bytes) for one in result), result, "a list of bytes")
        elif self.word == "software":
            self._check(all(callable(getattr(result, name, None)) for name in ("encrypt", "decrypt")), result, "a keyed cipher: an "
                        "object with encrypt(blocks) and decrypt(blocks)")  # fmt: skip
            return GuardedSoftware(self, result)
        elif self.word == "hardware":
            self._check(_is_count(getattr(result, "latency", None)), result, "a component with its latency in cycles")
            made(result, self.description, *arguments)
        return result

    def _check(self, fits: bool, result: object, wanted: str) -> None:
        if not fits:
            text = " ".join(repr(result).split())
            text = text if len(text) <= 60 else f"{text[:57]}..."
            raise DefinitionError(f"{self.cipher}: {place_of(self.function)}: {self.word} gives {text}, not {wanted}", placed=True)


class GuardedSoftware:
    """Wraps a keyed cipher.  Its results must be as many whole blocks as its input."""

    def __init__(self, made_by: Guarded, keyed: Cipher):
        self._made_by, self._keyed = made_by, keyed

    def encrypt(self, blocks: bytes) -> bytes:
        """The blocks, enciphered."""
        return self._call("encrypt", blocks)

    def decrypt(self, blocks: bytes) -> bytes:
        """The blocks, deciphered."""
        return self._call("decrypt", blocks)

    def _call(self, name: str, blocks: bytes) -> bytes:
        function = getattr(self._keyed, name)
        with blame(self._made_by.cipher, function):
            result = function(blocks)
        if not isinstance(result, bytes) or len(result) != len(blocks):
            what = f"{len(result)} bytes" if isinstance(result, bytes) else f"a {type(result).__name__}"
            place = place_of(function)
            raise DefinitionError(f"{self._made_by.cipher}: {place}: {name} gives {what} for {len(blocks)} bytes", placed=True)
        return result


def guard(description: BlockCipher) -> None:
    """Checks the values in a ``BlockCipher``, and guards the functions that come from a user.  Raises ``DefinitionError``."""
    if not isinstance(description.name, str) or not description.name.isprintable() or not description.name.strip():
        _refuse(description, "its name must be a text of one line")
    _check_sizes(description)
    _check_names(description)
    for word, argument in FUNCTIONS.items():
        _guard_function(description, word, argument)


def _refuse(description: BlockCipher, what: str) -> NoReturn:
    raise DefinitionError(f"the block cipher {description.name!r}: {what}")


def _check_sizes(description: BlockCipher) -> None:
    """Checks the sizes of blocks, round keys and keys."""
    for name in ("block_bytes", "round_key_bits", "most_stages"):
        if not _is_count(getattr(description, name)):
            _refuse(description, f"{name} is {getattr(description, name)!r}; it must be a whole number from 1")
    sizes = description.key_bits
    if not isinstance(sizes, tuple) or not sizes or not all(_is_count(size) and size % 8 == 0 for size in sizes):
        what = "it must be a tuple of numbers of bits that are whole bytes, such as (128, 256)"
        _refuse(description, f"key_bits is {sizes!r}; {what}")


def _check_names(description: BlockCipher) -> None:
    """Checks the forms of cores, with their directions, S-boxes and numbers of streams."""
    names = dict.fromkeys((*FORMS, "sboxes", "several_sizes"), (_is_name, "names"))
    for name, (fits, what) in {**names, "streams": (_is_count, "numbers of blocks")}.items():
        value = getattr(description, name)
        if not isinstance(value, tuple) or not all(map(fits, value)):
            _refuse(description, f"{name} is {value!r}; it must be a tuple of {what}")
    if not description.sboxes:
        _refuse(description, 'sboxes is (); it must have one name, such as ("lut",)')
    if description.multistream and not description.streams:
        _refuse(description, "it has multistream cores, and streams is (); it must have one number, such as (4,)")
    for name in (*FORMS, "several_sizes"):
        if not set(getattr(description, name)) <= set(DIRECTIONS):
            old = [f'"{one}" of interface 1 is now "{OLD_DIRECTIONS[one]}"' for one in getattr(description, name) if one in OLD_DIRECTIONS]
            more = f"; {', '.join(old)}" if old else ""
            _refuse(description, f'{name} is {getattr(description, name)!r}; its names are "encrypt", "decrypt" and "both"{more}')


def _guard_function(description: BlockCipher, word: str, argument: str) -> None:
    """Checks a function of a description, and guards it if it comes from a user."""
    function = getattr(description, word)
    if isinstance(function, Guarded):
        function = function.function
    if function is None and word in OPTIONAL:
        return
    if not callable(function):
        _refuse(description, f"{word} is {function!r}; it must be a function")
    if not _takes_one(function):
        place, before = place_of(function), old_form(word, arguments_of(function) or 0)
        what = f"{word}{f' ({place})' if place else ''}"
        form = f"{what} does not take one argument; it is called with {argument}: {CALLS[word]}"
        _refuse(description, f"{what}: {before}" if before else form)
    if is_users(getattr(function, "__module__", None) or ""):
        object.__setattr__(description, word, Guarded(description.name, word, function, description))


def _is_name(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _takes_one(function: Callable[..., object]) -> bool:
    """Whether a function can be called with one argument, as far as this is known."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True


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
    pipelined, sequential, multistream, serial32, serial8 : tuple of str
        Directions of the cores in this form: "encrypt", "decrypt", and "both" for one core with both directions.
    streams : tuple of int
        Possible numbers of streams of a multistream core.  The default is the last.
    timing : callable
        ``timing(request)``: the ``CoreTiming`` of the core that a ``CoreRequest`` asks for.  It is the same for any number of slots up to
        ``FEW_SLOTS`` (``ciphers.description``).
    software : callable
        ``software(key)``: the keyed cipher on bytes, with ``encrypt(blocks)`` and ``decrypt(blocks)`` for any number of whole blocks.
    sboxes : tuple of str
        Forms of the S-box that the cores may have.  The default is the first.
    hardware : callable
        ``hardware(request)``: the Amaranth component that a ``CoreRequest`` asks for, with the ports of ``AESPipeline``
        (``rtl.aes.pipeline``), its ``latency``, and for a sequential or serial one ``start``, high in the cycle of an operand.  A
        multistream one, and a serial one whose request has ``batch``, has a port of this name, high ``spec.cadence.BATCH_LEAD``
        cycles before the first block of a batch.  A core for both directions has ``decrypt``, the direction of an operand, and
        ``key_data_dec``, the round key in the form for the inverse cipher, where that has one of its own.  All cores but pipelines
        are reset while they have no block, and keep their round keys in memories or in registers that are ``reset_less``.  A core
        for several key sizes has ``key_length``, the size of the key that a round key belongs to; ``key_round`` counts the round
        keys of this key.
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
    serial32: tuple[str, ...] = ()
    serial8: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        guard(self)

    def has(self, direction: str, form: str) -> bool:
        """Whether there is a core for a direction in a form."""
        return form in FORMS and direction in getattr(self, form)

    def makes(self, request: CoreRequest) -> bool:
        """Whether there is a core for the direction and the form of a request, with as many streams."""
        return self.has(request.direction, request.form) and (request.form != "multistream" or request.streams in self.streams)

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
        if len(request.key_sizes) == 1:
            return
        if request.form in STARTED:
            what = f"{self.name} takes keys of several sizes in pipelines only, not in a {request.form} core"
            raise InputError(f"{what}; choose one key size")
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
        from modeloom.rtl.bus.key_port import KeySchedules

        return KeySchedules(
            [self.key_schedule(bits) for bits in key_sizes], max(self.round_keys(bits) for bits in key_sizes), self.round_key_bits
        )
