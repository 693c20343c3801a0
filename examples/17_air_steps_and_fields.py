"""Three more families of actuators: a pneumatic cylinder, a stepping motor, a synchronous motor.

Each is a linear actuator dx/dt = C x + f M + d u (Vukobratovic and Potkonjak, eq. 20.74), and the complete model
reproduces its theory: 9 kg oscillate on the air of a closed cylinder at 23.7 rad/s, a rotor of 3e-5 kg m2 about its
step at 1095.4 rad/s, and a synchronous motor without current along its magnets turns as a DC motor with K = 3/2 p psi
does.
"""

import numpy as np

import gearwright as gw
from gearwright.forces import (
    AirValve,
    DcMotorData,
    PneumaticCylinder,
    SteppingMotorData,
    SynchronousMotorData,
    dc_motor,
    pneumatic_cylinder,
    stepping_motor,
    synchronous_motor,
)
from gearwright.parts import Drive, Gear, Link, Motor, Robot


def swing(mech, actuator):
    """The frequency of machine and actuator together that is damped least [rad/s]."""
    model = gw.actuation.complete_model(mech, [actuator])
    rest = model.drift(np.zeros(len(model.state_names)))
    modes = np.linalg.eigvals(np.array([model.drift(x) - rest for x in np.eye(len(model.state_names))]).T)
    return max((z for z in modes if z.imag > 0), key=lambda z: z.real / abs(z)).imag


slide = gw.Mechanism([gw.Body("slide", joint="prismatic", axis=(1, 0, 0), mass=9.0)])
air = PneumaticCylinder(areas=(8e-4, 6.8e-4), volumes=(1.5e-4, 1.1e-4), pressures=(4e5, 4.5e5), mass=0.6)
on_air = swing(slide, pneumatic_cylinder(slide, "slide", AirValve(3e-8), air))
print(f"9 kg on closed air: {on_air:.2f} rad/s")

link = Link("shaft", inertia=np.eye(3) * 1e-15)
shaft = gw.assemble(Robot("bench", [link], [Drive("shaft", Motor(inertia=3e-5), Gear(ratio=1.0))]))
stepper = SteppingMotorData(torque_constant=0.4, teeth=50, current=1.8, resistance=1e6, inductance=1.0)
about_step = swing(shaft, stepping_motor(shaft, "shaft", stepper))
print(f"a rotor about its step: {about_step:.1f} rad/s")

field = SynchronousMotorData(pole_pairs=4, flux=0.012, resistance=0.3, inductances=(4e-4, 7e-4))
wound = DcMotorData(torque_constant=1.5 * 4 * 0.012, back_emf_constant=4 * 0.012, resistance=0.3, inductance=7e-4)
runs = {
    "synchronous": (synchronous_motor(shaft, "shaft", field), {"shaft.voltage_q": 2.0}),
    "dc": (dc_motor(shaft, "shaft", wound), {"shaft.voltage": 2.0}),
}
speeds = {}
for name, (motor, volts) in runs.items():
    speeds[name] = gw.simulate(shaft, until=0.02, extra_laws=[motor], inputs=volts, samples=41)["v.shaft"]
    print(f"{name} motor at 2 V: {speeds[name][-1]:.3f} rad/s after 20 ms")

assert abs(on_air - np.sqrt(1.4 * (8e-4**2 * 4e5 / 1.5e-4 + 6.8e-4**2 * 4.5e5 / 1.1e-4) / 9)) < 1e-4
assert abs(about_step - np.sqrt(50 * 0.4 * 1.8 / 3e-5)) < 1e-3
assert np.abs(speeds["synchronous"] - speeds["dc"]).max() < 1e-5 * speeds["dc"].max()
