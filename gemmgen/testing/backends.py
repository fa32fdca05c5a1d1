"""Where kernels run when they are tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from gemmgen.testing.cases import Kernel, Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gemmgen.emit import Emitted

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Emulator:
    """Runs the emitted text, launcher included, on the CPU under every check.

    `threads` blocks run at once; 1 is right when several processes share the cores.
    """

    threads: int = 1

    def run(self, kernel: Kernel, a: Array, b: Array, c: Array | None, d: Array, alpha: float, beta: float) -> Outcome:
        """See `gemmgen.testing.cases.Backend`. Raises EnvironmentUnavailable without a C++ compiler."""
        from gemmgen.call import bind  # noqa: PLC0415 - the emulator is loaded when something runs
        from gemmgen.emulator.gemm import emulate_gemm  # noqa: PLC0415
        from gemmgen.emulator.run import Options  # noqa: PLC0415

        call = bind(kernel.plan, a, b, c, d, alpha, beta)
        emulation = emulate_gemm(cast("Emitted", kernel), call, Options(threads=self.threads))
        launched = emulation.launches[0].kernel if emulation.launches else ""
        return Outcome(emulation.status, tuple(str(fault) for fault in emulation.faults), launched)
