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
from refimpl.check.files import cases_of, folder, load
from refimpl.check.subject import posed
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
        for got, case in zip(cases_of(subject, tmp_path), cases_of(subject), strict=True):
            assert first_fault(case, got.expected) is None, case.id
        made, committed = (
            load(where, f"{subject.kind}s", subject.name)["cases"] for where in (tmp_path, folder())
        )
        for case in [*made, *committed]:
            del case["expected"]
        assert made == committed


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
        case = posed(subject, source, subject.flags[number % len(subject.flags)])
        if case is None:
            continue
        verify(case)
        done += 1
        long += len(case.expected) > 1
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
        case = posed(TRAININGS[name], Lcg(number), "random")
        if case and case.expected and np.any(case.expected[-1][part]):
            break
    verify(case)
    case.expected[-1][part] = case.expected[-1][part] * (1 + 9e-7)
    with pytest.raises(AssertionError, match=rf"{part}\b"):
        verify(case)


@pytest.mark.parametrize("seed", [5, 24])
def test_the_oracle_of_boostmap_sees_that_the_last_round_is_missing(seed):
    case = posed(TRAININGS["boostmap"], Lcg(seed), "random")
    verify(case)
    assert len(case.expected) > 1
    del case.expected[-1]
    with pytest.raises(AssertionError, match="a round that lowers the loss is missing"):
        verify(case)


def test_each_problem_of_dselect_has_an_answer():
    """Landmarks of one class have no pairs: they are no problem."""
    drawn = [posed(TRAININGS["dselect"], Lcg(number), "random") for number in range(60)]
    answered = sum(case is not None and len(case.expected) > 2 for case in drawn)
    assert 40 < answered < 60
