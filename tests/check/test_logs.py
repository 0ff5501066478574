"""Logs of trainings and of labels: those of the reference agree, and a fault is named at its line,
also when a later line shows it.

Not tested here: more of Algorithms A.1 and A.2 (test_answers.py).
"""

import numpy as np
import pytest

from refimpl.check.files import cases_of
from refimpl.check.subjects import TRAININGS
from refimpl.check.subjects.boosted_distance import sums_of_weights


@pytest.fixture
def checked(check):
    """Run ``rounds``; return its exit code and what it says."""

    def run(algorithm, lines, *more, **data):
        words = f"rounds log.jsonl --data data.npz --algorithm {algorithm}"
        return check(words, *more, log=lines, **data)

    return run


def plain(state):
    """Return a round as JSON has it; an infinite float as text."""
    values = {}
    for name, value in state.items():
        values[name] = value.tolist() if isinstance(value, np.ndarray) else value
        if isinstance(value, float) and not np.isfinite(value):
            values[name] = str(value)
    return values


def rounds_of(training, number, *names):
    given = cases_of(TRAININGS[training])[number].arguments
    states = [plain(state) for state in TRAININGS[training].run(given)]
    lines = [{name: state[name] for name in names or state} for state in states]
    return lines, given


def by_another_alpha(line):
    """Return an alpha of equal worth beside that of a line, and the weights after it."""
    w, after = (np.array(line[name]) for name in ("w", "updated"))
    other = w * (after / w) ** (1 + 2.2e-5)
    return {"alpha": line["alpha"] * (1 + 2.2e-5), "updated": (other / other.sum()).tolist()}


# ------------------------------------------------------------------------------------ A.1 and A.2

X = np.random.default_rng(5).normal(size=(30, 3))
y = (X[:, 0] + 0.5 * np.random.default_rng(6).normal(size=30) > 0).astype(int)
NAMES = {"f": "feature", "p": "polarity", "theta": "threshold", "alpha": "alpha"}


def trained():
    """Return the log of a training on these points."""
    states = TRAININGS["adaboost"].run({"P": X[y == 1], "N": X[y == 0], "T": 6})
    return [{NAMES[part]: float(state[part]) for part in NAMES} for state in states]


def test_the_first_round_that_differs_is_named(checked):
    lines = trained()
    assert checked("A.2", lines, X=X, y=y)[0] == 0
    assert checked("A.2", lines, X=X, y=np.array(["bad", "good"])[y])[0] == 0
    for place, change, words in (
        (3, {"alpha": 2 * lines[3]["alpha"]}, "adaboost, BD:A.2:12: wrong\n  round 4: alpha"),
        (2, {"feature": (lines[2]["feature"] + 1) % 3}, "BD:A.2:8: wrong\n  round 3"),
    ):
        changed = [*lines[:place], {**lines[place], **change}, *lines[place + 1 :]]
        code, said = checked("A.2", changed, X=X, y=y)
        assert code == 1 and words in said


def test_a_threshold_elsewhere_is_another_choice_and_later_rounds_are_followed(checked):
    lines = trained()
    x = np.sort(X[:, int(lines[0]["feature"])])
    above = x[x > lines[0]["threshold"]].min()
    lines[0]["threshold"] = 0.75 * lines[0]["threshold"] + 0.25 * above
    code, said = checked("A.2", lines, X=X, y=y)
    assert code == 1 and "another choice of equal worth\n  round 1" in said
    lines[4]["alpha"] += 1
    code, said = checked("A.2", lines, X=X, y=y)
    assert code == 1 and "wrong\n  round 5: alpha" in said


EQUAL_COLUMNS = {"P": [[0.0, 0], [1, 1], [4, 4]], "N": [[2.0, 2], [3, 3]]}
"""x < 1.5 errs on the third P alone, whose weight is 1/6: beta is 1/5, alpha log 5."""


