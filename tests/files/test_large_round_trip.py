"""A thousand links survive being written and read."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.mechanism.definiteness import generic_mass_matrix
from support.compare import relative
from support.long_chains import calls, long_chain


@pytest.mark.parametrize("ending", ["yaml", "urdf"])
def test_a_thousand_links_come_back(tmp_path, ending):
    robot = long_chain(1000)
    gw.save(robot, tmp_path / f"chain.{ending}")
    there, back = gw.assemble(robot), gw.assemble(gw.load(tmp_path / f"chain.{ending}"))
    assert back.speeds == there.speeds
    assert [(s.name, s.carrier, s.ratio) for s in back.spins] == [(s.name, s.carrier, s.ratio) for s in there.spins]
    assert relative(generic_mass_matrix(back), generic_mass_matrix(there)) < 1e-14


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
@pytest.mark.parametrize("ending", ["yaml", "urdf"])
def test_writing_and_reading_call_as_many_functions_per_link(tmp_path, ending):
    def there_and_back(links: int) -> int:
        robot, path = long_chain(links), tmp_path / f"chain{links}.{ending}"
        return calls(lambda: (gw.save(robot, path), gw.load(path)))

    there_and_back(2)  # imports
    assert there_and_back(80) < 2.1 * there_and_back(40)
