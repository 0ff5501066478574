"""Which pairs FTUNE may take, and how its features are scaled: what leads to the paper's Table 2.

Every public function is a task, as in :mod:`paper_figures.ftune.tasks`; a change here computes it
anew.
"""

from typing import Any

import numpy as np

from paper_figures.ftune.tasks import Run, common_landmarks, fresh_pairs, training_options
from paper_figures.tasks import Job
from refimpl.ftune import CS, bbs, ftune


def pairs(job: Job, *, data_set: str, preparation: str, d: int, run: int) -> dict[str, Any]:
    """Return accuracies of BBS, and of FTUNE-S with two kinds of pairs.

    The features are divided by 1 or d.

    The pairs are d fresh ones for each class, or pairs out of d landmarks.
    """
    split = Run(job, data_set, preparation, run)
    common = common_landmarks(job, split, data_set, d, run)
    fresh = fresh_pairs(job, split, data_set, d, run)
    rights = {}
    for divided, s in (("1", 1.0), ("d", float(d))):
        options = training_options(split, bias=s, C=tuple(C / s**2 for C in CS))
        model = bbs(split.K, split.y, common.L[:d], **options)
        rights["BBS", "-", divided] = split.accuracy(model)
        for name, landmarks in (("of d landmarks", common), ("fresh for each class", fresh)):
            model = ftune(split.K, split.y, landmarks, **options)
            rights["FTUNE-S", name, divided] = split.accuracy(model)
    compared = {
        "of d landmarks": len(common.L),
        "fresh for each class": len(np.unique([fresh.plus, fresh.minus])),
    }
    return {"accuracies": [[*key, value] for key, value in rights.items()], "compared": compared}
