"""The report on paper and on a screen: nothing is wider than the page, and a drive takes one sheet.

Needs a Chromium; skipped by name where there is none. Pages are left as PDF in the folder that GEARWRIGHT_SCREENSHOTS
names, else in pytest's own.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.analysis import Perturbation, Task, analyse, sensitivities
from gearwright.motion import s_curve
from gearwright.parts import LinkSection, Tube
from gearwright.report import report

playwright = pytest.importorskip("playwright.sync_api", reason="printed report: Playwright is not installed")
from support.chromium import chromium_path, launched  # noqa: E402

A4_PRINTED = {"width": 688, "height": 1009}
"""A4 less the margins of the page, in pixels of 1/96 inch."""
SCREEN = {"width": 1200, "height": 800}
TOO_WIDE = """() => [...document.querySelectorAll('body, .wide, figure, p, svg, img')].filter(
  x => x.scrollWidth > x.clientWidth + 1 && x.clientWidth > 0 || x.getBoundingClientRect().right > innerWidth + 1
).map(x => x.outerHTML.slice(0, 80))"""
HEADINGS = """() => [...document.querySelectorAll('h2.page')].map(
  x => [x.textContent, x.getBoundingClientRect().top + scrollY]
)"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """Six axes with thermal data, a closed loop, a beam and sensitivities."""
    robot = gw.load("puma560")
    motor = gw.load("scara").drive("shoulder").motor
    for drive in robot.drives[:3]:
        robot = robot.with_drive(drive.title, replace(drive, motor=motor))
    there, back = [0.0] * 6, [0.5, -0.4, 0.4, 0.3, 0.3, -0.5]
    limits = {"speed": 1.0, "acceleration": 3.0, "jerk": 50.0}
    motions = [s_curve(there, back, **limits), s_curve(back, there, **limits)]
    task = Task(motions, name="tending", perturbed=Perturbation(payload_error=0.1))
    sections = {robot.links[1].name: LinkSection((0.43, 0, 0), Tube(0.05, 0.045), "aluminium")}
    found = analyse(robot.with_payload(2.0), task, sections=sections, samples=51)
    slopes = sensitivities(found, ["payload.mass", f"{robot.drives[1].title}.gear.ratio"])
    folder = Path(os.environ.get("GEARWRIGHT_SCREENSHOTS") or tmp_path_factory.mktemp("report"))
    return report(found, folder / "report.html", sensitivities=slopes)


@pytest.mark.slow
def test_the_page_fits_paper_and_screen(page_file):
    with playwright.sync_playwright() as running:
        if chromium_path(running) is None:
            pytest.skip("printed report: no Chromium was found; `make browser` installs one where it can")
        browser = launched(running)
        page = browser.new_page(viewport=SCREEN)
        errors: list[str] = []
        page.on("requestfailed", lambda request: errors.append(request.url))
        page.goto(page_file.as_uri())
        assert page.evaluate(TOO_WIDE) == []
        page.screenshot(path=page_file.with_suffix(".png"))
        page.set_viewport_size(A4_PRINTED)
        page.emulate_media(media="print")
        assert page.evaluate(TOO_WIDE) == []
        headings = page.evaluate(HEADINGS)
        ends = [top for _, top in headings[1:]]
        heights = {title: end - top for (title, top), end in zip(headings[:-1], ends, strict=True)}
        drives = [height for title, height in heights.items() if title.startswith("Drive ")]
        assert len(drives) == 6
        assert max(drives) <= A4_PRINTED["height"]
        assert headings[0][1] <= A4_PRINTED["height"]  # the cover
        page.pdf(path=page_file.with_suffix(".pdf"), prefer_css_page_size=True)
        assert page_file.with_suffix(".pdf").read_bytes().count(b"/Type /Page\n") >= 10
        assert errors == []
        browser.close()