@pytest.mark.parametrize("f", [0, 1])
def test_a_wrong_alpha_is_found_behind_a_milder_fault(checked, f):
    """A tie (f = 1) and last bits of w (f = 0) do not hide it, whatever is accepted."""
    w = np.array([1 / 6, 1 / 6, 1 / 6, 1 / 4, 1 / 4]) * (1 if f else 1 + 2e-12)
    line = {"f": f, "p": 1, "theta": 2.0, "w": w.tolist(), "epsilon": 1 / 6, "alpha": np.log(5)}
    accept = ["--accept", "ties,choices,last-bits"]
    assert checked("A.2", [line], *accept, **EQUAL_COLUMNS)[0] == 0
    assert checked("A.2", [line], **EQUAL_COLUMNS)[0] == 1
    for part, source in (("alpha", "BD:A.2:12"), ("epsilon", "BD:A.2:7")):
        code, said = checked("A.2", [{**line, part: -99.0}], *accept, **EQUAL_COLUMNS)
        assert code == 1 and f"adaboost, {source}: wrong" in said
    code, said = checked("A.2", [{**line, "updated": w.tolist()}], *accept, **EQUAL_COLUMNS)
    assert code == 1 and "adaboost, BD:A.2:11: wrong" in said


def test_the_weights_after_another_stump_are_those_of_this_stump(checked):
    """Columns with one wrong P each, the third or the second: both err on 1/6."""
    data = {"P": [[0.0, 0], [1, 4], [4, 1]], "N": [[2.0, 2], [3, 3]]}
    line = {"p": 1, "theta": 2.0, "updated": [1 / 30, 1 / 30, 1 / 6, 1 / 20, 1 / 20]}
    accept = ["--accept", "ties,choices"]
    assert checked("A.2", [{"f": 0, **line}], *accept, **data)[0] == 0
    code, said = checked("A.2", [{"f": 1, **line}], *accept, **data)
    assert code == 1 and "BD:A.2:11: wrong" in said
    line["updated"] = [1 / 30, 1 / 6, 1 / 30, 1 / 20, 1 / 20]
    assert checked("A.2", [{"f": 1, **line}], *accept, **data)[0] == 0


def test_the_bound_of_rounding_is_no_pretext(checked):
    """A stump without error: epsilon is 2**-52 (not 0), beta 2**-52 / (1 - 2**-52), w beta next."""
    data = {"P": [[0.0], [1.0]], "N": [[3.0], [4.0]]}
    alpha, beta = 52 * np.log(2), 2.0**-52
    line = {"f": 0, "p": 1, "theta": 2.0, "epsilon": beta, "beta": beta, "alpha": alpha}
    line["updated"] = [beta / 4] * 4
    accept = ["--accept", "choices"]
    assert checked("A.2", [line], *accept, **data)[0] == 0
    for part, value in (
        ("alpha", alpha + 0.003),
        ("epsilon", 0.0),
        ("beta", 0.0),
        ("updated", [beta / 2] * 4),
        ("updated", [0.0] * 4),
    ):
        code, said = checked("A.2", [{**line, part: value}], *accept, **data)
        assert code == 1 and f": wrong\n  round 1: {part}" in said, part
    for off in (9e-7, 1e-9):
        code, said = checked("A.2", [{**line, "alpha": alpha + off}], *accept, **data)
        assert code == 1 and "round 1: alpha" in said


def test_many_weights_allow_what_their_rounding_may_change_and_no_more(checked):
    """One of 10,000 N on the wrong side: epsilon is 1/20,000, and a sum may be off by 4e-12."""
    data = {"P": [[0.0], [1.0]], "N": [[0.5], *([3.0] for _ in range(9_999))]}
    beta, updated = 1 / 19_999, np.full(10_002, 1 / 20_000 / 19_999)
    updated[:2], updated[2] = 1 / 4 / 19_999, 1 / 20_000
    line = {"f": 0, "p": 1, "theta": 2.0, "epsilon": 1 / 20_000, "alpha": np.log(19_999)}
    line |= {"beta": beta, "updated": updated.tolist()}
    accept = ["--accept", "choices"]
    assert checked("A.2", [line], *accept, **data)[0] == 0
    assert checked("A.2", [{**line, "alpha": np.log(19_999) + 5e-8}], *accept, **data)[0] == 0
    for part, value in (
        ("alpha", np.log(19_999) + 1e-5),
        ("beta", beta * (1 + 1e-5)),
        ("updated", [*updated[:3], *(updated[3:] * (1 + 1e-4))]),
    ):
        code, said = checked("A.2", [{**line, part: value}], *accept, **data)
        assert code == 1 and f": wrong\n  round 1: {part}" in said, part


