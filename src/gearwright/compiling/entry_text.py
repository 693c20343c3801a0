"""Instructions of the entry from Python: what it reads from Python's objects, and when it leaves a call to Python."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.compiling import python_objects as objects


class EntryText:
    """LLVM text in which every result has a fresh name, and every check that fails ends at the label `slow`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def assign(self, text: str) -> str:
        """Append `%new = text`."""
        self.count += 1
        self.lines.append(f"  %y{self.count} = {text}")
        return f"%y{self.count}"

    def append(self, *texts: str) -> None:
        """Append instructions without a result, and labels."""
        self.lines += [text if text.endswith(":") else "  " + text for text in texts]

    def at(self, base: str, offset: int | str) -> str:
        """The address so many bytes behind another."""
        return self.assign(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, kind: str, base: str, offset: int) -> str:
        """What stands so many bytes behind an address."""
        where = self.at(base, offset)
        return self.assign(f"load {kind}, ptr {where}")

    def from_table(self, name: str) -> str:
        """An entry of the table of addresses."""
        return self.load("ptr", "@addresses", 8 * objects.NAMES.index(name))

    def equal(self, kind: str, a: str, b: str | int) -> str:
        """Whether two values are equal."""
        return self.assign(f"icmp eq {kind} {a}, {b}")

    def choice(self, condition: str, kind: str, yes: str | int, no: str | int) -> str:
        """One of two values."""
        return self.assign(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    def all_of(self, conditions: Sequence[str]) -> str:
        """Whether all conditions hold."""
        whole = conditions[0]
        for condition in conditions[1:]:
            whole = self.assign(f"and i1 {whole}, {condition}")
        return whole

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Go on at one of two labels."""
        self.append(f"br i1 {condition}, label %{yes}, label %{no}")

    def go_on_if(self, conditions: Sequence[str], label: str) -> None:
        """Go on at a new label if all conditions hold, else leave the call to Python."""
        self.branch(self.all_of(conditions), label, "slow")
        self.append(f"{label}:")

    def array(self, index: int, flags: int, label: str) -> str:
        """An argument that is a float64 array with the flags; another is left to Python."""
        x = self.load("ptr", "%args", 8 * index)
        type_of, ndarray = self.load("ptr", x, objects.TYPE), self.from_table("ndarray")
        self.go_on_if([self.equal("ptr", type_of, ndarray)], f"{label}.array")
        descr, float64 = self.load("ptr", x, objects.DESCR), self.from_table("float64")
        kind, double = self.load("i64", descr, objects.KIND), self.load("i64", float64, objects.KIND)
        found = self.assign(f"and i32 {self.load('i32', x, objects.FLAGS)}, {flags}")
        self.go_on_if([self.equal("i64", kind, double), self.equal("i32", found, flags)], f"{label}.double")
        return x

    def byte_range(self, array: str, rows: str, row_size: int) -> tuple[str, str]:
        """The addresses where an array's numbers begin and end, as integers."""
        begin = self.assign(f"ptrtoint ptr {self.load('ptr', array, objects.DATA)} to i64")
        return begin, self.assign(f"add i64 {begin}, {self.assign(f'mul i64 {rows}, {row_size}')}")
