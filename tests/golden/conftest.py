from __future__ import annotations

import sys
from pathlib import Path

# kernel_variants stands beside this file.
sys.path.insert(0, str(Path(__file__).parent))