def test_the_bound_of_alpha_has_a_limit():
    """An error of 2**-50 of epsilon changes alpha without any bound where epsilon is small."""
    bounds = sums_of_weights({}, {"epsilon": 2.0**-50, "w": np.full(4, 1 / 4)})
    assert bounds["alpha"] == 2.0**-20


def test_parts_that_are_not_compared_are_named(checked, capsys):
    line = {"f": 0, "p": 1, "theta": 2.0, "Alpha": -99.0, "time": 1}
    code, said = checked("A.2", [line], "--accept", "choices", **EQUAL_COLUMNS)
    assert code == 0 and "not compared: Alpha, time; the parts of a line are w, epsilon" in said
    line = {"f": 0, "p": 1, "theta": 2.0, "feature": 1}  # two names of a part
    code, said = checked("A.2", [line], "--accept", "choices", **EQUAL_COLUMNS)
    assert code == 0 and "not compared: feature; " in said


@pytest.mark.parametrize("change", [{"f": 0.7}, {"p": 1.5}, {"f": "nan"}, {"f": 1.0}])
def test_a_choice_that_is_no_integer_is_wrong(checked, change):
    """Cut to integers 0.7 and 1.5 are the expected stump; 1.0 is the tie."""
    line = {"f": 0, "p": 1, "theta": 2.0, **change}
    code, said = checked("A.2", [line], "--accept", "ties,choices", **EQUAL_COLUMNS)
    if change == {"f": 1.0}:
        assert code == 0
    else:
        assert code == 1 and "BD:A.2:8: wrong" in said and "must hold whole numbers" in said
        assert "an earlier line may be the cause" not in said
    code, said = checked("A.2", [{**line, "f": [0]}], **EQUAL_COLUMNS)
    assert code == 1 and "BD:A.2:8: wrong" in said and "f must be of shape (); got (1,)" in said


def test_classes_of_a_log_are_those_of_the_data(checked):
    """Algorithm A.1 on a line: differences within a class are small, -1 < x - y < 1."""
    data = {"X": [[0.0], [0.5], [4.0], [4.5]], "y": ["1", "1", "b", "b"]}
    line = {"f": 0, "p": 1, "theta": 2.0}
    lines = [{"C": "1", **line}, {"C": "b", "f": 0, "p": -1, "theta": -2.0}]
    accept = ["--accept", "ties,choices"]
    assert checked("A.1", lines, *accept, **data)[0] == 0
    code, said = checked("A.1", [*lines, {"C": "c", **line}], **data)
    assert code == 2 and "a round of the class 'c'; y of" in said and "['1', 'b']" in said
    assert "has no round of the class 'b'" in checked("A.1", lines[:1], **data)[1]
    assert "line 1: must have C, f, p, theta" in checked("A.1", [line], **data)[1]
    code, said = checked("A.1", [*lines, lines[0]], *accept, **data)
    assert code == 1 and "adaboost, BD:A.2:5: wrong" in said
    assert "class b: 1 round; another class has 2" in said


# ---------------------------------------------------------------------------------- BoostMap, § 7.3


@pytest.mark.parametrize("number", range(4))
def test_boostmap_s_own_rounds_agree(checked, number):
    """Add, modify and remove; D by its candidates; the names of objects in either form."""
    lines, given = rounds_of("boostmap", number)
    data = {name: given[name] for name in ("D", "between", "triples", "y")}
    assert checked("7.3", lines, **data)[0] == 0
    short, _ = rounds_of("boostmap", number, "classifier", "alpha")
    for line in short:
        if line["classifier"][1] == -1:
            line["classifier"] = line["classifier"][0]
    assert checked("7.3", short, D=given["D"], triples=given["triples"], y=given["y"])[0] == 0


