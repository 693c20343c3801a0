"""Where results are: torques, energies, motors, checks, the gear graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gearwright.analysis import Analysis
from gearwright.report.limit_tables import limit_table, remark_list
from gearwright.studio.figures import energy_figure, temperature_figure, torque_figure, torque_speed_figure
from gearwright.studio.session import QuickResults
from gearwright.text import html, visible

if TYPE_CHECKING:
    from gearwright.studio.page import Page

ASPECT, CONFIG = 0.72, {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
STYLE = """<style>.gw table{border-collapse:collapse;font-size:11px;width:100%}
.gw td,.gw th{padding:2px 5px;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}
.gw td:first-child,.gw th:first-child,.gw td.words{text-align:left}.gw tr.bad td{background:#fbeceb}
.gw svg{width:100%;height:auto}.gw{font-size:12px;padding:4px 8px}.gw h2{font-size:13px}</style>"""


class ResultPanel:
    """The panel on the left with its tabs."""

    def __init__(self, page: Page) -> None:
        self.page = page
        gui = page.gui
        self.panel = gui.add_panel()
        # Placed before it is filled: a figure that moves while Plotly draws it is an error in the browser's console.
        self.panel.dock_left()
        self.panel.set_width(430)
        speeds = tuple(visible(name) for name in page.session.mech.speeds)
        quick = page.session.quick()
        with self.panel.add_tab("Torque"):
            self.speed = gui.add_dropdown("joint", speeds, initial_value=visible(quick.comparison.most_missed()))
            self.miss = gui.add_markdown("")
            self.torque = gui.add_plotly(torque_figure(quick.comparison, self._chosen), aspect=ASPECT, config=CONFIG)
            t = quick.comparison.motion.t
            self.energy = gui.add_plotly(energy_figure(t, quick.energy), aspect=ASPECT, config=CONFIG)
        self._motors_tab = self.panel.add_tab("Motors")
        with self._motors_tab:
            self.motor = gui.add_dropdown("motor of", ("-",), initial_value="-")
            self.diagram: Any = None
            self.heat: Any = None
            self.motors = gui.add_html("")
        with self.panel.add_tab("Checks"):
            self.checks = gui.add_html(_block("<p>Being computed.</p>"))
        with self.panel.add_tab("Gear graph"):
            self.graph = gui.add_html("")
        self._graphs: Any = None
        self._quick = quick
        self._analysis: Analysis | None = None
        page.on(self.speed.on_update, "curve", lambda: self.show_quick(self._quick))
        page.on(self.motor.on_update, "motor shown", self._show_motor)

    @property
    def _chosen(self) -> str:
        """The speed chosen, by its own name."""
        speeds = self.page.session.mech.speeds
        shown = [visible(name) for name in speeds]
        return speeds[shown.index(self.speed.value)] if self.speed.value in shown else speeds[0]

    def rebuild(self) -> None:
        """The names of the robot as it is now."""
        shown = tuple(visible(name) for name in self.page.session.mech.speeds)
        if tuple(self.speed.options) != shown:
            self.speed.options = shown

    def show_graph(self, graphs: Any, picture: str) -> None:
        """The gear graph of the robot."""
        self._graphs = graphs
        self.graph.content = _block(picture)

    def has_graph(self, graphs: Any) -> bool:
        """Whether these graphs are shown already: most changes are of numbers that stand in none."""
        return bool(self._graphs == graphs)

    def show_quick(self, found: QuickResults) -> None:
        """Torques and energies."""
        self._quick = found
        speed = self._chosen
        self.torque.figure = torque_figure(found.comparison, speed)
        self.energy.figure = energy_figure(found.comparison.motion.t, found.energy)
        misses = [miss for miss in found.comparison.misses() if miss.speed == speed]
        self.miss.content = ", ".join(f"{miss.kind} misses {miss.share:.1%}" for miss in misses) + " of the peak"

    def show_analysis(self, found: Analysis | str) -> None:
        """What the drives are asked, or why that cannot be told."""
        if isinstance(found, str):
            self._analysis = None
            self.checks.content = self.motors.content = _block(f"<p>{html(found)}</p>")
            return
        self._analysis = found
        self.checks.content = _block(limit_table(found) + remark_list(found.remarks))
        self.motors.content = ""
        names = tuple(visible(name) for name in found.drives) or ("-",)
        if tuple(self.motor.options) != names:
            self.motor.options = names
            self.motor.value = names[0]
        self._show_motor()

    def _show_motor(self) -> None:
        found = self._analysis
        if found is None or not found.drives:
            return
        shown = {visible(name): drive for name, drive in found.drives.items()}
        drive = shown.get(self.motor.value) or next(iter(shown.values()))
        self.diagram = self._figure_in(self.diagram, torque_speed_figure(drive))
        warm = temperature_figure(found)
        if warm is not None:
            self.heat = self._figure_in(self.heat, warm)
        elif self.heat is not None:
            self.heat.visible = False

    def _figure_in(self, handle: Any, figure: Any) -> Any:
        if handle is not None:
            handle.figure, handle.visible = figure, True
            return handle
        with self._motors_tab:
            return self.page.gui.add_plotly(figure, aspect=ASPECT, config=CONFIG)


def _block(content: str) -> str:
    return f'{STYLE}<div class="gw">{content}</div>'
