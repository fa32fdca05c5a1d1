"""Records: frozen data whose fields each declare their domain, and the reading of raw input into them.

Every record takes raw values (from JSON, TOML or a caller) and either holds canonical ones or raises a
`ScheduleError` that names all that is wrong.
"""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from gemmgen.errors import REMOVE, Diagnostic, ScheduleError
from gemmgen.ir.text import closest, show, show_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gemmgen.ir.domain import Domain

UNKNOWN_FIELD = "GG001"
ILLEGAL_VALUE = "GG002"

_METADATA = "gemmgen"
_Record = TypeVar("_Record", bound=type)


class _Required:
    """Marks a parameter without a default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Any = _Required()


@dataclass(frozen=True, slots=True)
class Param:
    """One declared field: its name, its domain, its default (or `REQUIRED`) and why the domain is what it is."""

    name: str
    domain: Domain
    default: Any
    why: str

    @property
    def spare(self) -> Any:
        """A legal value to fall back to."""
        return self.domain.typical[0] if self.default is REQUIRED else self.default

    def nearest(self, raw: object) -> Any:
        """The legal value nearest to `raw`; the default where nothing is near."""
        return self.domain.nearest(raw, self.spare)

    def fault(self, path: str, problem: str, near: Any) -> Diagnostic:
        """The diagnostic for an illegal value at `path`, with `near` as the way out."""
        written = REMOVE if near is None else self.domain.write(near)
        return Diagnostic(
            rule=getattr(self.domain, "rule", ILLEGAL_VALUE),
            field=path,
            message=f"{self.name}={problem}",
            reason=self.why,
            suggestion=f"Use {self.name}={show(written)}.",
            fix={path: written},
        )


def param(domain: Domain, *, why: str, default: Any = REQUIRED) -> Any:
    """Declare a field of a record. `why` is one sentence on why its legal values are these."""
    metadata = {_METADATA: (domain, why)}
    if default is REQUIRED:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


class Record:
    """Base of all records: frozen, compared and hashed by type and fields.

    What `dataclass(frozen=True)` would generate for each record stands here once: generating it costs more time at
    import than all else.
    """

    __slots__ = ()
    declared: ClassVar[dict[str, Param]] = {}

    @classmethod
    def params(cls) -> tuple[Param, ...]:
        """The declared fields, in order."""
        return tuple(cls.declared.values())

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.declared])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._values()))

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in zip(self.declared, self._values(), strict=True))
        return f"{type(self).__name__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> tuple[Any, ...]:
        return self._values()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        fill(self, dict(zip(self.declared, state, strict=True)))


def _declared(cls: type) -> dict[str, Param]:
    found = {}
    for field in dataclasses.fields(cls):
        domain, why = field.metadata[_METADATA]
        default = REQUIRED if field.default is dataclasses.MISSING else field.default
        if default is not REQUIRED:
            default, problem = domain.read(default) if not hasattr(domain, "rule") else (default, None)
            if problem is not None:
                message = f"{cls.__name__}.{field.name}: the default {problem}"
                raise TypeError(message)
        found[field.name] = Param(field.name, domain, default, why)
    return found


@dataclass_transform(frozen_default=True, field_specifiers=(param,))
def record(cls: _Record) -> _Record:
    """Class decorator: a frozen, slotted dataclass whose constructor reads raw values through the domains."""
    built: Any = dataclass(slots=True, init=False, repr=False, eq=False)(cls)
    built.declared = _declared(built)
    if "__init__" not in cls.__dict__:
        built.__init__ = _constructor(built)
        built.__signature__ = inspect.Signature(
            [
                inspect.Parameter(
                    p.name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD,
                    default=inspect.Parameter.empty if p.default is REQUIRED else p.default,
                )
                for p in built.params()
            ]
        )
    return built  # type: ignore[no-any-return]


def _constructor(cls: type[Record]) -> Any:
    def __init__(self: Record, *arguments: object, **given: object) -> None:  # noqa: N807 - becomes the class's own
        construct(self, cls.__name__.lower(), arguments, given)

    return __init__


def construct(self: Record, path: str, arguments: tuple[object, ...], given: Mapping[str, object]) -> None:
    """Fill a new record from constructor arguments, or raise `ScheduleError` with all that is wrong."""
    names = list(self.declared)
    raw: dict[str, object] = dict(zip(names, arguments, strict=False))
    twice = [name for name in raw if name in given]
    surplus = {f"argument {i + 1}": value for i, value in enumerate(arguments) if i >= len(names)}
    raw.update(given)
    values, problems = read_fields(self.declared, {**raw, **surplus}, path)
    problems += [
        Diagnostic(
            UNKNOWN_FIELD,
            f"{path}.{name}",
            f"{name} is given by position and by name",
            "A field has one value",
            f"Give {name} once.",
            {f"{path}.{name}": REMOVE},
        )
        for name in twice
    ]
    if problems:
        raise ScheduleError(problems)
    fill(self, values)


def fill(self: Record, values: Mapping[str, object]) -> None:
    """Set the fields of a record under construction."""
    for name, value in values.items():
        object.__setattr__(self, name, value)


class ForeignKey:
    """Stands in for a key that is no string: equal to nothing but itself, printed as that key."""

    __slots__ = ("key",)

    def __init__(self, key: object) -> None:
        """Keep the key for messages."""
        self.key = key

    def __repr__(self) -> str:
        """As in a field path."""
        return show_key(self.key)


def table(raw: object) -> dict[Any, object] | None:
    """A mapping as a plain dict, or None for anything that can not be read as one. Never raises."""
    try:
        keys = list(raw.keys())  # type: ignore[attr-defined]
        values = [raw[key] for key in keys]  # type: ignore[index]
    except Exception:  # noqa: BLE001 - a foreign mapping may raise whatever it likes
        return None
    named = [str.__str__(key) if isinstance(key, str) else ForeignKey(key) for key in keys]
    return dict(zip(named, values, strict=True))


def unknown_field(key: object, known: Iterable[str], path: str) -> Diagnostic:
    """The diagnostic for a field that does not exist."""
    shown = show_key(key)
    near = closest(key, known, cutoff=0.6)
    return Diagnostic(
        rule=UNKNOWN_FIELD,
        field=f"{path}.{shown}",
        message=f"{path} has no field {shown!r}",
        reason="A field that is not read would silently change nothing",
        suggestion=f"Did you mean {near!r}? Otherwise leave {shown!r} out." if near else f"Leave {shown!r} out.",
        fix={f"{path}.{shown}": REMOVE},
    )


def read_fields(
    declared: Mapping[str, Param], raw: Mapping[str, object], path: str
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Read `raw` field by field: (canonical values of the sound fields, defaults included; all that is wrong)."""
    values: dict[str, Any] = {}
    problems: list[Diagnostic] = []
    for name, declaration in declared.items():
        if name not in raw:
            if declaration.default is REQUIRED:
                problems.append(_missing(declaration, path))
            else:
                values[name] = declaration.domain.read(declaration.default)[0]
            continue
        value, problem = declaration.domain.read(raw[name])
        if problem is None:
            values[name] = value
        else:
            near = declaration.nearest(raw[name])
            problems.append(declaration.fault(f"{path}.{name}", problem, near))
    problems += [unknown_field(key, declared, path) for key in raw if key not in declared]
    return values, problems


def _missing(declaration: Param, path: str) -> Diagnostic:
    spare = declaration.domain.write(declaration.spare)
    return Diagnostic(
        rule=ILLEGAL_VALUE,
        field=f"{path}.{declaration.name}",
        message=f"{declaration.name} is missing; legal is {declaration.domain.describe()}",
        reason=declaration.why,
        suggestion=f"Use {declaration.name}={show(spare)}.",
        fix={f"{path}.{declaration.name}": spare},
    )
