// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/cgroup-mount.h"
#include "util/lib/hash.h"
#include "util/lib/printable.h"
#include "util/perfdata/key-texts.h"
#include "util/perfdata/wall-state.h"
#include "util/source/tally.h"

struct line {
	UT_hash_handle hh;
	u64 weight;
	char text[];
};

struct folded {
	struct tally_output out;
	struct tally_output_opts opts;
	struct line *lines, *last;
	char *text; /* of the current sample */
	size_t size;
	FILE *text_fp;
};

/* Frames must not contain the characters that separate frames and the count. */
static void put_frame(FILE *fp, const char *name)
{
	fputs_unlocked(ftell(fp) ? ";" : "", fp);
	for (; *name; name++)
		fputc_unlocked(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, fp);
}

static void put_location(FILE *fp, const struct location *loc)
{
	char name[256];

	if (loc->sym) {
		put_frame(fp, loc->sym->name);
	} else if (loc->dso && loc->dso->short_name[0] != '[') {
		snprintf(name, sizeof(name), "[%s]", loc->dso->short_name);
		put_frame(fp, name);
	} else {
		put_frame(fp, loc->dso ? loc->dso->short_name : "[unknown]");
	}
}

static void put_cgroup(FILE *fp, u64 id)
{
	char path[4096], name[4096 + 16];

	if (cgroup__path(id, path, sizeof(path)))
		snprintf(name, sizeof(name), "cgroup %" PRIu64, id);
	else
		snprintf(name, sizeof(name), "cgroup %s", printable__clean(path));
	put_frame(fp, name);
}

/* Blanks in a command's name become underscores and ids follow it, as in the output of stackcollapse-perf.pl. */
static void put_task(FILE *fp, const struct thread *thread, unsigned int key)
{
	char name[64] = "", *blank;

	if (!key || key & TALLY_KEY_COMM)
		snprintf(name, 32, "%s", comm__shown(thread->comm));
	else if (!(key & (TALLY_KEY_PID | TALLY_KEY_TID)))
		return;
	while ((blank = strchr(name, ' ')))
		*blank = '_';
	if (key & TALLY_KEY_TID)
		snprintf(name + strlen(name), 32, "-%d/%d", (int)thread->pid, (int)thread->tid);
	else if (key & TALLY_KEY_PID)
		snprintf(name + strlen(name), 32, "-%d", (int)thread->pid);
	put_frame(fp, name);
}

/* Texts of the kernel and of tasks; an empty one is a frame, too. */
static void put_clean(FILE *fp, const char *text)
{
	char clean[256];

	snprintf(clean, sizeof(clean), "%s", *text ? text : "(empty)");
	put_frame(fp, printable__clean(clean));
}

/* Of values that users name; the number of the user comes first if it is in the key. */
static void put_texts(struct folded *f, const struct perf_sample *raw)
{
	for (unsigned int i = 0; i < f->opts.nr_texts; i++) {
		const char *text = key_texts__get(raw->raw, raw->raw_size, i, f->opts.nr_texts);

		put_clean(f->text_fp, text ?: "");
	}
}

static void put_who(struct folded *f, const struct session_sample *sample)
{
	const struct perf_sample *raw = sample->sample;
	unsigned int key = f->opts.key;
	char name[32];
	u32 uid;

	if (f->opts.many_events)
		put_frame(f->text_fp, sample->evsel->name);
	if (key & TALLY_KEY_CPU) {
		snprintf(name, sizeof(name), "cpu %u", raw->cpu);
		put_frame(f->text_fp, name);
	}
	if (key & TALLY_KEY_CGROUP)
		put_cgroup(f->text_fp, raw->cgroup);
	if (f->opts.nr_texts) {
		put_texts(f, raw);
	} else if (key & TALLY_KEY_UID && raw->raw_size >= sizeof(uid)) {
		memcpy(&uid, raw->raw, sizeof(uid));
		snprintf(name, sizeof(name), "uid %u", uid);
		put_frame(f->text_fp, name);
	}
	if (key || !f->opts.nr_texts)
		put_task(f->text_fp, sample->thread, key);
}

