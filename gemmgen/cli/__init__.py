"""The command line: arguments in, tables out. What it does is in `gemmgen.api` and `gemmgen.testing`."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from gemmgen.cli.check import check
from gemmgen.cli.demo import demo
from gemmgen.cli.diff import diff
from gemmgen.cli.emit import emit
from gemmgen.cli.listing import list_kernels
from gemmgen.cli.regen import regen
from gemmgen.errors import EmulationFault, GemmgenError

__all__ = ["cli", "main"]

FAULT, USAGE, INTERRUPTED = 1, 2, 130

_EPILOG = """
\b
Exit codes: 0 fine, 1 found a fault or a difference, 2 bad usage, something missing, or output that can not be
written.

\b
Completion of commands and options; put the line for your shell into its start-up file:
  bash  eval "$(_GEMMGEN_COMPLETE=bash_source gemmgen)"
  zsh   eval "$(_GEMMGEN_COMPLETE=zsh_source gemmgen)"
  fish  _GEMMGEN_COMPLETE=fish_source gemmgen | source
"""


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="gemmgen")
def cli() -> None:
    """Generates specialised, standalone CUDA matrix multiplication kernels and tests them without a GPU.

    A FILE describes a kernel. JSON, TOML and generated .cu files are data and never run code; a Python file, which sets
    `problem`, `schedule` and `target`, is run.
    """


for _command in (demo, emit, diff, check, list_kernels, regen):
    cli.add_command(_command)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and ends the process with its exit code. What a user got wrong is a line, no traceback."""
    try:
        code = cli.main(args=arguments, prog_name="gemmgen", standalone_mode=False)
        _flush()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        code = INTERRUPTED
    except EmulationFault as error:
        click.echo(str(error), err=True)
        code = FAULT
    except GemmgenError as error:
        click.echo(str(error), err=True)
        code = FAULT if _is_fault(error) else USAGE
    except BrokenPipeError:  # the reader of our output has gone, and needs no more of it
        sys.stderr.close()
        code = FAULT
    except OSError as error:  # a full disk behind stdout, say
        place = "standard output" if error.filename is None else error.filename
        click.echo(f"{place}: {error.strerror or error}", err=True)
        _discard_output()
        code = USAGE
    sys.exit(code if isinstance(code, int) else 0)


def _flush() -> None:
    """Writes what is still buffered while an error can be told; at the interpreter's end it would be a traceback."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard_output() -> None:
    """Leads what is left in the buffer of stdout nowhere, so that the interpreter's end does not fail on it again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _is_fault(error: GemmgenError) -> bool:
    """Whether a kernel failed, rather than the user or the machine; by name, so that no runtime is imported for it."""
    return type(error).__name__ in {"DeviceFault", "CompilationError", "ChildFault"}
