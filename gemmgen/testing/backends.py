"""Where kernels run when they are tested."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from gemmgen.testing.cases import Kernel, Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gemmgen.call import Call
    from gemmgen.emit import Emitted

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Emulator:
    """Runs the emitted text, launcher included, on the CPU under every check.

    `threads` blocks run at once; 1 is right when several processes share the cores.
    """

    threads: int = 1

    def __post_init__(self) -> None:
        """Load what runs kernels; a seed of `check` asks for the same modules from the start."""
        import_module("gemmgen.emulator.gemm")

    def run(self, kernel: Kernel, a: Array, b: Array, c: Array | None, d: Array, alpha: float, beta: float) -> Outcome:
        """See `gemmgen.testing.cases.Backend`. Raises EnvironmentUnavailable without a C++ compiler."""
        from gemmgen.call import bind
        from gemmgen.emulator import Options
        from gemmgen.emulator.gemm import emulate_gemm

        call = bind(kernel.plan, a, b, c, d, alpha, beta)
        emulation = emulate_gemm(cast("Emitted", kernel), call, Options(threads=self.threads))
        launched = emulation.launches[0].kernel if emulation.launches else ""
        return Outcome(emulation.status, (emulation.report(),) if emulation.faults else (), launched)

    def launch(self, kernel: Kernel, call: Call) -> Outcome:
        """See `gemmgen.testing.refusals.RawBackend`. Raises EnvironmentUnavailable without a C++ compiler."""
        from gemmgen.emulator import Options, emulate
        from gemmgen.emulator.gemm import launcher_arguments, launcher_signature

        emulation = emulate(
            kernel.source,
            function=kernel.symbol,
            signature=launcher_signature(kernel.plan.accumulator_code),
            arguments=launcher_arguments(call),
            regions=(),
            options=Options(threads=self.threads),
        )
        launched = emulation.launches[0].kernel if emulation.launches else ""
        return Outcome(emulation.status, (emulation.report(),) if emulation.faults else (), launched)
