// SPDX-License-Identifier: GPL-2.0
#include "util/push/push.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "util/lib/clock.h"
#include "util/lib/printable.h"
#include "util/lib/threads.h"
#include "util/push/http.h"

#define NS_PER_MS 1000000ULL
#define FIRST_DELAY_MS 500
#define MAX_DELAY_MS 30000
#define MAX_RETRY_AFTER 900 /* seconds; what a receiver may ask for */

struct queued {
	struct queued *next;
	char *query;
	void *body;
	size_t size;
};

struct push {
	struct push_opts opts;
	struct http *http;
	struct spool *spool; /* the thread's alone, as the members after the lock's are not; NULL: none */
	bool away;	 /* the last try failed */
	u64 delay_ms, retry_at; /* after the last failure; the time in ns */
	unsigned int seed;

	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t more;
	struct queued *first, **last;
	size_t bytes;	 /* of the queue */
	u64 end_at;	 /* ns; 0: not yet */
	struct push_counts counts;
};

static u64 now(void)
{
	return clock__ns(CLOCK_MONOTONIC);
}

static void queued__delete(struct queued *q)
{
	if (!q)
		return;
	free(q->query);
	free(q->body);
	free(q);
}

static void count(struct push *p, u64 *counter, u64 nr)
{
	pthread_mutex_lock(&p->lock);
	*counter += nr;
	pthread_mutex_unlock(&p->lock);
}

/* --- tries --- */

enum outcome { SENT, REFUSED, FAILED };

/* The receiver's own words, if they contain no secret. */
static void quote(const struct push *p, const struct http_answer *answer, char *text, size_t size)
{
	size_t len = answer->size < 200 ? answer->size : 200;
	char words[201];

	*text = '\0';
	memcpy(words, answer->body, len);
	words[len] = '\0';
	printable__clean(words);
	words[strcspn(words, "\n")] = '\0';
	if (*words && !push_secrets__are_in(p->opts.secrets, words))
		snprintf(text, size, " (%s)", words);
}

static enum outcome judge(struct push *p, const struct http_answer *answer, char *why, size_t size)
{
	const long status = answer->status;
	char words[256];

	if (status / 100 == 2) {
		u64 dropped = p->opts.rejected ? p->opts.rejected(answer->body, answer->size) : 0;

		count(p, &p->counts.partly, dropped);
		return SENT;
	}
	if (status / 100 == 3) {
		snprintf(why, size, "it redirects (%ld), which is not followed: push to where it redirects", status);
		return REFUSED;
	}
	quote(p, answer, words, sizeof(words));
	snprintf(why, size, "status %ld%s%s", status, status == 401 || status == 403 ? ": set PERF_PUSH_HEADERS" : "", words);
	return status / 100 == 5 || status == 408 || status == 429 ? FAILED : REFUSED;
}

static void note_failure(struct push *p, const char *why, long retry_after)
{
	char text[700];

	/* Not all perfs of a fleet at once */
	p->delay_ms = p->delay_ms ? 2 * p->delay_ms : FIRST_DELAY_MS;
	if (p->delay_ms > MAX_DELAY_MS)
		p->delay_ms = MAX_DELAY_MS;
	p->retry_at = now() + (p->delay_ms * 3 / 4 + rand_r(&p->seed) % (p->delay_ms / 2)) * NS_PER_MS;
	if (retry_after > MAX_RETRY_AFTER)
		retry_after = MAX_RETRY_AFTER;
	if (retry_after > 0 && now() + retry_after * 1000 * NS_PER_MS > p->retry_at)
		p->retry_at = now() + retry_after * 1000 * NS_PER_MS;
	if (!p->away) {
		snprintf(text, sizeof(text), "cannot push to %s: %s. Profiles wait %s%s", p->opts.target->shown, why, p->spool ? "in " : "in memory",
			 p->spool ? spool__dir(p->spool) : "");
		p->opts.tell(false, text);
	}
	p->away = true;
}

static void note_answer(struct push *p, bool cut)
{
	char text[400];

	if (p->away) {
		snprintf(text, sizeof(text), "%s answers again", p->opts.target->shown);
		p->opts.tell(true, text);
	}
	p->away = false;
	p->delay_ms = 0;
	p->retry_at = 0;
	if (cut) {
		snprintf(text, sizeof(text), "%s takes profiles, but its answer does not end: perf reads no more than %d bytes of it",
			 p->opts.target->shown, HTTP_ANSWER_BYTES);
		p->opts.tell(true, text);
	}
}

