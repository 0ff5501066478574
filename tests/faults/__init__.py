"""What goes wrong around a run: a kill, a full disk, a folder that takes no files, two processes at
once, damaged files.

``python -m tests.faults`` tries it on a figure of each paper and on the files of the library, and
prints a table. The tests of the figures try the same on a made-up paper.
"""
