"""MJCF files that try to crash, block or fill this process: each ends in one error of ours, and the next file loads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightWarning
from gearwright.files.mjcf import compiler, source

pytest.importorskip("mujoco")
PART = '<body name="{name}"><joint name="j_{name}"/><geom size="0.1"/>{inside}</body>'
ARM = f"<mujoco>{{extra}}<worldbody>{PART}</worldbody></mujoco>"
ATTACH = '<asset><model name="m" file="{file}"/></asset>'
PLACE = '<attach model="m" body="{body}" prefix="p_"/>'
SLOW = '<mujoco><worldbody><replicate count="9"><replicate count="9"><replicate count="9"><replicate count="9">'


def arm(name: str = "a", extra: str = "", inside: str = "") -> str:
    return ARM.format(name=name, extra=extra, inside=inside)


def attaching(file: str, name: str = "a", body: str = "a") -> str:
    return arm(name, ATTACH.format(file=file), PLACE.format(body=body))


def refusal(path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text)
    with pytest.raises(FileError) as caught:
        gw.load(path / "model.xml")
    return str(caught.value)


@pytest.fixture
def plain(tmp_path) -> Path:
    path = tmp_path / "plain.xml"
    path.write_text(arm())
    return path


def test_a_model_is_attached(tmp_path):
    """What is checked is still read, also from another folder."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "claw.xml").write_text(arm("claw", '<include file="more.xml"/>'))
    (tmp_path / "parts" / "more.xml").write_text("<mujoco><option timestep='0.01'/></mujoco>")
    (tmp_path / "model.xml").write_text(attaching("parts/claw.xml", body="claw"))
    assert [link.name for link in gw.load(tmp_path / "model.xml").links] == ["a", "p_claw"]


def test_a_model_that_attaches_itself_is_refused(tmp_path):
    assert "asset/model 'm': 'model.xml'" in refusal(tmp_path, {"model.xml": attaching("model.xml")})


def test_models_that_attach_each_other_are_refused(tmp_path):
    files = {"model.xml": attaching("b/other.xml"), "b/other.xml": attaching("../model.xml")}
    assert "asset/model 'm': '../model.xml'" in refusal(tmp_path, files)


def test_a_model_that_is_attached_twice_counts_twice(tmp_path):
    """Forty files, each attaching the next twice, are 2^40 models."""
    twice = '<asset><model name="m" file="{name}"/><model name="n" file="{name}"/></asset>'
    files = {f"m{k}.xml": arm(extra=twice.format(name=f"m{k + 1}.xml")) for k in range(40)} | {"m40.xml": arm()}
    assert "64 files" in refusal(tmp_path, {"model.xml": arm(extra=twice.format(name="m0.xml")), **files})
    models = "".join(f'<model name="m{k}" file="plain.xml"/>' for k in range(1_000))
    (tmp_path / "flat").mkdir()
    assert "64 files" in refusal(
        tmp_path / "flat", {"model.xml": arm(extra=f"<asset>{models}</asset>"), "plain.xml": arm()}
    )


HARMS = {
    "DOCTYPE": ('<!DOCTYPE mujoco [<!ENTITY e "a">]>' + arm("claw"), "DOCTYPE"),
    "replicate": (
        SLOW.replace("9", "3000000")
        + PART.format(name="claw", inside="")
        + "</replicate>" * 4
        + "</worldbody></mujoco>",
        "parts",
    ),
    "size": (arm("claw", '<size nkey="2000000000"/>'), "nkey"),
    "another kind": ('<robot name="r"><link name="a"/></robot>', "URDF"),
    "binary": ("\0\1", "binary"),
    "nan": (arm("claw", '<option gravity="0 0 nan"/>'), "finite"),
}


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("deep", [False, True], ids=["attached", "included by what is attached"])
def test_what_is_attached_obeys_the_rules(harm, deep, tmp_path):
    text, word = HARMS[harm]
    files = {"model.xml": attaching("b/claw.xml", body="claw"), "b/claw.xml": text}
    if deep:
        files |= {"b/claw.xml": arm("claw", '<include file="c/deep.xml"/>'), "b/c/deep.xml": text}
        (tmp_path / "b" / "c").mkdir(parents=True)
        word = "" if harm == "another kind" else word  # MuJoCo says what it thinks of it
    assert word in refusal(tmp_path, files)


