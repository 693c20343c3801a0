"""The report on paper and on a screen: nothing is wider than the page, a drive takes one sheet, sliders move curves.

Needs a Chromium; skipped by name where there is none. Pages are left as PDF in the folder that GEARWRIGHT_SCREENSHOTS
names, else in pytest's own.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec
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
LARGEST_FILE = 2_000_000
"""Size of a report that computes [bytes]."""
SCREEN = {"width": 1200, "height": 800}
TOO_WIDE = """() => [...document.querySelectorAll('body, .wide, figure, p, svg, img')].filter(
  x => x.scrollWidth > x.clientWidth + 1 && x.clientWidth > 0 || x.getBoundingClientRect().right > innerWidth + 1
).map(x => x.outerHTML.slice(0, 80))"""
HEADINGS = """() => [...document.querySelectorAll('h2.page')].map(
  x => [x.textContent, x.getBoundingClientRect().top + scrollY]
)"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
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
    interactive = find_spec("ziglang") is not None
    return found, report(found, folder / "report.html", sensitivities=slopes, interactive=interactive)


def sliders_move_curves(page, found, picture):
    """The page computes what the library computes; sliders change curves and the table, the reset brings them back."""
    page.wait_for_function("() => window.gearwright")
    drives = page.evaluate("() => gearwright.evaluate(gearwright.data.parameters.map(one => one.value), 1)")
    for drive, one in zip(found.drives.values(), drives, strict=True):
        size = float(drive.peak_motor_torque)
        assert one["torque"] == pytest.approx(drive.motor_torque.tolist(), rel=1e-9, abs=1e-9 * size)
        assert one["rms"] == pytest.approx(drive.rms_motor_torque, rel=1e-9)
    curve, cells = page.locator("#running-torque path.now"), page.locator("#running-table td")
    before = curve.get_attribute("d"), cells.all_inner_texts()
    for label, value in (("payload", 4.0), ("task speed", 1.5)):
        page.get_by_label(label, exact=True).fill(str(value))
        after = curve.get_attribute("d"), cells.all_inner_texts()
        assert after[0] != before[0]
        assert after[1] != before[1]
    assert page.locator("#running-time").inner_text() == f"{found.task.cycle.duration / 1.5:.4g} s"
    page.locator(".interactive").screenshot(path=picture)
    page.get_by_role("button", name="Reset").click()
    assert (curve.get_attribute("d"), cells.all_inner_texts()) == before
    page.locator("#running-drive").select_option(index=1)
    assert curve.get_attribute("d") != before[0]


@pytest.mark.slow
def test_the_page_fits_paper_and_screen(printed):
    found, page_file = printed
    assert page_file.stat().st_size < LARGEST_FILE
    with playwright.sync_playwright() as running:
        if chromium_path(running) is None:
            pytest.skip("printed report: no Chromium was found; `make browser` installs one where it can")
        browser = launched(running)
        context = browser.new_context(viewport=SCREEN, offline=True)
        page = context.new_page()
        errors: list[str] = []
        page.on("request", lambda request: errors.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(page_file.as_uri())
        assert page.evaluate(TOO_WIDE) == []
        page.screenshot(path=page_file.with_suffix(".png"))
        if find_spec("ziglang") is not None:
            sliders_move_curves(page, found, page_file.with_name("interactive.png"))
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
        assert [url for url in errors if not url.startswith(("data:", "blob:", page_file.as_uri()))] == []
        browser.close()
