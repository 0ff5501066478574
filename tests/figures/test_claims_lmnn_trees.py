"""LMNN's claims about trees, and about figures 2 and 4 in their later form, on rows by hand.

Each rule is decided once as the paper says it and once against it. Not here: the committed records
(test_claims_lmnn.py), and the rows of real runs.
"""

import pytest
from support.planted_claims import planted

from paper_figures.claims.evidence import Missing
from paper_figures.lmnn import claims_of_errors, claims_of_trees
from paper_figures.lmnn import gain_results as gain
from paper_figures.lmnn.claims import RULES
from paper_figures.lmnn.claims_of_trees import BALLS, COMPARED, DIMENSIONS, METHODS, OVER_LEAF
from paper_figures.lmnn.low_rank_results import EUCLIDEAN, OTHERS

SOLVERS = ("printed steps", "optimum")


def line(ours, std=None, **keys):
    repeated = {} if std is None else {"repetitions": 1}
    return {**keys, "published": None, "ours": ours, "std": std, **repeated}


def low_rank_rows():
    """Balls gain 300 / d and 250 / d times with PCA; RECT is a point better than everything."""
    at = {(m, d) for m in METHODS for d in claims_of_errors.RANKS} | {
        ("PCA", d) for d in DIMENSIONS
    }
    rows = [line(99.0, method=EUCLIDEAN, dimensions=350, measure=COMPARED)]
    for method, d in sorted(at):
        keys = {"method": method, "dimensions": d}
        rows += [
            line(300.0 / d, 0.1, **keys, measure=BALLS),
            line(0.5 * d, **keys, measure=COMPARED),
            line(250.0 / d, 0.1, **keys, measure=OVER_LEAF),
        ]
    for solver in SOLVERS:
        for d in claims_of_errors.RANKS:
            for other in OTHERS:
                keys = {"method": f"LMNN-RECT, {solver}", "dimensions": d}
                rows.append(line(-1.0, 0.1, **keys, measure=f"errors less those of {other} (%)"))
    return rows


def gain_rows():
    of_all = {d: {"N": 60_000, "dimensions": d} for d in (10, 100)}
    ways = {d: {"way": claims_of_trees.WAY} | keys for d, keys in of_all.items()}
    scan = {d: {"way": "scan"} | keys for d, keys in of_all.items()}
    rows = [line(6.0, 1.0, way="scan", N=600, dimensions=10, measure=gain.SHARE)]
    for d, gained in ((10, 2.5), (100, 1.3)):
        rows += [
            line(gained, 0.05, **ways[d], measure=gain.TRAINING),
            line(2 * gained, 0.05, **ways[d], measure=gain.COUNTED),
            line(1.0, 0.05, **ways[d], measure=gain.BUILT),
            line(80.0, 1.0, **scan[d], measure=gain.SHARE),
        ]
    return rows


def cluster_rows():
    errors = {"one for each class": 2.0, 1: 4.0, 30: 3.0}
    return [
        line(error, 0.1, **{"data set": name, "metrics": metrics, "voters": voters})
        for name in ("isolet", "MNIST-10")
        for voters in ("points that trained", "all points")
        for metrics, error in errors.items()
    ]


@pytest.fixture
def records():
    rows = {"figure2": low_rank_rows(), "training_gain": gain_rows(), "figure4": cluster_rows()}
    return {
        name: {"paper": "lmnn", "figure": name, "key": "a later run", "rows": of}
        for name, of in rows.items()
    }


CLAIMS = (*claims_of_trees.RULES, *claims_of_errors.RULES)


@pytest.mark.parametrize("claim", CLAIMS)
def test_as_the_paper_says(records, claim):
    assert RULES[claim](records).state == "holds"


