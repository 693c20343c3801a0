"""What a designer names: links and joints, motors and gears, payloads, frames, and the robot they make."""

from gearwright.parts.drive import Drive
from gearwright.parts.gear import Gear, Wheel
from gearwright.parts.link import FREE, Joint, Limits, Link, Shape
from gearwright.parts.motor import Motor
from gearwright.parts.payload import Frame, Payload
from gearwright.parts.robot import Robot

__all__ = ["FREE", "Drive", "Frame", "Gear", "Joint", "Limits", "Link", "Motor", "Payload", "Robot", "Shape", "Wheel"]
