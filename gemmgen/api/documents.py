"""A kernel's description as a file: JSON, TOML, a generated ``.cu`` (its banner), or a Python file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gemmgen.errors import DocumentError, GemmgenError, ScheduleError
from gemmgen.ir import Gemm, Schedule
from gemmgen.ir.serial import Document, decode_document, load
from gemmgen.target import DEFAULT_TARGET, Target, resolve

if TYPE_CHECKING:
    from types import CodeType

    from gemmgen.api.kernel import Kernel

__all__ = ["Description", "load_description"]

SUFFIXES = (".py", ".json", ".toml", ".cu")
_Value = TypeVar("_Value")
_PYTHON_FIELDS: dict[str, type | tuple[type, ...]] = {"problem": Gemm, "schedule": Schedule, "target": (str, Target)}
_RESEMBLANCE = 0.8


@dataclass(frozen=True, slots=True)
class Description:
    """What a file describes.

    Attributes:
        problem: what to compute.
        schedule: how.
        target: the least GPU it runs on.
        name: of the launcher; None: the generated symbol.
        text: of a generated ``.cu`` as it stands in the file, edits and all; None for other files.

    """

    problem: Gemm
    schedule: Schedule
    target: Target
    name: str | None = None
    text: str | None = None

    def generate(self) -> Kernel:
        """The kernel. Raises `ScheduleError` if the schedule is not legal."""
        from gemmgen.api.kernel import generate

        return generate(self.problem, self.schedule, self.target, name=self.name)

    def to_dict(self) -> dict[str, object]:
        """The serial form."""
        return Document(self.problem, self.schedule, self.target, self.name).to_dict()


def load_description(path: str | Path) -> Description:
    """Reads a file.

    JSON, TOML and ``.cu`` are data and never run code. A ``.py`` file is run: it sets ``problem``, ``schedule`` and
    ``target`` (each has its default if it is not set, but one of the first two has to be) and may set ``name``.

    Raises:
        DocumentError: the file can not be read, or is no description; one line that starts with its path.
        ScheduleError: fields that are not legal; all of them.

    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind in (".json", ".toml"):
        document = load(path)
        return Description(document.problem, document.schedule, document.target, document.name)
    if kind == ".py":
        return _run_python(path)
    if kind == ".cu":
        return _read_banner(path)
    raise DocumentError(f"{path}: a kernel's description ends in {', '.join(SUFFIXES)}")


def _read_banner(path: Path) -> Description:
    from gemmgen.emit.banner import read_banner

    text = _text(path)
    try:
        document = decode_document(read_banner(text))
    except ScheduleError:
        raise
    except GemmgenError as error:
        raise DocumentError(f"{path}: {error}") from None
    return Description(document.problem, document.schedule, document.target, document.name, text)


def _run_python(path: Path) -> Description:
    code = _compiled(path)
    values: dict[str, object] = {"__name__": "__gemmgen__", "__file__": str(path)}
    try:
        exec(code, values)  # noqa: S102  # a Python file is run: the help says so
    except ScheduleError:
        raise
    except SystemExit as error:
        place = f"{path}, line {_line_in(path, error)}"
        raise DocumentError(
            f"{place}: sys.exit({error.code!r}) ends the file before it has described a kernel"
        ) from None
    except Exception as error:
        said = " ".join(str(error).split())
        raise DocumentError(f"{path}, line {_line_in(path, error)}: {type(error).__name__}: {said}") from error
    problem = _expect(path, values, "problem", Gemm, Gemm())
    schedule = _expect(path, values, "schedule", Schedule, Schedule())
    target = values.get("target", DEFAULT_TARGET)
    name = values.get("name")
    if name is not None and not isinstance(name, str):
        raise DocumentError(f"{path}: name is a {type(name).__name__}, not a text")
    _refuse_misspelt(path, values)
    return Description(problem, schedule, resolve(target), name)


def _refuse_misspelt(path: Path, values: dict[str, object]) -> None:
    """Refuses a file that describes nothing, or something under a name that only resembles a field's."""
    import difflib

    set_here = [name for name in values if not name.startswith("__")]
    describes = "problem" in values or "schedule" in values
    wrong = []
    for field, kind in _PYTHON_FIELDS.items():
        if field in values:
            continue
        near = difflib.get_close_matches(field, set_here, cutoff=_RESEMBLANCE)
        wrong += [f"{name} (do you mean {field}?)" for name in near if not describes or isinstance(values[name], kind)]
    if describes and wrong:
        raise DocumentError(f"{path}: sets {', '.join(wrong)}, which describes nothing")
    if not describes:
        hint = f", but {', '.join(wrong)}" if wrong else ""
        raise DocumentError(f"{path}: sets neither problem nor schedule{hint}")


def _compiled(path: Path) -> CodeType:
    try:
        return compile(_text(path), str(path), "exec")
    except SyntaxError as error:
        raise DocumentError(f"{path}, line {error.lineno}: {error.msg}") from None
    except ValueError as error:  # a null byte
        raise DocumentError(f"{path}: {error}") from None


def _expect(path: Path, values: dict[str, object], name: str, kind: type[_Value], default: _Value) -> _Value:
    value = values.get(name, default)
    if not isinstance(value, kind):
        raise DocumentError(f"{path}: {name} is a {type(value).__name__}, not a gemmgen.{kind.__name__}")
    return value


def _line_in(path: Path, error: BaseException) -> int | str:
    """The last line of the file itself that the error passed through."""
    line: int | str = "?"
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: not UTF-8 at byte {error.start}") from None