static enum outcome try(struct push *p, const char *query, const void *body, size_t size)
{
	struct http_answer *answer = calloc(1, sizeof(*answer));
	struct errmsg err = { "out of memory" };
	char why[512] = "";
	int ret = answer ? http__post(p->http, query, body, size, answer, &err) : -EAGAIN;
	enum outcome outcome = ret ? FAILED : judge(p, answer, why, sizeof(why));

	if (ret)
		snprintf(why, sizeof(why), "%.500s", err.text);
	if (outcome == FAILED && ret != -ECANCELED)
		note_failure(p, why, ret ? 0 : answer->retry_after);
	else if (outcome != FAILED)
		note_answer(p, answer->cut);
	pthread_mutex_lock(&p->lock);
	if (*why && ret != -ECANCELED)
		snprintf(p->counts.why, sizeof(p->counts.why), "%s", why);
	p->counts.failures += outcome == FAILED;
	p->counts.refused += outcome == REFUSED;
	p->counts.sent += outcome == SENT;
	p->counts.sent_bytes += outcome == SENT ? size : 0;
	pthread_mutex_unlock(&p->lock);
	free(answer);
	return outcome;
}

/* --- the thread --- */

static bool is_over(void *data)
{
	struct push *p = data;
	bool over;

	pthread_mutex_lock(&p->lock);
	over = p->end_at && now() >= p->end_at;
	pthread_mutex_unlock(&p->lock);
	return over;
}

/* Put it before all others again. */
static void give_back(struct push *p, struct queued *q)
{
	pthread_mutex_lock(&p->lock);
	q->next = p->first;
	if (!p->first)
		p->last = &q->next;
	p->first = q;
	p->bytes += q->size;
	pthread_mutex_unlock(&p->lock);
}

static struct queued *take_first(struct push *p)
{
	struct queued *q;

	pthread_mutex_lock(&p->lock);
	q = p->first;
	if (q) {
		p->first = q->next;
		if (!p->first)
			p->last = &p->first;
		p->bytes -= q->size;
	}
	pthread_mutex_unlock(&p->lock);
	return q;
}

/* Move it to the spool. false: that is not possible now, and it waits in memory. */
static bool spool_one(struct push *p, struct queued *q)
{
	u64 thrown_out = 0;
	struct errmsg err;
	int ret = p->spool ? spool__add(p->spool, q->query, q->body, q->size, &thrown_out, &err) : -ENOENT;

	pthread_mutex_lock(&p->lock);
	p->counts.thrown_out += thrown_out;
	p->counts.spooled += !ret;
	p->counts.no_room += ret == -EFBIG;
	if (ret && ret != -ENOENT)
		snprintf(p->counts.why_no_room, sizeof(p->counts.why_no_room), "%.500s", err.text);
	pthread_mutex_unlock(&p->lock);
	if (ret && ret != -EFBIG) {
		give_back(p, q);
		return false;
	}
	queued__delete(q);
	return true;
}

static void spool_all(struct push *p)
{
	struct queued *q;

	while ((q = take_first(p)) && spool_one(p, q))
		;
}

/* Send the oldest of the spool. false: there is none, or the receiver is away. */
static bool send_spooled(struct push *p)
{
	struct spool_item item;
	u64 thrown_out = 0;
	int ret = p->spool ? spool__oldest(p->spool, &item, &thrown_out) : -ENOENT;
	bool sent = false;

	count(p, &p->counts.thrown_out, thrown_out);
	if (ret == -ENOMEM)
		p->retry_at = now() + FIRST_DELAY_MS * NS_PER_MS;
	if (ret)
		return false;
	if (try(p, item.query, item.body, item.size) != FAILED) {
		spool__remove(p->spool, &item);
		sent = true;
	}
	free(item.query);
	free(item.body);
	return sent;
}

static bool send_queued(struct push *p)
{
	struct queued *q = take_first(p);

	if (!q)
		return false;
	if (try(p, q->query, q->body, q->size) == FAILED) {
		spool_one(p, q);
		return false;
	}
	queued__delete(q);
	return true;
}

/* What came first is sent first. */
static void send_all(struct push *p)
{
	while (!is_over(p) && send_spooled(p))
		;
	if (p->spool && spool__nr(p->spool)) {
		spool_all(p);
		return;
	}
	while (!p->away && !is_over(p) && send_queued(p))
		;
}

