"""Speed of Gearwright and every installed peer: table, figure and the numbers that must hold.

    python benchmarks/run.py [--rounds 21] [--states 10000] [--output benchmarks/results]

Writes `bench.json` and `bench.png`, prints the table, and ends with 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import figure
import gearwright as gw
from gearwright.bench.bench import BENCH_ROBOTS, bench

HERE = Path(__file__).parent


def main() -> int:
    arguments = parser().parse_args()
    robots = {name: gw.load(name) for name in BENCH_ROBOTS}
    report = bench(robots, arguments.states, arguments.rounds, progress=lambda task: print(task, file=sys.stderr))
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "bench.json").write_text(json.dumps(report.as_data(), indent=1) + "\n", encoding="utf-8")
    figure.draw(report.as_data(), arguments.output / "bench.png")
    print(report)
    return 0 if report.is_met else 1


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--rounds", type=int, default=21, help="paired rounds per comparison")
    found.add_argument("--states", type=int, default=10_000, help="states per batch")
    found.add_argument("--output", type=Path, default=HERE / "results", help="folder for table and figure")
    return found


if __name__ == "__main__":
    sys.exit(main())
