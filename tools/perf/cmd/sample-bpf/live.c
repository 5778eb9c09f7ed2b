// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "sample-bpf"

#include "cmd/sample-bpf/live.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "ui/session-stdio.h"
#include "ui/tui/keyboard.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"
#include "util/symbol/live-functions.h"
#include "util/source/tally-values.h"

bool sample_bpf_live__wanted(const struct sample_bpf_live *live)
{
	return live->folded || live->top || live->push;
}

static struct session_opts session_opts(const struct sample_bpf_live *live)
{
	/* Debug information would take most of perf's time and memory. Receivers that have it find inlined functions, and those without symbols, by themselves. */
	return (struct session_opts){
		.max_stack = 2 * live->max_stack,
		.resolver = { .symtab.live = live->functions, .no_inline = live->push, .no_fde_names = live->push },
	};
}

static int open_session(void *data, const struct perfdata_event *event, u32 nr, struct errmsg *err)
{
	struct sample_bpf_live *live = data;
	const struct session_opts opts = session_opts(live);

	if (live->push)
		live->push->nr_events = nr;
	return session__open_live(&opts, event, nr, &live->session, err);
}

/* With --both the samples themselves arrive here, too. */
static int take_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct sample_bpf_live *live = data;

	return sample->sample->misc & PERF_RECORD_MISC_SAMPLES_COUNTED_ ? live->out->ops->sample(live->out, sample) : 0;
}

static void lock(const struct sample_bpf_live *live)
{
	if (live->out->ops->lock)
		live->out->ops->lock(live->out);
}

static void unlock(const struct sample_bpf_live *live)
{
	if (live->out->ops->unlock)
		live->out->ops->unlock(live->out);
}

static int take_records(void *data, const void *records, size_t size, struct errmsg *err)
{
	static const struct session_ops ops = { .sample = take_sample };
	struct sample_bpf_live *live = data;
	int ret;

	lock(live);
	ret = session__feed(live->session, records, size, &ops, live, err);
	unlock(live);
	return ret;
}

/* --- forgetting: with --push perf runs for months, and perf top for days: processes that have ended must not take memory --- */

#define MAX_TID (1 << 22) /* PID_MAX_LIMIT; above are numbers that perf has made up, which grow */
#define MANY_ENDED 2000
#define MUCH_MEMORY (32 << 20)

