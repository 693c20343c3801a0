"""The figure of a benchmark: time per state of every contender, and growth with the number of joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

TASK = "inverse dynamics, batch"
OURS, OTHERS = "#0b6e4f", "#9aa5b1"


def draw(data: dict[str, Any], path: Path) -> None:
    """Write the figure as PNG."""
    left, right = plt.figure(figsize=(11, 5), layout="constrained").subplots(1, 2, width_ratios=(3, 2))
    bars(left, [x for x in data["comparisons"] if x["task"] == TASK])
    growth(right, data["sizes"])
    left.figure.suptitle(f"Inverse dynamics with every wheel exact; {data['machine']}", fontsize=9)
    left.figure.savefig(path, dpi=150)
    plt.close(left.figure)


def bars(axes: Any, found: list[dict[str, Any]]) -> None:
    contenders = list(dict.fromkeys(x["contender"] for x in found))
    robots = list(dict.fromkeys(x["robot"] for x in found))
    height = 0.8 / max(len(contenders), 1)
    shades = plt.get_cmap("Blues")
    for k, contender in enumerate(contenders):
        own = [x for x in found if x["contender"] == contender]
        rows = [robots.index(x["robot"]) + (k - len(contenders) / 2) * height for x in own]
        shade = OURS if k == 0 else shades(0.25 + 0.6 * k / len(contenders))
        drawn = axes.barh(rows, [x["nanoseconds"] for x in own], height, color=shade, label=contender)
        axes.bar_label(drawn, [f"{x['ratio']:.0f}x" if k else "" for x in own], fontsize=6, padding=2)
    axes.set(xscale="log", xlabel="ns per state, batch of 10,000 (one thread)", yticks=range(len(robots)))
    axes.set_yticklabels(robots)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.4, -0.11), ncols=3, frameon=False)


def growth(axes: Any, sizes: list[dict[str, Any]]) -> None:
    joints = [x["joints"] for x in sizes]
    axes.plot(joints, [x["nanoseconds"] for x in sizes], "o-", color=OURS, label="time per state [ns]")
    axes.plot(joints, [1e3 * x["compilation"] for x in sizes], "s--", color=OTHERS, label="first compilation [ms]")
    first = sizes[1] if len(sizes) > 1 else sizes[0]
    linear = [first["nanoseconds"] * n / first["joints"] for n in joints]
    axes.plot(joints, linear, ":", color=OURS, label="in proportion to the joints")
    axes.set(xscale="log", yscale="log", xlabel="joints of a chain", xticks=joints)
    axes.set_xticklabels(joints)
    axes.minorticks_off()
    axes.legend(fontsize=8)
