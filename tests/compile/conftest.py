from __future__ import annotations

import sys
from pathlib import Path

# Test modules share what stands beside them, and the kernels that the goldens hold.
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "golden")]
