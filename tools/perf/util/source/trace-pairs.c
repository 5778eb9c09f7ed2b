// SPDX-License-Identifier: GPL-2.0
#include "util/source/trace-pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/hash.h"

struct open_call { /* of a thread */
	u32 tid;
	bool is_open;
	struct trace_call call;
	UT_hash_handle hh;
};

struct sum_row {
	struct trace_sum_key key;
	struct trace_sum sum;
	UT_hash_handle hh;
};

struct error_count {
	struct trace_error_key key;
	u64 nr;
	UT_hash_handle hh;
};

struct trace_pairs {
	const struct trace_opts *opts;
	struct open_call *open;
	struct sum_row *sums;
	struct error_count *errors;
	u64 last; /* time of a hit; 0: there was none */
};

struct trace_pairs *trace_pairs__new(const struct trace_opts *opts)
{
	struct trace_pairs *pairs = calloc(1, sizeof(*pairs));

	if (pairs)
		pairs->opts = opts;
	return pairs;
}

static struct open_call *find_open(struct trace_pairs *pairs, u32 tid)
{
	struct open_call *open;

	HASH_FIND(hh, pairs->open, &tid, sizeof(tid), open);
	if (open)
		return open;
	open = calloc(1, sizeof(*open));
	if (!open)
		return NULL;
	open->tid = tid;
	HASH_ADD(hh, pairs->open, tid, sizeof(open->tid), open);
	if (hash_added(open))
		return open;
	free(open);
	return NULL;
}

static int add_error(struct trace_pairs *pairs, const struct trace_sum_key *key, u32 errnum)
{
	const struct trace_error_key wanted = { .id = key->id, .nr = key->nr, .error = errnum };
	struct error_count *count;

	HASH_FIND(hh, pairs->errors, &wanted, sizeof(wanted), count);
	if (!count) {
		count = calloc(1, sizeof(*count));
		if (!count)
			return -ENOMEM;
		count->key = wanted;
		HASH_ADD(hh, pairs->errors, key, sizeof(count->key), count);
		if (!hash_added(count)) {
			free(count);
			return -ENOMEM;
		}
	}
	count->nr++;
	return 0;
}

static struct trace_sum *find_sum(struct trace_pairs *pairs, const struct trace_sum_key *key)
{
	struct sum_row *row;

	HASH_FIND(hh, pairs->sums, key, sizeof(*key), row);
	if (row)
		return &row->sum;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->key = *key;
	row->sum.least = UINT64_MAX;
	HASH_ADD(hh, pairs->sums, key, sizeof(row->key), row);
	if (hash_added(row))
		return &row->sum;
	free(row);
	return NULL;
}

static void add_time(struct trace_sum *sum, u64 ns)
{
	const unsigned __int128 squares = ((unsigned __int128)sum->squares_high << 64 | sum->squares_low) + (unsigned __int128)ns * ns;

	sum->total += ns;
	sum->least = ns < sum->least ? ns : sum->least;
	sum->greatest = ns > sum->greatest ? ns : sum->greatest;
	sum->squares_low = squares;
	sum->squares_high = squares >> 64;
}

static int add_to_sum(struct trace_pairs *pairs, const struct trace_call *call)
{
	const struct trace_sum_key key = { .id = pairs->opts->by == TRACE_BY_CPU ? call->cpu : call->tid, .nr = call->nr };
	struct trace_sum *sum = find_sum(pairs, &key);

	if (!sum)
		return -ENOMEM;
	sum->pid = call->pid;
	memcpy(sum->comm, call->comm, sizeof(sum->comm));
	sum->calls++;
	sum->single += call->begun != TRACE_BEGIN_SEEN || call->state != TRACE_ENDED;
	if (call->begun == TRACE_BEGIN_NONE || call->state == TRACE_NO_RETURN)
		sum->untimed++;
	else
		add_time(sum, call->end - call->begin);
	if (call->state != TRACE_ENDED || !trace_call__failed(call))
		return 0;
	sum->errors++;
	return pairs->opts->with_errors ? add_error(pairs, &key, -call->ret) : 0;
}