@pytest.mark.parametrize(
    ("part", "change", "source", "round"),
    [
        ("alpha", lambda v: -v, "BM:7.3:10", 1),
        ("alpha", lambda v: v * 1.01, "BM:7.3:10", 1),
        ("z", lambda v: v**2, "BM:7.3:11", 1),
        ("updated", lambda v: (2 * np.array(v)).tolist(), "BM:7.3:12", 1),
        ("w", lambda v: (np.array(v) * 1.1).tolist(), "BM:7.3:12", 1),
    ],
)
def test_a_fault_of_boostmap_is_named(checked, part, change, source, round):
    lines, given = rounds_of("boostmap", 0)
    data = {name: given[name] for name in ("D", "triples", "y")}
    code, said = checked("7.3", [{**line, part: change(line[part])} for line in lines], **data)
    assert code == 1 and f"boostmap, {source}: wrong" in said and f"round {round}: {part}" in said


def test_another_alpha_is_no_tie_and_has_its_own_z(checked):
    """Z is flat at its least value: an alpha 2e-5 beside it gives a z 1e-10 above it or less."""
    lines, given = rounds_of("boostmap", 0)
    data = {name: given[name] for name in ("D", "triples", "y")}
    first = {**lines[0], **by_another_alpha(lines[0])}
    assert checked("7.3", [first], "--accept", "choices", **data)[0] == 0
    line = {name: lines[-1][name] for name in ("classifier", "z")} | by_another_alpha(lines[-1])
    code, said = checked("7.3", [*lines[:-1], line], **data)
    assert code == 1 and "BM:7.3:10: another choice of equal worth" in said
    assert checked("7.3", [*lines[:-1], line], "--accept", "ties", **data)[0] == 1
    assert checked("7.3", [*lines[:-1], line], "--accept", "choices", **data)[0] == 0
    line["z"] *= 1 + 1e-6
    assert checked("7.3", [*lines[:-1], line], "--accept", "choices,last-bits", **data)[0] == 1


def test_a_step_that_was_left_out_is_named(checked):
    """In vector 4 a classifier is changed; a log that has only what was added lacks that."""
    lines, given = rounds_of("boostmap", 3)
    place = next(t for t, line in enumerate(lines) if line["step"] != "add")
    short = [{name: line[name] for name in ("classifier", "alpha")} for line in lines]
    data = {name: given[name] for name in ("D", "triples", "y")}
    used = {line["classifier"][0] for line in short[:place]}
    new = next(r for r in range(6) if r not in used)
    code, said = checked("7.3", [*short[:place], {"classifier": new, "alpha": 1.0}], **data)
    assert code == 1 and f"round {place + 1}: " in said and "BM:7.3:9: wrong" in said


# ---------------------------------------------------------------------------------- BoostMap, § 8.1


@pytest.mark.parametrize("number", range(2))
def test_query_sensitive_rounds_agree_and_faults_are_named(checked, number):
    lines, given = rounds_of("query_sensitive", number)
    data = {name: given[name] for name in ("F", "triples", "y")}
    assert checked("8.1", lines, **data)[0] == 0
    assert checked("8.1", lines[1:], **data, w=np.array(lines[1]["w"]))[0] == 0
    line = {**lines[0], **by_another_alpha(lines[0])}
    assert checked("8.1", [line], "--accept", "choices", **data)[0] == 0
    lines[1]["alpha"] *= -1
    code, said = checked("8.1", lines, **data)
    assert code == 1 and "BM:8.1:6: wrong" in said and "round 2: alpha" in said
    inside = {"inside": bool(lines[0]["inside"])}
    assert checked("8.1", [{**lines[0], **inside}], **data)[0] == 0


# ----------------------------------------------------------------------- Search Forest, Algorithm 1


@pytest.mark.parametrize("number", range(5))
def test_forest_rounds_agree(checked, number):
    """The leaves have any names."""
    lines, given = rounds_of("search_forest", number)
    for line in lines:
        line["leaf"] = [100 - leaf for leaf in line["leaf"]]
    assert checked("SF:1", lines, S=given["S"], lam=given["lam"])[0] == 0


