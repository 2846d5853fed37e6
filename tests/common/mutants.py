"""Small breakages of the Python harness, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

CHECKING, GUARDED, TIMING = "common/checking.py", "common/guarded.py", "common/timing.py"
WRONG, HARNESS = "tests/common/test_wrong_operators.py::", "tests/common/test_harness.py::"


def rejects(what):
    return f"{WRONG}test_check_rejects[{what.replace(' ', '-')}]"


MUTANTS = [
    # What check() compares.
    Mutant(CHECKING, "rtol, atol = (0, 0) if exact else (self.rtol, self.atol)", "rtol, atol = 0.1, 0.1",
           rejects("float16 arithmetic")),
    Mutant(CHECKING, 'self.close(tensors_in(held.args), tensors_in(values), f"the operator {what}", exact=True)',
           "pass", [rejects("input modified"), rejects("tensor of an input dict modified")]),
    Mutant(CHECKING, "if held.replaced():", "if False:", rejects("input list modified")),
    Mutant(CHECKING, "        _assert_no_shared_memory(result, args, self.prefix)\n", "",
           rejects("output aliases the input"), why="without it, the words are those of a changed input"),
    Mutant(CHECKING, "        guard.refuse_default_device(result)\n", "", rejects("output on the default device")),
    Mutant(CHECKING, 'case.forward(second, OTHER, " in', 'case.forward(first, OTHER, " in',
           [rejects("stale output of the previous call"), rejects("cached result for the same pointer")]),
    Mutant(CHECKING, """    case.close(result, expected, "the second call overwrote the first call's result")\n""", "",
           rejects("one output for all calls")),
    Mutant(CHECKING, "case.backward(second, OTHER, _as_sum_gives)", "pass",
           rejects("takes grad_output for contiguous")),
    Mutant(CHECKING, 'case.close(found, wanted, "the second', 'case.close(found, found, "the second',
           rejects("one gradient for all calls")),
    Mutant(CHECKING, "            if mine is None:\n                raise",
           "            if mine is None:\n                continue\n                raise", rejects("no gradient")),
    Mutant(CHECKING, 'self.close(mine, theirs, f"wrong gradient of input {place}")', "pass", rejects("wrong gradient")),
    Mutant(CHECKING, 'self.unchanged(held_outputs, outputs, "changed its grad_output")', "pass",
           rejects("grad_output modified")),
    Mutant(CHECKING, "_surface_errors(self.prefix)", "pass", f"{WRONG}test_an_error_that_surfaces_later_is_named"),
    Mutant(CHECKING, "with torch.cuda.stream(stream):", "with torch.cuda.stream(torch.cuda.current_stream()):",
           rejects("wrong stream"), gpus=1),
    # The memory around inputs and outputs.
    Mutant(GUARDED, "distance = int(after[0]) + 1 if", "distance = int(after[0]) if",
           f"{WRONG}test_memory_from_any_allocation_is_guarded_and_keeps_its_values[zeros]"),
    Mutant(GUARDED, "if not _guardable(t) or _address(t) in there:",
           'if "empty" not in func.name() or not _guardable(t) or _address(t) in there:',
           [rejects("writes after an output of zeros"),
            f"{WRONG}test_memory_from_any_allocation_is_guarded_and_keeps_its_values[clone]"]),
    Mutant(GUARDED, 'copy="empty" not in func.name()', "copy=True", f"{WRONG}test_patterns"),
    Mutant(GUARDED, "OTHER = 0x42", "OTHER = 0x5A", rejects("writes after an output of zeros")),
    Mutant(GUARDED, "        self.gaps = torch.ones(", "        return\n        self.gaps = torch.ones(",
           rejects("writes between the elements of an input")),
    Mutant(GUARDED, "self.start, self.stop = self.origin + first, self.origin + end",
           "end = max(end, self.stop - self.origin)",
           f"{WRONG}test_inputs_of_all_kinds_keep_their_layout_and_their_addresses"),
    Mutant(GUARDED, 'if func.namespace not in ("aten", "prims") and', "if False and",
           f"{WRONG}test_operators_of_a_library_are_guarded_inside[CompositeExplicitAutograd]"),
    Mutant(GUARDED, "                self._resized(t)\n", "                pass\n",
           f"{WRONG}test_memory_from_any_allocation_is_guarded_and_keeps_its_values[resized]"),
    # How bench() times, and what it believes.
    Mutant(TIMING, "launches_before=lambda i: i % 4 == 3", "launches_before=lambda i: 0",
           f"{HARNESS}test_every_operator_has_its_share_of_slow_launches[3]"),
    Mutant(TIMING, "order.sample(names, len(names))", "names",
           f"{HARNESS}test_operators_that_take_turns_meet_the_same_clock_and_a_slow_one_leaves"),
    Mutant(TIMING, "if repeats[name] > done]", "]",
           f"{HARNESS}test_operators_that_take_turns_meet_the_same_clock_and_a_slow_one_leaves"),
    Mutant(TIMING, "        if median > 2 * fastest:", "        if False:",
           f"{HARNESS}test_the_hosts_time_is_not_that_of_a_full_queue[600]"),
    Mutant(TIMING, "    return fastest\n", "    return median\n",
           f"{HARNESS}test_the_hosts_time_is_not_that_of_a_full_queue[600]"),
    Mutant(TIMING, "(half[-1] - half[0])", "(samples[-1] - samples[0])",
           f"{HARNESS}test_kernel_and_spread_are_of_the_middle_half"),
    Mutant(TIMING, "statistics.fmean(half)", "statistics.median(half)",
           f"{HARNESS}test_two_groups_of_samples_give_what_lies_between"),
    Mutant(TIMING, "row.kernel <= 1.4 * nothing", "row.kernel <= nothing",
           f"{WRONG}test_a_time_that_is_too_good_is_suspect[64-2.7e-06-suspect: no work on this stream]"),
    Mutant(TIMING, "what, rtol, atol)", "what, 9, 9)",
           f"{WRONG}test_bench_rejects[cached-result-from-the-tenth-call-on]"),
]  # fmt: skip
