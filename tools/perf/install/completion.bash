# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of perf's command line in bash. Every answer comes from the perf that is on the line itself (--list-cmds, --list-opts,
# --list-values, perf list), so that it fits whichever perf that is; errors of a perf that has no such option stay away from the terminal.

_perf_commands() {
	"$1" --list-cmds 2>/dev/null
}

# Names of events; those of tracepoints have a colon, which is no end of a word here.
_perf_events() {
	"$1" list 2>/dev/null | sed -nE 's/^  ([^ ]+)( OR .*)? +\[.*/\1/p'
}

# _perf_values PERF COMMAND OPTION: what the option's value may consist of
_perf_values() {
	case $3 in
	-e | --event | --latency)
		_perf_events "$1"
		;;
	*)
		"$1" "$2" --list-values "$3" 2>/dev/null </dev/null
		;;
	esac
}

# _perf_reply BEFORE CUR WORDS: offer those words that begin with CUR, each behind what the word on the line has before
_perf_reply() {
	local word words
	read -rd '' -a words <<<"$3"
	for word in "${words[@]}"; do
		[[ $word != "$2"* ]] || COMPREPLY+=("$1$word")
	done
}

# _perf_list CUR VALUES: the last one of a list with commas, which may begin with + (add to the defaults) or TYPE:
_perf_list() {
	local cur=$1 before=""
	[[ $cur != *,* ]] || before=${cur%,*},
	cur=${cur##*,}
	[[ $cur != +* ]] || before+=+
	cur=${cur#+}
	if [[ $cur = *:* && $'\n'$2$'\n' = *$'\n'"${cur%%:*}:"$'\n'* ]]; then
		before+=${cur%%:*}:
		cur=${cur#*:}
	fi
	_perf_reply "$before" "$cur" "$2"
	# Readline replaces only what follows the last colon.
	[[ $1 != *:* || $COMP_WORDBREAKS != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${1%:*}:"}")
	[[ "${COMPREPLY[*]}" != *: ]] || compopt -o nospace 2>/dev/null
}

# _perf_value PERF COMMAND OPTION CUR: files where what may be written cannot be listed
_perf_value() {
	local values
	values=$(_perf_values "$1" "$2" "$3")
	if [ -z "$values" ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$4")
	elif [[ $values = *,* ]]; then # each is a whole value
		_perf_reply "" "$4" "$values"
	elif [ "$3" = --filter ]; then # without quotes it is one word
		_perf_reply "" "$4" "$(cut -d: -f1 <<<"$values")"
	else
		_perf_list "$4" "$values"
	fi
}

# _perf_filter TEXT TERMS: the next word of a filter. TERMS are lines "NAME:OPERATORS:CONSTANTS". A term comes with its operators, so that
# the quotes around the filter are not closed behind it.
_perf_filter() {
	local before cur last name ops constants op
	local after_operator='([a-z_][a-z_0-9]*)[[:blank:]]*(==|!=|>=|<=|>|<|&|[[:blank:]]in[[:blank:]])[[:blank:]]*(\{[^}]*)?$'
	local at_start='(^|[(!]|&&|\|\||(^|[[:blank:]])(and|or|not)[[:blank:]])[[:blank:]]*$'
	before=${1%"${1##*[[:blank:]\(\!,\{&|=<>~]}"}
	cur=${1#"$before"}
	compopt +o filenames -o nospace 2>/dev/null
	if [[ $before =~ $after_operator ]]; then
		constants=$(sed -n "s/^${BASH_REMATCH[1]}:[^:]*://p" <<<"$2")
		_perf_reply "$before" "$cur" "$constants"
	elif [[ $before =~ $at_start ]]; then
		while IFS=: read -r name ops constants; do
			[[ $name = "$cur"* ]] || continue
			[ -n "$ops" ] || COMPREPLY+=("$before$name")
			for op in $ops; do
				COMPREPLY+=("$before$name $op")
			done
		done <<<"$2"
	elif [[ $before = *[[:blank:]] ]]; then
		last=${before%"${before##*[![:blank:]]}"}
		last=${last##*[[:blank:]\(\!&|]}
		ops=$(sed -n "s/^$last:\([^:]*\):.*/\1/p" <<<"$2" 2>/dev/null)
		_perf_reply "$before" "$cur" "${ops:-&& ||}"
	fi
}

# _perf_open_filter LINE: what stands behind the quote of a --filter that is not closed yet, in $filter
_perf_open_filter() {
	local rest
	[[ $1 =~ ^(.*[[:blank:]])--filter(=|[[:blank:]]+)([\"\'])(.*)$ ]] || return
	filter=${BASH_REMATCH[4]}
	rest=$filter
	[ "${BASH_REMATCH[3]}" = "'" ] || rest=${filter//\\?/} # without what is escaped
	[[ $rest != *"${BASH_REMATCH[3]}"* ]]
}

# _perf_words PERF COMMAND WORDS...: what may stand behind the command and these words, where that is no file
_perf_words() {
	case $2 in
	help)
		_perf_commands "$1"
		echo filter
		;;
	check)
		if [[ " ${*:3} " = *" feature "* ]]; then
			"$1" version --build-options 2>/dev/null | sed -nE 's/^ +([^ :]+): \[.*/\1/p'
		else
			echo feature
		fi
		;;
	test)
		echo list
		"$1" test list 2>/dev/null | sed -E 's/^ *[0-9]+: *//' | tr ' ' '\n' | sort -u
		;;
	esac
}

_perf() {
	local perf=${COMP_WORDS[0]} line cur prev command="" behind="" last="" word words filter
	line=${COMP_LINE:0:COMP_POINT}
	cur=${line##*[[:blank:]]}
	read -ra words <<<"${line%"$cur"}"
	prev=${words[-1]}
	for word in "${words[@]:1}"; do
		if [ -n "$command" ]; then
			[ "$word" != -- ] || behind=yes
		elif [[ $word != -* && $last != --buildid-dir ]]; then
			command=$word
		fi
		last=$word
	done
	COMPREPLY=()
	if [ "$prev" = -- ] && [ -n "$behind" ]; then # a program to run
		mapfile -t COMPREPLY < <(compgen -c -f -- "$cur" | sort -u)
	elif [ -n "$behind" ]; then # its arguments
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	elif [ -z "$command" ] && [ "$prev" = --buildid-dir ]; then
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
	elif [[ -z $command && $cur = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$perf" --list-opts 2>/dev/null)" -- "$cur")
	elif [ -z "$command" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_perf_commands "$perf")" -- "$cur")
	elif _perf_open_filter "$line"; then
		_perf_filter "$filter" "$(_perf_values "$perf" "$command" --filter)"
	elif [[ $cur = --*=* ]]; then
		_perf_value "$perf" "$command" "${cur%%=*}" "${cur#*=}"
	elif [[ $cur = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$perf" "$command" --list-opts 2>/dev/null)" -- "$cur")
	elif [[ $prev = -* ]]; then
		_perf_value "$perf" "$command" "$prev" "$cur"
	elif [[ $command = @(check|help|test) ]]; then
		_perf_list "$cur" "$(_perf_words "$perf" "$command" "${words[@]:1}")"
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o filenames -F _perf perf perf-bpf
