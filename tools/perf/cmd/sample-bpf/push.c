// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "push"

#include "cmd/sample-bpf/push.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/profile/receivers.h"
#include "util/lib/advice.h"
#include "util/lib/log.h"
#include "util/lib/printable.h"
#include "util/push/http.h"

#define ROOT_SPOOL "/var/lib/perf-push"

static bool is_label_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalpha((unsigned char)name[i]) && name[i] != '_' && (!i || (!isdigit((unsigned char)name[i]) && name[i] != '.')))
			return false;
	}
	return len;
}

int sample_bpf_push__parse_label(const struct option_row *row, const char *arg, bool unset)
{
	struct sample_bpf_push *p = row->value;
	const char *value = arg ? strchr(arg, '=') : NULL;
	char *name;

	if (unset || !value || !value[1] || !is_label_name(arg, value - arg) || !utf8__is_valid(arg)) {
		pr_err("--label takes NAME=VALUE; the name has letters, digits, underscores and dots\n");
		return -1;
	}
	if (p->nr_given == PUSH_MAX_LABELS) {
		pr_err("--label: a profile has at most %d labels\n", PUSH_MAX_LABELS);
		return -1;
	}
	name = strdup(arg);
	if (!name) {
		pr_err("out of memory\n");
		return -1;
	}
	name[value - arg] = '\0';
	p->given[p->nr_given++] = (struct profile_label){ name, name + (value - arg) + 1 };
	return 0;
}

int sample_bpf_push__parse_size(const struct option_row *row, const char *arg, bool unset)
{
	static const char suffixes[] = "KMG";
	struct sample_bpf_push *p = row->value;
	char *end = NULL;
	u64 size = unset || !isdigit((unsigned char)*arg) ? 0 : strtoull(arg, &end, 10);
	const char *suffix = end && *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;

	if (!end || (*end && (!suffix || end[1])) || size > 1 << 30) {
		pr_err("--spool-size takes a number of bytes, with K, M or G behind it\n");
		return -1;
	}
	p->spool_bytes = suffix ? size << (10 * (suffix - suffixes + 1)) : size;
	p->spool_size_given = true;
	return 0;
}

void sample_bpf_push__list_schemes(void)
{
	for (unsigned int i = 0; push_target__scheme(i); i++)
		puts(push_target__scheme(i));
}

/* Pyroscope has underscores where OpenTelemetry has dots. */
static const char *spelled(const struct sample_bpf_push *p, char *name)
{
	for (char *c = name; *c && p->target.kind != PUSH_OTLP; c++) {
		if (*c == '.')
			*c = '_';
	}
	return name;
}

/* NULL: all labels differ. */
static const char *label_given_twice(const struct sample_bpf_push *p)
{
	for (u32 i = 0; i < p->nr_given; i++) {
		for (u32 j = 0; j < i; j++) {
			if (!strcmp(spelled(p, (char *)p->given[i].name), spelled(p, (char *)p->given[j].name)))
				return p->given[i].name;
		}
	}
	return NULL;
}

const char *sample_bpf_push__settle(struct sample_bpf_push *p)
{
	static char text[256];
	struct errmsg err;
	const char *why, *twice;

	if (!p->url)
		return p->nr_given || p->spool || p->spool_size_given ? "--label, --spool and --spool-size need --push" : NULL;
	if (!http__available(&why)) {
		snprintf(text, sizeof(text), "--push needs libcurl: %s", why);
		return text;
	}
	if (push_target__parse(&p->target, p->url, &err)) {
		snprintf(text, sizeof(text), "%.255s", err.text);
		return text;
	}
	twice = label_given_twice(p);
	if (twice)
		snprintf(text, sizeof(text), "--label: '%.100s' is given twice", twice);
	return twice ? text : NULL;
}

/* --- before the recording --- */

/* Where systemd says, or where programs keep their state. NULL: no memory, or no home. */
static char *default_spool(void)
{
	const char *state = getenv("STATE_DIRECTORY"), *home = getenv("HOME"), *xdg = getenv("XDG_STATE_HOME");
	char *dir;

	if (state && *state == '/' && !strchr(state, ':'))
		return strdup(state);
	if (!geteuid())
		return strdup(ROOT_SPOOL);
	if (xdg && *xdg == '/')
		return asprintf(&dir, "%s/perf-push", xdg) < 0 ? NULL : dir;
	return !home || asprintf(&dir, "%s/.local/state/perf-push", home) < 0 ? NULL : dir;
}

