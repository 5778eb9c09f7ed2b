#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# make proof-mutations: break one line after the other, and see whether the tests notice. Each row of the table (rows) names a line, what replaces
# it, and the tests that should fail then. All is done in a copy of the tree and of its build; only what a change touches is built again.
# OUTPUT: the build; ROWS: run only rows with this text; TABLE: another table; KEEP=yes: leave the copy, and name it; CHECK=yes: see only whether
# the rows fit the tree.
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE, OUTPUT = HERE.parent.parent, pathlib.Path(os.environ["OUTPUT"]).resolve()
TIME_LIMIT = 900  # seconds of a test: a mutation may make it wait for ever
KEYS = {"in": "file", "after": "after", "-": "old", "+": "new", "tests": "tests"}


def read_table(path):
    """rows: a title, and below it lines of a key and its text, in which \\n ends a line"""
    rows = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        where, text = f"{path}:{number}", line.strip()
        if not text:
            continue
        if line[0] == "#":
            continue
        if line[0] != "\t":
            rows.append({"title": text, "where": where, "new": ""})
            continue
        key, _, value = text.partition(" ")
        if key not in KEYS or not rows:
            sys.exit(f"{where}: neither a title nor one of: {' '.join(KEYS)}")
        rows[-1][KEYS[key]] = value.strip().replace("\\n", "\n")
    for row in rows:
        missing = {"file", "old", "tests"} - row.keys()
        if missing:
            sys.exit(f"{row['where']}: {row['title']}: lacks {', '.join(sorted(missing))}")
        row["tests"] = [test.strip() for test in row["tests"].split(",")]
    return rows


def mutate(row, text):
    """the text with the row's change. The old text is there once: in the whole file, or from the first place of `after` on the first one."""
    start = text.find(row["after"]) if "after" in row else 0
    if start < 0:
        raise ValueError(f"{row['file']} does not have \"{row['after']}\"")
    at = text.find(row["old"], start)
    if at < 0:
        raise ValueError(f"{row['file']} does not have \"{row['old']}\" any more")
    if "after" not in row and text.find(row["old"], at + 1) >= 0:
        raise ValueError(f"{row['file']} has \"{row['old']}\" more than once: say after what")
    return text[:at] + row["new"] + text[at + len(row["old"]):]


def check_table(rows):
    wrong = 0
    for row in rows:
        try:
            mutate(row, (SOURCE / row["file"]).read_text())
        except (ValueError, OSError) as error:
            print(f"{row['where']}: {row['title']}: {error}", file=sys.stderr)
            wrong += 1
    if wrong:
        sys.exit(f"{wrong} rows do not fit the tree: change or remove them")


def copy_tree(to):
    """the sources and the build, whose lists of what depends on what have the absolute path of the build"""
    tree, build = to / "tools" / "perf", to / "tools" / "perf" / "build"
    nested = OUTPUT.relative_to(SOURCE).parts[0] if SOURCE in OUTPUT.parents else None
    shutil.copytree(SOURCE, tree, symlinks=True, ignore=lambda folder, names: {"build", nested} & set(names) if pathlib.Path(folder) == SOURCE else set())
    shutil.copytree(OUTPUT, build, symlinks=True, ignore=lambda folder, names: {"arm64"} & set(names) if pathlib.Path(folder) == OUTPUT else set())
    for link in [*build.glob("tests/*")]:
        if link.is_symlink():
            link.unlink()
    for path in [*build.rglob("*.d"), *build.glob("sources.*"), build / "flags"]:
        stat = path.stat()
        if path.is_file():  # not /etc/ld.so.conf.d of the libraries for guests
            path.write_text(path.read_text().replace(str(OUTPUT), str(build)))
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return tree