static u64 bytes_in_use(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* Or have many symbols come that nobody may need any more? */
static bool has_grown(struct sample_bpf_live *live, u32 nr_threads)
{
	if (!live->bytes) /* the first round since it forgot: what it needs */
		live->bytes = bytes_in_use();
	return nr_threads >= 2 * live->nr_threads + MANY_ENDED || bytes_in_use() > live->bytes + live->bytes / 4 + MUCH_MEMORY;
}

static bool has_ended(u32 tid)
{
	return tid && tid < MAX_TID && kill(tid, 0) && errno == ESRCH;
}

static int count_thread(const struct thread *thread, void *data)
{
	++*(u32 *)data;
	return 0;
}

static u32 count_threads(const struct sample_bpf_live *live)
{
	u32 nr = 0;

	machine__for_each_thread(session__machine(live->session), count_thread, &nr);
	return nr;
}

static int note_ended(const struct thread *thread, void *data)
{
	struct sample_bpf_live *live = data;

	if (thread->tid >= MAX_TID && thread->tid != -1U && thread->tid > live->stand_in)
		live->stand_in = thread->tid;
	if (has_ended(thread->tid))
		live->ended[thread->tid / 64] |= 1ULL << thread->tid % 64;
	return 0;
}

static bool is_wanted(const struct thread *thread, void *data)
{
	const struct sample_bpf_live *live = data;

	if (thread->tid >= MAX_TID)
		return thread->tid == -1U || thread->tid > live->stand_in;
	return !(live->ended[thread->tid / 64] & 1ULL << thread->tid % 64) || !has_ended(thread->tid);
}

/*
 * What has ended may have samples in the next round, since it ended after this one: so it goes a round later, as do the threads that perf
 * has made up for the commands of this round (tally_opts.anew). Without memory it stays.
 */
static void forget_ended(struct sample_bpf_live *live)
{
	const struct session_opts opts = session_opts(live);
	u32 before;

	if (!live->ended) {
		if (!has_grown(live, count_threads(live)))
			return;
		live->stand_in = 0;
		live->ended = calloc(MAX_TID / 64, sizeof(*live->ended));
		if (live->ended)
			machine__for_each_thread(session__machine(live->session), note_ended, live);
		return;
	}
	before = count_threads(live);
	if (live->out->ops->forget)
		live->out->ops->forget(live->out);
	session__forget(live->session, &opts, is_wanted, live);
	live->nr_threads = count_threads(live);
	live->bytes = 0;
	pr_debug("forgot %u threads that have ended, %u are left\n", before - live->nr_threads, live->nr_threads);
	free(live->ended);
	live->ended = NULL;
	malloc_trim(0);
}

static int end_round(void *data, struct errmsg *err)
{
	struct sample_bpf_live *live = data;
	int ret;

	if (!live->out->ops->round)
		return 0;
	lock(live);
	ret = live->out->ops->round(live->out);
	unlock(live);
	if (ret)
		return errmsg__set(err, ENOMEM, "out of memory for what was counted");
	if (live->push || live->out->ops->forget)
		forget_ended(live);
	return 0;
}

static void take_counts(void *data, u32 event, const struct tally_counts *counts)
{
	struct sample_bpf_live *live = data;

	lock(live);
	live->out->ops->counts(live->out, event, counts->lost_keys + counts->lost_spill, counts->dropped);
	unlock(live);
}

static bool is_ended(void *data)
{
	return true;
}

static bool wants_end(void *data)
{
	return keyboard__wants_end(STDIN_FILENO);
}

/* The texts in raw data: of values, and of the user beside them. */
static unsigned int nr_texts(const struct tally_opts *counting)
{
	if (!counting || !counting->exprs || !counting->exprs->nr)
		return 0;
	return counting->exprs->nr + !!(counting->key & TALLY_KEY_UID);
}

int sample_bpf_live__begin(struct sample_bpf_live *live, struct record_options *recording, unsigned int key, unsigned int max_stack)
{
	const struct tally_output_opts opts = {
		.fp = stdout, .key = key, .many_events = evlist__nr_sampling(recording->evlist) > 1, .weight = live->folded, .push = live->push,
		.nr_texts = nr_texts(recording->opts.count),
	};
	struct errmsg err;

	live->max_stack = max_stack;
	live->functions = recording->opts.live = live_functions__new();
	if (!live->functions) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	live->out = live->own ?: tally_formats[live->push ? TALLY_PUSH : live->folded ? TALLY_FOLDED : TALLY_TOP].new(&opts, &err);
	if (!live->out) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	live->sink = (struct record_sink){
		.begin = open_session, .records = take_records, .round = end_round, .fd = -1, .readable = wants_end, .is_full = stream__stdout_has_failed, .data = live,
	};
	if (live->out->ops->counts)
		live->sink.counts = take_counts;
	if (live->out->ops->fd)
		live->sink.fd = live->out->ops->fd(live->out);
	if (live->sink.fd >= 0)
		live->sink.readable = is_ended;
	else if (live->top && isatty(STDOUT_FILENO) && !recording->dry_run && keyboard__take(STDIN_FILENO))
		live->sink.fd = STDIN_FILENO;
	recording->opts.sink = &live->sink;
	return 0;
}

void sample_bpf_live__finish(struct sample_bpf_live *live)
{
	if (!live->out)
		return;
	keyboard__release();
	if (live->out->ops->finish)
		live->out->ops->finish(live->out);
	session__warn(live->session, "this recording");
}

void sample_bpf_live__exit(struct sample_bpf_live *live)
{
	keyboard__release();
	if (live->out)
		live->out->ops->delete(live->out);
	session__delete(live->session);
	live_functions__delete(live->functions);
	free(live->ended);
}
