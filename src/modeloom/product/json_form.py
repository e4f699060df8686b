# SPDX-License-Identifier: Apache-2.0
"""Writes dataclasses as JSON, reads and checks them, and makes their JSON Schema.  The types of the fields determine all three.

::

    @dataclass                            {"name": "K1",       {"type": "object",
    class Part:                            "bytes": 16}         "properties": {"name": {"type": "string"},
        name: str                 ──▶                  ──▶                     "bytes": {"type": "integer", "minimum": 0}},
        bytes: int                                              "required": ["name", "bytes"]}

A field is text, a whole number from 0 on, a boolean, a tuple, a mapping of names, another dataclass, or a union of these.  The text in
``Annotated`` is the meaning of the field.  A field whose default is None is left out if it is None.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, TypedDict, TypeVar, Union, cast, get_args, get_origin, get_type_hints

__all__ = ["FormError", "JsonSchema", "plain", "plain_fields", "read", "schema"]

T = TypeVar("T")

DIALECT = "https://json-schema.org/draft/2020-12/schema"

JsonSchema = TypedDict(
    "JsonSchema",
    {
        "$schema": str, "title": str, "description": str, "type": str, "properties": "dict[str, JsonSchema]", "required": list[str],
        "items": "JsonSchema", "additionalProperties": "JsonSchema", "anyOf": "list[JsonSchema]", "minimum": int, "const": str,
        "$ref": str, "$defs": "dict[str, JsonSchema]",
    },
    total=False,
)  # fmt: skip
"""The words of JSON Schema in use."""

_SCALARS: dict[object, tuple[str, str]] = {
    str: ("string", "text"), int: ("integer", "a whole number from 0 on"), bool: ("boolean", "true or false"), type(None): ("null", "null"),
}  # fmt: skip
"""The name of each type in JSON, and words for messages."""


class FormError(ValueError):
    """A value does not have the required form.  The message is a phrase with its place, such as "it lacks sizes[0].beats"."""


@cache
def _hints(kind: type) -> dict[str, object]:
    return get_type_hints(kind, include_extras=True)


def _fields(kind: type) -> Iterator[tuple[dataclasses.Field[object], object]]:
    """The fields of a dataclass in the order of its JSON, with their types.  The fields in its ``TAIL`` come last."""
    found = {field.name: field for field in dataclasses.fields(kind)}
    tail = getattr(kind, "TAIL", ())
    for name in (*(name for name in found if name not in tail), *tail):
        yield found[name], _hints(kind)[name]


def _bare(hint: object) -> tuple[object, str]:
    """A type without its ``Annotated``, and the text of ``Annotated``."""
    if get_origin(hint) is Annotated:
        bare, *notes = get_args(hint)
        return bare, next((note for note in notes if isinstance(note, str)), "")
    return hint, ""


def _choices(hint: object) -> tuple[object, ...]:
    """The types of a union.  For any other type, only this type."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _words(hint: object) -> str:
    """A type in words, for a message."""
    hint, _ = _bare(hint)
    choices = _choices(hint)
    if len(choices) > 1:
        return " or ".join(_words(choice) for choice in choices)
    if hint in _SCALARS:
        return _SCALARS[hint][1]
    return "a list" if get_origin(hint) is tuple else "an object"


def _lenient(field: dataclasses.Field[object]) -> bool:
    return field.default is None


def plain(value: object) -> object:
    """A value of dataclasses as dictionaries, lists, text and numbers, for ``json``."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


def plain_fields(value: object) -> dict[str, object]:
    """The fields of a dataclass by name, each as ``plain`` gives it."""
    pairs = ((field, getattr(value, field.name)) for field, _ in _fields(type(value)))
    return {field.name: plain(item) for field, item in pairs if not (item is None and _lenient(field))}


def read(kind: type[T], value: object) -> T:
    """Makes a dataclass from a value that ``json`` has read.  Unknown names are ignored.

    Raises
    ------
    FormError
        Something is missing or has another type, or the class refuses it (a ``ValueError`` in its ``__post_init__``).
    """
    return cast(T, _read(kind, value, ""))


def _read(hint: object, value: object, where: str) -> object:
    hint, _ = _bare(hint)
    choices = _choices(hint)
    if len(choices) > 1:
        for choice in choices:
            try:
                return _read(choice, value, where)
            except FormError:
                continue
        raise _wrong(hint, where)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _read_dataclass(hint, value, where)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise _wrong(hint, where)
        return tuple(_read(arguments[0], item, f"{where}[{number}]") for number, item in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise _wrong(hint, where)
        return {key: _read(arguments[1], item, f"{where}.{key}") for key, item in value.items()}
    if hint not in _SCALARS:
        raise TypeError(f"{hint!r} has no form in JSON")
    # Python treats a bool as a number.  Here it is not one.
    if type(value) is not hint or (isinstance(value, int) and value < 0):
        raise _wrong(hint, where)
    return value


def _read_dataclass(kind: type, value: object, where: str) -> object:
    if not isinstance(value, Mapping):
        raise _wrong(kind, where)
    found: dict[str, object] = {}
    for field, hint in _fields(kind):
        place = f"{where}.{field.name}" if where else field.name
        if field.name in value:
            found[field.name] = _read(hint, value[field.name], place)
        elif not _lenient(field):
            raise FormError(f"{place} is missing")
    try:
        return kind(**found)
    except FormError:
        raise
    except ValueError as error:
        raise FormError(f"{where}: {error}" if where else str(error)) from None


def _wrong(hint: object, where: str) -> FormError:
    return FormError(f"{where or 'it'} is not {_words(hint)}")


def schema(kind: type) -> JsonSchema:
    """The JSON Schema of a dataclass.  The dataclasses within it are in ``$defs``."""
    definitions: dict[str, JsonSchema] = {}
    body = _object(kind, definitions)
    return {"$schema": DIALECT, **body, "$defs": dict(sorted(definitions.items()))}


def _object(kind: type, definitions: dict[str, JsonSchema]) -> JsonSchema:
    properties, required = dict[str, JsonSchema](), []
    for field, hint in _fields(kind):
        bare, about = _bare(hint)
        if _lenient(field):
            bare = Union[tuple(choice for choice in _choices(bare) if choice is not type(None))]  # noqa: UP007
        else:
            required.append(field.name)
        properties[field.name] = _schema(bare, definitions)
        if about:
            properties[field.name]["description"] = about
    about = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")
    return {"title": kind.__name__, "description": about, "type": "object", "properties": properties, "required": required}


def _schema(hint: object, definitions: dict[str, JsonSchema]) -> JsonSchema:
    hint, _ = _bare(hint)
    choices = _choices(hint)
    if len(choices) > 1:
        return {"anyOf": [_schema(choice, definitions) for choice in choices]}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}
            definitions[hint.__name__] = _object(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if len(arguments) == 2:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    name, _ = _SCALARS[hint]
    return {"type": name, "minimum": 0} if hint is int else {"type": name}
