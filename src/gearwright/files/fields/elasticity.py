"""The fields of elasticity other than in gears: springs on joints and along rows, flexible links, an elastic base."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from gearwright.files.fields.basic import Angle, Direction, Length, Mass, Name, Number, Position, TensorFields, Unit
from gearwright.files.fields.from_parts import fields_model, part_arguments
from gearwright.files.fields.motor_data import PlainPartFields
from gearwright.parts import Beam, ElasticBase, JointSpring, PassiveSpring, Robot, with_beam, with_elastic_base
from gearwright.parts.structure.frame_changes import IDENTITY_PLACEMENT, FramePlacement


def _nonnegative_number(*dimensions: str) -> Any:
    return Annotated[float, Unit(*dimensions, least=0)]


def _part_fields_model(part: type, title: str, special: dict[str, Any]) -> Any:
    words = fields_model(part, title, special)
    return type(title, (PlainPartFields, words), {"__doc__": words.__doc__, "__module__": __name__, "makes": part})


TurnSpring = _part_fields_model(
    JointSpring,
    "TurnSpring",
    {
        "stiffness": _nonnegative_number("angular stiffness"),
        "damping": _nonnegative_number("angular damping"),
        "rest": Angle,
    },
)
SlideSpring = _part_fields_model(
    JointSpring,
    "SlideSpring",
    {"stiffness": _nonnegative_number("stiffness"), "damping": _nonnegative_number("damping"), "rest": Length},
)
SpringFields = _part_fields_model(
    PassiveSpring,
    "SpringFields",
    {
        "row": dict[Name, Number],
        "stiffness": _nonnegative_number("angular stiffness", "stiffness"),
        "damping": _nonnegative_number("angular damping", "damping"),
        "rest": Annotated[float, Unit("angle", "length")],
    },
)

Rigidity = Annotated[float, Unit("flexural rigidity", above=0)]
BeamFields = _part_fields_model(
    Beam,
    "BeamFields",
    {
        "length": Annotated[float, Unit("length", above=0)],
        "line_density": Annotated[float, Unit("line density", above=0)],
        "bending": tuple[Rigidity | None, Rigidity | None],
        "torsion": Rigidity,
        "polar_inertia": Annotated[float, Unit("number", least=0)],
        "direction": Direction,
        "across": Direction,
        "damping": _nonnegative_number("time"),
    },
)

SixNumbers = tuple[Number, Number, Number, Number, Number, Number]
SixBySix = tuple[SixNumbers, SixNumbers, SixNumbers, SixNumbers, SixNumbers, SixNumbers]


def _base_stiffness_form(value: Any) -> str:
    return "matrix" if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple) else "ways"


def _per_direction_or_matrix(linear: str, angular: str) -> Any:
    """The type of a number (or null) per direction, or a full matrix."""
    along, about = _nonnegative_number(linear) | None, _nonnegative_number(angular) | None
    per_direction = tuple.__class_getitem__((along, along, along, about, about, about))
    return Annotated[
        Annotated[per_direction, Tag("ways")] | Annotated[SixBySix, Tag("matrix")], Discriminator(_base_stiffness_form)
    ]


SixStiffnesses: Any = _per_direction_or_matrix("stiffness", "angular stiffness")
SixDampings: Any = _per_direction_or_matrix("damping", "angular damping")


class ElasticBaseFields(PlainPartFields):
    """The elastic support between ground and base; its directions are x, y, z and the rotations about them."""

    makes = ElasticBase
    stiffness: SixStiffnesses = Field(
        description="six numbers, null where the base is rigid; or a symmetric 6 x 6 matrix in SI units"
    )
    damping: SixDampings | None = Field(default=None, description="in the same form")
    position: Position = Field(
        default=(0.0, 0.0, 0.0), description="point at which the support acts, in the base frame"
    )
    mass: Mass = Field(default=0.0, description="mass of the body that moves with the base")
    com: Position = Field(default=(0.0, 0.0, 0.0), description="its centre of mass, from `position`")
    inertia: TensorFields = Field(default=TensorFields(), description="its tensor about the centre of mass")

    def _part_arguments(self) -> dict[str, Any]:
        return {**part_arguments(self), "inertia": self.inertia.as_tensor}


def joint_spring_part(words: Any) -> JointSpring | None:
    """Return the spring described by a joint's fields."""
    return None if words is None else words.part()


def with_flexible_link(robot: Robot, link: str, words: Any, frame: FramePlacement = IDENTITY_PLACEMENT) -> Robot:
    """Return the robot with a link replaced by the beam of its fields, given in the frame of the link's fields."""
    beam: Beam = words.part()
    across = None if beam.across is None else tuple(frame.direction_in_outer(beam.across))
    return with_beam(
        robot, link, replace(beam, direction=tuple(frame.direction_in_outer(beam.direction)), across=across)
    )


def on_elastic_base(robot: Robot, words: ElasticBaseFields) -> Robot:
    """Return the robot on the elastic base of its fields."""
    return with_elastic_base(robot, words.part())
