"""Writes the tables of README.md from the measurements in tests/data.

    python tests/benchmarks/readme_tables.py [--check]

A table stands between `<!-- table: NAME -->` and `<!-- end of table -->`. `--check` changes nothing and exits with 1 if
a table is not what the data says.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
_COLUMNS = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared load wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared store wavefronts",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "global load sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "global store sectors",
}


def counts_table() -> str:
    """The emulator's counts beside the hardware's, a schedule a line."""
    document: dict[str, Any] = json.loads((ROOT / "tests/data/h200_counts.json").read_text(encoding="utf-8"))
    cells: dict[str, dict[str, str]] = {}
    notes: list[str] = []
    for row in document["rows"]:
        same = row["emulator"] == row["hardware"]
        cells.setdefault(row["schedule"], {})[row["metric"]] = (
            f"{row['emulator']:,}" if same else f"{row['emulator']:,} / {row['hardware']:,} ¹"
        )
        if not same:
            notes.append(f"¹ emulator / hardware; {row['note']}.")
    lines = [f"| schedule | {' | '.join(_COLUMNS.values())} |", "|---" * (len(_COLUMNS) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(values[metric] for metric in _COLUMNS)} |" for name, values in cells.items()]
    shape = document["shape"]
    where = f"{document['gpu']}, driver {document['driver']}, CUDA {document['cuda']}, {document['date']}"
    sizes = ", ".join(f"{name}={size}" for name, size in shape.items())
    captions = [f"{sizes}; {where}; `tests/gpu/ncu_counts.py`. One number: both agree.", *dict.fromkeys(notes)]
    filled = [line for caption in captions for line in textwrap.wrap(caption, 120)]
    return "\n".join([*lines, "", *filled, ""])


TABLES = {"counts": counts_table}


def main() -> int:
    """Write, or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    text = README.read_text(encoding="utf-8")
    written = _TABLE.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], text)
    if check and written != text:
        print("README.md: a table is not what tests/data says. Run: python tests/benchmarks/readme_tables.py")
        return 1
    README.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
