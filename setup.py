"""The Cython extensions and their flags, nothing else. REFIMPL_DEBUG=1 compiles the bounds checks in."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

DEBUG = os.environ.get("REFIMPL_DEBUG", "0") not in ("", "0")
NAMES = (
    "chamfer", "clustering", "forest", "growing", "hamming", "hashing", "landmarks", "pairs", "scan", "stumps",
    "subgradient", "threads", "trees", "triples",
)  # fmt: skip
SHARED = ("clones.h", "eight.h", "grain.h", "groups.h", "hamming.h", "panels.h", "pool.h", "power.h", "threads.pxd")
OPENMP = ["/openmp"] if sys.platform == "win32" else ["-fopenmp"]


class BuildExt(build_ext):
    """Build with OpenMP; where the compiler has none, say so and build without."""

    def build_extension(self, extension):
        try:
            super().build_extension(extension)
        except Exception as error:
            if not set(OPENMP) & set(extension.extra_compile_args):
                raise
            print(f"{extension.name}: no build with {OPENMP[0]}, one thread only ({error})", file=sys.stderr)
            extension.extra_compile_args = [a for a in extension.extra_compile_args if a not in OPENMP]
            extension.extra_link_args = []
            super().build_extension(extension)


def extension(name):
    optimise = ["-O1", "-DREFIMPL_NO_CLONES", "-DREFIMPL_DEBUG"] if DEBUG else ["-O3"]
    flags = ["/O2"] if sys.platform == "win32" else [*optimise, "-ffp-contract=off", "-mprefer-vector-width=512"]
    return Extension(
        f"refimpl_fast.{name}",
        [f"refimpl_fast/{name}.pyx"],
        language="c++",
        include_dirs=["refimpl_fast"],
        depends=[f"refimpl_fast/{file}" for file in SHARED],
        extra_compile_args=flags + OPENMP,
        extra_link_args=[] if sys.platform == "win32" else OPENMP,
    )


setup(
    cmdclass={"build_ext": BuildExt},
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