AGAINST = [
    # claim, its state then, figure, change, keys of the rows
    ("balls-in-testing", "fails", "figure2", {"ours": 14.0}, {"dimensions": 15, "measure": BALLS}),
    ("balls-in-testing", "open", "figure2", {"ours": 15.1}, {"dimensions": 15, "measure": BALLS}),
    (
        "speedup-by-dimension-only",
        "fails",
        "figure2",
        {"ours": 30.0},
        {"method": METHODS[1], "dimensions": 15, "measure": COMPARED},
    ),
    (
        "gains-fall-with-dimension",
        "fails",
        "figure2",
        {"ours": 10.0},
        {"method": "PCA", "dimensions": 60, "measure": COMPARED},
    ),
    ("low-rank-magnifies", "fails", "figure2", {"ours": 15.0}, {"dimensions": 350}),
    (
        "balls-in-training",
        "fails",
        "training_gain",
        {"ours": 1.05},
        {"dimensions": 100, "measure": gain.TRAINING},
    ),
    (
        "impostors-dominate",
        "fails",
        "training_gain",
        {"ours": 20.0},
        {"N": 60_000, "dimensions": 10, "measure": gain.SHARE},
    ),
    (
        "impostors-dominate",
        "fails",
        "training_gain",
        {"ours": 9.0},
        {"dimensions": 10, "measure": gain.BUILT},
    ),
    (
        "rect-is-best",
        "fails",
        "figure2",
        {"ours": 0.5},
        {
            "method": "LMNN-RECT, printed steps",
            "dimensions": 20,
            "measure": "errors less those of LMNN-SVD (%)",
        },
    ),
    (
        "rect-over-baseline",
        "fails",
        "figure2",
        {"ours": 0.5},
        {
            "method": "LMNN-RECT, printed steps",
            "measure": "errors less those of all components (%)",
        },
    ),
    (
        "more-metrics-fewer-errors",
        "fails",
        "figure4",
        {"ours": 5.0},
        {"data set": "isolet", "metrics": 30, "voters": "all points"},
    ),
    ("classes-over-clusters", "fails", "figure4", {"ours": 3.5}, {"metrics": "one for each class"}),
]


@pytest.mark.parametrize(("claim", "state", "figure", "change", "keys"), AGAINST)
def test_against_the_paper(records, claim, state, figure, change, keys):
    assert RULES[claim](planted(records, figure, change, **keys)).state == state


def test_a_gain_that_one_leaf_has_is_not_that_of_trees(records):
    keys = {"method": "PCA", "dimensions": 15, "measure": OVER_LEAF}
    decision = RULES["balls-in-testing"](planted(records, "figure2", {"ours": 1.4}, **keys))
    assert decision.state == "open"
    assert "over the scan: holds in 2 of 2 printed gains" in decision.because
    assert "Over one leaf, by the same loop: holds in 1 of 2" in decision.because
    assert "compare 7.5 % in 15 and 20 % in 40 dimensions" in decision.because


def test_fewer_digits_do_not_decide_what_dominates(records):
    decision = RULES["impostors-dominate"](records)
    assert decision.state == "holds"
    assert decision.because.endswith("the search takes 6 % with 600 digits in 10 dimensions")


def test_each_claim_is_decided_against_the_paper_once():
    assert {claim for claim, *_ in AGAINST} == set(CLAIMS)


def test_rect_by_the_printed_steps_decides_and_the_optimum_is_named(records):
    worse = planted(records, "figure2", {"ours": 0.5}, method="LMNN-RECT, optimum", dimensions=15)
    decision = RULES["rect-is-best"](worse)
    assert decision.state == "holds"
    assert "printed steps: holds in 12 of 12" in decision.because
    assert "Optimum: holds in 10 of 12 comparisons" in decision.because


def test_a_record_without_balls_leaves_the_claims_open(records):
    old = [{"method": "PCA", "dimensions": 15, "speedup": 2.0, "ours": 1.0, "std": None}]
    records["figure2"]["rows"] = old
    with pytest.raises(Missing, match="prune by equation 7 alone"):
        RULES["balls-in-testing"](records)
