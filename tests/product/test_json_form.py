# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as JSON: each type of a field written, read, refused where it is another, and told by the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest

from modeloom.product.json_form import FormError, plain, read, schema


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part."""

    name: str
    bytes: Annotated[int, "How many."]

    def __post_init__(self) -> None:
        if not self.bytes:
            raise ValueError("bytes is 0")


@dataclass(frozen=True, kw_only=True)
class Whole:
    """All kinds of fields.

    More of that.
    """

    TAIL: ClassVar[tuple[str, ...]] = ("done",)

    done: bool
    parts: tuple[Part, ...]
    counts: Mapping[str, int]
    limit: str | None
    option: Mapping[str, bool | int | str | None | tuple[int, ...]]
    note: str | None = None


VALUE: dict[str, Any] = {
    "parts": [{"name": "K", "bytes": 16}], "counts": {"mul": 2}, "limit": None,
    "option": {"a": True, "b": 3, "c": "x", "d": None, "e": [1, 2]}, "note": "n", "done": True,
}  # fmt: skip


def test_there_and_back() -> None:
    whole = read(Whole, VALUE)
    assert whole.parts == (Part(name="K", bytes=16),) and whole.option["e"] == (1, 2) and whole.option["a"] is True
    assert plain(whole) == VALUE and list(plain(whole)) == list(VALUE), "the order, too: what TAIL names comes last"


def test_what_is_none_is_left_out_only_where_that_is_the_default() -> None:
    without = {name: value for name, value in VALUE.items() if name != "note"}
    assert read(Whole, without).note is None
    assert plain(read(Whole, without)) == without and "limit" in without


def test_what_is_unknown_is_passed_over() -> None:
    assert read(Whole, {**VALUE, "later": 1}) == read(Whole, VALUE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"done": 1}, "done is not true or false"),
        ({"done": None}, "done is not true or false"),
        ({"parts": {}}, "parts is not a list"),
        ({"parts": "K"}, "parts is not a list"),
        ({"parts": ["K"]}, r"parts\[0\] is not an object"),
        ({"parts": [{"name": "K", "bytes": 1}, {"bytes": 16}]}, r"parts\[1\]\.name is missing"),
        ({"parts": [{"name": 5, "bytes": 16}]}, r"parts\[0\]\.name is not text"),
        ({"parts": [{"name": "K", "bytes": True}]}, r"parts\[0\]\.bytes is not a whole number from 0 on"),
        ({"parts": [{"name": "K", "bytes": -1}]}, r"parts\[0\]\.bytes is not a whole number from 0 on"),
        ({"parts": [{"name": "K", "bytes": 1.5}]}, r"parts\[0\]\.bytes is not a whole number from 0 on"),
        ({"parts": [{"name": "K", "bytes": 0}]}, r"parts\[0\]: bytes is 0"),
        ({"counts": [1]}, "counts is not an object"),
        ({"counts": {"mul": "2"}}, r"counts\.mul is not a whole number from 0 on"),
        ({"limit": 3}, "limit is not text or null"),
        ({"option": {"a": {}}}, r"option\.a is not true or false or .* or a list"),
        ({"option": {"a": ["1"]}}, r"option\.a is not true or false or .* or a list"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(FormError, match=f"^{message}$"):
        read(Whole, {**VALUE, **changes})


@pytest.mark.parametrize("name", ["done", "parts", "counts", "limit", "option"])
def test_what_is_missing_is_named(name: str) -> None:
    with pytest.raises(FormError, match=f"^{name} is missing$"):
        read(Whole, {key: value for key, value in VALUE.items() if key != name})


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_no_object_at_all(value: object) -> None:
    with pytest.raises(FormError, match="^it is not an object$"):
        read(Whole, value)


def test_a_type_without_a_form() -> None:
    @dataclass
    class Odd:
        ratio: float

    Odd.__annotations__["ratio"] = float
    with pytest.raises(TypeError, match="has no form in JSON"):
        read(Odd, {"ratio": 0.5})


def test_the_schema() -> None:
    found = schema(Whole)
    assert found["title"] == "Whole" and found["description"] == "All kinds of fields."
    assert found["required"] == ["parts", "counts", "limit", "option", "done"]
    assert found["properties"]["parts"] == {"type": "array", "items": {"$ref": "#/$defs/Part"}}
    assert found["properties"]["counts"] == {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
    assert found["properties"]["limit"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert found["properties"]["note"] == {"type": "string"}, "where it is None it is not there"
    part = found["$defs"]["Part"]
    assert part["properties"]["bytes"] == {"type": "integer", "minimum": 0, "description": "How many."}
    assert part["required"] == ["name", "bytes"]
