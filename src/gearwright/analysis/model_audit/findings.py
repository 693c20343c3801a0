"""Findings of an audit: kind, part, numbers, rule and remedy of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gearwright.plots import html_table
from gearwright.text import html_text, listed_names, visible_text

RULES: dict[str, str] = {
    "file": "the file can be read as a robot",
    "inertia": "a body has a positive mass and principal moments of which none exceeds the sum of the others",
    "armature": "armature = sum of J n^2 over all wheels that the joint turns",
    "coupling": "motors that turn several joints give the reflected inertia off-diagonal elements J n_i n_k",
    "effort limit": "joint effort <= motor torque x ratio",
    "speed limit": "joint speed <= motor speed / ratio",
    "ratio": "a reduction multiplies torque and divides speed by the same number",
    "power": "effort x speed <= largest torque x speed per mass of known motors x mass",
    "gains": "every pole of the sampled loop lies inside the unit circle",
    "friction": "friction is a torque at the joint below its effort limit, viscous friction is per rad/s",
    "transmission": "motor power = joint power: the effort matrix is the transposed speed matrix, times at most 1",
}
"""Kinds of findings and the rule that each violates."""


@dataclass(frozen=True)
class AuditFinding:
    """One contradiction in a model.

    Args:
        kind: one of `RULES`.
        part: the joint, link or transmission.
        message: what is stated and what follows from the other data.
        number: the stated number, in SI units.
        expected: the number that follows from the other data; None if there is a rule only.
        unit: of both.
        remedy: the change that removes the contradiction.
    """

    kind: str
    part: str
    message: str
    number: float
    expected: float | None
    unit: str
    remedy: str

    @property
    def rule(self) -> str:
        """The violated rule."""
        return RULES[self.kind]

    def __str__(self) -> str:
        return f"{self.kind}: {self.part}: {self.message} Rule: {self.rule}. {self.remedy}"


@dataclass(frozen=True)
class UncheckedRule:
    """A rule that could not be applied: its kind, the parts, and the missing data."""

    kind: str
    parts: tuple[str, ...]
    missing: str

    def __str__(self) -> str:
        return f"{self.kind} not checked ({listed_names(self.parts)}): {self.missing}"


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    Args:
        model: the audited model.
        findings: contradictions, in the order of the rules.
        unchecked: rules for which data are missing.
        notes: interpretations of the files.
    """

    model: str
    findings: tuple[AuditFinding, ...] = ()
    unchecked: tuple[UncheckedRule, ...] = ()
    notes: tuple[str, ...] = ()

    def of_kind(self, kind: str) -> tuple[AuditFinding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def __iter__(self) -> Iterator[AuditFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        head = f"{visible_text(self.model)}: {len(self.findings) or 'no'} finding{'s' * (len(self.findings) != 1)}"
        return "\n".join([head, *(f"  {x}" for x in (*self.findings, *self.unchecked))])

    def as_dict(self) -> dict[str, Any]:
        """The audit as plain data, for JSON."""
        return {
            "model": self.model,
            "findings": [{**vars(finding), "rule": finding.rule} for finding in self.findings],
            "unchecked": [{**vars(rule), "parts": list(rule.parts)} for rule in self.unchecked],
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        rows = [(x.kind, x.part, x.message, x.rule, x.remedy) for x in self.findings]
        table = html_table(["kind", "part", "finding", "rule", "remedy"], rows) if rows else "<p>No findings.</p>"
        return f"<p><b>{html_text(self.model)}</b></p>{table}"
