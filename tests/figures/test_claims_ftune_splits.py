"""FTUNE's claims on records that are written down: differences split by split, DSELECT, one slope.

Not tested: the committed records, and the rules that they decide (test_claims_ftune.py).
"""

import pytest

from paper_figures.ftune.claims import RULES
from paper_figures.ftune.tasks import OF_RANDOM

SETS = ("aural-sonar", "protein")
RUNS = 200


def row(ours, std=0.1, published=None, **keys):
    return keys | {"published": published, "ours": ours, "std": std, "repetitions": RUNS}


def record(figure, *lines):
    return {
        "paper": "ftune",
        "figure": figure,
        "scale": "paper",
        "key": "a later run",
        "rows": list(lines),
    }


def accuracies(figure, sets=SETS, **means):
    """Return the same accuracies for each set with 30 and 300 landmarks; _ stands for -."""
    return record(
        figure,
        *(
            row(mean, data_set=name, landmarks=d, method=method.replace("_", "-").replace("P", "+"))
            for name in sets
            for d in (30, 300)
            for method, mean in means.items()
        ),
    )


def paired(figure, std, *lines, sets=SETS):
    """Return a record of differences: (method, minus, mean) on each set, 30 and 300 landmarks."""
    return record(
        figure,
        *(
            row(mean, std, data_set=name, landmarks=d, method=method, minus=minus)
            for name in sets
            for d in (30, 300)
            for method, minus, mean in lines
        ),
    )


FIGURE1 = accuracies("figure1", BBS=0.8, DBOOST=0.8, FTUNE_S=0.79, FTUNE_M=0.79, FTUNEPD_S=0.805)


def test_a_difference_has_the_error_of_its_splits():
    """0.015 has the error 0.1 * sqrt(2 / 200) = 0.01 by itself, and 0.02 / sqrt(200) = 0.0014."""
    alone = RULES["dselect-recovers"]({"figure1": FIGURE1})
    gain = "FTUNE+D-S", "FTUNE-S", 0.015
    differences = paired("splits", 0.02, gain)
    together = RULES["dselect-recovers"]({"figure1": FIGURE1, "splits": differences})
    assert (alone.state, together.state) == ("open", "holds")
    assert alone.numbers[0].std_error == pytest.approx(0.01)
    assert together.numbers[0].std_error == pytest.approx(0.02 / 200**0.5)
    assert together.numbers[0].entries == ("ftune.figure1", "ftune.splits")


@pytest.mark.parametrize("change", [{"repetitions": 20}, {"std": None}, {"minus": "BBS"}])
def test_differences_of_other_splits_do_not_count(change):
    differences = paired("splits", 0.02, ("FTUNE+D-S", "FTUNE-S", 0.015))
    for line in differences["rows"]:
        line.update(change)
    decision = RULES["dselect-recovers"]({"figure1": FIGURE1, "splits": differences})
    assert decision.state == "open"
    assert decision.numbers[0].std_error == pytest.approx(0.01)


@pytest.mark.parametrize(
    "means, state",
    [
        ({"BBS": 0.8, "DBOOST": 0.8, "FTUNE_S": 0.7, "FTUNEPD_S": 0.8}, "holds"),
        ({"BBS": 0.8, "DBOOST": 0.8, "FTUNE_S": 0.8, "FTUNEPD_S": 0.8}, "open"),
        ({"BBS": 0.8, "DBOOST": 0.9, "FTUNE_S": 0.7, "FTUNEPD_S": 0.8}, "fails"),
        ({"BBS": 0.8, "DBOOST": 0.8, "FTUNE_S": 0.9, "FTUNEPD_S": 0.8}, "open"),
    ],
)
def test_dselect_recovers_what_is_lost(means, state):
    """It gains, and neither rival is ahead any more.

    Random pairs that do better compare twice as many objects, which leaves the claim open.
    """
    decision = RULES["dselect-recovers"]({"figure1": accuracies("figure1", **means)})
    assert decision.state == state
    assert [name for name, _ in decision.cells] == [
        "aural-sonar 30",
        "protein 30",
        "aural-sonar 300",
        "protein 300",
    ]


@pytest.mark.parametrize("mean, state", [(0.7, "holds"), (0.79, "open"), (0.9, "fails")])
def test_per_class_overfits_where_there_are_several_classes(mean, state):
    figure1 = accuracies("figure1", FTUNE_S=0.79, FTUNE_M=mean)
    decision = RULES["per-class-overfits"]({"figure1": figure1})
    assert decision.state == "not testable here"  # by one set, whatever it says
    assert decision.cells == (("protein 30", state), ("protein 300", state))


@pytest.mark.parametrize("gain, state", [(0.05, "holds"), (0.01, "open"), (-0.05, "fails")])
def test_dselect_helps_ftune_beside_as_many_random_landmarks(gain, state):
    """0.01 has the error 0.1 / sqrt(200) = 0.007."""
    equal = paired("equal", 0.1, ("FTUNE+D-S", OF_RANDOM, gain), ("BBS+D", "BBS", 0.05))
    decision = RULES["dselect-helps"]({"equal": equal})
    assert decision.state == state
    assert decision.because.endswith("come out of d landmarks here, as many as DSELECT has")
    assert dict(decision.cells)["protein 30 FTUNE+D-S"] == state
    assert dict(decision.cells)["protein 30 BBS+D"] == "holds"


UCI = ("cod-rna", "magic", "nursery")


@pytest.mark.parametrize(
    "gain, std, state",
    [
        (-0.1, 0.1, "holds"),
        (0.0, 0.05, "holds"),  # two errors of 0.05 / sqrt(200) are 0.007
        (0.0, 0.1, "open"),  # and 0.014: it may be a point
        (0.005, 0.01, "fails"),  # less than a point, but sure
        (0.1, 0.1, "fails"),
    ],
)
def test_dselect_gains_nothing_on_uci(gain, std, state):
    """A gain is none if it is surely less than a point, and not surely above 0."""
    transfer = paired("transfer", std, ("FTUNE+D-S", "FTUNE-S", gain), sets=UCI)
    decision = RULES["dselect-not-on-uci"]({"transfer": transfer})
    assert decision.state == state
    assert [number.ours for number in decision.numbers] == pytest.approx([gain, gain])


@pytest.mark.parametrize(
    "identity, sign, state", [(0.1, 0.1, "holds"), (0.0, 0.1, "open"), (0.1, -0.1, "fails")]
)
def test_a_better_transfer_function_beats_both_ends_of_the_family(identity, sign, state):
    lines = [
        ("FTUNE-S", "FTUNE-S, slope 1 alone", identity),
        ("FTUNE-S", "FTUNE-S, slope 1,000 alone", sign),
    ]
    decision = RULES["better-transfer-function"](
        {"transfer": paired("transfer", 0.1, *lines, sets=UCI)}
    )
    assert decision.state == state
    assert [number.ours for number in decision.numbers] == pytest.approx([identity, sign] * 2)
