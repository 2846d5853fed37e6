"""Judges exercises: `python -m grader 03.2`, which `make exercise03.2` calls. An exercise.py imports grader.checks."""
