"""Small breakages of tools/maintain/sweep.py and swept.py."""

from tools.maintain.mutants import Mutant

SWEEP, SWEPT, TESTS = "tools/maintain/sweep.py", "tools/maintain/swept.py", "tests/tools/test_sweep.py::test_"
DRAWN, WHOLE = (
    TESTS + "drawn_shapes_fit_are_half_odd_and_begin_where_they_may",
    TESTS + "a_sweep_prints_and_keeps_what_it_finds",
)
WRONG, TARGETS = (
    TESTS + "a_wrong_result_is_reported_loudly_and_fails_the_run",
    TESTS + "what_is_good_and_what_misses_its_target",
)

MUTANTS = [
    Mutant(SWEEP, "while sum(logs) > most:", "while sum(logs) > 1.1 * most:", DRAWN),
    Mutant(SWEEP, "if offset % dtype.itemsize == 0]", "]", DRAWN),
    Mutant(SWEEP, "round_below if k % 2 else", "round_below if k % 3 else", DRAWN),
    Mutant(SWEEP, "    return n - 1 + n % 2\n", "    return n | 1\n", TESTS + "numbers_below"),
    Mutant(SWEEP, "math.isqrt(n) + 1)):", "math.isqrt(n))):", TESTS + "numbers_below"),
    Mutant(SWEEP, "buffer[offset:].view(x.dtype)", "buffer[:x.nbytes].view(x.dtype)",
           TESTS + "a_slice_begins_where_it_should_and_has_the_same_values"),
    Mutant(SWEEP, "rtol=share, atol=share)", "rtol=9, atol=9)", WRONG),
    Mutant(SWEEP, "squares.mean(-1, keepdim=True)", "squares.mean()",
           TESTS + "an_error_is_measured_by_the_size_of_its_row_or_of_all_rows"),
    Mutant(SWEEP, ".clamp(min=squares.mean())", "",
           TESTS + "an_error_is_measured_by_the_size_of_its_row_or_of_all_rows"),
    Mutant(SWEEP, ".clamp(min=step / share)", "",
           TESTS + "a_result_between_two_of_float16s_smallest_numbers_may_become_either"),
    Mutant(SWEEP, "        sys.exit(wrong)\n", "        print(wrong)\n", WRONG),
    Mutant(SWEEP, "if start + slowest >= until:", "if False:", TESTS + "when_time_is_over_it_says_what_is_left"),
    Mutant(SWEEP, "            keep(file, name,", "            print(file, name,", WHOLE),
    Mutant(SWEEP, "            missing[name] = one_line(error)\n", "            pass\n", WHOLE),
    Mutant(SWEEP, "            failed[name] = one_line(error)\n", "            pass\n", WHOLE),
    Mutant(SWEPT, "return _best(row) / _ours(row)", "return _ours(row) / _best(row)", TARGETS),
    Mutant(SWEPT, "return min(row[", "return max(row[", TARGETS),
    Mutant(SWEPT, "value < TARGETS[key]", "value > TARGETS[key]", TARGETS),
    Mutant(SWEPT, 'row["bytes"] >= LARGE]\n', 'row["bytes"] > LARGE]\n', TARGETS),
    Mutant(SWEPT, "not drawing.is_drawn(", "drawing.is_drawn(", TESTS + "docs_show_a_table_and_a_picture_for_each_machine"),
]  # fmt: skip
