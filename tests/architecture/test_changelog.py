"""The check that a change of `src` comes with a line in the changelog, in small repositories made for it."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST = "# Changelog\n\n## [Unreleased]\n\n### Added\n- Gears.\n\n## [0.1.0]\n- Links.\n"
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def loaded():
    spec = importlib.util.spec_from_file_location("changelog", ROOT / "tools" / "changelog.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


changelog = loaded()


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def change(tmp_path) -> Path:
    """A repository on a branch that left `main` after its only commit."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    write(tmp_path, "CHANGELOG.md", FIRST)
    write(tmp_path, "src/gearwright/a.py", "a = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=First")
    git(tmp_path, "switch", "--quiet", "--create", "change")
    return tmp_path


def test_our_changelog_has_the_section():
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_entries_are_those_of_the_section():
    assert changelog.entries(FIRST) == ["- Gears."]
    assert changelog.entries("# Changelog\n\n## [0.1.0]\n- Links.\n") == []
    assert changelog.entries("## Unreleased\n- last") == ["- last"]


@needs_git
@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize("name", ["src/gearwright/a.py", "src/gearwright/new.py"])
def test_a_change_of_src_needs_a_line(change, name, committed, capsys):
    write(change, name, "a = 2\n")
    if committed:
        git(change, "add", ".")
        git(change, "commit", "--quiet", "--message=Change")
    assert changelog.main("main", change) == 1
    assert "Unreleased" in capsys.readouterr().out
    write(change, "CHANGELOG.md", FIRST.replace("- Gears.", "- Gears.\n- Belts."))
    assert changelog.main("main", change) == 0


@needs_git
@pytest.mark.parametrize("text", [FIRST.replace("- Links.", "- Links.\n- Belts."), FIRST.replace("- Gears.\n", "")])
def test_a_line_elsewhere_or_less_is_not_a_new_line(change, text):
    write(change, "src/gearwright/a.py", "a = 2\n")
    write(change, "CHANGELOG.md", text)
    assert changelog.main("main", change) == 1


@needs_git
def test_other_changes_need_none(change):
    assert changelog.main("main", change) == 0
    write(change, "tests/test_a.py", "")
    assert changelog.main("main", change) == 0


@needs_git
def test_a_release_needs_none(change):
    write(change, "src/gearwright/_version.py", '__version__ = "0.2.0"\n')
    write(change, "CHANGELOG.md", FIRST.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0]\n"))
    assert changelog.main("main", change) == 0


@needs_git
def test_what_landed_meanwhile_is_not_ours(change):
    git(change, "switch", "--quiet", "main")
    write(change, "src/gearwright/a.py", "a = 3\n")
    git(change, "commit", "--quiet", "--all", "--message=Meanwhile")
    git(change, "switch", "--quiet", "change")
    assert changelog.main("main", change) == 0


@needs_git
def test_without_the_revision_it_says_so(change, tmp_path_factory, monkeypatch, capsys):
    assert changelog.main("no_such_branch", change) == 2
    assert "'no_such_branch'" in capsys.readouterr().out
    bare = tmp_path_factory.mktemp("no_history")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(bare.parent))
    assert changelog.main("main", bare) == 2
