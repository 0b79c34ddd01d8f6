"""The gradings of a class in one SQLite file: every one is kept, none is ever changed.

    with store.open(Path("class.db")) as db:             # to read; a path that is no store raises UsageError
        run = db.latest("hw2")                           # the last run, None if there is none
        for grading in db.gradings(run):                 # one for each student of the run, by name
            report = grading.report()                    # the whole report (`report.model.Report`)
            sources = db.files(grading.content)          # the submission's files as they were graded
        db.problems(run)                                 # what could not be graded, and why
        db.history("jane", "hw2")                        # all gradings of a student, oldest first

`store.create` opens one to write, and makes it where there is none; `store.locked` keeps a second writer out.
"""

from grader.classroom.store.opening import create, is_one, locked, open
from grader.classroom.store.reading import Store
from grader.classroom.store.records import Grading, Problem, Run
from grader.classroom.store.writing import Writer

__all__ = ["Grading", "Problem", "Run", "Store", "Writer", "create", "is_one", "locked", "open"]
