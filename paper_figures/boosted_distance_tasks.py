"""What the figures of Amores, Sebe & Radeva (2006) compute; a change here computes them anew.

Every function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""


def shape_of(job, *, data_set):
    """Give the size of a data set, with what was decided in reading it."""
    loaded = job.load(data_set)
    n, d = loaded.X.shape
    return {"observations": n, "dimensions": d, "notes": list(loaded.notes)}


def example_images(job, *, data_set, per_class):
    """Pick images of each class at random; pixels are scaled to 0..255 and rounded."""
    loaded = job.load(data_set)
    rng = job.rng
    scale = 255.0 / loaded.X.max()
    side = round(loaded.X.shape[1] ** 0.5)
    panels = []
    for label, name in loaded.classes.items():
        members = (loaded.y == label).nonzero()[0]
        picked = rng.choice(members, size=per_class, replace=False)
        panels.append({"class": name, "images": (loaded.X[picked] * scale).round().astype(int)})
    return {"side": side, "classes": panels}
