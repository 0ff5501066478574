"""The Cython extensions and their flags, nothing else. Environment variables, for tests:

- REFIMPL_DEBUG=1 compiles the bounds checks in.
- REFIMPL_SANITIZE=address,undefined (or thread) compiles a sanitizer in, beside the checks.
- REFIMPL_PLAIN=1 compiles the code that is for compilers other than GCC and Clang.
- REFIMPL_THREADS=0 compiles the code that is for platforms without threads.
- REFIMPL_WIDEST=v3 (or v2) compiles nothing for vector units wider than those of x86-64-v3 (v2).
"""

import os
import subprocess
import sys
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SANITIZE = os.environ.get("REFIMPL_SANITIZE", "")
DEBUG = bool(SANITIZE) or os.environ.get("REFIMPL_DEBUG", "0") not in ("", "0")
PLAIN = os.environ.get("REFIMPL_PLAIN", "0") not in ("", "0")
THREADS = os.environ.get("REFIMPL_THREADS", "1") != "0"
WIDEST = os.environ.get("REFIMPL_WIDEST", "v4")
if WIDEST not in ("v4", "v3", "v2"):
    sys.exit(f"REFIMPL_WIDEST must be v4, v3 or v2; got {WIDEST!r}")
SOURCES = sorted(glob("refimpl_fast/*.pyx"), key=os.path.getsize, reverse=True)
INCLUDED = sorted(glob("refimpl_fast/*.h") + glob("refimpl_fast/*.pxd"))
# What Cython needs for memoryviews, once for all modules: it takes longer to compile than they do.
SHARED = "refimpl_fast.cython_shared"


def macros():
    names = []
    if DEBUG:
        names.append("REFIMPL_DEBUG")
    if PLAIN:
        names.append("REFIMPL_PLAIN")
    if not THREADS:
        print("REFIMPL_THREADS=0: the kernels will run on one thread", file=sys.stderr)
        names.append("REFIMPL_NO_THREADS")
    # the build with checks is to compile soon
    return [("REFIMPL_WIDEST", "2" if DEBUG else WIDEST[1]), *((name, "1") for name in names)]


def kernels():
    """The longest first, so that the last ones to be compiled are short."""
    return [
        Extension(
            source.removesuffix(".pyx").replace("/", "."),
            [source],
            language="c++",
            include_dirs=["refimpl_fast"],
            depends=INCLUDED,
            define_macros=macros(),
        )
        for source in SOURCES
    ]


class Build(build_ext):
    """Choose the flags when the compiler is known."""

    def accepts(self, flag):
        command = [*self.compiler.compiler_so, "-Werror", flag, "-fsyntax-only", "-x", "c++"]
        return subprocess.run([*command, os.devnull], capture_output=True).returncode == 0

    def flags(self):
        """Return the flags of C++, of C and of the linker."""
        if self.compiler.compiler_type == "msvc":
            return ["/O2", "/std:c++17", "/EHsc", "/fp:precise"], ["/O2"], []
        # after the flags that Python was compiled with, among them -g
        common = ["-O1"] if DEBUG else ["-g0"]
        link = ["-pthread"] if THREADS else []
        if SANITIZE:
            # Python's own -fwrapv makes every overflow well defined
            common += [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all", "-fno-wrapv"]
            common += ["-fno-omit-frame-pointer", "-g1"]
            link.append(f"-fsanitize={SANITIZE}")
        elif not DEBUG:
            link.append("-Wl,-x" if sys.platform == "darwin" else "-Wl,--strip-all")
        cpp = [*common, "-std=gnu++17", "-ffp-contract=off", *(["-pthread"] if THREADS else [])]
        if not DEBUG:
            cpp.append("-O3")
            common.append("-O2")
            wide = "-mprefer-vector-width=512"  # of x86 alone
            if self.accepts(wide):
                cpp.append(wide)
        return cpp, common, link

    def build_extensions(self):
        cpp, c, link = self.flags()
        for extension in self.extensions:
            extension.extra_compile_args = cpp if extension.language == "c++" else c
            extension.extra_link_args = link
        super().build_extensions()


if __name__ == "__main__":  # cythonize may start processes that import this file
    setup(
        cmdclass={"build_ext": Build},
        options={"build_ext": {"parallel": os.cpu_count()}},
        ext_modules=cythonize(
            [Extension(SHARED, [SHARED.replace(".", "/") + ".c"]), *kernels()],
            shared_utility_qualified_name=SHARED,
            nthreads=os.cpu_count(),
            compiler_directives={
                "language_level": 3,
                "boundscheck": DEBUG,
                "wraparound": False,
                "initializedcheck": DEBUG,
                "cdivision": False,
                "binding": True,
                "embedsignature": False,
                "auto_pickle": False,
            },
            force=DEBUG,
        ),
    )
