from __future__ import annotations

import sys
from pathlib import Path

# The kernels that the goldens hold serve here too.
sys.path.insert(0, str(Path(__file__).parents[2] / "golden"))