/* Of wall-clock time */
static void put_state(FILE *fp, const char *state)
{
	char name[32];

	if (!state)
		return;
	snprintf(name, sizeof(name), "[%s]", state);
	put_frame(fp, name);
}

/* Outermost first, so the kernel's frames come after the user's. */
static void put_where(struct folded *f, const struct session_sample *sample)
{
	u32 i;

	for (i = sample->chain ? sample->chain->nr : 0; i-- > 0;)
		put_location(f->text_fp, &sample->chain->frame[i]);
	if (!sample->chain && f->opts.key & (TALLY_KEY_IP | TALLY_KEY_SYM))
		put_location(f->text_fp, &sample->loc);
	put_state(f->text_fp, wall_state__of(sample->sample));
}

static u64 weigh(const struct folded *f, u64 nr, u64 period)
{
	return f->opts.weight == FOLDED_SAMPLES ? nr : period;
}

static int count_line(struct folded *f, u64 weight)
{
	size_t len = strlen(f->text);
	struct line *line;

	HASH_FIND(hh, f->lines, f->text, len, line);
	if (!line) {
		line = malloc(sizeof(*line) + len + 1);
		if (!line)
			return -ENOMEM;
		line->weight = 0;
		memcpy(line->text, f->text, len + 1);
		HASH_ADD_KEYPTR(hh, f->lines, line->text, len, line);
		if (!hash_added(line)) {
			free(line);
			return -ENOMEM;
		}
	}
	line->weight += weight;
	f->last = line;
	return 0;
}

static int folded__sample(struct tally_output *out, const struct session_sample *sample)
{
	struct folded *f = (struct folded *)out;

	rewind(f->text_fp);
	put_who(f, sample);
	put_where(f, sample);
	fputc('\0', f->text_fp);
	if (fflush(f->text_fp) || ferror(f->text_fp))
		return -ENOMEM;
	return count_line(f, weigh(f, sample->sample->count, sample->sample->period));
}

static u64 folded__last_place(const struct tally_output *out)
{
	return (uintptr_t)((const struct folded *)out)->last;
}

static void folded__again(struct tally_output *out, u64 place, u64 nr, u64 period)
{
	((struct line *)(uintptr_t)place)->weight += weigh((const struct folded *)out, nr, period);
}

static int compare(struct line *a, struct line *b)
{
	return strcmp(a->text, b->text);
}

static void folded__finish(struct tally_output *out)
{
	struct folded *f = (struct folded *)out;
	struct line *line, *tmp;

	HASH_SORT(f->lines, compare);
	HASH_ITER(hh, f->lines, line, tmp) {
		if (line->weight) /* otherwise nothing was counted there in the end */
			fprintf(f->opts.fp, "%s %" PRIu64 "\n", line->text, line->weight);
	}
}

static void folded__delete(struct tally_output *out)
{
	struct folded *f = (struct folded *)out;
	struct line *line, *tmp;

	if (!f)
		return;
	HASH_ITER(hh, f->lines, line, tmp) {
		HASH_DEL(f->lines, line);
		free(line);
	}
	if (f->text_fp)
		fclose(f->text_fp);
	free(f->text);
	free(f);
}

struct tally_output *tally_folded__new(const struct tally_output_opts *opts, struct errmsg *err)
{
	static const struct tally_output_ops ops = {
		.sample = folded__sample,
		.last_place = folded__last_place,
		.again = folded__again,
		.finish = folded__finish,
		.delete = folded__delete,
	};
	struct folded *f = calloc(1, sizeof(*f));

	if (!f)
		goto err_out;
	f->out.ops = &ops;
	f->opts = *opts;
	f->text_fp = open_memstream(&f->text, &f->size);
	if (!f->text_fp)
		goto err_out;
	return &f->out;
err_out:
	errmsg__set(err, ENOMEM, "out of memory");
	folded__delete((struct tally_output *)f);
	return NULL;
}
