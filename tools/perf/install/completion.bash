# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of perf's command line in bash. Every answer comes from the perf that is on the line itself (--list-cmds, --list-opts,
# perf list), so that it fits whichever perf that is; errors of a perf that has no such option stay away from the terminal.

_perf_commands() {
	"$1" --list-cmds 2>/dev/null
}

# Names of events; those of tracepoints have a colon, which is no end of a word here.
_perf_events() {
	"$1" list 2>/dev/null | sed -nE 's/^  ([^ ]+)( OR .*)? +\[.*/\1/p'
}

_perf() {
	local perf=${COMP_WORDS[0]} line cur prev command="" i
	line=${COMP_LINE:0:COMP_POINT}
	cur=${line##*[[:blank:]]}
	prev=${line%"$cur"}
	prev=${prev%"${prev##*[![:blank:]]}"}
	prev=${prev##*[[:blank:]]}
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* ]]; then
			command=${COMP_WORDS[i]}
			[[ ${COMP_WORDS[i + 1]} != - ]] || command+=-${COMP_WORDS[i + 2]}
			break
		fi
	done
	COMPREPLY=()
	if [ -z "$command" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_perf_commands "$perf")" -- "$cur")
	elif [[ $cur = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$perf" "$command" --list-opts 2>/dev/null)" -- "$cur")
	elif [[ $prev = -e || $prev = --event ]]; then
		local before=""
		[[ $cur != *,* ]] || before=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$(_perf_events "$perf")" -- "${cur##*,}")
		# Readline replaces only what follows the last colon.
		[[ $cur != *:* || $COMP_WORDBREAKS != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${cur%:*}:"}")
	elif [ "$command" = help ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_perf_commands "$perf") filter" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o filenames -F _perf perf perf-bpf