def run(command, tree, log, limit):
    """the exit status; a group of its own, so that what hangs is ended as a whole"""
    with open(log, "ab") as out, subprocess.Popen(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True) as process:
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return 124
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def build(tests, tree, log):
    """what these tests need: of unit tests their programs, of others perf"""
    goals = {f"{tree}/build/tests/unit/{name}" if kind == "unit" else "all" for kind, name in (test.split(" ", 1) for test in tests)}
    return run(["make", "--no-print-directory", "-f", "Makefile.perf", f"-j{os.cpu_count()}", *sorted(goals)], tree, log, TIME_LIMIT) == 0


def passes(test, tree, log):
    kind, name = test.split(" ", 1)
    return run([f"build/tests/unit/{name}"] if kind == "unit" else ["env", "PERF=build/perf", "bash", f"tests/cmd/{name}.sh"], tree, log, TIME_LIMIT) == 0


def restore(whole, build):
    """what a mutation's build has changed, with its times: so that nothing needs to be built again"""
    for folder, _, names in os.walk(whole):
        to = build / os.path.relpath(folder, whole)
        for name in names:
            good, path = pathlib.Path(folder, name), to / name
            if good.is_symlink():
                continue
            want, is_there = good.stat(), path.exists()
            if not is_there or (path.stat().st_mtime_ns, path.stat().st_size) != (want.st_mtime_ns, want.st_size):
                path.unlink(missing_ok=True)  # it may still run
                shutil.copy2(good, path)


def try_row(row, tree, log):
    """killed by a test, survived, or does not build"""
    path = tree / row["file"]
    text, stat = path.read_text(), path.stat()
    path.write_text(mutate(row, text))
    try:
        for test in row["tests"]:  # one after the other: what fails soon is not built further
            if not build([test], tree, log):
                return "does not build", ""
            if not passes(test, tree, log):
                return "killed", test
        return "survived", ", ".join(row["tests"])
    finally:
        path.write_text(text)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        restore(tree.parent / "build.whole", tree / "build")


def check_tests(rows, tree, log):
    """all tests pass without a mutation; else a failure would say nothing"""
    tests = sorted({test for row in rows for test in row["tests"]})
    if not build(tests, tree, log):
        sys.exit(f"the tree does not build: see {log}")
    failed = [test for test in tests if not passes(test, tree, log) and not passes(test, tree, log)]
    if failed:
        sys.exit(f"these fail without any mutation: {', '.join(failed)}: see {log}")


def main():
    table = pathlib.Path(os.environ.get("TABLE") or HERE / "rows")
    rows = [row for row in read_table(table) if os.environ.get("ROWS", "") in " ".join([row["title"], row["file"], *row["tests"]])]
    if not rows:
        sys.exit(f"no row has the text \"{os.environ['ROWS']}\"")
    check_table(rows)
    if os.environ.get("CHECK"):
        return
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="perf-mutations.", dir=os.environ.get("TMPDIR", "/tmp")))
    log, results, begin = scratch / "log", {}, time.monotonic()
    os.environ.pop("MAKEFLAGS", None)  # the copy has a make of its own
    os.environ.pop("O", None)
    try:
        tree = copy_tree(scratch)
        check_tests(rows, tree, log)
        shutil.copytree(tree / "build", tree.parent / "build.whole", symlinks=True)
        for row in rows:
            log.open("a").write(f"=== {row['title']}\n")
            what, by = try_row(row, tree, log)
            results[what] = results.get(what, 0) + 1
            print(f"{what + ':':16}{row['title']} ({row['file']}; {by or 'make'})", flush=True)
    finally:
        if os.environ.get("KEEP"):
            print(f"the copy, and the log of all builds and tests: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    killed, survived = results.get("killed", 0), results.get("survived", 0)
    print(f"{len(rows)} mutations in {(time.monotonic() - begin) / 60:.0f} minutes: {killed} killed, {survived} survived, "
          f"{results.get('does not build', 0)} do not build: {100 * killed // max(killed + survived, 1)} %")
    sys.exit(killed != len(rows))


main()
