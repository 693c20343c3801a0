"""The gear graph: links, turning pairs and gear pairs, with circuits and rates (Chen and Wang).

Vertices are links (of the robot and of its trains); a turning pair is an edge with the label of its axis; a gear pair
is an edge with a ratio. Links whose turning pairs share a label are coaxial, so their relative rates add.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx

from gearwright.algebra import Scalar, is_number
from gearwright.errors import TrainError
from gearwright.mechanism.gear_graphs.pairs import Circuit, GearPair, TurningPair
from gearwright.mechanism.gear_graphs.rates import ContradictionError, solve_rates
from gearwright.text import did_you_mean, listed_names


@dataclass(frozen=True)
class GearGraph:
    """Turning pairs and gear pairs of a geared robot.

    Args:
        turning: turning pairs; every link but the base is the outer link of exactly one.
        gears: gear pairs.
        base: the fixed link.

    >>> graph = GearGraph([TurningPair("0", "1", "a"), TurningPair("0", "4", "d")], [GearPair("4", "1", -3.0)])
    >>> graph.degrees_of_freedom, graph.link_rows(["1"])["4"]
    (1, {'1': -3.0})
    """

    turning: Sequence[TurningPair]
    gears: Sequence[GearPair] = ()
    base: str = "0"

    def __post_init__(self) -> None:
        object.__setattr__(self, "turning", tuple(self.turning))
        object.__setattr__(self, "gears", tuple(self.gears))
        self._require_one_carrier_each()
        for gear in self.gears:
            for link in (gear.first, gear.second):
                if link not in self._pair_by_outer and link != self.base:
                    raise TrainError(
                        f"gear pair {gear.title}: {link!r} is neither a link nor a wheel. "
                        f"{did_you_mean(link, self.links)}"
                    )

    def _require_one_carrier_each(self) -> None:
        carriers: dict[str, str] = {}
        for pair in self.turning:
            if pair.outer in carriers:
                raise TrainError(
                    f"{pair.outer!r} has two carriers, {carriers[pair.outer]!r} and {pair.inner!r}. Keep one turning "
                    "pair: coaxial links follow from the axis labels."
                )
            carriers[pair.outer] = pair.inner
        titles = Counter(pair.title for pair in self.turning)
        twice = next((title for title, count in titles.items() if count > 1), None)
        if twice is not None:
            raise TrainError(f"two turning pairs are called {twice!r}. Rename the wheel or the joint.")
        grounded = {self.base}
        for link in carriers:
            grounded |= self._require_ground(link, carriers, grounded)

    def _require_ground(self, link: str, carrier: Mapping[str, str], grounded: set[str]) -> set[str]:
        """Return the links on the path to one connected to the base; raise an error for cycles and loose ends."""
        path: dict[str, None] = {}
        while link not in grounded:
            if link in path:
                loop = listed_names([*list(path)[list(path).index(link) :], link], " -> ")
                raise TrainError(f"the carriers form a cycle: {loop}. Connect one to {self.base!r}.")
            if link not in carrier:
                raise TrainError(
                    f"{next(iter(path))!r} is not connected to {self.base!r}: its carriers end at {link!r}, which "
                    "has no carrier. Give the missing turning pair."
                )
            path[link] = None
            link = carrier[link]
        return set(path)

    @property
    def links(self) -> tuple[str, ...]:
        """All links, the base first."""
        return (self.base, *(pair.outer for pair in self.turning))

    @cached_property
    def _pair_by_outer(self) -> dict[str, TurningPair]:
        """The turning pair of each link to its carrier."""
        return {pair.outer: pair for pair in self.turning}

    def carrier_of(self, link: str) -> str:
        """Return the carrier of a link."""
        return self._require_pair(link).inner

    def _require_pair(self, link: str) -> TurningPair:
        if link not in self._pair_by_outer:
            why = "the base, which has no carrier" if link == self.base else "neither a link nor a wheel"
            raise TrainError(f"{link!r} is {why}. {did_you_mean(link, self._pair_by_outer)}")
        return self._pair_by_outer[link]

    @property
    def degrees_of_freedom(self) -> int:
        """Number of turning pairs minus number of gear pairs."""
        return sum(pair.axis is not None for pair in self.turning) - len(self.gears)

    def path(self, start: str, end: str) -> tuple[tuple[TurningPair, int], ...]:
        """Return the turning pairs from one link to another; sign +1 if passed from inner to outer."""
        up, down = self._pairs_to_base(start), self._pairs_to_base(end)
        while up and down and up[-1] == down[-1]:
            up.pop()
            down.pop()
        return (*((pair, -1) for pair in up), *((pair, 1) for pair in reversed(down)))

    def _pairs_to_base(self, link: str) -> list[TurningPair]:
        pairs = []
        while link in self._pair_by_outer:
            pairs.append(self._pair_by_outer[link])
            link = pairs[-1].inner
        return pairs

    @cached_property
    def circuits(self) -> tuple[Circuit, ...]:
        """The fundamental circuits, one per gear pair."""
        return tuple(self._fundamental_circuit(gear) for gear in self.gears)

    def _fundamental_circuit(self, gear: GearPair) -> Circuit:
        carrier = gear.carrier if gear.carrier is not None else self._transfer_vertex(gear)
        if carrier not in self._pair_by_outer and carrier != self.base:
            raise TrainError(
                f"gear pair {gear.title}: its carrier {carrier!r} is neither a link nor a wheel. "
                f"{did_you_mean(carrier, self.links)}"
            )
        halves = []
        for link in (gear.first, gear.second):
            half = self.path(carrier, link)
            axes = {pair.axis for pair, _ in half} - {None}
            if len(axes) != 1:
                problem = (
                    "no axis"
                    if not axes
                    else f"no single axis (axes between them: {listed_names(sorted(map(str, axes)))})"
                )
                raise TrainError(
                    f"gear pair {gear.title}: its carrier {carrier!r} shares {problem} with {link!r}. The carrier must "
                    "be coaxial with each of the two gears."
                )
            halves.append((half, axes.pop()))
        if halves[0][1] == halves[1][1]:
            raise TrainError(
                f"gear pair {gear.title}: both gears turn about axis {halves[0][1]!r} of {carrier!r}; coaxial gears "
                "cannot mesh. Check the axis labels."
            )
        return Circuit(gear, carrier, halves[0][0], halves[1][0])

    def _transfer_vertex(self, gear: GearPair) -> str:
        """Return the transfer vertex, where the axis changes on the path from one gear to the other: the carrier."""
        path = [(pair, sign) for pair, sign in self.path(gear.first, gear.second) if pair.axis is not None]
        changes = [k for k in range(1, len(path)) if path[k][0].axis != path[k - 1][0].axis]
        if len(changes) != 1:
            axes = listed_names(dict.fromkeys(str(pair.axis) for pair, _ in path))
            raise TrainError(
                f"gear pair {gear.title}: no link is coaxial with both gears (the axes between them are {axes}). "
                "Give its carrier, and the axis that the carrier shares with each gear."
            )
        pair, sign = path[changes[0]]
        return pair.inner if sign > 0 else pair.outer

    @cached_property
    def coaxial_links(self) -> dict[str, tuple[str, ...]]:
        """Return per axis label the links that turn about it, from the base outwards."""
        links_by_axis: dict[str, dict[str, None]] = {}
        for pair in self.turning:
            if pair.axis is not None:
                links_by_axis.setdefault(pair.axis, {}).update({pair.inner: None, pair.outer: None})
        return {axis: tuple(links) for axis, links in links_by_axis.items()}

    def canonical_graph(self) -> GearGraph:
        """Return the same train with coaxial links on the innermost.

        No path from the base then has the same axis twice in sequence. A link moved from i to i's carrier turns at its
        rate plus that of i.
        """
        fresh = []
        for pair in self.turning:
            inner = pair.inner
            while (
                inner in self._pair_by_outer and pair.axis is not None and self._pair_by_outer[inner].axis == pair.axis
            ):
                inner = self._pair_by_outer[inner].inner
            fresh.append(TurningPair(inner, pair.outer, pair.axis, pair.name))
        return GearGraph(
            fresh, [GearPair(c.gear.first, c.gear.second, c.gear.ratio, c.carrier) for c in self.circuits], self.base
        )

    def open_chain(self, end: str) -> tuple[str, ...]:
        """Return the equivalent open-loop chain: primary links from the base to the end link, without gear pairs."""
        if end != self.base:
            self._require_pair(end)
        return (self.base, *(pair.outer for pair in reversed(self._pairs_to_base(end))))

    def secondary_links(self, primary: Sequence[str]) -> tuple[str, ...]:
        """Return the secondary links: those driven by gears."""
        return tuple(link for link in self.links if link not in primary)

    def virtual_links(self, primary: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return per primary link its secondary links, at rest part of the virtual link."""
        riders: dict[str, list[str]] = {link: [] for link in (self.base, *primary) if link in self.links}
        for link in self.secondary_links((self.base, *primary)):
            home = self.carrier_of(link)
            while home not in riders:
                home = self.carrier_of(home)
            riders[home].append(link)  # Chen (13): the virtual link
        return {link: tuple(carried) for link, carried in riders.items()}

    def turning_rates(self, independent: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        """Return the rate of each turning pair as a row over the independent rates (names of turning pairs)."""
        moving = [pair.title for pair in self.turning if pair.axis is not None]
        titles = dict.fromkeys(moving)
        for name in independent:
            if name not in titles:
                raise TrainError(f"{name!r} is not a turning pair. {did_you_mean(name, titles)}")
        try:
            return solve_rates([circuit.equation for circuit in self.circuits], moving, independent)
        except ContradictionError as clash:
            raise self._contradiction_error(clash, moving, independent) from None

    def _contradiction_error(
        self, clash: ContradictionError, moving: Sequence[str], independent: Sequence[str]
    ) -> TrainError:
        """Return the contradiction error with the ratio of the pair and that of the rest of its circuit."""
        closing = next(c for c in self.circuits if c.gear.title == clash.pair)
        ratios = {c.gear.title: c.gear.ratio for c in self.circuits}
        loop = listed_names(f"{pair} ({ratios[pair]})" for pair in clash.loop) or "a second pair of the same gears"
        problem = (
            f"over-constrained: gear pair {clash.pair} has the ratio {closing.gear.ratio}, but the circuit through"
        )
        remedy = "Change a ratio or remove a gear pair."
        try:
            rates = solve_rates([c.equation for c in self.circuits if c is not closing], moving, independent)
        except TrainError:
            rates = {}
        first = self.relative_row(rates, closing.carrier, closing.gear.first)
        second = self.relative_row(rates, closing.carrier, closing.gear.second)
        if len(second) == 1 and list(first) == list(second):
            (name,) = second
            return TrainError(f"{problem} {loop} requires {first[name] / second[name]}. {remedy}")
        return TrainError(
            f"{problem} {loop} contradicts it: together they require {clash.residual} = 0 for independent speeds. "
            f"{remedy}"
        )

    def link_rows(self, independent: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        """Return the row b_j of each dependent link: its rate relative to its carrier per unit of each rate."""
        rates = self.turning_rates(independent)  # Chen (11), (27)-(30)
        return {
            pair.outer: rates[pair.title]
            for pair in self.turning
            if pair.title in rates and pair.title not in independent
        }

    def relative_row(self, rates: Mapping[str, Mapping[str, Scalar]], start: str, end: str) -> dict[str, Scalar]:
        """Return the row of `end` relative to `start`, for links whose turning pairs between them share one axis."""
        row: dict[str, Scalar] = {}
        for pair, sign in self.path(start, end):
            for name, factor in rates.get(pair.title, {}).items():
                row[name] = row[name] + sign * factor if name in row else sign * factor  # Chen (10)
        return {name: factor for name, factor in row.items() if not (is_number(factor) and factor == 0)}

    def structure_matrix(self, independent: Sequence[str], inputs: Sequence[str]) -> list[list[Scalar]]:
        """Return A: a row per independent rate, a column per input link with its rate relative to its carrier."""
        rows = self.turning_rates(independent)
        titles = [self._require_pair(link).title for link in inputs]
        return [[rows[title].get(name, 0) for title in titles] for name in independent]  # Chen (12), (45)

    def to_networkx(self) -> Any:
        """Return the functional graph: turning edges with `axis`, gear edges with `ratio` and `carrier`."""
        graph = nx.MultiGraph()
        graph.add_nodes_from(self.links)
        for pair in self.turning:
            graph.add_edge(pair.inner, pair.outer, kind="turning", axis=pair.axis, name=pair.title)
        for circuit in self.circuits:
            gear = circuit.gear
            graph.add_edge(gear.first, gear.second, kind="gear", ratio=gear.ratio, carrier=circuit.carrier)
        return graph
