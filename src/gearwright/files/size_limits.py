"""Size limits of robot files, enforced and reported by every reader.

A robot of 1,000 links with a drive each is far below the limits. Logs, runs and meshes are not robot files; they are
limited by memory only.
"""

from __future__ import annotations

MAX_FILE_BYTES = 8_000_000
"""Bytes of one file, and of the URDF from a xacro."""
MAX_NESTING_DEPTH = 40
"""Levels of nesting, in YAML and XML."""
MAX_BODY_DEPTH = 250
"""Levels of nesting in MJCF, where every link of a chain is inside the previous one."""
MAX_YAML_VALUES = 400_000
"""Keys and values of a YAML file, including every repetition by anchors."""
MAX_XML_ELEMENTS = 200_000
"""Elements of an XML file."""
MAX_PARTS = 4_000
"""Links of a robot with its attachments, and joints, drives, transmissions, trains, frames, springs of a file."""
MAX_NAME_LENGTH = 200
"""Characters of a name."""
MAX_NUMBER_LENGTH = 100
"""Characters of a number, its unit included."""
MAX_ATTACHED = 16
"""Attachments of one file."""
MAX_ATTACHMENT_DEPTH = 3
"""Files of a chain in which each attaches the next."""
MAX_FILES = 64
"""Files of one robot, including nested attachments."""
MAX_QUOTED_LENGTH = 40


def quoted_short(text: str) -> str:
    """Return a text in quotes for a message, shortened if it is long.

    >>> quoted_short("1" * 50)
    "'1111111111111111111111111111111111111...'"
    """
    return repr(text if len(text) <= MAX_QUOTED_LENGTH else text[: MAX_QUOTED_LENGTH - 3] + "...")


def number_length_problem(text: str) -> str | None:
    """Return why a text is too long for a number, or None. Checked first, since patterns are slow on long texts.

    >>> number_length_problem("9" * 40_000)
    "'9999999999999999999999999999999999999...' has 40000 characters; a number has at most 100. Round it."
    >>> number_length_problem("9.81")
    """
    if len(text) <= MAX_NUMBER_LENGTH:
        return None
    return f"{quoted_short(text)} has {len(text)} characters; a number has at most {MAX_NUMBER_LENGTH}. Round it."


def part_count_problem(count: int, kind: str) -> str | None:
    """Return why there are too many parts of a kind, or None.

    >>> part_count_problem(5_000, "links")
    'there are 5000 links; a robot file may have at most 4000. Leave some out, or split the robot.'
    """
    if count <= MAX_PARTS:
        return None
    return f"there are {count} {kind}; a robot file may have at most {MAX_PARTS}. Leave some out, or split the robot."
