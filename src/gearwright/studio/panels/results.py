"""Results: torques, energies, motors, checks, gear graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gearwright.analysis import Analysis, Comparison
from gearwright.report.limit_tables import limit_table, remark_list
from gearwright.scene import motor_names
from gearwright.studio.figures import (
    energy_figure,
    limit_uses,
    motor_colours,
    temperature_figure,
    torque_figure,
    torque_speed_figure,
)
from gearwright.studio.power_picture import power_picture
from gearwright.studio.session import QuickResults
from gearwright.text import html_text, markdown_text, visible_text

if TYPE_CHECKING:
    from gearwright.studio.page import Page

FIGURE_ASPECT, PLOTLY_CONFIG = 0.72, {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
NO_PATH = "none"
POWER_PERIOD = 0.1
"""Time of the motion between two pictures of the power while it is played [s]."""
SHOWN_LIMITS = 3
"""Number of limits that are shown while a motion is played."""
RESULT_STYLE = """<style>.gw table{border-collapse:collapse;font-size:11px;width:100%}
.gw td,.gw th{padding:2px 5px;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}
.gw td:first-child,.gw th:first-child,.gw td.words,.gw .limits th:last-child{text-align:left}
.gw tr.bad td{background:#fbeceb}
.gw svg{width:100%;height:auto}.gw{font-size:12px;padding:4px 8px}.gw h2{font-size:13px}</style>"""


class ResultPanel:
    """The panel on the left with its tabs."""

    def __init__(self, page: Page) -> None:
        self.page = page
        gui = page.gui
        self.panel = gui.add_panel()
        # Placed before it is filled: moving a figure while Plotly draws it causes an error in the browser.
        self.panel.dock_left()
        self.panel.set_width(430)
        speeds = tuple(visible_text(name) for name in page.session.mech.speeds)
        quick = page.session.quick_results()
        with self.panel.add_tab("Torque"):
            self.speed = gui.add_dropdown(
                "joint", speeds, initial_value=visible_text(quick.comparison.least_accurate_speed())
            )
            self.error_text = gui.add_markdown("")
            self.torque = gui.add_plotly(
                torque_figure(quick.comparison, self._chosen_speed), aspect=FIGURE_ASPECT, config=PLOTLY_CONFIG
            )
            t = quick.comparison.motion.t
            self.energy = gui.add_plotly(energy_figure(t, quick.energy), aspect=FIGURE_ASPECT, config=PLOTLY_CONFIG)
        self._motors_tab = self.panel.add_tab("Motors")
        with self._motors_tab:
            self.motor = gui.add_dropdown("motor of", ("-",), initial_value="-")
            self.warm = gui.add_checkbox("colour motors by winding temperature", False)
            self.diagram: Any = None
            self.heat: Any = None
            self.motors = gui.add_html("")
        with self.panel.add_tab("Checks"):
            self.checks = gui.add_html(_styled_block("<p>Computing ...</p>"))
        with self.panel.add_tab("Power"):
            self.power_time = gui.add_markdown("")
            self.power = gui.add_html(_styled_block("<p>Computing ...</p>"))
        with self.panel.add_tab("Gear graph"):
            self.zoom = gui.add_slider("zoom", 1.0, 6.0, 0.1, 1.0)
            self.path = gui.add_dropdown("path of power", self._path_choices(), initial_value=NO_PATH)
            self.graph = gui.add_html("")
        self._graphs: Any = None
        self._graph_picture = ""
        self._quick = quick
        self._analysis: Analysis | None = None
        self._power_shown_at = 0.0
        page.on_event(self.speed.on_update, "curve", lambda: self.show_quick(self._quick))
        page.on_event(self.motor.on_update, "motor shown", self._show_motor)
        page.on_event(self.zoom.on_update, "zoom", self._show_graph)
        page.on_event(self.path.on_update, "path", page.submit_graph)
        page.on_event(self.warm.on_update, "warm", self._colour_motors)

    @property
    def _chosen_speed(self) -> str:
        """Return the name of the selected speed."""
        speeds = self.page.session.mech.speeds
        shown = [visible_text(name) for name in speeds]
        return speeds[shown.index(self.speed.value)] if self.speed.value in shown else speeds[0]

    def rebuild(self) -> None:
        """Update the choices to the names of the present robot."""
        shown = tuple(visible_text(name) for name in self.page.session.mech.speeds)
        if tuple(self.speed.options) != shown:
            self.speed.options = shown
        paths = self._path_choices()
        if tuple(self.path.options) != paths:
            self.path.options = paths
            self.path.value = NO_PATH

    def _path_choices(self) -> tuple[str, ...]:
        return (NO_PATH, *(visible_text(name) for name in motor_names(self.page.session.robot)))

    def chosen_path(self) -> str | None:
        """Return the name of the motor whose path of power is highlighted."""
        shown = {visible_text(name): name for name in motor_names(self.page.session.robot)}
        return shown.get(self.path.value)

    def show_graph(self, graphs: Any, picture: str) -> None:
        """Show the gear graph of the robot."""
        self._graphs, self._graph_picture = graphs, picture
        self._show_graph()

    def _show_graph(self) -> None:
        width = f"{100 * float(self.zoom.value):.0f}%"
        style = f"<style>.graph{{overflow:auto}}.graph svg{{width:{width};max-width:none}}</style>"
        self.graph.content = _styled_block(f'{style}<div class="graph">{self._graph_picture}</div>')

    @property
    def current_comparison(self) -> Comparison:
        """The forces of the present design, exact and approximate."""
        return self._quick.comparison

    def show_again(self) -> None:
        """Show the curves again, after a reference design was kept or dropped."""
        self.show_quick(self._quick)

    def show_time(self, at: float) -> None:
        """Show how much of its limits every drive uses at a time of the motion, the tightest first."""
        analysis = self._analysis
        if analysis is None:
            return
        uses = limit_uses(analysis, at)
        self.page.move.limits_now.content = (
            "now: " + ", ".join(f"{markdown_text(name)} {limit} {use:.0%}" for use, name, limit in uses[:SHOWN_LIMITS])
            if uses
            else ""
        )
        if abs(at - self._power_shown_at) >= POWER_PERIOD or not self.page.move.is_playing:
            self._show_power(analysis, at)
        if self.warm.value:
            self._colour_motors(at)

    def _show_power(self, analysis: Analysis, at: float) -> None:
        self._power_shown_at = at
        self.power_time.content = f"at {at:.2f} s of the motion; losses in red, upwards: released by springs"
        self.power.content = _styled_block(power_picture(analysis, at))

    def _colour_motors(self, at: float | None = None) -> None:
        """Colour motors from blue at ambient temperature to red at the limit of their windings."""
        analysis = self._analysis
        shown = self.warm.value and analysis is not None
        time = float(self.page.move.time.value) if at is None else at
        self.page.view.colour_solids(motor_colours(analysis, time) if shown and analysis is not None else {})

    def has_graph(self, graphs: Any) -> bool:
        """Whether these graphs, with their highlighted path, are shown already; most changes do not affect them."""
        return bool(self._graphs == graphs)

    def show_quick(self, quick: QuickResults) -> None:
        """Show torques and energies."""
        self._quick = quick
        speed = self._chosen_speed
        self.torque.figure = torque_figure(quick.comparison, speed, self.page.reference.comparison)
        self.energy.figure = energy_figure(quick.comparison.motion.t, quick.energy)
        errors = [error for error in quick.comparison.approximation_errors() if error.speed == speed]
        self.error_text.content = (
            ", ".join(f"{error.kind}: error {error.relative_error:.1%}" for error in errors) + " of the peak"
        )

    def show_analysis(self, analysis: Analysis | str) -> None:
        """Show the loads of the drives, or why they cannot be computed."""
        if isinstance(analysis, str):
            self._analysis = None
            self.checks.content = self.motors.content = self.power.content = _styled_block(
                f"<p>{html_text(analysis)}</p>"
            )
            return
        self._analysis = analysis
        self.checks.content = _styled_block(limit_table(analysis) + remark_list(analysis.remarks))
        self.motors.content = ""
        self._show_power(analysis, float(self.page.move.time.value))
        names = tuple(visible_text(name) for name in analysis.drives) or ("-",)
        if tuple(self.motor.options) != names:
            self.motor.options = names
            self.motor.value = names[0]
        self._show_motor()

    def _show_motor(self) -> None:
        analysis = self._analysis
        if analysis is None or not analysis.drives:
            return
        shown = {visible_text(name): drive for name, drive in analysis.drives.items()}
        drive = shown.get(self.motor.value) or next(iter(shown.values()))
        self.diagram = self._show_figure(self.diagram, torque_speed_figure(drive))
        warm = temperature_figure(analysis)
        if warm is not None:
            self.heat = self._show_figure(self.heat, warm)
        elif self.heat is not None:
            self.heat.visible = False

    def _show_figure(self, handle: Any, figure: Any) -> Any:
        if handle is not None:
            handle.figure, handle.visible = figure, True
            return handle
        with self._motors_tab:
            return self.page.gui.add_plotly(figure, aspect=FIGURE_ASPECT, config=PLOTLY_CONFIG)


def _styled_block(content: str) -> str:
    return f'{RESULT_STYLE}<div class="gw">{content}</div>'
