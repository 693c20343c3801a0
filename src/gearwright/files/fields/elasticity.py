"""The words of elasticity beside gears: springs on joints and along rows, flexible links, an elastic base."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from gearwright.files.fields.basic import Angle, Direction, Length, Mass, Name, Number, Position, TensorWords, Unit
from gearwright.files.fields.from_parts import arguments, words_of
from gearwright.files.fields.motor_data import PlainPartWords
from gearwright.parts import Beam, ElasticBase, JointSpring, PassiveSpring, Robot, with_beam, with_elastic_base
from gearwright.parts.structure.frame_changes import HERE, PartPlace


def _amount(*dimensions: str) -> Any:
    return Annotated[float, Unit(*dimensions, least=0)]


def _words(part: type, title: str, special: dict[str, Any]) -> Any:
    words = words_of(part, title, special)
    return type(title, (PlainPartWords, words), {"__doc__": words.__doc__, "__module__": __name__, "makes": part})


TurnSpring = _words(
    JointSpring,
    "TurnSpring",
    {"stiffness": _amount("angular stiffness"), "damping": _amount("angular damping"), "rest": Angle},
)
SlideSpring = _words(
    JointSpring, "SlideSpring", {"stiffness": _amount("stiffness"), "damping": _amount("damping"), "rest": Length}
)
SpringWords = _words(
    PassiveSpring,
    "SpringWords",
    {
        "row": dict[Name, Number],
        "stiffness": _amount("angular stiffness", "stiffness"),
        "damping": _amount("angular damping", "damping"),
        "rest": Annotated[float, Unit("angle", "length")],
    },
)

Rigidity = Annotated[float, Unit("flexural rigidity", above=0)]
BeamWords = _words(
    Beam,
    "BeamWords",
    {
        "length": Annotated[float, Unit("length", above=0)],
        "line_density": Annotated[float, Unit("line density", above=0)],
        "bending": tuple[Rigidity | None, Rigidity | None],
        "torsion": Rigidity,
        "polar_inertia": Annotated[float, Unit("number", least=0)],
        "direction": Direction,
        "across": Direction,
        "damping": _amount("time"),
    },
)

Six = tuple[Number, Number, Number, Number, Number, Number]
Matrix = tuple[Six, Six, Six, Six, Six, Six]


def _form(value: Any) -> str:
    return "matrix" if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple) else "ways"


def _six(linear: str, angular: str) -> Any:
    """A number (or nothing) per way, or a whole matrix."""
    along, about = _amount(linear) | None, _amount(angular) | None
    ways = tuple.__class_getitem__((along, along, along, about, about, about))
    return Annotated[Annotated[ways, Tag("ways")] | Annotated[Matrix, Tag("matrix")], Discriminator(_form)]


SixStiffnesses: Any = _six("stiffness", "angular stiffness")
SixDampings: Any = _six("damping", "angular damping")


class ElasticBaseWords(PlainPartWords):
    """What stands between the ground and the robot's base; its ways are x, y, z and the turns about them."""

    makes = ElasticBase
    stiffness: SixStiffnesses = Field(
        description="six numbers, null where the base is held; or a symmetric 6 x 6 matrix in SI units"
    )
    damping: SixDampings | None = Field(default=None, description="in the same form")
    position: Position = Field(default=(0.0, 0.0, 0.0), description="where the support acts, in the base frame")
    mass: Mass = Field(default=0.0, description="of what moves with the base")
    com: Position = Field(default=(0.0, 0.0, 0.0), description="its centre of mass, from `position`")
    inertia: TensorWords = Field(default=TensorWords(), description="about that")

    def _arguments(self) -> dict[str, Any]:
        return {**arguments(self), "inertia": self.inertia.tensor}


def spring_of(words: Any) -> JointSpring | None:
    """The spring that a joint's words state."""
    return None if words is None else words.part()


def made_flexible(robot: Robot, link: str, words: Any, frame: PartPlace = HERE) -> Robot:
    """The robot with a link as the beam that its words state, whose directions are in the frame of the link's words."""
    beam: Beam = words.part()
    across = None if beam.across is None else tuple(frame.direction(beam.across))
    return with_beam(robot, link, replace(beam, direction=tuple(frame.direction(beam.direction)), across=across))


def put_on_springs(robot: Robot, words: ElasticBaseWords) -> Robot:
    """The robot on the elastic base that its words state."""
    return with_elastic_base(robot, words.part())
