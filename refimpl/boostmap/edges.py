"""Edge images: Canny's detector, the chamfer distance between them, and the nearest of them.

The object space of § 11 of Athitsos, Alon, Sclaroff & Kollios (2005): MNIST digits under the symmetric chamfer
distance. The paper does not name its edge detector, nor says whether the two directions are summed or averaged:
here they are summed; the mean is half of it, exactly, and ranks alike (`mean=True`).

Not handled here: colour, edge orientations, images of different sizes in one call.
"""

import numpy as np
from scipy import ndimage

from refimpl.checks import as_count, as_kernels, as_number
from refimpl.kernels.chamfer import require_edges

BATCH = 2**21  # pixels that the detector takes at a time: bounds its memory


def canny(images, *, sigma=1.4, low=0.1, high=0.2):
    """Detect edges as J. Canny, A computational approach to edge detection, IEEE PAMI 8 (1986), describes.

    Gaussian smoothing, gradient, suppression of pixels that are no maximum along their gradient, and hysteresis:
    a pixel above `low` counts if it is connected, over its 8 neighbours, to one above `high`.

    Parameters
    ----------
    images : array_like, shape (n, height, width)
        Grey values. Integers are divided by the greatest value of their dtype (uint8: 255), so that white is 1;
        floats and booleans are taken as they are. Beyond the border everything is 0.
    sigma : float, default 1.4
        Standard deviation of the Gaussian, in pixels; 0 does not smooth.
    low, high : float, default 0.1, 0.2
        Thresholds on the length of the gradient by Sobel's undivided masks: 8 times the grey value's change per
        pixel.

    Returns
    -------
    ndarray, shape (n, height, width), bool
        True at edge pixels. An image without edges is no error here; it is one in :func:`chamfer`.

    Raises
    ------
    TypeError
        If the grey values or the parameters are no real numbers.
    ValueError
        If the shape is not (n, height, width), a value is NaN or infinite, or not 0 <= sigma and
        0 <= low <= high.
    """
    images = _as_stack(images, "images")
    if not np.isfinite(images).all():
        raise ValueError(f"images[{np.argwhere(~np.isfinite(images))[0][0]}] holds NaN or infinity; replace it")
    sigma, low, high = as_number(sigma, "sigma"), as_number(low, "low"), as_number(high, "high")
    if low > high:
        raise ValueError(f"low is {low}, above high, which is {high}; it must be at most that")
    white = np.iinfo(images.dtype).max if images.dtype.kind in "iu" else 1.0
    edges = np.empty(images.shape, dtype=bool)
    batch = max(1, BATCH // images[0].size)
    for first in range(0, len(images), batch):
        g_y, g_x = gradient(images[first : first + batch] / white, sigma)
        length = np.hypot(g_y, g_x)
        length[~_is_ridge(length, g_y, g_x)] = 0
        edges[first : first + batch] = _hysteresis(length, low, high)
    return edges


def gradient(grey, sigma):
    """The two parts of the smoothed images' gradient, by Sobel's masks."""
    smooth = ndimage.gaussian_filter(grey, (0, sigma, sigma), mode="constant")
    for along, across in ((1, 2), (2, 1)):
        slope = ndimage.correlate1d(smooth, [-1.0, 0.0, 1.0], along, mode="constant")
        yield ndimage.correlate1d(slope, [1.0, 2.0, 1.0], across, mode="constant")


def _is_ridge(length, g_y, g_x):
    """Whether the gradient is longer than one step ahead and not shorter than one step back, along itself.

    One step away, the length is interpolated between the two nearest of the 8 neighbours.
    """
    n, height, width = length.shape
    padded = np.pad(length, ((0, 0), (1, 1), (1, 1))).ravel()
    here = np.arange(padded.size).reshape(n, height + 2, width + 2)[:, 1:-1, 1:-1]
    a_y, a_x = np.abs(g_y), np.abs(g_x)
    step_y, step_x = np.sign(g_y).astype(np.intp) * (width + 2), np.sign(g_x).astype(np.intp)
    straight = np.where(a_y >= a_x, step_y, step_x)
    longer = np.maximum(a_y, a_x)
    slant = np.divide(np.minimum(a_y, a_x), longer, out=np.zeros_like(length), where=longer > 0)
    ahead, back = (
        (1 - slant) * padded[here + sign * straight] + slant * padded[here + sign * (step_y + step_x)]
        for sign in (1, -1)
    )
    return (length > ahead) & (length >= back)


def _hysteresis(length, low, high):
    """Pixels above `low` that are connected, within their image, to one above `high`."""
    connected = np.zeros((3, 3, 3), dtype=bool)
    connected[1] = True
    label, n_labels = ndimage.label(length > low, structure=connected)
    strong = np.zeros(n_labels + 1, dtype=bool)
    strong[label[length > high]] = True
    return strong[label]


def as_edge_images(A, name, like=None):
    """The edge images `A`, checked.

    Parameters
    ----------
    A : array_like, shape (n, height, width), n >= 1
        Booleans, or numbers that are all 0 or 1; true at edge pixels.
    name : str
        How the messages call the argument.
    like : ndarray, optional
        Edge images whose height and width `A` must have.

    Returns
    -------
    ndarray, shape (n, height, width), bool, C-contiguous

    Raises
    ------
    TypeError
        If the values are no real numbers.
    ValueError
        If the shape does not fit, a value is neither 0 nor 1, or an image has no edge pixel; the message names
        the image.
    """
    A = _as_stack(A, name)
    if A.dtype != bool and not np.isin(A, (0, 1)).all():
        raise ValueError(f"{name} holds grey values; edge images hold 0 and 1, as refimpl.boostmap.edges.canny gives")
    if like is not None and A.shape[1:] != like.shape[1:]:
        raise ValueError(f"{name} has images of {A.shape[1:]} pixels; they must be of {like.shape[1:]} like the others")
    A = np.ascontiguousarray(A, dtype=bool)
    require_edges(A, name)
    return A


def _as_stack(images, name):
    try:
        A = np.asarray(images)
    except ValueError as error:
        raise ValueError(f"{name} must hold images of equal size ({error})") from None
    if A.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {A.dtype}; it must hold real numbers")
    if A.ndim != 3 or A.size == 0:
        hint = f"; a single image is {name}[None]" if A.ndim == 2 else ""
        raise ValueError(f"{name} has shape {A.shape}; it must be (images, height, width), none of them 0{hint}")
    return A


def chamfer(A, B=None, *, mean=False, kernels=None, threads=None):
    """Symmetric chamfer distance of every edge image in A to every one in B.

    c(a, b) + c(b, a), where c(a, b) is the mean, over the edge pixels of a, of the Euclidean distance to the
    nearest edge pixel of b: § 11 of Athitsos, Alon, Sclaroff & Kollios (2005), after Barrow et al. (1977).

    Parameters
    ----------
    A : array_like, shape (n_A, height, width)
        Edge images: booleans, or 0 and 1.
    B : array_like, shape (n_B, height, width), optional
        A itself if left out.
    mean : bool, default False
        Take the mean of the two directions instead of their sum: half of it.
    kernels : module, default refimpl.kernels
    threads : int, optional
        Number of threads the kernel may use; None for all.

    Returns
    -------
    ndarray, shape (n_A, n_B), float64
        In pixels. Exactly 0 for equal images, and exactly the transpose when A and B are exchanged.

    Raises
    ------
    TypeError, ValueError
        As :func:`as_edge_images` does.
    """
    kernels = as_kernels(kernels)
    A = as_edge_images(A, "A")
    B = A if B is None else as_edge_images(B, "B", like=A)
    return kernels.chamfer_distances(A, B, threads=threads) * (0.5 if mean else 1.0)


def chamfer_nearest(Q, X, k, *, mean=False, kernels=None, threads=None):
    """The k images of X nearest to every image of Q by the symmetric chamfer distance.

    Parameters
    ----------
    Q : array_like, shape (n_Q, height, width)
        Edge images: booleans, or 0 and 1.
    X : array_like, shape (n_X, height, width)
    k : int
        At least 1, at most n_X.
    mean, kernels, threads
        As in :func:`chamfer`.

    Returns
    -------
    distance : ndarray, shape (n_Q, k), float64
        In pixels, ascending; equal to :func:`chamfer`'s to the last bit.
    index : ndarray, shape (n_Q, k), int64
        Rows of X. Of equally distant images the one of lowest index comes first.

    Raises
    ------
    TypeError, ValueError
        As :func:`as_edge_images` and :func:`refimpl.checks.as_count` do, and if k exceeds n_X.
    """
    kernels, k = as_kernels(kernels), as_count(k, "k")
    Q = as_edge_images(Q, "Q")
    X = as_edge_images(X, "X", like=Q)
    if k > len(X):
        raise ValueError(f"k is {k}, but X has {len(X)} images; pass at most that")
    distance, index = kernels.chamfer_nearest(Q, X, k, threads=threads)
    return distance * (0.5 if mean else 1.0), index
