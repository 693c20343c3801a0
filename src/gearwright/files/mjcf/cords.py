"""Spatial tendons of a compiled MJCF model as cords; those that are not representable are reported by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gearwright.algebra import Z_AXIS, Vec
from gearwright.errors import PartError
from gearwright.files.import_report import AddUnrepresentable
from gearwright.files.mjcf.links import rotation_of_quaternion, vector_of_array
from gearwright.files.mjcf.names import MjcfNames
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import Branch, Cord, Roller, Waypoint
from gearwright.parts.structure.cord import CordStation

CordCourses = Mapping[int, tuple[CordStation, ...]]
"""The route of each representable spatial tendon."""


@dataclass(frozen=True)
class CordReader:
    """Reads the spatial tendons of a model; `origins` are the links' frames in the frames of their bodies."""

    model: Any
    names: MjcfNames
    origins: list[Vec]
    off: frozenset[str]
    add_unrepresentable: AddUnrepresentable

    @cached_property
    def cord_routes(self) -> CordCourses:
        """Return the routes of all representable spatial tendons; the others are reported."""
        routes = {}
        for t in range(self.model.ntendon):
            wraps = self._wrap_range(t)
            if not any(self.model.wrap_type[w] == self._wrap_types.mjWRAP_JOINT for w in wraps):
                route = self._read_route(wraps)
                if isinstance(route, str):
                    self.add_unrepresentable(
                        "spatial tendon",
                        self.names.element_name("tendon", t),
                        f"{route}; {self._lost_properties_text(t)}",
                    )
                else:
                    routes[t] = route
                    self._report_side_sites(self.names.element_name("tendon", t), route)
        return routes

    def read_cords(self) -> list[Cord]:
        """Return the cords with a force or inertia."""
        cords = []
        for t, route in self.cord_routes.items():
            properties = self._cord_properties(t)
            title = self.names.element_name("tendon", t)
            if not any(properties.get(word) for word in ("stiffness", "damping", "friction", "limits", "inertia")):
                self.names.findings.add_note(
                    f"spatial tendon {title!r} has no force of its own and is not imported separately"
                )
                continue
            cords.append(Cord(self.names.unique_name("cords", title), route, **properties))
            if properties.get("stiffness") or properties.get("damping") or properties.get("inertia"):
                self.names.findings.add_note(
                    f"forces of spatial tendon {title!r} are a law: included in gw.laws(robot), not in gw.bias"
                )
        return cords

    def _report_side_sites(self, title: str, route: tuple[CordStation, ...]) -> None:
        """Report where the route around a roller may differ from that of the installed MuJoCo."""
        version = str(mujoco_module().__version__)
        if int(version.split(".")[0]) >= 4:
            return
        if any(isinstance(station, Roller) and station.side is not None for station in route):
            self.add_unrepresentable(
                "side site of spatial tendon",
                title,
                f"the side is kept, but MuJoCo {version} uses the rule before 4.0, which is discontinuous",
            )

    @cached_property
    def _wrap_types(self) -> Any:
        return mujoco_module().mjtWrap

    def _wrap_range(self, t: int) -> range:
        first = int(self.model.tendon_adr[t])
        return range(first, first + int(self.model.tendon_num[t]))

    def _read_route(self, wraps: range) -> tuple[CordStation, ...] | str:
        """Return the stations of a tendon, or the reason why it is not representable."""
        stations: list[CordStation] = []
        bodies = set()
        for w in wraps:
            kind, target = int(self.model.wrap_type[w]), int(self.model.wrap_objid[w])
            if kind == self._wrap_types.mjWRAP_PULLEY:
                stations.append(Branch(float(self.model.wrap_prm[w])))
                continue
            if kind == self._wrap_types.mjWRAP_SITE:
                body = int(self.model.site_bodyid[target])
                stations.append(
                    Waypoint(self.names.bodies[body], self._position_in_link(body, self.model.site_pos[target]))
                )
            else:
                body = int(self.model.geom_bodyid[target])
                try:
                    stations.append(self._read_roller(target, body, kind, int(self.model.wrap_prm[w])))
                except PartError as error:
                    return str(error)
            bodies.add(int(self.model.body_weldid[body]))
        return tuple(stations) if len(bodies) > 1 else "its bodies do not move relative to each other"

    def _read_roller(self, geom: int, body: int, kind: int, side: int) -> Roller:
        if side >= 0 and int(self.model.site_bodyid[side]) != body:
            raise PartError("its side site is on another body than the wrapped geom")
        return Roller(
            self.names.bodies[body],
            float(self.model.geom_size[geom][0]),
            self._position_in_link(body, self.model.geom_pos[geom]),
            tuple(rotation_of_quaternion(self.model.geom_quat[geom]) @ Z_AXIS)
            if kind == self._wrap_types.mjWRAP_CYLINDER
            else None,
            None if side < 0 else self._position_in_link(body, self.model.site_pos[side]),
        )

    def _position_in_link(self, body: int, position: Any) -> tuple[float, ...]:
        return tuple(float(x) for x in vector_of_array(position) - self.origins[body])

    def _cord_properties(self, t: int) -> dict[str, Any]:
        """Return the forces and inertia along a tendon as fields of a cord."""
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

    def _lost_properties_text(self, t: int) -> str:
        """Return the properties lost with a tendon, as text."""
        words = {"stiffness": "spring", "damping": "damper", "friction": "friction loss", "inertia": "armature"}
        lost = [words.get(word, word) for word, x in self._cord_properties(t).items() if x and word != "rest"]
        return f"ignored with it: {', '.join(lost)}" if lost else "it has no force of its own"
