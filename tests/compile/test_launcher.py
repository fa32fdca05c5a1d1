"""The emitted launcher against Python: what it refuses, what it launches, for calls of every kind, without a GPU."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from kernel_variants import emitted
from launcher_contract import (
    ARENA,
    FAILED,
    FAR,
    INVALID,
    MISALIGNED,
    OVERLAPPING,
    SUCCESS,
    TOO_LARGE,
    UNSUPPORTED,
    WORKSPACE,
    expected_status,
    extents,
    good,
)
from recorded_launcher import RawCall, RecordedLauncher

from gemmgen.call import ArrayView, bind, choose_kernel, grid_size, kernel_arguments
from gemmgen.emit.interface import STATUSES
from gemmgen.errors import ArgumentError

BUILT = ("double_quads", "columns", "fixed_k", "direct", "large_shared")


@pytest.fixture(scope="module")
def launchers(tmp_path_factory) -> dict[str, RecordedLauncher]:
    folder = tmp_path_factory.mktemp("launchers")
    return {variant: RecordedLauncher(emitted(variant), folder) for variant in BUILT}


# ---- Calls of every kind ---------------------------------------------------------------------------------------

ORDINARY = st.integers(0, 9) | st.sampled_from([16, 33, 64, 127, 128, 129, 256])
EXTREME = st.sampled_from([-(2**63), -1, 2**31 - 1 - 8192, 2**31 - 8192, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1])
SCALARS = st.sampled_from([0.0, -0.0, 1.0, -2.5, math.inf, math.nan, 1e-45, 3.4028234663852886e38])


@st.composite
def calls(draw, plan) -> RawCall:
    """Neat calls (all aligned), plain ones, calls within one arena of one pitch, and odd ones."""
    kind = draw(st.sampled_from(["neat", "plain", "plain", "arena", "odd"]))
    size = {"neat": ORDINARY.map(lambda n: n // 4 * 4), "odd": ORDINARY | EXTREME}.get(kind, ORDINARY)
    sizes = {name: draw(size) for name in "MNK"}
    if kind != "odd" or draw(st.booleans()):
        sizes |= plan.fixed_sizes
    m, n, k = sizes.values()
    widths = extents(plan, RawCall(m, n, k, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    pitch = draw(st.sampled_from([8, 16, 128]))
    fields = {}
    for name in "abcd":
        width = max(1, widths[name][1])
        ld = max(pitch, width) if kind == "arena" else width + draw(MORE[kind])
        if kind == "odd" and draw(st.integers(0, 5)) == 0:
            ld = draw(EXTREME)
        fields[f"ld{name}"] = min(max(ld, -(2**63)), 2**63 - 1)
        fields[name] = draw(addresses(name, kind))
    if draw(st.integers(0, 3)) == 0:
        fields["c"], fields["ldc"] = fields["d"], fields["ldd"]
    return RawCall(m=m, n=n, k=k, alpha=draw(SCALARS), beta=draw(SCALARS), **fields)


MORE = {
    "neat": st.sampled_from([0, 4, 8]),
    "plain": st.sampled_from([0, 0, 0, 1, 3, 4, 8]),
    "odd": st.sampled_from([-1, 0, 0, 1, 2**57]),
}


def addresses(name: str, kind: str) -> st.SearchStrategy[int]:
    if kind == "arena":
        return st.integers(0, 600).map(lambda word: ARENA + 4 * word)
    far = st.sampled_from([0, 16, 32] if kind == "neat" else [0, 0, 4, 8, 1, 2]).map(lambda shift: FAR[name] + shift)
    return far if kind == "neat" or name == "d" else st.one_of(far, far, far, st.just(0))


def view(plan, call: RawCall, name: str) -> ArrayView:
    runs, width = extents(plan, call)[name]
    layout = {"a": plan.layout_a, "b": plan.layout_b}.get(name, plan.layout_c)
    pitch, address = 4 * getattr(call, f"ld{name}"), getattr(call, name)
    shape, strides = ((runs, width), (pitch, 4)) if layout == "row" else ((width, runs), (4, pitch))
    return ArrayView(address, shape, strides, "float32", 4, writable=True, owner=None)


def bound(plan, call: RawCall):
    """The call as Python binds it; None if it refuses."""
    try:
        return bind(plan, *(view(plan, call, name) for name in "abcd"), call.alpha, call.beta)
    except ArgumentError:
        return None


@pytest.mark.parametrize("variant", BUILT)
def test_launcher_and_can_implement_answer_what_was_written_down(variant: str, launchers) -> None:
    launcher = launchers[variant]
    plan = launcher.emitted.plan
    seen = set()

    @settings(max_examples=400)
    @given(calls(plan))
    def check(call: RawCall) -> None:
        expected = expected_status(plan, call)
        event(STATUSES[expected].name)
        seen.add(expected)
        assert launcher.can_implement(call) == expected
        status, launched = launcher.launch(call)
        assert status == expected
        assert (launched is not None) == (status == SUCCESS and call.m > 0 and call.n > 0)

    check()
    assert seen == {SUCCESS, INVALID, TOO_LARGE, OVERLAPPING, MISALIGNED}


@pytest.mark.parametrize("variant", BUILT)
def test_what_python_binds_is_launched_as_python_chooses(variant: str, launchers) -> None:
    launcher = launchers[variant]
    plan = launcher.emitted.plan
    seen = set()

    @settings(max_examples=400)
    @given(calls(plan).filter(lambda call: min(call.m, call.n, call.k) >= 0))
    def check(raw: RawCall) -> None:
        call = bound(plan, raw)
        if call is None:
            assert launcher.can_implement(raw) != SUCCESS or is_stricter_in_python(plan, raw)
            return
        if any(getattr(raw, name) == 0 for name in "abcd"):
            return  # no array of Python's lies at address 0
        same = RawCall(
            raw.m, raw.n, raw.k, call.alpha, call.a.address, call.a.ld, call.b.address, call.b.ld, call.beta,
            call.c.address, call.c.ld, call.d.address, call.d.ld,
        )  # fmt: skip
        status, launched = launcher.launch(same)
        assert status == SUCCESS
        if launched is None:
            assert raw.m == 0 or raw.n == 0
            return
        launch = plan.launches[0]
        assert launched.kernel == choose_kernel(launch, call).name
        assert launched.grid == (grid_size(launch, call), 1, 1)
        assert launched.block == (launch.threads, 1, 1)
        assert launched.shared_bytes == launch.shared_bytes
        assert repr(launched.arguments) == repr(tuple(value for _, value in kernel_arguments(launch, call)))
        seen.add(launched.kernel)

    check()
    assert seen == {kernel.name for kernel in plan.launches[0].kernels}


def is_stricter_in_python(plan, raw: RawCall) -> bool:
    """Python wants every array it is given to be sound, even one that is not going to be read."""
    unread = set("abc" if raw.k == 0 or raw.alpha == 0 else "c")
    unread -= {"c"} if raw.beta != 0 else set()
    unread |= set("abcd") if raw.m == 0 or raw.n == 0 else set()
    shapes = extents(plan, raw)
    return any(
        getattr(raw, name) % 4 or getattr(raw, f"ld{name}") < shapes[name][1]
        or shapes[name][0] * getattr(raw, f"ld{name}") > 1 << 58
        for name in unread
    )  # fmt: skip


# ---- One thing at a time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", BUILT)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 4), (127, 129), (128, 256), (2**31 - 1 - 8192, 1)])
def test_a_matrix_smaller_than_a_tile_is_one_block_and_the_largest_does_not_overflow(variant, m, n, launchers) -> None:
    launcher = launchers[variant]
    launch = launcher.emitted.plan.launches[0]
    status, launched = launcher.launch(good(launcher, m, n, 1))
    assert status == SUCCESS
    assert launched.grid == (-(-m // launch.tile_m) * -(-n // launch.tile_n), 1, 1)


def test_grids_are_linear_in_x_so_that_65_535_is_no_limit(launchers) -> None:
    status, launched = launchers["double_quads"].launch(good(launchers["double_quads"], 4_194_305 * 4, 4, 4))
    assert (status, launched.grid) == (SUCCESS, (131073, 1, 1))


@pytest.mark.parametrize("variant", BUILT)
def test_a_null_pointer_is_refused_where_it_would_be_read(variant: str, launchers) -> None:
    launcher = launchers[variant]
    for name in "abcd":
        assert launcher.launch(good(launcher, **{name: 0})) == (INVALID, None)
    assert launcher.launch(good(launcher, c=0, beta=0.0))[0] == SUCCESS
    assert launcher.launch(good(launcher, a=0, b=0, alpha=0.0))[0] == SUCCESS
    assert launcher.launch(good(launcher, m=0, a=0, b=0, c=0, d=0)) == (SUCCESS, None)


def test_nothing_is_launched_for_an_empty_output_and_k_0_still_scales_c(launchers) -> None:
    launcher = launchers["double_quads"]
    assert launcher.launch(good(launcher, m=0)) == (SUCCESS, None)
    assert launcher.launch(good(launcher, n=0)) == (SUCCESS, None)
    status, launched = launcher.launch(good(launcher, k=0, a=0, b=0))
    assert status == SUCCESS
    assert launched is not None


def test_a_size_that_was_fixed_takes_no_other(launchers) -> None:
    launcher = launchers["fixed_k"]
    assert launcher.launch(good(launcher))[0] == SUCCESS
    assert launcher.launch(RawCall(**{**vars_of(good(launcher)), "k": 32, "lda": 64})) == (INVALID, None)


def vars_of(call: RawCall) -> dict[str, object]:
    return {name: getattr(call, name) for name in RawCall.__dataclass_fields__}


def test_a_negative_workspace_is_refused_and_any_other_is_ignored(launchers) -> None:
    launcher = launchers["direct"]
    assert launcher.launch(good(launcher), workspace_bytes=-1) == (WORKSPACE, None)
    assert launcher.launch(good(launcher), workspace_bytes=1 << 62)[0] == SUCCESS


def test_the_stream_is_the_caller_s(launchers) -> None:
    assert launchers["direct"].launch(good(launchers["direct"]), stream=0x1234)[1].stream == 0x1234


@pytest.mark.parametrize("variant", BUILT)
def test_scalars_in_device_memory_count_as_not_zero(variant: str, launchers) -> None:
    launcher = launchers[variant]
    alpha, beta = 1 << 30, 1 << 31
    assert launcher.launch_device_scalars(good(launcher), 0, beta) == (INVALID, None)
    assert launcher.launch_device_scalars(good(launcher), alpha, 0) == (INVALID, None)
    assert launcher.launch_device_scalars(good(launcher, c=0), alpha, beta) == (INVALID, None)
    status, launched = launcher.launch_device_scalars(good(launcher), alpha, beta)
    assert status == SUCCESS
    names = [parameter.name for parameter in launcher.emitted.plan.launches[0].parameters]
    values = dict(zip(names, launched.arguments, strict=True))
    assert (values["alpha_device"], values["beta_device"]) == (alpha, beta)
    by_value = launcher.launch(good(launcher))[1]
    assert launched.kernel == by_value.kernel


@pytest.mark.parametrize("variant", sorted(BUILT))
def test_scalars_in_device_memory_are_aligned_and_outside_d(variant: str, launchers) -> None:
    launcher = launchers[variant]
    call = good(launcher)
    elsewhere = 1 << 31
    for inside in (call.d, call.d + 4):
        assert launcher.launch_device_scalars(call, inside, elsewhere) == (OVERLAPPING, None)
        assert launcher.launch_device_scalars(call, elsewhere, inside) == (OVERLAPPING, None)
    assert launcher.launch_device_scalars(call, elsewhere + 1, elsewhere) == (MISALIGNED, None)
    assert launcher.launch_device_scalars(call, elsewhere, elsewhere + 2) == (MISALIGNED, None)


# ---- Shared memory and errors ----------------------------------------------------------------------------------


def test_shared_memory_is_asked_for_on_every_call_for_the_kernel_that_is_launched(launchers) -> None:
    launcher = launchers["large_shared"]
    needed = launcher.emitted.plan.launches[0].shared_bytes
    assert needed > 48 * 1024
    for n in (8, 7, 8):
        status, launched = launcher.launch(good(launcher, n=n))
        assert (status, launched.attribute_calls, launched.attribute_bytes) == (SUCCESS, 1, needed)
        assert launched.attribute_kernel == launched.kernel
        assert launched.kernel.endswith("_kernel" if n == 8 else "_kernel_scalar")


def test_below_48_kib_nothing_is_asked_for(launchers) -> None:
    for variant in set(BUILT) - {"large_shared"}:
        assert launchers[variant].launch(good(launchers[variant]))[1].attribute_calls == 0


@pytest.fixture
def failing(launchers):
    def prepare(variant: str, **errors: int) -> RecordedLauncher:
        used.append(launchers[variant])
        for name, value in errors.items():
            launchers[variant].set(name, value)
        return launchers[variant]

    used: list[RecordedLauncher] = []
    yield prepare
    for launcher in used:
        for name in ("error_of_launch", "error_of_attribute", "last_error"):
            launcher.set(name, 0)


@pytest.mark.parametrize(("error", "status"), [(9, FAILED), (1, FAILED), (209, UNSUPPORTED), (98, UNSUPPORTED)])
def test_an_error_of_the_launch_is_returned_and_not_left_pending(error: int, status: int, failing) -> None:
    launcher = failing("double_quads", error_of_launch=error)
    assert launcher.launch(good(launcher))[0] == status
    assert launcher.get("last_error") == 0
    launcher.set("error_of_launch", 0)
    assert launcher.launch(good(launcher))[0] == SUCCESS


def test_shared_memory_that_the_device_lacks_fails_before_the_launch(failing) -> None:
    launcher = failing("large_shared", error_of_attribute=1)
    assert launcher.launch(good(launcher)) == (FAILED, None)
    assert launcher.get("last_error") == 0


def test_an_error_that_was_pending_stays_pending(failing) -> None:
    launcher = failing("double_quads", last_error=700)
    assert launcher.launch(good(launcher))[0] == SUCCESS
    assert launcher.get("last_error") == 700


def test_an_error_that_was_pending_is_not_cleared_by_a_launch_that_fails(failing) -> None:
    launcher = failing("double_quads", last_error=700, error_of_launch=9)
    assert launcher.launch(good(launcher))[0] == FAILED
    assert launcher.get("last_error") != 0


def test_refusals_touch_no_error(failing) -> None:
    launcher = failing("double_quads", last_error=700, error_of_launch=9)
    assert launcher.launch(good(launcher, m=-1)) == (INVALID, None)
    assert launcher.get("last_error") == 700


# ---- Companions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", BUILT)
def test_every_status_has_its_sentence(variant: str, launchers) -> None:
    import ctypes

    sentence = launchers[variant].function("_status_string", [ctypes.c_int], ctypes.c_char_p)
    for status in STATUSES:
        assert sentence(status.value).decode() == status.meaning
    assert sentence(99) == sentence(-1) == b"unknown status"


@pytest.mark.parametrize("variant", BUILT)
def test_no_workspace_is_needed_whatever_the_sizes(variant: str, launchers) -> None:
    import ctypes

    needed = launchers[variant].function("_workspace_bytes", [ctypes.c_int64] * 3, ctypes.c_int64)
    assert {needed(*sizes) for sizes in itertools.product([-(2**63), -1, 0, 1, 2**63 - 1], repeat=3)} == {0}
