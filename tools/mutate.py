#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: are the tests red when one operator, constant, condition or call of a source is wrong?

::

    python tools/mutate.py                              # the whole list: what is stored already is not run again
    python tools/mutate.py --only taint --number 100    # more mutants of one folder
    python tools/mutate.py --again                      # survivors once more, after new tests
    python tools/mutate.py --again --fresh              # those, too, whose code has run before the tests: tables, caches
    python tools/mutate.py --at taint/check.py:89       # every mutation of a line, or of a file; nothing is stored
    python tools/mutate.py --summary                    # the table of what is stored

The mutants of a folder are drawn by hash with a seed, and stay while their code stands.  Each one meets the tests that run its
statement, fastest first, in a copy of the project, and is killed by the first that fails, by a process that dies or by one that takes
six times as long as it should.
Results lie in ``baselines/mutation.json``; ``tools/mutants/equivalent.json`` has the reason for each mutant that computes the same as
its source.  Copies, built simulations and the measured cover lie in ``--work``, so that a run can be stopped and continued.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Container
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutants import campaign, run  # noqa: E402
from mutants.coverage import Coverage, measure  # noqa: E402
from mutants.tree import Tree, tests_of  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SEED = 17


def arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--project", type=Path, default=ROOT, help="root with src and tests")
    parser.add_argument("--only", action="append", metavar="FOLDER", help="a folder of the package; can be repeated")
    parser.add_argument("--number", type=int, help="mutants of each folder; 0: all")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--budget", type=float, default=90, help="seconds of tests that a mutant meets at most")
    parser.add_argument("--patience", type=int, default=20, help="seconds that a mutant may compute beyond six times what is usual")
    parser.add_argument("--tests", action="append", metavar="PATH", help="test files, or folders of them, that mutants meet")
    parser.add_argument("--at", metavar="FILE[:LINE]", help="every mutation there; nothing is stored")
    parser.add_argument("--again", action="store_true", help="run stored survivors once more")
    parser.add_argument("--measure", action="store_true", help="measure what each test runs, and no more")
    parser.add_argument("--fresh", action="store_true", help="import and collect anew for each mutant, which takes longer")
    parser.add_argument("--stale", action="store_true", help="take what was measured of test files that have changed since")
    parser.add_argument("--summary", action="store_true", help="print the table of stored results")
    parser.add_argument("--results", type=Path, help="baselines/mutation.json of the project if not given")
    parser.add_argument("--equivalent", type=Path, help="tools/mutants/equivalent.json of the project if not given")
    parser.add_argument("--work", type=Path, help="build/mutants of the project if not given")
    return parser.parse_args(argv)


def wanted(options: argparse.Namespace, package: Path, kept: Container[tuple[str, str]]) -> list[campaign.Mutant]:
    """The mutants that the command line asks for; those first that have been drawn before."""
    if options.at:
        name, _, line = options.at.partition(":")

        def there(mutant: campaign.Mutant) -> bool:
            return mutant.file == f"{package.name}/{name}" and (not line or mutant.mutation.line == int(line))

        return campaign.choose(package, str(Path(name).parent), None, options.seed, there)
    folders = options.only or [f for f in campaign.FOLDERS if (package / f).is_dir()]
    numbers = campaign.FOLDERS if options.number is None else dict.fromkeys(folders, options.number)
    return [
        mutant for folder in folders
        for mutant in campaign.choose(package, folder, numbers.get(folder, 64) or None, options.seed, kept=kept)
    ]  # fmt: skip


def _inside(
    tree: Tree, files: list[str], attempt: Callable[[run.Inside], list[campaign.Result]]
) -> list[campaign.Result]:
    """Results of an attempt inside of a run of pytest."""
    found: list[campaign.Result] = []
    run.inside(tree, files, lambda within: found.extend(attempt(within)))
    return found


def _apart(call: Callable[[], list[campaign.Result]], work: Path) -> list[campaign.Result]:
    """Results of a call in a process of its own, so that this one stays without the modules of the project."""
    path = work / "apart"
    path.unlink(missing_ok=True)
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        try:
            campaign.save(path, call(), 0)
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(pid, 0)
    if not path.exists():
        raise SystemExit("the tests could not be collected: see the file 'log' in the folder of work")
    return list(campaign.load(path).values())