def test_what_is_found_beside_the_file_that_includes_obeys_the_rules(tmp_path):
    """MuJoCo looks in the folder of the model, then in that of the file that includes."""
    harm = f'<mujoco><worldbody><replicate count="3000000">{PART}</replicate></worldbody></mujoco>'
    files = {"model.xml": arm(extra='<include file="b/one.xml"/>'), "b/two.xml": harm}
    files["b/one.xml"] = '<mujoco><include file="two.xml"/></mujoco>'
    assert "worldbody/replicate: " in refusal(tmp_path, files)


@pytest.mark.parametrize(
    ("extra", "word"),
    [
        ('<size nkey="2000000000"/>', "nkey"),
        ('<size nkey="99999999999999999999"/>', "nkey"),
        ('<asset><hfield name="h" nrow="30000" ncol="30000" size="1 1 1 1"/></asset>', "900000000"),
        ('<asset><texture type="2d" builtin="flat" width="60000" height="60000"/></asset>', "texture"),
    ],
)
def test_room_that_a_file_reserves_is_bounded(extra, word, tmp_path):
    assert word in refusal(tmp_path, {"model.xml": arm(extra=extra)})


@pytest.mark.parametrize(
    "extra", ['<size nuser_body="500000000"/>', '<size memory="500G"/>', '<size nuserdata="900000000"/>']
)
def test_room_that_no_robot_needs_is_not_taken(extra, tmp_path, plain):
    path = tmp_path / "model.xml"
    path.write_text(arm(extra=extra))
    assert gw.load(path).links == gw.load(plain).links


def test_a_crash_of_the_compiler_is_an_error_of_the_file(tmp_path, monkeypatch, plain):
    """Without the checks before it MuJoCo still crashes on a model that attaches itself; this process goes on."""
    monkeypatch.setattr(source._SourceCheck, "check_model", lambda *_: None)
    assert " compiler " in refusal(tmp_path, {"model.xml": attaching("model.xml")})
    assert len(gw.load(plain).links) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_compiler_that_takes_too_long_is_ended(tmp_path, monkeypatch, plain):
    """Without the checks before it MuJoCo waits for a pipe into which nobody writes."""
    gw.load(plain)
    os.mkfifo(tmp_path / "pipe.xml")
    monkeypatch.setattr(compiler, "COMPILER_TIME_LIMIT", 0.5)
    monkeypatch.setattr(source._SourceCheck, "check_model", lambda *_: None)
    assert " 0.5 s" in refusal(tmp_path, {"model.xml": arm(extra='<include file="pipe.xml"/>')})
    monkeypatch.undo()
    assert len(gw.load(plain).links) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")
def test_memory_of_the_compiler_is_limited(tmp_path, monkeypatch, plain):
    """The texture would take 10.8 GB; the child answers, and never held more than its limit."""
    assert "texture" in refusal(
        tmp_path,
        {"model.xml": arm(extra='<asset><texture type="2d" builtin="flat" width="60000" height="60000"/></asset>')},
    )
    gw.load(plain)
    process = compiler.MJCF_COMPILER._process
    peak = next(x for x in Path(f"/proc/{process.pid}/status").read_text().splitlines() if x.startswith("VmPeak"))
    assert int(peak.split()[1]) * 1024 < compiler.COMPILER_MEMORY_LIMIT + 3e9


def test_threads_share_the_compiler(plain):
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(gw.load(plain).links))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [1] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_a_compiler_of_its_own(plain, tmp_path):
    script = (
        "import os, sys, gearwright as gw\n"
        f"count = lambda: len(gw.load({str(plain)!r}).links)\n"
        "count()\n"
        "child = os.fork()\n"
        "found = [count() for _ in range(5)]\n"
        "if not child: os._exit(sum(found))\n"
        "sys.exit(sum(found) + os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=300).returncode == 10


def test_a_script_without_a_guard_runs_once_and_imports_nothing_from_the_working_folder(plain, tmp_path):
    """The child is a program of its own: it does not run the script again nor take modules from where it starts."""
    for module in ("mujoco", "json", "numpy", "signal"):
        (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    (tmp_path / "elsewhere").mkdir()
    script = tmp_path / "elsewhere" / "script.py"
    script.write_text(f"print('begun')\nimport gearwright as gw\nprint(len(gw.load({str(plain)!r}).links))\n")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout == "begun\n1\n"
    assert not (tmp_path / "ran").exists()


def test_a_body_that_is_called_like_the_ground_is_renamed_aloud(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(arm("base"))
    with pytest.warns(GearwrightWarning, match="'base'.*'base_2'"):
        robot = gw.load(path)
    assert [link.name for link in robot.links] == ["base_2"]
