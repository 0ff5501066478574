"""Changes of the active set: by a loop over all triples at each step, rows by hand, the claim.

Not tested here: the steps themselves (tests/lmnn), times beyond their presence.
"""

from collections import Counter

import numpy as np
import pytest
from toy_sets import provide

from paper_figures.lmnn import changes
from paper_figures.tasks import Context, Result
from paper_figures.tasks import TaskJob as Job

AT = {"data_set": "changes", "preparation": "as they are", "n": 30, "sample": 0, "d": 2, "k": 1}


@pytest.fixture
def job(monkeypatch):
    rng = np.random.default_rng(3)
    y = np.arange(36) % 3
    X = rng.normal(size=(36, 2)) + 0.7 * y[:, None]
    provide(monkeypatch, "changes", X, y)
    return Job(0, "reference", None, ("changes",))


def test_changes_by_a_loop_over_triples(job, monkeypatch):
    """Triples of the active set alone count, not those that a full check finds."""
    told = []

    class Told(changes.Watch):
        def _step(self, before, now):
            told.append((self.examples, before, now))
            super()._step(before, now)

    monkeypatch.setattr(changes, "Watch", Told)
    value = changes.changes(job, checks=4, factor=0.5, **AT)
    X, targets = told[0][0].X, told[0][0].targets

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

    for _, now, then in told:
        pairs = set(zip(now.i.tolist(), now.l.tolist(), strict=True))
        changed += len(active(now.L, pairs) ^ active(then.L, pairs))
        before += len(active(now.L, pairs))
        first, then_ = (weights(at.L, pairs) for at in (now, then))
        new += sum(first[pair] != then_[pair] for pair in {*first, *then_})
        weighted += len(then_)
    assert value["steps"] == len(told) == 1 + 2 + 4
    assert value["changed"] == value["late"] == pytest.approx(100 * changed / before)
    assert value["products"] == pytest.approx(100 * new / weighted)
    assert 0 < value["changed"] and 0 < value["products"] < 100
    assert value["seconds"] > 0 and value["objective"] > 0


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


def test_small_is_the_least_step_near_the_least_objective():
    rows = changes.reduce(Context(), results()).rows
    small = [row for row in rows if row["step"] == changes.LEAST]
    same = [row for row in rows if row["step"] == 0.3]
    assert [row | {"step": 0.3} for row in small] == same and small


def test_tasks_are_samples_of_table_1():
    tasks = changes.tasks(Context(scale="paper"))
    assert {(t.params["n"], t.params["sample"]) for t in tasks} == {
        *((n, s) for n in (60, 600, 6000) for s in range(3)),
        (60_000, 0),
    }
    assert {t.params["factor"] for t in tasks} == {1.0, 0.3, 0.1} and len(tasks) == 30
    assert {t.params["preparation"] for t in tasks} == {"normalised"}
