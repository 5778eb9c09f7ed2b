#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Includes go downwards only, in the order of LAYERS in Makefile.perf, and are spelled from this folder; libraries do not
# print.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
cd "$SOURCE" || exit 1
output=$(dirname "$PERF")

read -ra layers < <(sed -n 's/^LAYERS := //p' Makefile.perf)
declare -A depth
for i in "${!layers[@]}"; do
	depth[${layers[$i]}]=$i
done

# "ui" of ui/stdio.c, "lib" of util/lib/log.h, "" of perf.c
layer_of() {
	case $1 in
	ui/*) echo ui ;;
	util/*/*) cut -d/ -f2 <<<"$1" ;;
	esac
}

# may_include FILE INCLUDED: prints why not
may_include() {
	local from to
	from=$(layer_of "$1")
	to=$(layer_of "$2")
	if [[ $2 = *.lskel.h ]]; then
		[[ $1 = tests/* ]] || echo "$1: only images are made of skeletons: see util/bpf/programs.h"
	elif [ ! -e "$2" ] && [ ! -e "$output/$2" ]; then
		echo "$1: \"$2\" is no path from tools/perf"
	elif [ -z "$to" ]; then
		# Headers of the commands and of the tests.
		[ -z "$from" ] || echo "$1: $2 belongs to the commands, above $from/"
	elif [ "$to" = bpf_skel ] || [ -z "$from" ]; then
		:
	elif [ "${depth[$to]}" -lt "${depth[$from]}" ]; then
		echo "$1: $2 is above $from/"
	elif [[ "$from $to" = "record session" || "$from $to" = "filter event" ]]; then
		echo "$1: $from/ and $to/ do not know of each other"
	fi
}

sources() {
	find cmd ui util tests ./*.c builtin.h -name '*.[chly]' ! -name '*.bpf.c' ! -path 'util/bpf_skel/*' | sed 's|^\./||' | sort
}

while read -r file; do
	wrong=$(sed -n 's/^# *include "\([^"]*\)".*/\1/p' "$file" | while read -r included; do
		[ "$included" = PERF-CONFIG.h ] || may_include "$file" "$included"
	done)
	is "$wrong" "" "$file includes what is below it"
done < <(sources)

# The logger and the options' usage are the two ways out; dumps go to a FILE that the caller names.
printing=$(grep -nE '(^|[^a-z_])(v?printf|puts|putchar|perror)\(|f(printf|puts|putc|write)\(.*std(out|err)' \
	util/*/*.c | grep -vE '^util/(lib/(log|options)|bpf_skel/[^:]*)\.c')
is "$printing" "" "libraries do not print"
# shellcheck disable=SC2046 # names without blanks
is "$(grep -LE 'SPDX-License-Identifier: ' $(sources) util/bpf_skel/*.[ch] tests/*/*.sh)" "" "every file names its license"

done_testing
