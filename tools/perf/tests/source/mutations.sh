#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The rows of make proof-mutations name lines that there are, and tests: nobody runs all of them each day.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"

run env CHECK=yes OUTPUT="$(dirname "$PERF")" python3 "$SOURCE/tests/mutations/run.py"
is "$rc:$out$err" 0: "all rows fit the tree"
printf 'a row\n\tin perf.c\n\t- no such line\n\ttests cmd basics\n' >rows
run env CHECK=yes TABLE="$PWD/rows" OUTPUT="$(dirname "$PERF")" python3 "$SOURCE/tests/mutations/run.py"
like "$rc:$err" '1:.*does not have "no such line" any more' "one that does not is found"
done_testing
