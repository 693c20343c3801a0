"""Spatial tendons of a compiled MJCF model as cords; what has no words is reported by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gearwright.algebra import Vec
from gearwright.errors import PartError
from gearwright.files.mjcf.links import rot, vec
from gearwright.files.mjcf.names import Names
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import Branch, Cord, Roller, Waypoint
from gearwright.parts.structure.cord import Station

Lose = Callable[[str, str, str], None]
Courses = Mapping[int, tuple[Station, ...]]
"""Per spatial tendon that has words its way."""
Z = Vec(0.0, 0.0, 1.0)


@dataclass(frozen=True)
class CordReader:
    """Reads the spatial tendons of a model; `origins` are the links' frames in the frames of their bodies."""

    model: Any
    names: Names
    origins: list[Vec]
    off: frozenset[str]
    lose: Lose

    @cached_property
    def courses(self) -> Courses:
        """The ways of all spatial tendons that can be said; the others are reported."""
        found = {}
        for t in range(self.model.ntendon):
            wraps = self._wraps(t)
            if not any(self.model.wrap_type[w] == self._kinds.mjWRAP_JOINT for w in wraps):
                course = self._course(wraps)
                if isinstance(course, str):
                    self.lose("spatial tendon", self.names.of("tendon", t), f"{course}; {self._without(t)}")
                else:
                    found[t] = course
                    self._report_on_sides(self.names.of("tendon", t), course)
        return found

    def read(self) -> list[Cord]:
        """Those along which something acts."""
        made = []
        for t, course in self.courses.items():
            acting = self._acting(t)
            title = self.names.of("tendon", t)
            if not any(acting.get(word) for word in ("stiffness", "damping", "friction", "limits", "inertia")):
                self.names.found.note(f"spatial tendon {title!r} has no force of its own: not kept by itself")
                continue
            made.append(Cord(self.names.among("cords", title), course, **acting))
            if acting.get("stiffness") or acting.get("damping") or acting.get("inertia"):
                self.names.found.note(
                    f"what acts along spatial tendon {title!r} is a law: gw.laws(robot) has it, gw.bias has not"
                )
        return made

    def _report_on_sides(self, title: str, course: tuple[Station, ...]) -> None:
        """Say where the way round a roller may be another than in the MuJoCo that is installed."""
        version = str(mujoco_module().__version__)
        if int(version.split(".")[0]) >= 4:
            return
        if any(isinstance(station, Roller) and station.side is not None for station in course):
            self.lose(
                "side site of spatial tendon",
                title,
                f"the side is kept, but MuJoCo {version} chooses by the rule before 4.0, which jumps in places",
            )

    @cached_property
    def _kinds(self) -> Any:
        return mujoco_module().mjtWrap

    def _wraps(self, t: int) -> range:
        first = int(self.model.tendon_adr[t])
        return range(first, first + int(self.model.tendon_num[t]))

    def _course(self, wraps: range) -> tuple[Station, ...] | str:
        """The stations of a tendon, or why there are none."""
        stations: list[Station] = []
        bodies = set()
        for w in wraps:
            kind, target = int(self.model.wrap_type[w]), int(self.model.wrap_objid[w])
            if kind == self._kinds.mjWRAP_PULLEY:
                stations.append(Branch(float(self.model.wrap_prm[w])))
                continue
            if kind == self._kinds.mjWRAP_SITE:
                body = int(self.model.site_bodyid[target])
                stations.append(Waypoint(self.names.bodies[body], self._in_link(body, self.model.site_pos[target])))
            else:
                body = int(self.model.geom_bodyid[target])
                try:
                    stations.append(self._roller(target, body, kind, int(self.model.wrap_prm[w])))
                except PartError as error:
                    return str(error)
            bodies.add(int(self.model.body_weldid[body]))
        return tuple(stations) if len(bodies) > 1 else "its bodies do not move against each other"

    def _roller(self, geom: int, body: int, kind: int, side: int) -> Roller:
        if side >= 0 and int(self.model.site_bodyid[side]) != body:
            raise PartError("its side site lies on another body than the geom that it wraps")
        return Roller(
            self.names.bodies[body],
            float(self.model.geom_size[geom][0]),
            self._in_link(body, self.model.geom_pos[geom]),
            tuple(rot(self.model.geom_quat[geom]) @ Z) if kind == self._kinds.mjWRAP_CYLINDER else None,
            None if side < 0 else self._in_link(body, self.model.site_pos[side]),
        )

    def _in_link(self, body: int, position: Any) -> tuple[float, ...]:
        return tuple(float(x) for x in vec(position) - self.origins[body])

    def _acting(self, t: int) -> dict[str, Any]:
        """What acts along a tendon, in the words of a cord."""
        m, off = self.model, self.off
        stiffness = 0.0 if "spring" in off else float(m.tendon_stiffness[t])
        return {
            "stiffness": stiffness,
            "damping": 0.0 if "damper" in off else float(m.tendon_damping[t]),
            "rest": tuple(float(x) for x in m.tendon_lengthspring[t]) if stiffness else (0.0, 0.0),
            "friction": 0.0 if "frictionloss" in off else float(m.tendon_frictionloss[t]),
            "limits": tuple(map(float, m.tendon_range[t])) if m.tendon_limited[t] and "limit" not in off else None,
            "inertia": float(m.tendon_armature[t]),
        }

    def _without(self, t: int) -> str:
        """What is lost with a tendon."""
        words = {"stiffness": "spring", "damping": "damper", "friction": "friction loss", "inertia": "armature"}
        lost = [words.get(word, word) for word, x in self._acting(t).items() if x and word != "rest"]
        return f"lost with it: {', '.join(lost)}" if lost else "it has no force of its own"