@pytest.mark.parametrize(
    ("part", "change", "source"),
    [
        ("c", lambda v: 2 * v, "SF:eq15"),
        ("J", lambda v: v / 2, "SF:eq17"),
        ("similar", lambda v: v + 1, "SF:eq14"),
    ],
)
def test_a_fault_of_the_forest_is_named(checked, part, change, source):
    lines, given = rounds_of("search_forest", 4)
    lines[1][part] = change(lines[1][part])
    code, said = checked("SF:1", lines, S=given["S"], lam=given["lam"])
    assert code == 1 and f"search_forest, {source}: wrong" in said and f"round 2: {part}" in said


def test_masses_of_a_forest_by_hand(checked):
    """Three points, 0 and 1 similar, all in one leaf: two similar and four dissimilar pairs."""
    S = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    c = np.log(0.9 * 2 / (0.1 * 4))
    line = {"leaf": [5, 5, 5], "similar": 2, "dissimilar": 4, "J": 0.9 * 2 - 0.1 * 4, "c": c}
    assert checked("SF:1", [line], S=S, lam=0.1)[0] == 0
    code, said = checked("SF:1", [line], S=S, lam=0.5)
    assert code == 1 and "round" in said
    code, said = checked("SF:1", [line, {**line, "leaf": [1, 2]}], S=S, lam=0.1)
    assert code == 2 and "the leaf of each of 3 points; got (2,)" in said
    assert "log.jsonl, round 2: leaf must" in said


def test_a_tree_of_a_forest_may_be_the_last_one_again(checked):
    """What follows is open: eq. 15 goes on adding a share lam of its last c."""
    S = np.kron(np.eye(2), [[0, 1], [1, 0]])
    lines = [{"leaf": [0, 0, 2, 2], "c": np.log(0.7 * 4 / 0.3) * 0.3**m} for m in range(3)]
    assert checked("SF:1", lines, S=S, lam=0.3)[0] == 0
    lines[2]["c"] *= 2
    code, said = checked("SF:1", lines, S=S, lam=0.3)
    assert code == 1 and "SF:eq15: wrong" in said and "round 3: c" in said


# -------------------------------------------------------------------------------------------- A.3


def test_labels_by_hand(checked):
    """One stump for each class: class 0 wants x - y < 1, class 1 wants x - y > -1."""
    data = {"X": [[0.0], [10.0]], "y": [0, 1], "Q": [[-1.0], [12.0]]}
    for C, p in ((0, 1), (1, -1)):
        data |= {f"alpha_{C}": [2.0], f"feature_{C}": [0], f"polarity_{C}": [p]}
        data |= {f"threshold_{C}": [float(p)]}
    right = [{"label": 0, "s": [1.0, 0.0]}, {"label": 1, "s": [0.0, 1.0]}]
    assert checked("A.3", right, **data)[0] == 0
    code, said = checked("A.3", [{"label": 0}, {"label": 0}], **data)
    assert code == 1 and "BD:A.3:7: wrong" in said and "l_y[1]: 1 expected; got 0" in said
    printed = [{"label": 0, "s": [2.0, 0.0]}, {"label": 1, "s": [0.0, 2.0]}]
    code, said = checked("A.3", printed, **data)
    assert code == 1 and "BD:A.3:4: wrong" in said and "ERRATUM BD-2" in said
    code, said = checked("A.3", [{"label": 0.6}, {"label": 1}], **data)
    assert code == 1 and "l_y must hold whole numbers; got 0.6" in said
    assert checked("A.3", [{"label": "0"}, {"label": "1"}], **data)[0] == 1
    named = {**data, "y": ["0", "1"]}
    assert checked("A.3", [{"label": "0"}, {"label": "1"}], **named)[0] == 0
    assert checked("A.3", [{"label": 0}, {"label": 1}], **named)[0] == 1
    in_bytes = {**named, "y": [b"0", b"1"]}
    assert checked("A.3", [{"label": "0"}, {"label": "1"}], **in_bytes)[0] == 0
