"""Robot files broken in the ways people and programs break them; one number makes one broken file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
NASTY = [
    "nan",
    ".nan",
    "NaN",
    "inf",
    "-.inf",
    ".inf",
    "1e400",
    "-1e400",
    "1e-400",
    "1e308",
    "-1e308",
    "5e-324",
    "0",
    "-0",
    "-1",
    "007",
    "0x10",
    "1_000",
    "1e5",
    "1,5",
    "½",
    "١٢",
    "null",
    "~",
    "true",
    "on",
    "no",
    "[]",
    "{}",
    "''",
    '""',
    "-",
    "?",
    "|",
    ">",
    "@x",
    "%x",
    "*a",
    "&a",
    "<<:",
    "*a",
    "!!python/object:os.system",
    "!!binary",
    "!!float",
    "[1,2]",
    "[[[[]]]]",
    "{a:",
    "b}",
    "90",
    "deg",
    "12",
    "mNm/A",
    "3",
    "parsec",
    "35",
    "gcm2",
    "deg",
    "2001-01-01",
    "12:30:45",
    "base",
    "world",
    "../../x",
    "package://a/../../b",
    "&amp;",
    "&xx;",
    "<x>",
    "</link>",
    "<!--",
    "]]>",
    "\x00",
    "\x07",
    "\ufeff",
    "\u2028",
    "é",
    "你好",
    "😀",
]
BLOCKS = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
    '<!DOCTYPE r SYSTEM "file:///etc/hostname">',
    "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
    "--- !!python/object/apply:os.getcwd []\n",
    "---\n...\n---\n",
    "<<: {mass: 1}\n",
    "\t\t\n",
    "<transmission><joint name='no'/><actuator><mechanicalReduction>0</mechanicalReduction></actuator></transmission>",
    "<mimic joint='a' multiplier='-2' offset='1'/>",
    "<axis xyz='0 0 0'/>",
    "<inertial><mass value='-1'/></inertial>",
    "]" * 200,
    "[" * 200,
    "{a: " * 300,
    "<a>" * 300,
)

Mutation = Callable[[random.Random, str, Sequence[str]], str]


def _lines(change: Callable[[random.Random, list[str]], None]) -> Mutation:
    def mutate(rng: random.Random, text: str, _: Sequence[str]) -> str:
        lines = text.splitlines(keepends=True) or [""]
        change(rng, lines)
        return "".join(lines)

    return mutate


def _drop_lines(rng: random.Random, lines: list[str]) -> None:
    start = rng.randrange(len(lines))
    del lines[start : start + rng.choice((1, 1, 2, 5, 20))]


def _repeat_lines(rng: random.Random, lines: list[str]) -> None:
    start = rng.randrange(len(lines))
    lines[start:start] = lines[start : start + rng.choice((1, 3, 10))] * rng.choice((1, 1, 2, 30))


def _swap_lines(rng: random.Random, lines: list[str]) -> None:
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def _indent(rng: random.Random, lines: list[str]) -> None:
    k = rng.randrange(len(lines))
    lines[k] = rng.choice((" ", "  ", "\t", "- ")) + lines[k] if rng.random() < 0.5 else lines[k].lstrip()


def _cut(rng: random.Random, text: str, _: Sequence[str]) -> str:
    a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return text[:a] if rng.random() < 0.5 else text[:a] + text[b:]


def _characters(rng: random.Random, text: str, _: Sequence[str]) -> str:
    for _ in range(rng.choice((1, 1, 3, 10))):
        k = rng.randrange(len(text) + 1)
        sign = rng.choice("{}[]<>:,-#&*!|'\"%@`= \t\n\x00/\\0123456789.eaxz") if rng.random() < 0.7 else ""
        text = text[:k] + sign + text[k + rng.choice((0, 1)) :]
    return text


def _replace(pattern: re.Pattern[str]) -> Mutation:
    def mutate(rng: random.Random, text: str, _: Sequence[str]) -> str:
        places = list(pattern.finditer(text))
        if not places:
            return text
        place = rng.choice(places)
        fresh = rng.choice((rng.choice(NASTY), rng.choice(places).group(), str(rng.uniform(-10, 10))))
        return text[: place.start()] + fresh + text[place.end() :]

    return mutate


def _misspell(rng: random.Random, text: str, _: Sequence[str]) -> str:
    words = [m for m in WORD.finditer(text) if len(m.group()) > 2]
    if not words:
        return text
    place = rng.choice(words)
    k = rng.randrange(place.start(), place.end())
    return text[:k] + text[k + 1 :] if rng.random() < 0.5 else text[:k] + text[k] + text[k:]


def _rename_everywhere(rng: random.Random, text: str, _: Sequence[str]) -> str:
    words = WORD.findall(text)
    return re.sub(rf"\b{rng.choice(words)}\b", rng.choice(words), text) if words else text


def _insert_block(rng: random.Random, text: str, _: Sequence[str]) -> str:
    k = rng.choice((0, rng.randrange(len(text) + 1), len(text)))
    return text[:k] + rng.choice(BLOCKS) + text[k:]


def _splice(rng: random.Random, text: str, others: Sequence[str]) -> str:
    other = rng.choice(others)
    a, b = rng.randrange(len(text) + 1), rng.randrange(len(other) + 1)
    return text[:a] + other[b:]


MUTATIONS: tuple[Mutation, ...] = (
    _lines(_drop_lines),
    _lines(_repeat_lines),
    _lines(_swap_lines),
    _lines(_indent),
    _cut,
    _characters,
    _replace(NUMBER),
    _replace(NUMBER),
    _replace(NUMBER),
    _replace(WORD),
    _misspell,
    _rename_everywhere,
    _insert_block,
    _splice,
)


def broken(seed: int, texts: Sequence[str]) -> tuple[int, bytes]:
    """The index of the text that was broken, and the result: bytes, because not every file is text."""
    rng = random.Random(seed)
    which = rng.randrange(len(texts))
    text = texts[which]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice(MUTATIONS)(rng, text, texts)
    content = text.encode("utf-8", errors="replace")
    if rng.random() < 0.02:
        k = rng.randrange(len(content) + 1)
        content = content[:k] + rng.randbytes(rng.choice((1, 4, 100))) + content[k:]
    return which, content
