# SPDX-License-Identifier: Apache-2.0
"""An option of a core, said in one place.

::

    row ──▶ field of a dataclass           name, type, value by default
        ──▶ option of commands and grids   spellings, help
        ──▶ checks                         type, values, what it needs and what it does not go with
        ──▶ word in the name of a core, member of core.json

The rows of a kind of cores are the fields of a dataclass that is derived from ``Choices``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from functools import cache
from typing import Any, ClassVar, Protocol, Self, TypeVar

from modeloom.spec import InputError, UnknownName

__all__ = ["Choices", "Row", "Terms", "Value", "option", "row", "series"]

Value = int | str | tuple[int, ...] | None
"""The value of an option."""

T = TypeVar("T")


class Named(Protocol):
    """A mode, whose members the terms of a choice name."""

    @property
    def name(self) -> str: ...


class OfMode(Protocol):
    """A pipeline, whose members the terms of a choice name, too."""

    @property
    def mode(self) -> Named: ...


TYPES = {"int": int, "str": str, "bool": bool}


@dataclass(frozen=True)
class Terms:
    """What a choice needs, and what it does not go with.  Other choices are named as on the command line, such as ``--keys inline``.

    Attributes
    ----------
    apart : mapping
        Other choices that a core cannot have beside this one, and why.
    needs : str
        The choice without which this one has no meaning.
    only, never : mapping
        Members of a mode that must be true, or false: what modes with this member are, or why they cannot.
    plan : mapping
        Members of the pipeline of a mode that must be false, and why.
    direction : mapping
        A direction that a core must have, and what cores that have it do.
    """

    apart: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""
    only: Mapping[str, str] = field(default_factory=dict)
    never: Mapping[str, str] = field(default_factory=dict)
    plan: Mapping[str, str] = field(default_factory=dict)
    direction: Mapping[str, str] = field(default_factory=dict)


NO_TERMS = Terms()


@dataclass(frozen=True)
class Row:
    """All that is said of an option, but for its name, its type and its default, which its field has.

    Attributes
    ----------
    about, off : str
        For ``--help``; empty for an option that commands do not have.  With ``off``, a flag has an option that turns it off, too.
    noun : str
        What its values are, for an error.
    values : mapping
        The values, each with its terms; empty if they are numbers or names that the cipher decides about.
    least, most : int or None
        The range of a number.
    like : str
        Another option, whose value it has if a user names none.
    within : mapping
        Narrower ranges beside other choices.
    unit : str
        The unit of a number, for an error.
    terms : Terms
        For all values but the default.
    free : tuple
        Values that are no choice against any other: what the core has anyway.
    word : str
        The word in the name of a core, such as "k{}".
    older : str
        The name of an earlier version, which commands accept.
    sparse : bool
        Whether core.json has it only if it is not the default.
    """

    about: str = ""
    off: str = ""
    noun: str = ""
    values: Mapping[int | str, Terms] = field(default_factory=dict)
    least: int | None = None
    most: int | None = None
    like: str = ""
    within: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unit: str = ""
    terms: Terms = NO_TERMS
    free: tuple[int | str, ...] = ()
    word: str = ""
    older: str = ""
    sparse: bool = False


def row(
    default: T, about: str = "", *, values: Iterable[int | str] | Mapping[str, Terms] = (), off: str = "", noun: str = "",
    least: int | None = None, most: int | None = None, like: str = "", within: Mapping[str, tuple[int, int]] | None = None, unit: str = "",
    terms: Terms = NO_TERMS, free: tuple[int | str, ...] = (), word: str = "", older: str = "", sparse: bool = False,
) -> T:  # fmt: skip
    """A field with its row.  *values* without terms may be a sequence.  See ``Row`` for the rest."""
    every: dict[int | str, Terms] = {value: NO_TERMS for value in values}
    if isinstance(values, Mapping):
        every.update(values)
    made = Row(about, off, noun, every, least, most, like, within or {}, unit, terms, free, word, older, sparse)
    return field(default=default, metadata={"row": made})


def option(name: str) -> str:
    """The name of an option on the command line."""
    return "--" + name.replace("_", "-")


def series(values: Iterable[object]) -> str:
    """Some values, the last one behind an "or"."""
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}" if head else last


@dataclass(frozen=True)
class Choices:
    """The options of a core: a frozen dataclass, each of whose fields has a row.

    Attributes
    ----------
    stored_older : bool
        Whether core.json has options by their older names.
    """

    stored_older: ClassVar[bool] = False

    @classmethod
    @cache
    def rows(cls) -> dict[str, Row]:
        """The rows by the names of the options."""
        return {one.name: one.metadata["row"] for one in cls._fields()}

    @classmethod
    def _fields(cls) -> tuple[Field[Value], ...]:
        return fields(cls)

    @classmethod
    def usual(cls, name: str) -> Value:
        """The default of an option."""
        (found,) = (one.default for one in cls._fields() if one.name == name)
        assert found is not MISSING
        return found

    @classmethod
    def older(cls) -> dict[str, str]:
        """The names of options by those of earlier versions."""
        return {row.older: name for name, row in cls.rows().items() if row.older}

    @classmethod
    def today(cls, values: Mapping[str, T]) -> dict[str, T]:
        """Values by today's names.  Raises ``TypeError`` if an option is given by both of its names."""
        older = cls.older()
        for old, new in older.items():
            if old in values and new in values:
                raise TypeError(f"{old} is an older name of {new}; give one of them")
        return {older.get(name, name): value for name, value in values.items()}

    def but(self, **changes: Value) -> Self:
        """A copy with some options changed.  Raises ``UnknownName`` for an unknown option."""
        changes = self.today(changes)
        for name in changes:
            if name not in self.rows():
                raise UnknownName("option", name, self.rows())
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Names and values for core.json."""
        made: dict[str, Any] = {}
        for name, value in asdict(self).items():
            row = self.rows()[name]
            if not row.sparse or value != self.usual(name):
                made[row.older if row.older and self.stored_older else name] = list(value) if isinstance(value, tuple) else value
        return made

    # -- checks ------------------------------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raises ``TypeError`` for a value of another type, and ``InputError`` for one that no core has.

        A bool does not count as a number.
        """
        for one in self._fields():
            value = getattr(self, one.name)
            self._check_type(one, value)
            if value is not None:
                self._check_value(one.name, value)
        for name, row in self.rows().items():
            if row.like and getattr(self, name) is None and getattr(self, row.like) not in row.values:
                why = f"{option(row.like)} {getattr(self, row.like)} gives no default for {option(name)}"
                raise InputError(f"{why}, which must be {series(row.values)}; add {option(name)}")

    def _check_type(self, one: Field[Value], value: Value) -> None:
        kind, _, other = str(one.type).partition(" | ")
        if kind.startswith("tuple"):
            if not isinstance(value, (tuple, list)) or any(type(each) is not int for each in value):
                raise TypeError(f"{one.name} must be a tuple of int, not {value!r}")
        elif type(value) is not TYPES[kind] and (value is not None or not other):
            raise TypeError(f"{one.name} must be {kind}{' or None' * bool(other)}, not {value!r}")

    def _check_value(self, name: str, value: Value) -> None:
        row = self.rows()[name]
        if row.values and value not in row.values:
            if isinstance(value, str):
                raise UnknownName(row.noun, value, map(str, row.values))
            raise InputError(f"{option(name)} must be {series(row.values)}, not {value}")
        for least, most, condition in self._ranges(row):
            if isinstance(value, int) and (least is not None and value < least or most is not None and value > most):
                between = f"from {least} to {most}" if most is not None else f"at least {least}"
                raise InputError(f"{option(name)} must be {between}{row.unit and f' {row.unit}'}{condition}, not {value}")

    def _ranges(self, row: Row) -> Iterator[tuple[int | None, int | None, str]]:
        yield row.least, row.most, ""
        for other, (least, most) in row.within.items():
            if self.chosen(other):
                yield least, most, f" with {other}"

    def chosen(self, choice: str) -> bool:
        """Whether a choice is made, such as ``--keys inline``, or ``--hold`` with any value but the default."""
        spelling, _, value = choice.partition(" ")
        name = spelling.removeprefix("--").replace("-", "_")
        given = getattr(self, name)
        return str(given) == value if value else given not in (self.usual(name), *self.rows()[name].free)

    def made(self) -> Iterator[tuple[str, Terms]]:
        """The choices that are made, each with its terms."""
        for name, row in self.rows().items():
            value = getattr(self, name)
            if self.chosen(option(name)):
                yield option(name), row.terms
                if isinstance(value, str) and value in row.values:
                    yield f"{option(name)} {value}", row.values[value]

    @classmethod
    def pairs(cls) -> dict[tuple[str, str], str]:
        """Choices that a core cannot have both of, and why."""
        found: dict[tuple[str, str], str] = {}
        for name, row in cls.rows().items():
            for choice, terms in {option(name): row.terms, **{f"{option(name)} {value}": of for value, of in row.values.items()}}.items():
                found |= {(choice, other): why for other, why in terms.apart.items()}
        return found

    def check_together(self) -> None:
        """Raises ``InputError`` for two choices that a core cannot have both of, and for one whose need is not met."""
        for choice, terms in self.made():
            for other, why in terms.apart.items():
                if self.chosen(other):
                    raise InputError(f"{choice} and {other} cannot be combined: {why}; leave out one of them")
            if terms.needs and not self.chosen(terms.needs):
                raise InputError(f"{choice} is for {terms.needs}; leave it out")
            for way, what in terms.direction.items():
                if way not in self.directions:
                    raise InputError(f"{choice} is for cores that {what}; leave it out")

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that are built."""
        raise NotImplementedError

    def check_mode(self, mode: Named) -> None:
        """Raises ``InputError`` for a choice that does not go with a mode."""
        for choice, terms in self.made():
            for member, what in terms.only.items():
                if not _true(mode, member):
                    raise InputError(f"{choice} is for {what}, unlike {mode.name}; leave it out")
            for member, why in terms.never.items():
                if _true(mode, member):
                    raise InputError(f"{choice} is not for {mode.name}{why}; leave it out")

    def check_plan(self, plan: OfMode) -> None:
        """Raises ``InputError`` for a choice that does not go with the pipeline of a mode."""
        for choice, terms in self.made():
            for member, why in terms.plan.items():
                if _true(plan, member):
                    raise InputError(f"{choice} is not for {plan.mode.name}{why}; leave it out")

    # -- names -------------------------------------------------------------------------------------------------------------------------

    def named(self) -> dict[str, Value]:
        """The values that may have a word in the name of a core."""
        return asdict(self)

    def words(self, usual: Self, first: Iterable[str] = (), **other: str) -> Iterator[str]:
        """A word for each option that differs from the usual ones.

        Parameters
        ----------
        usual : Choices
            The options of a core for which nothing is chosen.
        first : iterable of str
            The options whose words come first, in their order.
        other : str
            Words of options in the place of those of their rows.
        """
        values, without = self.named(), usual.named()
        for name in dict.fromkeys((*first, *values)):
            if values[name] not in (None, without[name]):
                word = other.get(name) or self.rows()[name].word or name + "{}"
                yield word.format(ABBREVIATED.get(str(values[name]), values[name]))


ABBREVIATED = {"encrypt": "enc", "decrypt": "dec", "both": "encdec", "sequential": "seq"}
"""Values that are shorter in the name of a core."""


def _true(mode: object, member: str) -> bool:
    value = getattr(mode, member)
    return bool(value() if callable(value) else value)
