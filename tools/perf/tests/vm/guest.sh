#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Begins each guest's script, before the parts guest-*.sh: runs under busybox. What a kernel must be able to do is told by its version, not by
# perf's own probes. A line "# feature: NAME: RESULT" comes after the checks of each, for the table that table.sh makes.
checks=0
failures=0
feature=

# feature NAME [VERSION]: what the checks from here on are of, and the first Linux that has it. False on older ones: there they
# check that it is refused, and nothing is done.
feature() {
	tell_feature
	feature=$1 result=yes failures=0
	[ $# = 1 ] || linux "$2" || {
		result="from $2"
		return 1
	}
}

tell_feature() {
	[ $failures = 0 ] || result=FAILED
	[ -z "$feature" ] || echo "# feature: $feature: $result"
}

ok() { # WHAT COMMAND...
	local what=$1
	shift
	checks=$((checks + 1))
	if "$@"; then
		echo "ok $checks - $what"
	else
		failures=$((failures + 1))
		echo "not ok $checks - $what"
		sed 's/^/# /' err
	fi
}

# Linux is at least version $1
linux() {
	[ "$(printf '%s\n%s\n' "$1" "$(uname -r | cut -d- -f1)" | sort -V | head -n 1)" = "$1" ]
}

# UNITS= of run.sh leaves these programs at home.
unit() {
	if ! command -v "$1" >/dev/null; then
		checks=$((checks + 1))
		echo "ok $checks # SKIP $1 is not here"
		return
	fi
	echo "# $1"
	"$1" 2>&1 || failures=$((failures + 1))
}

finish() {
	tell_feature
	echo "1..$checks"
	echo "guest: the end"
}

perf test --kernel | sed 's/^/# /'
: >err
# However slow the guest is, the kernel is not to lower the highest frequency.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
export CMOCKA_MESSAGE_OUTPUT=TAP
