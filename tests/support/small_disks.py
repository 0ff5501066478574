"""Small disks that fill up, and disks that take no files."""

import errno
import os
import shutil
import subprocess
from contextlib import contextmanager

PAGE = 4096


def can_mount():
    """Whether this process may mount a disk in memory."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("mount") is not None


@contextmanager
def disk(folder, megabytes=32):
    """Mount a disk of its own at a new folder; yields False where that is not allowed."""
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if not can_mount() or subprocess.run(command, capture_output=True).returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def leave(folder, pages):
    """Fill a disk but for so many pages; returns the ballast, a file to remove."""
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(16 * PAGE))
        except OSError as error:
            assert error.errno == errno.ENOSPC, error
        file.truncate(max(0, os.fstat(file.fileno()).st_size // PAGE - pages) * PAGE)
    return ballast
