"""How large a robot file may be: every reader keeps to these bounds and says them when it refuses.

A robot of 1,000 links with a drive each fits several times over. Logs, runs and meshes are not robot files:
memory alone bounds them.
"""

from __future__ import annotations

MAX_BYTES = 8_000_000
"""Of one file, and of the URDF that a xacro expands to."""
MAX_DEPTH = 40
"""Levels of nesting, in YAML and XML."""
MAX_BODY_DEPTH = 250
"""Levels of nesting in MJCF, where every link of a chain stands inside the one before."""
MAX_VALUES = 400_000
"""Words and values of a YAML file, what anchors repeat counted as often as it is repeated."""
MAX_ELEMENTS = 200_000
"""Elements of an XML file."""
MAX_PARTS = 4_000
"""Links of a robot with all that is attached, and joints, drives, transmissions, trains, frames, springs of a file."""
MAX_NAME = 200
"""Characters of a name."""
LONGEST_NUMBER = 100
"""Characters of a number, its unit included."""
MAX_ATTACHED = 16
"""Attachments of one file."""
MAX_NESTING = 3
"""Files of a chain in which each attaches the next."""
MAX_FILES = 64
"""Files that one robot is read from, attachments of attachments included."""
SHORT = 40


def shortened(text: str) -> str:
    """A text in quotes for a message, cut when it is long.

    >>> shortened("1" * 50)
    "'1111111111111111111111111111111111111...'"
    """
    return repr(text if len(text) <= SHORT else text[: SHORT - 3] + "...")


def long_number(text: str) -> str | None:
    """Why a text is too long for a number; None when it is not. Asked first: patterns take long over long texts.

    >>> long_number("9" * 40_000)
    "'9999999999999999999999999999999999999...' has 40000 characters, a number at most 100. Round it."
    >>> long_number("9.81")
    """
    if len(text) <= LONGEST_NUMBER:
        return None
    return f"{shortened(text)} has {len(text)} characters, a number at most {LONGEST_NUMBER}. Round it."


def too_many(count: int, what: str) -> str | None:
    """Why there are too many parts of a kind; None when there are not.

    >>> too_many(5_000, "links")
    'there are 5000 links; a robot file holds at most 4000. Leave some out, or split the robot.'
    """
    if count <= MAX_PARTS:
        return None
    return f"there are {count} {what}; a robot file holds at most {MAX_PARTS}. Leave some out, or split the robot."
