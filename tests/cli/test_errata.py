"""`gearwright errata`: printed and corrected equations, and the error on a robot."""

import json


def test_table_json_and_figure(run, tmp_path):
    shown = run("errata", "elbow", "--work", "sciavicco")
    assert shown.code == 0
    assert "(45)" in shown.out
    assert "prismatic" in shown.out
    path = tmp_path / "errata.png"
    rows = json.loads(run("errata", "elbow", "--json", "--plot", str(path)).out)
    assert path.stat().st_size > 1000
    assert {row["work"] for row in rows} == {"sciavicco", "chen_wang", "melhem_loria", "fernini", "vukobratovic"}
    assert next(row for row in rows if row["equation"] == "(20.77)")["relative_error"] > 1


def test_an_unknown_work_is_refused(refused):
    refused("errata", "elbow", "--work", "fernin", words=["fernin", "Did you mean"])