static int finish(struct trace_pairs *pairs, const struct trace_call *call)
{
	const struct trace_opts *opts = pairs->opts;

	if (opts->failed_only && (call->state != TRACE_ENDED || !trace_call__failed(call)))
		return 0;
	if (call->end - call->begin < opts->min_ns)
		return 0;
	if (opts->written)
		opts->call(opts->data, call);
	return opts->summed ? add_to_sum(pairs, call) : 0;
}

static int begin(struct trace_pairs *pairs, struct open_call *open, const struct trace_hit *hit)
{
	const bool no_return = trace_has_no_end(hit->nr);

	open->call = (struct trace_call){
		.bytes = sizeof(open->call), .begin = hit->time, .end = hit->time, .pid = hit->pid, .tid = hit->tid, .nr = hit->nr, .cpu = hit->cpu,
		.state = no_return ? TRACE_NO_RETURN : TRACE_ENDED,
	};
	memcpy(open->call.arg, hit->arg, sizeof(hit->arg));
	strncpy(open->call.comm, hit->comm, sizeof(open->call.comm) - 1);
	open->is_open = !no_return;
	return no_return ? finish(pairs, &open->call) : 0;
}

/* It may have begun before the recording, or seccomp has answered it: a file does not tell. */
static void begin_late(struct open_call *open, const struct trace_hit *hit)
{
	open->call = (struct trace_call){
		.bytes = sizeof(open->call), .begin = hit->time, .pid = hit->pid, .tid = hit->tid, .nr = hit->nr, .state = TRACE_ENDED,
		.begun = TRACE_BEGIN_NONE, .no_args = true,
	};
}

static bool ends(const struct open_call *open, u32 nr)
{
	if (!open->is_open)
		return false;
	return open->call.nr == nr || (trace_is_exec(open->call.nr) && trace_is_exec(nr)) || (trace_is_sigreturn(open->call.nr) && nr == TRACE_FORGOTTEN);
}

int trace_pairs__add(struct trace_pairs *pairs, const struct trace_hit *hit, bool end)
{
	struct open_call *open = find_open(pairs, hit->tid);

	if (!open)
		return -ENOMEM;
	pairs->last = hit->time;
	if (!end)
		return begin(pairs, open, hit);
	if (!ends(open, hit->nr)) {
		if (hit->nr == TRACE_FORGOTTEN || (trace_makes_task(hit->nr) && !hit->ret)) /* the end of a child's own clone(2) has no begin either */
			return 0;
		begin_late(open, hit);
	}
	open->is_open = false;
	open->call.end = hit->time;
	open->call.ret = hit->ret;
	open->call.cpu = hit->cpu;
	strncpy(open->call.comm, hit->comm, sizeof(open->call.comm) - 1);
	return finish(pairs, &open->call);
}

static int pass_sums(struct trace_pairs *pairs)
{
	const struct trace_opts *opts = pairs->opts;
	struct error_count *error, *next_error;
	struct sum_row *row, *next;
	struct errmsg err;

	HASH_ITER(hh, pairs->sums, row, next) {
		if (opts->sum(opts->data, &row->key, &row->sum, &err))
			return -ENOMEM;
	}
	HASH_ITER(hh, pairs->errors, error, next_error) {
		if (opts->error(opts->data, &error->key, error->nr, &err))
			return -ENOMEM;
	}
	return 0;
}

int trace_pairs__finish(struct trace_pairs *pairs)
{
	struct open_call *open, *next;
	int ret;

	HASH_ITER(hh, pairs->open, open, next) {
		if (!open->is_open)
			continue;
		open->call.end = pairs->last;
		open->call.state = TRACE_UNFINISHED;
		ret = finish(pairs, &open->call);
		if (ret)
			return ret;
	}
	return pass_sums(pairs);
}

void trace_pairs__delete(struct trace_pairs *pairs)
{
	struct error_count *error, *next_error;
	struct open_call *open, *next_open;
	struct sum_row *row, *next;

	if (!pairs)
		return;
	HASH_ITER(hh, pairs->open, open, next_open) {
		HASH_DEL(pairs->open, open);
		free(open);
	}
	HASH_ITER(hh, pairs->sums, row, next) {
		HASH_DEL(pairs->sums, row);
		free(row);
	}
	HASH_ITER(hh, pairs->errors, error, next_error) {
		HASH_DEL(pairs->errors, error);
		free(error);
	}
	free(pairs);
}
