"""Failures that real GEMM projects had, by number: where each is tested here, or why it can not arise.

The numbers are those of the list that the project was given. `test_cases.py` holds the rest as tests of its own.
"""

from __future__ import annotations

NUMBERS = (
    *range(1, 4),
    *range(5, 19),
    21,
    *range(23, 27),
    *range(30, 34),
    *range(36, 40),
    *(43, 47, 51, 55),
    *range(61, 68),
    *range(70, 76),
)

LAUNCHER = "tests/compile/test_launcher.py"
TEXT = "tests/unit/emit/test_text.py"
BIND = "tests/unit/call/test_bind.py"
NEIGHBOURS = "tests/gpu/test_neighbours.py"

ELSEWHERE: dict[int, tuple[str, ...]] = {
    # a rounding up that changes its meaning inside a larger expression
    7: (f"{TEXT}::test_helpers_of_the_launcher_are_functions_and_ceilings_are_parenthesised",),
    # limits of a grid's y and z
    31: (
        f"{LAUNCHER}::test_grids_are_linear_in_x_so_that_65_535_is_no_limit",
        f"{BIND}::test_a_grid_that_overflows_is_refused_with_both_numbers",
    ),
    # the shared-memory attribute, lowered by one thread while another launches
    33: (f"{LAUNCHER}::test_shared_memory_is_asked_for_on_every_call_for_the_kernel_that_is_launched",),
    # a launch whose error nobody looks at
    36: (
        f"{LAUNCHER}::test_an_error_of_the_launch_is_returned_and_not_left_pending",
        f"{LAUNCHER}::test_an_error_that_was_pending_stays_pending",
        f"{NEIGHBOURS}::test_a_launch_that_is_refused_says_with_what_configuration",
    ),
    # the usual rounding up at the top of the range
    38: (
        "tests/unit/call/test_choose.py::test_the_arithmetic_of_the_grid_does_not_overflow",
        f"{LAUNCHER}::test_a_matrix_smaller_than_a_tile_is_one_block_and_the_largest_does_not_overflow",
    ),
    # a comparison that NaN passes
    55: ("tests/unit/testing/test_oracle.py::test_nan_never_passes",),
    # arguments out of step with their names
    61: (
        "tests/unit/call/test_choose.py::test_arguments_follow_the_kernel_s_parameters",
        f"{LAUNCHER}::test_what_python_binds_is_launched_as_python_chooses",
    ),
    # names that are no identifiers
    62: (
        "tests/unit/lower/test_names.py::test_a_bad_name_is_refused_in_one_line_with_a_name_that_is_legal",
        "tests/unit/lower/test_names.py::test_whatever_is_given_a_name_is_legal_or_refused_with_one_that_is",
    ),
    # paths with spaces
    63: (
        "tests/compile/test_nvcc.py::test_a_path_with_spaces_quotes_and_other_letters_compiles",
        "tests/meta/test_import.py::test_commands_are_argument_lists_and_never_a_shell",
    ),
    # output that follows the hash seed or the locale
    64: (
        "tests/meta/test_bytes.py::test_bytes_do_not_depend_on_the_hash_seed_or_the_working_directory",
        "tests/meta/test_bytes.py::test_bytes_do_not_depend_on_a_locale_with_a_decimal_comma",
    ),
    # a header that is included only sometimes
    65: (
        f"{TEXT}::test_only_the_runtime_is_included_and_never_the_header",
        "tests/compile/test_nvcc.py::test_a_file_compiles_alone_without_a_warning",
        "tests/compile/test_nvrtc.py::test_nvrtc_compiles_the_same_bytes_and_finds_every_kernel",
    ),
    # what one compiler has and another lacks
    66: (
        f"{TEXT}::test_nothing_is_used_that_another_compiler_lacks",
        "tests/compile/test_nvcc.py::test_macros_of_windows_and_of_old_headers_do_no_harm",
        "tests/compile/test_nvcc.py::test_any_standard_from_c_14_on_will_do",
    ),
    # a context of one's own beside the primary one
    70: (f"{NEIGHBOURS}::test_torchs_context_survives_ten_turns",),
    # a destructor that pops whichever context is current
    71: (
        f"{NEIGHBOURS}::test_a_context_that_pycuda_made_is_used_and_left_current",
        f"{NEIGHBOURS}::test_a_process_that_used_the_runtime_ends_cleanly",
    ),
    # a fault after which everything in its context fails
    72: (
        "tests/unit/runtime/test_streams_and_child.py::test_a_fault_of_the_job_is_reported_and_this_process_goes_on",
        "tests/gpu/test_kernels.py::test_a_fault_is_reported_and_the_next_kernel_runs",
    ),
    # a scalar of the wrong width
    73: (
        "tests/unit/runtime/test_packing.py::test_an_extent_beyond_32_bits_keeps_its_value_in_64",
        f"{BIND}::test_a_scalar_is_rounded_to_the_accumulator_type",
    ),
    # a module of another context
    74: (
        f"{NEIGHBOURS}::test_a_module_is_not_taken_for_one_of_a_context_that_is_gone",
        f"{NEIGHBOURS}::test_threads_share_a_kernel",
    ),
    # a cache that does not see an included header change
    75: (
        "tests/unit/runtime/test_compile.py::test_a_local_include_is_refused_since_the_cache_would_not_see_its_edits",
        f"{TEXT}::test_only_the_runtime_is_included_and_never_the_header",
    ),
}

CAN_NOT_ARISE: dict[int, str] = {
    67: "No emitted file holds a 16-bit float: f32 is the only element type, so there is no conversion to be implicit.",
}
