"""Changes of the active set: by a loop over all triples at each step, rows by hand, the claim.

Not tested here: the steps themselves (tests/lmnn), times beyond their presence.
"""

import itertools
from collections import Counter

import numpy as np
import pytest
from toy_sets import provide

from paper_figures.claims.evidence import FAILS, HOLDS
from paper_figures.lmnn import changes, claims
from paper_figures.registry import Context, Job, Result
from refimpl.lmnn import algorithm, target_neighbors
from refimpl.lmnn.problem import LargeMarginProblem

AT = {"data_set": "changes", "preparation": "as they are", "n": 30, "sample": 0, "d": 2, "k": 1}


@pytest.fixture
def job(monkeypatch):
    rng = np.random.default_rng(3)
    y = np.arange(36) % 3
    X = rng.normal(size=(36, 2)) + 0.7 * y[:, None]
    provide(monkeypatch, "changes", X, y)
    return Job(0, {}, "reference", None, ("changes",))


MADE = []


class Told(changes.Watched):
    """A problem that tells at which metrics it was evaluated, and on which pairs."""

    def begin(self):
        super().begin()
        self.told = []
        MADE.append(self)

    def evaluate(self, L, h=0.0):
        self.told.append((L, set(zip(self.i.tolist(), self.l.tolist(), strict=True))))
        return super().evaluate(L, h)


def test_changes_by_a_loop_over_triples(job, monkeypatch):
    """Triples of the working set alone count; a full check is no step."""
    monkeypatch.setattr(changes, "Watched", Told)
    value = changes.changes(job, checks=4, factor=0.5, **AT)
    problem = MADE.pop()
    X, targets = problem.X, problem.targets

    def active(L, pairs):
        D = (((X[:, None] - X) @ L[0].T) ** 2).sum(axis=2)
        return {(i, j, l) for (i, l) in pairs for j in targets[i].tolist() if 1 + D[i, j] > D[i, l]}

    changed, before = 0, 0
    new, weighted = 0, 0

    def weights(L, pairs):
        """The weight of each pair in eq. 5: 1 of the pull, 1 or -1 of each active triple."""
        count = Counter({(i, j): 1 for i in range(len(X)) for j in targets[i].tolist()})
        for i, j, l in active(L, pairs):
            count[i, j] += 1
            count[i, l] -= 1
        return Counter({pair: weight for pair, weight in count.items() if weight})

    for (L, pairs), (then, more) in itertools.pairwise(problem.told):
        if then is not L:
            assert more == pairs
            changed += len(active(L, pairs) ^ active(then, pairs))
            before += len(active(L, pairs))
            first, then_ = (weights(at, pairs) for at in (L, then))
            new += sum(first[pair] != then_[pair] for pair in {*first, *then_})
            weighted += len(then_)
    assert value["steps"] == 1 + 2 + 4
    assert value["changed"] == value["late"] == pytest.approx(100 * changed / before)
    assert value["products"] == pytest.approx(100 * new / weighted)
    assert 0 < value["changed"] and 0 < value["products"] < 100
    assert len(problem.seconds) == 7 and value["objective"] > 0


def test_the_steps_are_those_of_the_algorithm(job):
    """Watching changes nothing: the last metric is that of the plain problem."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    targets = target_neighbors(X, y, 1)
    last = []
    for kind in (LargeMarginProblem, changes.Watched):
        problem = kind(X, y, targets, 1.0, np.zeros(20, dtype=int), job.kernels, threads=1)
        if kind is changes.Watched:
            problem.begin()
        last.append(
            [best for _, best, _ in algorithm.steps(problem, np.eye(2)[None], checks=4)][-1]
        )
    assert last[0][0] == last[1][0] and (last[0][1] == last[1][1]).all()


def results(changed=5.0, products=20.0):
    value = {"changed": changed, "late": 3.0, "products": products, "seconds": 90.0, "steps": 7}
    return [
        Result(
            "changes",
            {"n": n, "sample": s, "factor": factor},
            # a step of 0.1 changes next to nothing, and does not come near
            {
                **value,
                "changed": changed + s - 0.5 if factor > 0.1 else 0.1,
                "objective": {1.0: 100.0, 0.3: 109.0, 0.1: 112.0}[factor],
            },
        )
        for n in (600, 6000, 60_000)
        for factor in (1.0, 0.3, 0.1)
        for s in range(1 if n == 60_000 else 2)
    ]


def test_rows_by_hand():
    found = changes.reduce(Context(), results())
    rows = {(row["N"], row["measure"]): row for row in found.rows if row["step"] == 0.3}
    assert rows[600, changes.CHANGED]["ours"] == 5.0
    assert rows[600, changes.CHANGED]["std"] == pytest.approx(0.5**0.5, abs=1e-3)
    assert rows[60_000, changes.LATE]["ours"] == 3.0
    assert "7 of them" in found.notes[0]


@pytest.mark.parametrize(
    ("changed", "state"), [({}, HOLDS), ({"changed": 40.0}, FAILS), ({"products": 60.0}, FAILS)]
)
def test_the_claim(changed, state):
    rows = changes.reduce(Context(), results(**changed)).rows
    record = {"paper": "lmnn", "figure": "changes", "rows": rows}
    decision = claims.RULES["active-set-changes-little"]({"changes": record})
    assert decision.state == state
    assert {name.split(", ")[1] for name, _ in decision.cells} == {"step 0.3"}


def test_tasks_are_samples_of_table_1():
    tasks = changes.tasks(Context(scale="paper"))
    assert {(t.params["n"], t.params["sample"]) for t in tasks} == {
        *((n, s) for n in (60, 600, 6000) for s in range(3)),
        (60_000, 0),
    }
    assert {t.params["factor"] for t in tasks} == {1.0, 0.3, 0.1} and len(tasks) == 30
    assert {t.params["preparation"] for t in tasks} == {"normalised"}
