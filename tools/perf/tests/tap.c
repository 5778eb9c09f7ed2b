// SPDX-License-Identifier: GPL-2.0
#include "tests/tap.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tap__init(struct tap *tap, const char *script)
{
	memset(tap, 0, sizeof(*tap));
	tap->script = script;
	tap->failures = open_memstream(&tap->failures_text, &tap->failures_size);
	tap->pending = open_memstream(&tap->pending_text, &tap->pending_size);
	if (tap->failures && tap->pending)
		return 0;
	tap__exit(tap);
	return -ENOMEM;
}

void tap__exit(struct tap *tap)
{
	if (tap->failures)
		fclose(tap->failures);
	if (tap->pending)
		fclose(tap->pending);
	free(tap->failures_text);
	free(tap->pending_text);
	memset(tap, 0, sizeof(*tap));
}

static void drop_pending(struct tap *tap)
{
	rewind(tap->pending);
}

static void show_pending(struct tap *tap)
{
	fflush(tap->pending);
	fwrite(tap->pending_text, 1, tap->pending_size, tap->failures);
	drop_pending(tap);
}

/* The text behind "# SKIP", or NULL. */
static const char *skip_directive(const char *line)
{
	const char *mark = strchr(line, '#');

	if (!mark)
		return NULL;
	mark += 1 + strspn(mark + 1, " ");
	return strncasecmp(mark, "skip", 4) ? NULL : mark + 4 + strspn(mark + 4, " ");
}

static void count_skip(struct tap *tap, const char *reason)
{
	tap->skipped++;
	snprintf(tap->skip_reason, sizeof(tap->skip_reason), "%s", reason);
}

/* cmocka's skip() knows no reason: a test prints it just before. */
static const char *last_pending_line(struct tap *tap, const char *none)
{
	const char *newline;
	size_t len;

	fflush(tap->pending);
	len = tap->pending_size;
	if (!len || tap->pending_text[len - 1] != '\n')
		return none;
	tap->pending_text[len - 1] = '\0';
	newline = strrchr(tap->pending_text, '\n');
	return newline ? newline + 1 : tap->pending_text;
}

static void count_check(struct tap *tap, const char *line, bool good)
{
	const char *reason = skip_directive(line);

	tap->in_failure = !good && !reason;
	if (reason) {
		count_skip(tap, good ? reason : last_pending_line(tap, reason));
	} else if (good) {
		tap->passed++;
	} else {
		tap->failed++;
		show_pending(tap);
		fprintf(tap->failures, "%s\n", line);
	}
	drop_pending(tap);
}

static bool starts_with_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(line, word, len) && (!line[len] || line[len] == ' ');
}

static void read_plan(struct tap *tap, const char *line)
{
	const char *reason = skip_directive(line);

	if (tap->has_plan || sscanf(line, "1..%u", &tap->planned) != 1)
		return;
	tap->has_plan = true;
	if (!tap->planned && reason) { /* the whole program: one check, skipped */
		tap->planned = 1;
		count_skip(tap, reason);
	}
}

static bool is_file(const char *path, size_t len, const char *name)
{
	const char *slash = memrchr(path, '/', len);
	size_t dir = slash ? slash + 1 - path : 0;

	return len - dir == strlen(name) && !memcmp(path + dir, name, len - dir);
}

/* What a process that has gone makes bash say, and "  345 Killed": a job that a signal ended */
static bool is_of_ended_process(const char *message)
{
	char state;

	message += strspn(message, " ");
	if (sscanf(message, "%*u %c", &state) == 1)
		return isupper(state);
	return !strncmp(message, "kill: (", 7) || !strncmp(message, "/proc/", 6) || strstr(message, ": write error: ");
}

/* "PATH/x.sh: line 12: y: unbound variable": bash goes on after most errors, without the rest of the line, and so without its check. */
static bool is_bash_error(const struct tap *tap, const char *line)
{
	const char *end = tap->script ? strstr(line, ": line ") : NULL;
	const char *slash = end ? strrchr(tap->script, '/') : NULL;
	int message = 0;

	if (!end || (!is_file(line, end - line, slash ? slash + 1 : tap->script) && !is_file(line, end - line, "lib.sh")))
		return false;
	if (sscanf(end, ": line %*u:%n", &message) || !message)
		return false;
	return !is_of_ended_process(end + message);
}

void tap__line(struct tap *tap, const char *line)
{
	if (starts_with_word(line, "ok"))
		count_check(tap, line, true);
	else if (starts_with_word(line, "not ok"))
		count_check(tap, line, false);
	else if (!strncmp(line, "1..", 3))
		read_plan(tap, line);
	else if (is_bash_error(tap, line))
		tap->bash_errors += fprintf(tap->failures, "%s\n", line) > 0;
	else
		fprintf(tap->in_failure && *line == '#' ? tap->failures : tap->pending, "%s\n", line);
}

static void add_failure(struct tap *tap, const char *what)
{
	tap->failed++;
	fprintf(tap->failures, "%s\n", what);
}

void tap__finish(struct tap *tap, const char *problem)
{
	unsigned int run = tap->passed + tap->failed + tap->skipped;

	if (problem) {
		show_pending(tap);
		add_failure(tap, problem);
	}
	if (!tap->has_plan) {
		show_pending(tap);
		add_failure(tap, "no plan (\"1..N\") was printed");
	} else if (run < tap->planned) {
		fprintf(tap->failures, "only %u of %u checks were run\n", run, tap->planned);
		tap->failed += tap->planned - run;
	} else if (run > tap->planned) {
		fprintf(tap->failures, "%u checks were planned, but %u were run\n", tap->planned, run);
		tap->failed++;
	} else if (!run) {
		add_failure(tap, "nothing was checked");
	}
	tap->failed += tap->bash_errors;
	fflush(tap->failures);
}