def main(argv: list[str] | None = None) -> int:
    """Runs mutants; exit status 1 if one of those asked for survives."""
    options = arguments(argv)
    project = options.project.resolve()
    package = next(path.parent for path in sorted((project / "src").glob("*/__init__.py")))
    stored = options.results or project / "baselines/mutation.json"
    results = campaign.load(stored)
    if options.summary:
        print(campaign.summary(list(results.values()), options.only or campaign.FOLDERS))
        return 0

    reasons = campaign.equivalents(options.equivalent or project / "tools/mutants/equivalent.json")
    mutants = wanted(options, package, results if campaign.seed_of(stored) == options.seed else ())
    if not options.at:
        drawn = {mutant.key for mutant in mutants}
        folders = {campaign.folder_of(mutant.file) for mutant in mutants}
        # What is no longer drawn, because its code has changed or moved, is forgotten.
        results = {key: r for key, r in results.items() if key in drawn or campaign.folder_of(r.file) not in folders}
    todo: list[campaign.Mutant] = []
    for mutant in mutants:
        mutation, old = mutant.mutation, results.get(mutant.key)
        if mutant.key in reasons and not options.at:
            results[mutant.key] = campaign.Result(mutant.file, mutation.line, mutation.what, "equivalent", reasons[mutant.key], 0, 0.0)
        elif options.at or old is None or old.outcome == "equivalent" or (old.outcome == "survived" and options.again):
            todo.append(mutant)
        else:
            old.line = mutation.line

    work = options.work or project / "build/mutants"
    work.mkdir(parents=True, exist_ok=True)
    cache = work / "simulations"
    cache.mkdir(exist_ok=True)
    run.load_libraries()
    ran: list[campaign.Result] = []
    if todo or options.measure:
        cover = work / "cover"
        coverage = Coverage.load(cover)
        # Files in the order in which they are asked for.
        asked = [f"{name.rstrip('/')}/" for name in options.tests or ["tests"]]
        chosen = list(dict.fromkeys(file for name in asked for file in tests_of(project) if f"{file}/".startswith(name)))
        changed = [file for file in chosen if file not in coverage.files] if options.stale else coverage.changed(project, chosen)
        if changed:
            trees = [Tree(project, work / f"probed{n}") for n in range(options.jobs)]
            files = sorted({f"{package.name}/{p.relative_to(package)}" for f in campaign.FOLDERS for p in campaign.sources(package, f)})
            measure(coverage, trees, files, changed, cache=cache, store=cover)
        if options.measure:
            return 0
        trees = [Tree(project, work / f"tree{n}") for n in range(options.jobs)]

        def attempt(mutants: list[campaign.Mutant], within: run.Inside | None) -> list[campaign.Result]:
            """Runs mutants, prints and stores."""
            found: list[campaign.Result] = []

            def done(result: campaign.Result) -> None:
                found.append(result)
                if result.outcome != "later":
                    place = f"{len(found)}/{len(mutants)} {result.outcome} {result.file}:{result.line}"
                    print(f"{place} {result.what} [{result.by}] {result.seconds} s", flush=True)
                    results[result.file, result.what] = result
                    if not options.at:
                        campaign.save(stored, results.values(), options.seed)

            campaign.run_all(
                mutants, trees, coverage, cache=cache, budget=options.budget, done=done, only=set(chosen), patience=options.patience,
                within=within,
            )  # fmt: skip
            killers = sorted({result.by for result in found if result.outcome == "killed"})
            for test in sorted(campaign.unsound(killers, trees[0], coverage, cache=cache, within=within)):
                print(f"{test} fails without a mutant, too", flush=True)
                for result in found:
                    if result.by == test:
                        result.outcome, result.by = "survived", f"{test} fails without a mutant, too"
            return found

        inner = [mutant for mutant in todo if mutant.mutation.statement != (0, 0) and not options.fresh]
        if inner:
            sources = {mutant.file: (project / "src" / mutant.file).read_text(encoding="utf-8") for mutant in inner}
            orders = [campaign.test_order(coverage, m, sources[m.file], options.budget, set(chosen)) for m in inner]
            files = sorted({test.partition("::")[0] for order in orders for test in order})
            ran += _apart(lambda: _inside(Tree(project, work / "collected"), files, lambda within: attempt(inner, within)), work)
            results.update({(r.file, r.what): r for r in ran if r.outcome != "later"})
        over = {(r.file, r.what) for r in ran if r.outcome != "later"}
        ran = [r for r in ran if r.outcome != "later"] + attempt([m for m in todo if m.key not in over], None)
    if not options.at:
        campaign.save(stored, results.values(), options.seed)
        print(campaign.summary(list(results.values()), options.only or campaign.FOLDERS))
        ran = [results[mutant.key] for mutant in mutants]
    return int(any(result.outcome == "survived" for result in ran))


if __name__ == "__main__":
    sys.exit(main())
