"""The real-time check of generated C finds what waits, allocates or loops, and finds nothing in packages."""

from __future__ import annotations

import shutil

import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.export import real_time_check
from gearwright.export.handover.real_time_sanitiser import find_clang


@pytest.mark.parametrize("precision", ["double", "float"])
def test_packages_are_bounded(precision, tmp_path):
    functions = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "rates"]
    gw.export.c(gw.load("elbow"), tmp_path, functions, precision=precision)
    report = real_time_check(tmp_path)
    assert report.is_bounded, str(report)
    header = (tmp_path / "elbow.h").read_text()
    assert header.count("additions, multiplications") == len(functions), "the header states the operations of a call"
    assert "worst case" in header
    assert "RealtimeSanitizer" in report.sanitiser
    assert set(report.called) <= {"sin", "cos", "sinf", "cosf", "sincos", "sincosf", "sqrt", "sqrtf"}


PLANTED = {
    "malloc": ("#include <stdlib.h>\ndouble *f(void) { return malloc(8); }", "forbidden", "malloc"),
    "lock": ("int pthread_mutex_lock(void *);\nint f(void *m) { return pthread_mutex_lock(m); }", "forbidden", "lock"),
    "print": ('#include <stdio.h>\nvoid f(int x) { printf("%d", x); }', "forbidden", "printf"),
    "loop": ("double f(double x) {\n  while (x > 1) x /= 2;\n  return x;\n}", "loops", "line 2: while"),
    "recursion": ("double f(double x) { return x < 1 ? x : f(x / 2) + x; }", "recursive", "f"),
}


@pytest.mark.parametrize("without_compiler", [False, True])
@pytest.mark.parametrize("kind", PLANTED)
def test_planted_calls_are_found(kind, without_compiler, tmp_path, monkeypatch):
    source, field, word = PLANTED[kind]
    (tmp_path / "law.c").write_text(
        f"/* while in a comment */\n{source}\n".replace("/* while in a comment */\n", "", 1)
    )
    if without_compiler:
        monkeypatch.setattr(shutil, "which", lambda name: None)
    report = real_time_check(tmp_path)
    assert not report.is_bounded
    assert any(word in text for text in getattr(report, field))


def test_clang_finds_calls_that_may_wait(tmp_path):
    if find_clang() is None:
        pytest.skip("no Clang 20 or later")
    gw.export.c(gw.load("elbow"), tmp_path, ["gravity"])
    assert real_time_check(tmp_path).is_bounded
    path = tmp_path / "elbow.c"
    path.write_text(
        path.read_text()
        .replace("{\n", "{\n  free(malloc(8));\n", 1)
        .replace("<math.h>", "<math.h>\n#include <stdlib.h>", 1)
    )
    report = real_time_check(tmp_path)
    assert {"malloc", "free"} <= set(report.forbidden)
    assert "checked" in report.sanitiser


def test_comments_and_strings_are_no_code(tmp_path):
    (tmp_path / "law.c").write_text("/* for ever:\n while (1) */\ndouble f(double x) { return x; } // do nothing\n")
    assert real_time_check(tmp_path).is_bounded


def test_a_folder_without_sources_is_refused(tmp_path):
    with pytest.raises(InputError, match="no C sources"):
        real_time_check(tmp_path)
