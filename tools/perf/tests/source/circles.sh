#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# No files need each other in a circle: neither headers by #include, nor object files by the functions that their code names. Circles say that
# a file was cut by its size, not by its job. A table of operations may name who uses the table: it is data, not code.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
cd "$SOURCE" || exit 1
build=$(dirname "$(readlink -f "$PERF")")

# "HEADER HEADER" for each #include of a header in another one
includes() {
	find cmd ui util builtin.h -name '*.h' ! -path 'util/bpf_skel/*' -exec sed -n 's|^# *include "\([^"]*\.h\)".*|\1|;T;F;p' {} + | paste -d' ' - -
}

# "OBJECT OBJECT FUNCTION" for each function of the second that the code of the first names
calls() {
	local objects
	mapfile -t objects < <(cd "$build" && find cmd ui util ./*.o -name '*.o' ! -name '*.bpf.o' | sed 's|^\./||' | sort)
	(cd "$build" && nm -A "${objects[@]}" && readelf -rW "${objects[@]}") 2>/dev/null | awk '
		$2 ~ /^[TW]$/ && $1 ~ /\.o:/ { sub(/:.*/, "", $1); defined[$3] = $1 }
		$1 == "File:" { object = $2 }
		$1 == "Relocation" { code = $3 ~ /\.text/ }
		code && $5 in defined && defined[$5] != object && !seen[object, $5]++ { print object, defined[$5], $5 }'
}

# The files of each circle of pairs, a line each
circles() { tsort 2>&1 >/dev/null | sed -n 's|^tsort: \([^-].*\.[ho]\)$|\1|p' | sort -u; }

is "$(includes | circles)" "" "no circles of headers"
is "$(calls | cut -d' ' -f1,2 | circles)" "" "no circles of code"

# The checks themselves: they see what is there, and a circle.
like "$(includes)" '^ui/report/hierarchy.h ui/report/columns.h$' "a header that another one includes is found"
like "$(calls)" '^util/record/record.o util/sampler/sampler[a-z-]*.o sampler__[a-z_]+$' "a function that is called is found"
is "$(printf '%s\n' 'a.o b.o' 'b.o c.o' 'c.o a.o' 'a.o d.o' | circles)" "$(printf '%s\n' a.o b.o c.o)" "a circle is found"

done_testing
