"""Edge images: Canny's detector, the chamfer distance between them, and nearest images by it.

The object space of § 11 of Athitsos, Alon, Sclaroff & Kollios (2005) is MNIST digits under the
symmetric chamfer distance. The paper names no edge detector. Nor does it say whether the two
directions of the distance are summed or averaged. Here they are summed; with ``mean=True`` the
distance is exactly half of the sum, so the order of images is the same.

Not handled here: colour, edge orientations, images of different sizes in one call.
"""

from collections.abc import Iterator

import numpy as np
import scipy

from refimpl.arrays import as_array, blocks, for_kernel
from refimpl.checks import as_count, as_flag, as_kernels, as_number
from refimpl.kernels.chamfer import require_edges
from refimpl.typing import ArrayLike, BoolArray, FloatArray, IntArray, Kernels, Labels

__all__ = ["canny", "chamfer", "chamfer_nearest"]

BATCH = 2**21  # pixels processed at a time, which bounds the memory


def canny(
    images: ArrayLike, *, sigma: float = 1.4, low: float = 0.1, high: float = 0.2
) -> BoolArray:
    """Detect edges by Canny's method.

    J. Canny, "A computational approach to edge detection", IEEE PAMI 8 (1986). The steps are
    Gaussian smoothing, the gradient, suppression of pixels that are no maximum along their
    gradient, and hysteresis: a pixel above `low` counts if it is connected, over its 8 neighbors,
    to a pixel above `high`.

    Parameters
    ----------
    images : array_like, shape (n, height, width)
        Grey values. Integers are divided by the greatest value of their dtype (uint8: 255), so that
        white is 1; floats and booleans are used as they are. Pixels beyond the border count as 0.
    sigma : float, default 1.4
        Standard deviation of the Gaussian, in pixels; 0 does not smooth.
    low, high : float, default 0.1, 0.2
        Thresholds on the length of the gradient by Sobel's undivided masks: 8 times the grey
        value's change per pixel.

    Returns
    -------
    ndarray, shape (n, height, width), bool
        True at edge pixels. An image may have no edges here, but not in :func:`chamfer`.

    Raises
    ------
    TypeError
        If the grey values or the parameters are no real numbers.
    ValueError
        If the shape is not (n, height, width), a value is NaN or infinite, or not 0 <= sigma and
        0 <= low <= high.

    See Also
    --------
    chamfer : Distances between edge images.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap.edges import canny
    >>> image = np.zeros((1, 8, 8))
    >>> image[0, :, 4:] = 1.0
    >>> edges = canny(image, sigma=0)
    >>> np.flatnonzero(edges[0, 3]).tolist()  # beyond the border it is black
    [4, 7]
    """
    images = _as_stack(images, "images")
    if not np.isfinite(images).all():
        raise ValueError(
            "images must hold finite numbers; got NaN or infinity in image "
            f"{np.argwhere(~np.isfinite(images))[0][0]}"
        )
    sigma = as_number(sigma, "sigma")
    low = as_number(low, "low")
    high = as_number(high, "high")
    if low > high:
        raise ValueError(f"low must be at most high, {high}; got {low}")
    if images.dtype.kind == "f" and images.dtype.itemsize not in (4, 8):
        images = images.astype(np.float64)
    white = np.iinfo(images.dtype).max if images.dtype.kind in "iu" else 1.0
    edges = np.empty(images.shape, dtype=bool)
    for part in blocks(len(images), BATCH // images[0].size):
        g_y, g_x = gradient(images[part] / white, sigma)
        length = np.hypot(g_y, g_x)
        length[~_is_ridge(length, g_y, g_x)] = 0
        edges[part] = _hysteresis(length, low, high)
    return edges


def gradient(grey: FloatArray, sigma: float) -> Iterator[FloatArray]:
    """Yield the two parts of the smoothed images' gradient by Sobel's masks: height, then width."""
    smooth = scipy.ndimage.gaussian_filter(grey, (0, sigma, sigma), mode="constant")
    for along, across in ((1, 2), (2, 1)):
        slope = scipy.ndimage.correlate1d(smooth, [-1.0, 0.0, 1.0], along, mode="constant")
        yield scipy.ndimage.correlate1d(slope, [1.0, 2.0, 1.0], across, mode="constant")


def _is_ridge(length: FloatArray, g_y: FloatArray, g_x: FloatArray) -> BoolArray:
    """Return whether the gradient is longer than a step ahead, not shorter than a step back."""
    # one step away, the length is interpolated between the two nearest of the 8 neighbors
    n, height, width = length.shape
    padded = np.pad(length, ((0, 0), (1, 1), (1, 1))).ravel()
    here = np.arange(padded.size).reshape(n, height + 2, width + 2)[:, 1:-1, 1:-1]
    a_y = np.abs(g_y)
    a_x = np.abs(g_x)
    step_y = np.sign(g_y).astype(np.intp) * (width + 2)
    step_x = np.sign(g_x).astype(np.intp)
    straight = np.where(a_y >= a_x, step_y, step_x)
    longer = np.maximum(a_y, a_x)
    slant = np.divide(np.minimum(a_y, a_x), longer, out=np.zeros_like(length), where=longer > 0)

    def one_step(sign: int) -> FloatArray:
        diagonal = padded[here + sign * (step_y + step_x)]
        between: FloatArray = (1 - slant) * padded[here + sign * straight] + slant * diagonal
        return between

    ridge: BoolArray = (length > one_step(1)) & (length >= one_step(-1))
    return ridge


def _hysteresis(length: FloatArray, low: float, high: float) -> BoolArray:
    """Return the pixels above `low` that are connected to a pixel above `high`."""
    connected = np.zeros((3, 3, 3), dtype=bool)
    connected[1] = True
    label, n_labels = scipy.ndimage.label(length > low, structure=connected)
    strong = np.zeros(n_labels + 1, dtype=bool)
    strong[label[length > high]] = True
    edges: BoolArray = strong[label]
    return edges


def as_edge_images(A: ArrayLike, name: str, like: BoolArray | None = None) -> BoolArray:
    """Return checked edge images, (n, height, width); those of `like` have as many pixels."""
    stack = _as_stack(A, name)
    if stack.dtype != bool and not np.isin(stack, (0, 1)).all():
        raise ValueError(
            f"{name} must hold 0 and 1, as refimpl.boostmap.edges.canny returns; got grey values"
        )
    if like is not None and stack.shape[1:] != like.shape[1:]:
        raise ValueError(
            f"{name} must have images of {like.shape[1:]} pixels, like the others; got "
            f"{stack.shape[1:]}"
        )
    edges = for_kernel(stack, np.bool_)
    require_edges(edges, name)
    return edges


def _as_stack(images: ArrayLike, name: str) -> Labels:
    A = as_array(images, name, "images")
    if A.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers; got dtype {A.dtype}")
    if A.ndim != 3 or A.size == 0:
        hint = f" (a single image is {name}[None])" if A.ndim == 2 else ""
        raise ValueError(
            f"{name} must have shape (images, height, width), none of them 0; got {A.shape}{hint}"
        )
    return A


def chamfer(
    A: ArrayLike,
    B: ArrayLike | None = None,
    *,
    mean: bool = False,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> FloatArray:
    """Return the symmetric chamfer distance from every edge image in A to every edge image in B.

    The distance is c(a, b) + c(b, a), where c(a, b) is the mean, over the edge pixels of a, of the
    Euclidean distance to the nearest edge pixel of b: § 11 of Athitsos et al. (2005), after Barrow
    et al. (1977).

    Parameters
    ----------
    A : array_like, shape (n_A, height, width)
        Edge images: booleans, or 0 and 1.
    B : array_like, shape (n_B, height, width), optional
        Edge images to compare with; by default A itself.
    mean : bool, default False
        Return the mean of the two directions instead of their sum.
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
        If the values are no real numbers, or other than 0 and 1, the shapes do not fit, or an image
        has no edge pixel.

    See Also
    --------
    chamfer_nearest : Find only the nearest images.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap.edges import chamfer
    >>> points = np.eye(4, dtype=bool).reshape(4, 1, 4)  # one edge pixel in each image
    >>> chamfer(points[:1], points).tolist()
    [[0.0, 2.0, 4.0, 6.0]]
    """
    kernels = as_kernels(kernels)
    factor = 0.5 if as_flag(mean, "mean") else 1.0
    first = as_edge_images(A, "A")
    second = first if B is None else as_edge_images(B, "B", like=first)
    return kernels.chamfer_distances(first, second, threads=threads) * factor


def chamfer_nearest(
    Q: ArrayLike,
    X: ArrayLike,
    k: int,
    *,
    mean: bool = False,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the k images of X nearest to every image of Q by the symmetric chamfer distance.

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
        Rows of X. Of equally distant images the image of lowest index comes first.

    Raises
    ------
    TypeError, ValueError
        As :func:`chamfer` does, and if k exceeds n_X.

    See Also
    --------
    chamfer : Compute all distances.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.boostmap.edges import chamfer_nearest
    >>> points = np.eye(4, dtype=bool).reshape(4, 1, 4)
    >>> distance, index = chamfer_nearest(points[:1], points, 2)
    >>> distance.tolist(), index.tolist()
    ([[0.0, 2.0]], [[0, 1]])
    """
    kernels = as_kernels(kernels)
    factor = 0.5 if as_flag(mean, "mean") else 1.0
    queries = as_edge_images(Q, "Q")
    points = as_edge_images(X, "X", like=queries)
    k = as_count(k, "k", most=len(points), why="the number of images of X")
    distance, index = kernels.chamfer_nearest(queries, points, k, threads=threads)
    return distance * factor, index
