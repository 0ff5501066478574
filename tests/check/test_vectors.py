"""Every vector can be made anew with the committed arguments, within the classes of its results,
and the independent oracles agree with what is made.

Not tested here: that the committed answers have the same bytes (`make vectors ARGS=--check`, for
processors with AVX2), and what is refused when vectors are read (test_files.py).
"""

import numpy as np
import pytest

from refimpl.check import files
from refimpl.check.comparing import first_fault
from refimpl.check.drawing import Lcg
from refimpl.check.files import decoded_cases, folder
from refimpl.check.subject import of_reference, posed
from refimpl.check.subjects import KERNELS, TRAININGS, subject_of
from tests.fuzz.hard import Hard
from tests.vectors.__main__ import verify

PROBLEMS = 18
LONG = 6  # of them have several rounds
ONE_STATE = {
    "enn_ranks",
    "lipschitz",
    "lmnn",
    "nearest_neighbor_boosted_distance",
    "relevant_component_analysis",
    "search_tree",
}


def test_every_vector_is_made_and_the_oracles_agree(tmp_path):
    assert files.write(tmp_path, verify=verify) < 3_000_000  # bytes
    for subject in (KERNELS | TRAININGS).values():
        made, committed = (decoded_cases(where, subject) for where in (tmp_path, folder()))
        for (case, _, got), (same, arguments, expected) in zip(made, committed, strict=True):
            asked = ("id", "comment", "flags", "arguments", "within")
            assert all(case.get(part) == same.get(part) for part in asked), case["id"]
            assert first_fault(subject, arguments, expected, got) is None, case["id"]


@pytest.mark.parametrize("name", KERNELS | TRAININGS)
def test_the_oracle_agrees_with_what_is_drawn(name):
    """Longer arguments than the vectors have, more rounds and other choices.

    algorithm.py runs the rounds, but not the loops of A.1 and A.3.
    """
    subject = subject_of(name)
    wanted = 60 if subject.kind == "kernel" else PROBLEMS
    done = long = 0
    for number in range(60):
        source = Hard(np.random.default_rng([29, number]), tame=True)
        source.wide = False
        problem = posed(subject, source, subject.flags[number % len(subject.flags)])
        if problem is None:
            continue
        arguments, states = problem
        verify(name, arguments, states if subject.kind == "training" else states[0])
        done += 1
        long += len(states) > 1
        if done >= wanted and (long >= LONG or name in ONE_STATE):
            return
    assert subject.kind == "kernel", f"{done} problems, {long} of them with several rounds"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("lmnn_steps", "objective"),
        ("lmnn_steps", "G"),
        ("query_sensitive", "updated"),
        *(("search_forest", part) for part in ("T", "J", "similar", "c")),
    ],
)
def test_the_oracle_sees_a_wrong_seventh_digit(name, part):
    """A training of one's own may be as far off, as its steps may have another order."""
    for number in range(60):
        problem = posed(TRAININGS[name], Lcg(number), "random")
        if problem and problem[1] and np.any(problem[1][-1][part]):
            break
    arguments, states = problem
    verify(name, arguments, states)
    states[-1][part] = states[-1][part] * (1 + 9e-7)
    with pytest.raises(AssertionError, match=rf"{part}\b"):
        verify(name, arguments, states)


@pytest.mark.parametrize("seed", [5, 24])
def test_the_oracle_of_boostmap_sees_that_the_last_round_is_missing(seed):
    arguments = TRAININGS["boostmap"].draw(Lcg(seed), "random")
    states = of_reference(TRAININGS["boostmap"], arguments)
    verify("boostmap", arguments, states)
    assert len(states) > 1
    with pytest.raises(AssertionError, match="a round that lowers the loss is missing"):
        verify("boostmap", arguments, states[:-1])


def test_each_problem_of_dselect_has_an_answer():
    """Landmarks of one class have no pairs: they are no problem."""
    drawn = [posed(TRAININGS["dselect"], Lcg(number), "random") for number in range(60)]
    answered = sum(problem is not None and len(problem[1]) > 2 for problem in drawn)
    assert 40 < answered < 60