/* Wait for work. Returns whether the end has come. */
static bool wait_for_work(struct push *p)
{
	bool waiting = p->away || (p->spool && spool__nr(p->spool));
	struct timespec until;
	bool end;

	pthread_mutex_lock(&p->lock);
	if (waiting && p->retry_at > now()) {
		until = (struct timespec){ p->retry_at / 1000000000, p->retry_at % 1000000000 };
		while (!p->end_at && !p->first && now() < p->retry_at && !pthread_cond_timedwait(&p->more, &p->lock, &until))
			;
	} else {
		while (!p->end_at && !p->first && !waiting)
			pthread_cond_wait(&p->more, &p->lock);
	}
	end = p->end_at;
	pthread_mutex_unlock(&p->lock);
	return end;
}

/* While neither the receiver nor the spool takes anything, nothing can be done before the next try. */
static void rest(struct push *p)
{
	struct timespec until = { p->retry_at / 1000000000, p->retry_at % 1000000000 };

	pthread_mutex_lock(&p->lock);
	while (!p->end_at && p->first && now() < p->retry_at && !pthread_cond_timedwait(&p->more, &p->lock, &until))
		;
	pthread_mutex_unlock(&p->lock);
}

static void *run(void *data)
{
	struct push *p = data;

	while (!wait_for_work(p)) {
		if (p->retry_at <= now()) {
			send_all(p);
			continue;
		}
		spool_all(p);
		rest(p);
	}
	/* One more try, whatever the delay is. */
	p->retry_at = 0;
	send_all(p);
	spool_all(p);
	return NULL;
}

/* --- for the caller --- */

static int open_spool(struct push *p, struct errmsg *err)
{
	int ret;

	if (!p->opts.spool_bytes)
		return 0;
	ret = spool__new(p->opts.spool, p->opts.spool_bytes, p->opts.target->kind, &p->spool, err);
	if (ret)
		return ret;
	p->counts.found = spool__nr(p->spool);
	p->counts.others = spool__nr_others(p->spool);
	return 0;
}

int push__new(const struct push_opts *opts, struct push **push, struct errmsg *err)
{
	struct push *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;
	int ret;

	if (!p)
		return errmsg__set(err, ENOMEM, "out of memory");
	p->opts = *opts;
	p->last = &p->first;
	p->seed = now();
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->more, &attr);
	ret = http__new(opts->target, opts->secrets, is_over, p, &p->http, err) ?: open_spool(p, err);
	if (ret) {
		push__delete(p);
		return ret;
	}
	*push = p;
	return 0;
}

static void start(struct push *p)
{
	if (!p->started)
		p->started = !threads__start(&p->thread, run, p);
}

/* The oldest gives way, since the newest shows what is going on. Called with the lock. */
static void make_room(struct push *p, size_t size)
{
	while (p->first && p->bytes + size > PUSH_QUEUE_BYTES) {
		struct queued *q = p->first;

		p->first = q->next;
		if (!p->first)
			p->last = &p->first;
		p->bytes -= q->size;
		p->counts.no_room++;
		queued__delete(q);
	}
}

void push__add(struct push *p, char *query, void *body, size_t size)
{
	struct queued *q = calloc(1, sizeof(*q));

	start(p);
	pthread_mutex_lock(&p->lock);
	p->counts.added++;
	if (q) {
		*q = (struct queued){ .query = query, .body = body, .size = size };
		make_room(p, size);
		*p->last = q;
		p->last = &q->next;
		p->bytes += size;
		pthread_cond_signal(&p->more);
	} else {
		p->counts.no_room++;
		free(query);
		free(body);
	}
	pthread_mutex_unlock(&p->lock);
}

void push__finish(struct push *p, struct push_counts *counts)
{
	struct queued *q;

	if (!p->started && p->counts.found)
		start(p);
	pthread_mutex_lock(&p->lock);
	p->end_at = now() + PUSH_END_MS * NS_PER_MS;
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
	if (p->started)
		pthread_join(p->thread, NULL);
	p->started = false;
	while ((q = take_first(p))) {
		p->counts.no_room++;
		queued__delete(q);
	}
	p->counts.waiting = p->spool ? spool__nr(p->spool) : 0;
	*counts = p->counts;
}

void push__delete(struct push *p)
{
	struct push_counts counts;

	if (!p)
		return;
	if (p->started)
		push__finish(p, &counts);
	http__delete(p->http);
	spool__delete(p->spool);
	pthread_cond_destroy(&p->more);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
