"""Writes docs/modelica_agreement.md from runs of all examples: `GEARWRIGHT_REFERENCE=... python write_page.py`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.modelica_agreement import PAGE, agreements, page
from support.modelica_models import MODELS


def main() -> None:
    reference = Path(os.environ["GEARWRIGHT_REFERENCE"])
    models = [build(reference) for build in MODELS.values()]
    found = {model.file: agreements(model, reference) for model in models}
    PAGE.write_text(page(models, found), encoding="utf-8")


if __name__ == "__main__":
    main()
