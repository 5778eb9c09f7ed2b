# SPDX-License-Identifier: GPL-2.0
# A manual page's source (AsciiDoc) -> text as man shows it, for perf help where there is no man: headings, paragraphs of 79 columns, lists. Knows
# what the pages in Documentation/ use: two-line headings, "term::" lists with "+", [verse], [horizontal], .... blocks, |=== tables with [cols=...],
# {cpp}.

function indent(n) {
	return sprintf("%" n "s", "")
}

# *bold* loses its stars; what is in `backquotes` stands in single quotes, unchanged, but in none if it has its own
function inline(text,    parts, n, i, out) {
	gsub(/\{cpp\}/, "C++", text)
	n = split(text, parts, "`")
	for (i = 1; i <= n; i++) {
		if (i % 2)
			out = out unbold(parts[i])
		else
			out = out (i < n ? quoted(parts[i]) : "`" parts[i])
	}
	return out
}

function quoted(text) {
	return text ~ /'/ ? text : "'" text "'"
}

function unbold(text,    out, bold) {
	while (match(text, /(^|[^A-Za-z0-9*"])\*[^ *]([^*]*[^ *])?\*/)) {
		bold = substr(text, RSTART, RLENGTH)
		gsub(/\*/, "", bold)
		out = out substr(text, 1, RSTART - 1) bold
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

function put(line) {
	if (wants_blank && printed)
		print ""
	wants_blank = 0
	sub(/[ \t]+$/, "", line)
	print line
	printed = 1
}

# The paragraph that was collected, in lines of at most 79 columns
function flush(    words, n, i, line) {
	if (paragraph == "")
		return
	n = split(inline(paragraph), words, /[ \t]+/)
	line = ""
	for (i = 1; i <= n; i++) {
		if (words[i] == "")
			continue
		if (line != "" && margin + length(line) + 1 + length(words[i]) > 79) {
			put(indent(margin) line)
			line = ""
		}
		line = line (line == "" ? "" : " ") words[i]
	}
	if (line != "")
		put(indent(margin) line)
	paragraph = ""
}

function add(text) {
	paragraph = paragraph (paragraph == "" ? "" : " ") text
}

function heading(text, level) {
	wants_blank = 1
	put(indent(level == 2 ? 3 : 0) text)
	margin = 7
	state = ""
}

function is_underline(text, over) {
	return text ~ /^(=+|-+|~+)$/ && length(text) >= 3 && length(text) == length(over)
}

# Lines are looked at with the next one known: it may be what underlines this one.
function handle(line, next_line,    text) {
	if (skip_next) {
		skip_next = 0
		return
	}
	if (state == "block" || state == "table") {
		if (line == (state == "block" ? "...." : "|===")) {
			state = ""
			wants_blank = 1
		} else {
			put(indent(margin) line)
		}
	} else if (is_underline(next_line, line)) {
		flush()
		heading(line, next_line ~ /^~/ ? 2 : 1)
		skip_next = 1
	} else if (line == "....") {
		flush()
		state = "block"
	} else if (line == "|===") {
		flush()
		state = "table"
	} else if (line ~ /^\[cols=.*\]$/) {
		flush() # how wide man makes the columns of a table
	} else if (line == "[verse]" || line == "[horizontal]") {
		flush()
		state = line == "[verse]" ? "verse" : ""
	} else if (line == "") {
		flush()
		wants_blank = 1
		state = "blank"
	} else if (state == "verse") {
		put(indent(margin) unquoted(line))
	} else if (line == "+") {
		flush()
		wants_blank = 1
		state = "attached"
	} else if (line ~ /^[^ \t].*::( |$)/ && state != "text") {
		flush()
		match(line, /::( |$)/)
		text = substr(line, RSTART + 3)
		put(indent(7) inline(substr(line, 1, RSTART - 1)))
		margin = 14
		state = "item"
		add(text)
	} else if (line ~ /^\* /) {
		flush()
		margin = 7
		add(line)
		state = "item"
	} else if (line ~ /^[ \t]/ && (state == "blank" || state == "attached" || state == "literal")) {
		state = "literal"
		sub(/^\t/, "", line)
		put(indent(margin + 4) line)
	} else {
		if (state == "blank")
			margin = 7
		state = state == "item" ? "item" : "text"
		sub(/^[ \t]+/, "", line)
		add(line)
	}
}

# The synopsis has the command in quotes, as AsciiDoc marks it.
function unquoted(line) {
	if (match(line, /^'[^']*'/))
		return substr(line, 2, RLENGTH - 2) substr(line, RLENGTH + 1)
	return line
}

NR > 1 { handle(last, $0) }
{ last = $0 }
END {
	handle(last, "")
	flush()
}
