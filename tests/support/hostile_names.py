"""Names that attack the text they are written into, and a robot that bears them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gearwright.parts import Drive, Frame, Gear, Joint, Link, Motor, PassiveSpring, Robot

C_CODE = (
    "*/ int evil = system(0); /*",
    "splice\\",
    "trigraph??/",
    "a\\\n*/ int evil; /*",
    "??/\n*/#error evil",
    "/*/ #error evil",
    "*\\\n/ #error evil",
    "line\n#error evil",
    "line\r#error evil",
    "while",
    "SIZE",
    "6r",
    "x0",
    "out",
    "%n%s",
    '");abort();//',
)
MARKUP = (
    "[red]evil[/red]",
    "[/]",
    "[link=file:///]x[/link]",
    ":warning:",
    "$x_1$",
    "$\\frac{a}$",
    "_hidden",
    "\\input{evil}",
    "^^5cinput",
    "<script>evil()</script>",
    "\"onload='evil()'",
    "&lt;b&gt;",
    "![x](http://evil/)",
    "[x]: http://evil/",
    "www.evil.com",
    "`code` *b* __i__ ~~s~~",
    "a|b\\|c",
    "# heading",
    "1. item",
    "- item",
    "---",
    "{{evil}}",
    "]]>",
    "<!DOCTYPE a>",
    "${evil}",
    "$(evil)",
)
TABLES_AND_WORDS = (
    "a,b",
    'a"b""c',
    "=1+1",
    " begins",
    "ends ",
    "\tends\t",
    "a: b",
    "#c",
    "- a",
    "~",
    "null",
    "yes",
    "1e5",
    "0x10",
    "1_000",
    "12:30:45",
    "<<",
    "&a",
    "*a",
    "!!python/object:evil",
    "'",
    "%TAG",
    "---\nevil: 1",
    "...",
    "\n",
    " ",
    "t",
    "q.q",
)
CONTROLS = (
    "\x1b[2Jcleared",
    "\x1b]0;title\x07",
    "\x9b31m",
    "bell\x07",
    "back\x08\x08",
    "\x7f",
    "\x00",
    "next\x85line",
    "separator\u2028\u2029",
    "\u202eright to left",
    "\u2066isolate\u2069",
    "\u200bzero",
    "\ufeffmark",
    "\U000e0041tag",
    "\ufffe",
    "a\rb",
)
HOLDABLE = tuple(name for name in CONTROLS if name >= " " and "\x1b" not in name and name[-1] not in "\x07\x08\ufffe")
"""Those that XML can hold."""
PLACES = ("../../evil", "/evil", "..", "C:\\evil", "nul", "-rf", "~evil", "a/b")
LETTERS = (
    "Schulter",
    "plié",
    "関節",
    "مفصل",
    "می\u200cخواهم",
    "сустав",
    "जोड़",
    "e\u0301",
    "ﬁ",
    "😀",
    "＊／",
    "x" * 200,
)
NAMES = (*C_CODE, *MARKUP, *TABLES_AND_WORDS, *CONTROLS, *PLACES, *LETTERS)
BORN = 9
"""How many names a robot bears."""


def random_name(rng: random.Random) -> str:
    """Pieces of hostile names and any characters, in any order: at most 200 of them, as files allow."""
    pieces = [rng.choice(NAMES) if rng.random() < 0.6 else _letters(rng) for _ in range(rng.randint(1, 4))]
    return "".join(piece[: rng.randint(1, 40)] for piece in pieces)[:200]


def _letters(rng: random.Random) -> str:
    planes = ((0, 0x100), (0x100, 0xD800), (0x2000, 0x2070), (0xE000, 0x10000), (0x10000, 0x110000))
    return "".join(chr(rng.randrange(*rng.choice(planes))) for _ in range(rng.randint(1, 4)))


def hostile_robot(names: Sequence[str]) -> Robot:
    """Two links, one on an elastic drive, whose every part bears one of BORN names; equal ones are numbered."""
    robot, upper, fore, shoulder, elbow, first, second, tool, band = _distinct(names)
    tensor = ((0.01, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.02))
    body = {"mass": 1.5, "com": (0.2, 0.03, 0.01), "inertia": tensor}
    motor = Motor(1e-4, mass=0.3, torque_constant=0.05, resistance=1.0)
    return Robot(
        robot,
        [
            Link(upper, joint=Joint(shoulder, axis=(0, 1, 0), damping=0.1), **body),
            Link(fore, upper, Joint(elbow, position=(0.4, 0, 0), axis=(0, 1, 0)), **body),
        ],
        [Drive(shoulder, motor, Gear(50), name=first), Drive(elbow, motor, Gear(80, stiffness=500.0), name=second)],
        frames=[Frame(tool, fore, (0.3, 0, 0))],
        springs=[PassiveSpring(band, {shoulder: 1.0}, 2.0)],
        description=f"described by {band}",
    )


def rigid(robot: Robot) -> Robot:
    """The robot without its elastic drive."""
    return Robot(robot.name, robot.links, robot.drives[:1], frames=robot.frames, springs=robot.springs)


def _distinct(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        count = 1
        candidate = name
        while candidate in found or candidate == "base":
            count += 1
            candidate = f"{name[:190]}{count}"
        found.append(candidate)
    return found
