"""Which pairs FTUNE may take, and how its features are scaled: what of it makes the paper's Table 2.

Every public function is a task, as in :mod:`paper_figures.ftune.tasks`; a change here computes it anew.
"""

import numpy as np

from paper_figures.ftune.tasks import Run, common_landmarks, fresh_pairs, training_options
from refimpl.ftune import CS, bbs, ftune


def pairs(job, *, data_set, preparation, d, run):
    """BBS and FTUNE-S with d fresh pairs for each class, or pairs out of d landmarks, features divided by 1 or d."""
    one, found = Run(job, data_set, preparation, run), {}
    P, fresh = (draw(job, one, data_set, d, run) for draw in (common_landmarks, fresh_pairs))
    for divided, s in (("1", 1.0), ("d", float(d))):
        options = training_options(one, bias=s) | {"C": tuple(C / s**2 for C in CS)}
        found["BBS", "-", divided] = one.accuracy(bbs(one.K, one.y, P.L[:d], **options))
        for name, landmarks in (("of d landmarks", P), ("fresh for each class", fresh)):
            found["FTUNE-S", name, divided] = one.accuracy(ftune(one.K, one.y, landmarks, **options))
    compared = {"of d landmarks": len(P.L), "fresh for each class": len(np.unique([fresh.plus, fresh.minus]))}
    return {"accuracies": [[*key, value] for key, value in found.items()], "compared": compared}
