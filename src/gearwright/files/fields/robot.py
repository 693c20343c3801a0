"""The words of a whole robot file, and their JSON Schema."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gearwright.files.fields.basic import Gravity, Mass, Name, Origin, Position, TensorWords, Words
from gearwright.files.fields.drive import DriveWords
from gearwright.files.fields.elasticity import ElasticBaseWords, SpringWords
from gearwright.files.fields.environment import LoopWords, TouchWords
from gearwright.files.fields.link import LinkWords
from gearwright.files.fields.motor_data import SupplyWords
from gearwright.files.fields.tendons_and_cords import CordWords, StateWords, TendonWords
from gearwright.files.fields.train import TrainWords


class PayloadWords(Words):
    """A body fixed to a link. Without a position it sits at the tool frame, else at the tip of the last link."""

    mass: Mass = Field(description="its mass")
    position: Position | None = Field(
        default=None,
        description="its centre of mass in the link's frame, or in `frame`; unless given that of the tool frame (tool, "
        "tcp, tip, tool0 or flange), else the tip of the last link",
    )
    link: Name | None = Field(default=None, description="that of the frame, or the last of a chain, unless given")
    frame: Name | None = Field(default=None, description="a frame or link at which it sits")
    inertia: TensorWords = Field(
        default=TensorWords(), description="about its centre of mass; a point mass unless given"
    )


class FrameWords(Origin):
    """A named place on a link: a tool, a flange, a sensor."""

    name: Name = Field(description="what it is called")
    link: Name = Field(description="the link it is fixed to")


class AttachWords(Words):
    """Another robot on a frame: a gripper, a second arm."""

    robot: Name = Field(
        description="a YAML, URDF or MJCF file in this file's folder or an included one, or a bundled robot"
    )
    frame: Name = Field(description="the frame of this robot that becomes the other one's base")
    prefix: str = Field(
        default="", max_length=50, description="put before the names of the other robot's links, joints and drives"
    )


class HeaderWords(Words):
    """What a robot file says once."""

    robot: Name = Field(description="the robot's name")
    description: str = Field(default="", description="one line about it")
    gravity: Gravity = Field(default=(0.0, 0.0, -9.81), description="acceleration of free fall in the base frame")
    payload: PayloadWords | None = Field(default=None, description="a body on a link, usually the last one")
    supply: SupplyWords | None = Field(default=None, description="what feeds every drive that has no supply of its own")
    elastic_base: ElasticBaseWords | None = Field(default=None, description="springs between ground and base")


class RobotWords(HeaderWords):
    """A robot file of Gearwright. Numbers are in SI units and radians unless a text states a unit, such as 90 deg."""

    links: list[LinkWords] = Field(description="its bodies, each with the joint to its parent")
    drives: list[DriveWords] = Field(default=[], description="motors with the gears between them and their joints")
    trains: list[TrainWords] = Field(
        default=[], description="gear trains by wheels and meshes, where motors and joints are coupled"
    )
    frames: list[FrameWords] = Field(default=[], description="named places on links")
    attach: list[AttachWords] = Field(default=[], description="other robots on frames of this one")
    springs: list[SpringWords] = Field(default=[], description="springs along combinations of joints")
    tendons: list[TendonWords] = Field(default=[], description="inertia and motors along combinations of joints")
    states: list[StateWords] = Field(default=[], description="named states, such as home")
    loops: list[LoopWords] = Field(default=[], description="frames that are held together: closed chains")
    environment: list[TouchWords] = Field(default=[], description="surfaces that frames may touch")
    cords: list[CordWords] = Field(default=[], description="cords over points and pulleys, with springs or motors")


def schema() -> dict[str, Any]:
    """The JSON Schema of robot files, for editors and other programs.

    >>> schema()["title"]
    'Gearwright robot'
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RobotWords.model_json_schema(),
        "title": "Gearwright robot",
    }
