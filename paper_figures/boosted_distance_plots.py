"""How the figures of Amores, Sebe & Radeva (2006) are drawn; a change here computes nothing anew."""

import numpy as np


def draw_examples(record, figure):
    """Draw a panel per image set, a row of images per class; a set that is not available says so."""
    panels = record["drawing"]
    absent = [row for row in record["rows"] if row["ours"] is None]
    count = len(panels) + len(absent)
    axes = figure.subplots(count, 1, squeeze=False)[:, 0]
    for axis, panel, letter in zip(axes, panels, "ab", strict=False):
        side = panel["side"]
        rows = [
            np.hstack([np.reshape(image, (side, side)) for image in c["images"]]) for c in panel["classes"]
        ]
        axis.imshow(255 - np.vstack(rows), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
        axis.set_title(f"({letter}) {panel['data_set']}")
        axis.set_axis_off()
    for axis, row in zip(axes[len(panels) :], absent, strict=True):
        axis.text(
            0.5, 0.5, "not available:\nthe faces are licensed", ha="center", va="center", color="#444444"
        )
        axis.set_title(f"(b) {row['data_set']}")
        axis.set_axis_off()
