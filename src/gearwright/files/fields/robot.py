"""The fields of a robot file, and their JSON Schema."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gearwright.files.fields.basic import FieldModel, Gravity, Mass, Name, PoseFields, Position, TensorFields
from gearwright.files.fields.drive import DriveFields
from gearwright.files.fields.elasticity import ElasticBaseFields, SpringFields
from gearwright.files.fields.environment import ContactPointFields, LoopFields
from gearwright.files.fields.link import ConnectionFields, LinkFields
from gearwright.files.fields.motor_data import SupplyFields
from gearwright.files.fields.tendons_and_cords import CordFields, StateFields, TendonFields
from gearwright.files.fields.train import TrainFields


class PayloadFields(FieldModel):
    """A body fixed to a link; its default position is the tool frame, else the tip of the last link."""

    mass: Mass = Field(description="its mass")
    position: Position | None = Field(
        default=None,
        description="its centre of mass in the link's frame, or in `frame`; by default that of the tool frame (tool, "
        "tcp, tip, tool0 or flange), else the tip of the last link",
    )
    link: Name | None = Field(
        default=None, description="the link that carries it; by default that of the frame, or the last link of a chain"
    )
    frame: Name | None = Field(default=None, description="a frame or link to which it is attached")
    inertia: TensorFields = Field(
        default=TensorFields(), description="about its centre of mass; by default that of a point mass"
    )


class FrameFields(PoseFields):
    """A named frame on a link: a tool, a flange, a sensor."""

    name: Name = Field(description="its name")
    link: Name = Field(description="the link it is fixed to")


class AttachFields(FieldModel):
    """Another robot on a frame: a gripper, a second arm."""

    robot: Name = Field(
        description="a YAML, URDF or MJCF file in this file's folder or an included one, or a bundled robot"
    )
    frame: Name = Field(description="the frame of this robot that carries the other robot's base")
    prefix: str = Field(
        default="", max_length=50, description="prefix of the names of the other robot's links, joints and drives"
    )


class HeaderFields(FieldModel):
    """The fields of the whole robot."""

    robot: Name = Field(description="the robot's name")
    description: str = Field(default="", description="one line about it")
    gravity: Gravity = Field(default=(0.0, 0.0, -9.81), description="gravitational acceleration in the base frame")
    payload: PayloadFields | None = Field(default=None, description="a body on a link, usually the last one")
    supply: SupplyFields | None = Field(default=None, description="voltage supply of all drives without their own")
    independent: list[Name] = Field(
        default=[],
        description="joints of closed loops whose speeds are independent; without them driven joints are preferred",
    )
    elastic_base: ElasticBaseFields | None = Field(default=None, description="springs between ground and base")


class RobotFields(HeaderFields):
    """A robot file of Gearwright. Numbers are in SI units and radians unless they have a unit, such as 90 deg."""

    links: list[LinkFields] = Field(description="its bodies, each with the joint to its parent")
    joints: list[ConnectionFields] = Field(
        default=[], description="joints between links, in any order and with closed loops: the open tree is chosen"
    )
    drives: list[DriveFields] = Field(default=[], description="motors with the gears between them and their joints")
    trains: list[TrainFields] = Field(
        default=[], description="gear trains by wheels and meshes, for coupled motors and joints"
    )
    frames: list[FrameFields] = Field(default=[], description="named frames on links")
    attach: list[AttachFields] = Field(default=[], description="other robots attached to frames of this robot")
    springs: list[SpringFields] = Field(default=[], description="springs along combinations of joints")
    tendons: list[TendonFields] = Field(default=[], description="inertia and motors along combinations of joints")
    states: list[StateFields] = Field(default=[], description="named states, such as home")
    loops: list[LoopFields] = Field(default=[], description="kinematic loops: constraints between frames")
    environment: list[ContactPointFields] = Field(default=[], description="contact surfaces")
    cords: list[CordFields] = Field(default=[], description="cords over points and pulleys, with springs or motors")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of robot files, for editors and other programs.

    >>> schema()["title"]
    'Gearwright robot'
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RobotFields.model_json_schema(),
        "title": "Gearwright robot",
    }
