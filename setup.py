"""The Cython extensions and their flags, nothing else. REFIMPL_DEBUG=1 compiles the bounds checks
in.
"""

import os
import platform
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("REFIMPL_DEBUG", "0") not in ("", "0")
NAMES = (
    "chamfer",
    "clustering",
    "forest",
    "growing",
    "hamming",
    "hashing",
    "landmarks",
    "meetings",
    "pairs",
    "products",
    "scan",
    "stumps",
    "subgradient",
    "threads",
    "trees",
    "triples",
)
SHARED = (
    "clones.h",
    "eight.h",
    "grain.h",
    "groups.h",
    "hamming.h",
    "panels.h",
    "pool.h",
    "power.h",
    "threads.pxd",
    "vectors.pxd",
)


def extension(name):
    optimise = ["-O1", "-DREFIMPL_NO_CLONES", "-DREFIMPL_DEBUG"] if DEBUG else ["-O3"]
    flags = [*optimise, "-ffp-contract=off", "-pthread"]
    if platform.machine() in ("x86_64", "AMD64"):
        flags.append("-mprefer-vector-width=512")
    if sys.platform == "win32":
        flags = ["/O2"]
    return Extension(
        f"refimpl_fast.{name}",
        [f"refimpl_fast/{name}.pyx"],
        language="c++",
        include_dirs=["refimpl_fast"],
        depends=[f"refimpl_fast/{file}" for file in SHARED],
        extra_compile_args=flags,
        extra_link_args=[] if sys.platform == "win32" else ["-pthread"],
    )


setup(
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=cythonize(
        [extension(name) for name in NAMES],
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": False,
            "binding": True,
            "embedsignature": False,
        },
        force=DEBUG,
    ),
)