static bool is_given(const struct sample_bpf_push *p, const char *name, const char *dotted)
{
	for (u32 i = 0; i < p->nr_given; i++) {
		if (!strcmp(p->given[i].name, name) || !strcmp(p->given[i].name, dotted))
			return true;
	}
	return false;
}

static void add_label(struct sample_bpf_push *p, const char *name, const char *value)
{
	p->label[p->opts.nr_labels++] = (struct profile_label){ name, value };
}

static void list_labels(struct sample_bpf_push *p)
{
	static char host[256];

	if (!is_given(p, "service_name", "service.name"))
		add_label(p, "service_name", "perf");
	if (!is_given(p, "host", "host.name") && !gethostname(host, sizeof(host) - 1))
		add_label(p, "host", utf8__clean(host));
	for (u32 i = 0; i < p->nr_given; i++)
		add_label(p, spelled(p, (char *)p->given[i].name), p->given[i].value);
	p->opts.label = p->label;
}

static void tell(bool good, const char *text)
{
	if (good)
		pr_info("%s\n", text);
	else
		pr_warn("%s\n", text);
}

int sample_bpf_push__begin(struct sample_bpf_push *p, bool dry)
{
	const struct push_opts opts = {
		.target = &p->target, .secrets = &p->secrets, .spool_bytes = p->spool_bytes, .tell = tell,
		.rejected = p->target.kind == PUSH_OTLP ? profile__otlp_rejected : NULL,
		.spool = p->spool ?: (p->spool_dir = default_spool()),
	};
	struct errmsg err;

	p->opts.kind = p->target.kind;
	list_labels(p);
	if (push_secrets__take(&p->secrets, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	if (!opts.spool && p->spool_bytes) {
		pr_err("--push: without a home there is no place for a spool: name one (--spool), or do without (--spool-size 0)\n");
		return EXIT_USAGE;
	}
	if (dry || !push__new(&opts, &p->opts.push, &err))
		return 0;
	pr_err("%s\n", err.text);
	return EXIT_SETUP;
}

/* --- after it --- */

static void tell_lost(u64 nr, const char *why, const char *detail)
{
	if (nr)
		pr_warn("%" PRIu64 " profile%s %s lost: %s%s%s\n", nr, plural(nr), were(nr), why, *detail ? ": " : "", detail);
}

void sample_bpf_push__finish(struct sample_bpf_push *p)
{
	struct push_counts c;

	if (!p->opts.push)
		return;
	push__finish(p->opts.push, &c);
	pr_info("[ perf sample-bpf: Pushed %" PRIu64 " profiles (%.3f MB) to %s ]\n", c.sent, c.sent_bytes / 1024.0 / 1024.0, p->target.shown);
	tell_lost(c.refused, "the receiver refused them", c.why_refused);
	tell_lost(c.given_up, "the receiver failed at them for an hour, while it took others", c.why);
	tell_lost(c.thrown_out, "the spool was full. Give it more room (--spool-size)", "");
	tell_lost(c.no_room, "neither the spool nor memory had room for them", c.why_no_room);
	tell_lost(c.not_kept, "perf ended before the receiver took them, and --spool-size 0 keeps nothing", c.why);
	if (c.partly)
		pr_warn("%" PRIu64 " profile%s %s lost: the receiver took the others of the round\n", c.partly, plural(c.partly), were(c.partly));
	if (c.waiting)
		pr_warn("%" PRIu64 " profile%s %s in %s for the next perf with --push%s%s\n", c.waiting, plural(c.waiting),
			c.waiting == 1 ? "waits" : "wait", p->spool ?: p->spool_dir,
			*c.why ? ": " : "", c.why);
	if (c.others)
		pr_warn("%" PRIu64 " profile%s in %s %s for a receiver of another kind: push to one, or remove what is there\n", c.others, plural(c.others),
			p->spool ?: p->spool_dir, c.others == 1 ? "is" : "are");
	pr_debug("%" PRIu64 " profiles of this run, %" PRIu64 " found in the spool, %" PRIu64 " put into it; %" PRIu64 " tries failed\n", c.added,
		 c.found, c.spooled, c.failures);
	push__delete(p->opts.push);
	p->opts.push = NULL;
}

void sample_bpf_push__exit(struct sample_bpf_push *p)
{
	push__delete(p->opts.push);
	for (u32 i = 0; i < p->nr_given; i++)
		free((char *)p->given[i].name);
	push_secrets__exit(&p->secrets);
	push_target__exit(&p->target);
	free(p->spool_dir);
}
