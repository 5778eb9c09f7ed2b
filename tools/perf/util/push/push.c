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
#define TELL_MS 60000 /* tell not more often that the receiver is away */

struct queued {
	struct queued *next;
	char *query;
	void *body;
	size_t size;
	struct tries tries; /* only without a spool */
};

/* The result of a try, and who caused a failure */
enum outcome {
	SENT, REFUSED,
	UNREACHED, TURNED_AWAY, /* the receiver: it takes no profile at all now */
	FAILED,			/* the cause is not known */
};

struct push {
	struct push_opts opts;
	struct http *http;
	struct spool *spool; /* the thread's alone, as the members after the lock's are not; NULL: none */
	u64 accepted;	 /* sent or refused: the receiver was there */
	u32 turned_away; /* since then */
	u64 probe;	 /* the number in the spool from which on another one is tried, after the oldest has failed */
	bool told;	 /* that the receiver is away */
	u64 told_at;	 /* times in ns; 0: never */
	u64 delay_ms, retry_at; /* after the last failure */
	u64 spool_at;	 /* the spool could not be written to, and is not tried before */
	long retry_after; /* seconds; what the receiver asked for in its last answer */
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
	return clock__own_ns(CLOCK_MONOTONIC);
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

/* Does the status say that no profile would be taken? What is wrong is the URL, a token, or how much is sent. */
static bool is_for_all(const struct http_answer *answer)
{
	static const long statuses[] = { 401, 403, 404, 405, 407, 429 };

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		if (answer->status == statuses[i])
			return true;
	}
	return answer->status / 100 == 3 || answer->retry_after;
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
	quote(p, answer, words, sizeof(words));
	if (status / 100 == 3)
		snprintf(why, size, "it redirects (%ld), which is not followed: push to where it redirects", status);
	else
		snprintf(why, size, "status %ld%s%s", status, status == 401 || status == 403 ? ": set PERF_PUSH_HEADERS" : "", words);
	if (is_for_all(answer))
		return TURNED_AWAY;
	return status / 100 == 5 || status == 408 ? FAILED : REFUSED;
}

static void tell_away(struct push *p)
{
	char text[1200];

	if (p->told || (p->told_at && now() - p->told_at < TELL_MS * NS_PER_MS))
		return;
	snprintf(text, sizeof(text), "cannot push to %s: %s. Profiles wait %s%s", p->opts.target->shown, p->counts.why,
		 p->spool ? "in " : "in memory", p->spool ? spool__dir(p->spool) : "");
	p->opts.tell(false, text);
	p->told = true;
	p->told_at = now();
}

/* No try before a delay */
static void note_away(struct push *p)
{
	u64 retry_after = p->retry_after < MAX_RETRY_AFTER ? p->retry_after : MAX_RETRY_AFTER, asked = now() + retry_after * 1000 * NS_PER_MS;

	/* Not all perfs of a fleet at once */
	p->delay_ms = p->delay_ms ? 2 * p->delay_ms : FIRST_DELAY_MS;
	if (p->delay_ms > MAX_DELAY_MS)
		p->delay_ms = MAX_DELAY_MS;
	p->retry_at = now() + (p->delay_ms * 3 / 4 + rand_r(&p->seed) % (p->delay_ms / 2)) * NS_PER_MS;
	if (asked > p->retry_at)
		p->retry_at = asked;
	tell_away(p);
}

static void note_answer(struct push *p, bool cut)
{
	char text[400];

	if (p->told) {
		snprintf(text, sizeof(text), "%s answers again", p->opts.target->shown);
		p->opts.tell(true, text);
	}
	p->told = false;
	p->delay_ms = 0;
	p->retry_at = 0;
	p->accepted++;
	p->turned_away = 0;
	if (cut) {
		snprintf(text, sizeof(text), "%s takes profiles, but its answer does not end: perf reads no more than %d bytes of it",
			 p->opts.target->shown, HTTP_ANSWER_BYTES);
		p->opts.tell(true, text);
	}
}

static void note_outcome(struct push *p, enum outcome outcome, size_t size, const char *why)
{
	pthread_mutex_lock(&p->lock);
	p->counts.failures += outcome != SENT && outcome != REFUSED;
	p->counts.refused += outcome == REFUSED;
	p->counts.sent += outcome == SENT;
	p->counts.sent_bytes += outcome == SENT ? size : 0;
	if (outcome == REFUSED)
		snprintf(p->counts.why_refused, sizeof(p->counts.why_refused), "%s", why);
	else if (*why)
		snprintf(p->counts.why, sizeof(p->counts.why), "%s", why);
	pthread_mutex_unlock(&p->lock);
}

/* After FAILED the caller calls note_away(), if another one fails, too. */
static enum outcome try(struct push *p, const char *query, const void *body, size_t size)
{
	struct http_answer *answer = calloc(1, sizeof(*answer));
	struct errmsg err = { "out of memory" };
	char why[512] = "";
	int ret = answer ? http__post(p->http, query, body, size, answer, &err) : -EAGAIN;
	enum outcome outcome;

	if (!ret)
		outcome = judge(p, answer, why, sizeof(why));
	else
		outcome = answer && answer->sent && ret != -ECANCELED ? FAILED : UNREACHED;
	if (ret && ret != -ECANCELED)
		snprintf(why, sizeof(why), "%.500s", err.text);
	note_outcome(p, outcome, size, why);
	p->retry_after = ret ? 0 : answer->retry_after;
	p->turned_away += outcome == TURNED_AWAY;
	if (outcome == SENT || outcome == REFUSED)
		note_answer(p, answer->cut);
	else if (outcome != FAILED && ret != -ECANCELED)
		note_away(p);
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

/* Put it before all others again, or behind them. */
static void give_back(struct push *p, struct queued *q, bool behind)
{
	pthread_mutex_lock(&p->lock);
	q->next = behind ? NULL : p->first;
	if (behind)
		*p->last = q;
	else
		p->first = q;
	if (!q->next)
		p->last = &q->next;
	p->bytes += q->size;
	pthread_mutex_unlock(&p->lock);
}

/* The first one that does not stand back at that time; NULL: there is none. */
static struct queued *take_first(struct push *p, u64 time)
{
	struct queued *q, **from;

	pthread_mutex_lock(&p->lock);
	for (from = &p->first; *from && (*from)->tries.retry_at > time; from = &(*from)->next)
		;
	q = *from;
	if (q) {
		*from = q->next;
		if (!*from)
			p->last = from;
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
		give_back(p, q, false);
		p->spool_at = p->retry_at > now() ? p->retry_at : now() + FIRST_DELAY_MS * NS_PER_MS;
		return false;
	}
	queued__delete(q);
	return true;
}

static void spool_all(struct push *p)
{
	struct queued *q;

	while (p->spool && (q = take_first(p, UINT64_MAX)) && spool_one(p, q))
		;
}

static void give_up(struct push *p)
{
	char text[1200];

	count(p, &p->counts.given_up, 1);
	snprintf(text, sizeof(text), "%s has failed at a profile for an hour, while it took others: %s. It is thrown away", p->opts.target->shown,
		 p->counts.why);
	p->opts.tell(false, text);
}

static enum outcome try_spooled(struct push *p, const struct spool_item *item)
{
	enum outcome outcome = try(p, item->query, item->body, item->size);

	if (outcome == SENT || outcome == REFUSED)
		spool__remove(p->spool, item);
	free(item->query);
	free(item->body);
	return outcome;
}

static u64 next_try(const struct push *p)
{
	return p->retry_at > now() ? p->retry_at : now();
}

/* The receiver has failed at it. Is that known to be the profile's fault? */
static bool is_at_fault(struct push *p, const struct spool_item *item)
{
	enum tries_verdict verdict = spool__failed(p->spool, item, p->accepted, next_try(p));

	if (verdict == TRIES_GIVE_UP)
		give_up(p);
	return verdict != TRIES_UNDECIDED;
}

/* 0 or -errno, as spool__next() */
static int next_spooled(struct push *p, u64 from, struct spool_item *item)
{
	u64 thrown_out = 0;
	int ret = spool__next(p->spool, from, now(), item, &thrown_out);

	count(p, &p->counts.thrown_out, thrown_out);
	if (ret == -ENOMEM)
		p->retry_at = now() + FIRST_DELAY_MS * NS_PER_MS;
	return ret;
}

/*
 * The receiver has failed at the oldest: try another one, each time one further on, as the next ones may be as bad. true: that was taken,
 * or is known to be bad.
 */
static bool try_another(struct push *p, u64 oldest)
{
	struct spool_item item;
	enum outcome outcome;

	if (next_spooled(p, p->probe > oldest ? p->probe : oldest + 1, &item) && next_spooled(p, oldest + 1, &item))
		return false;
	p->probe = item.seq + 1;
	outcome = try_spooled(p, &item);
	return outcome == FAILED ? is_at_fault(p, &item) : outcome == SENT || outcome == REFUSED;
}

/* Send the oldest of the spool. false: there is none that may be tried now, or the receiver is away. */
static bool send_spooled(struct push *p)
{
	/* What is turned away may be so alone, whatever the receiver says. */
	u64 from = p->turned_away >= 3 && p->turned_away % 2 ? p->probe : 0;
	struct spool_item item;
	enum outcome outcome;

	if (!p->spool || (next_spooled(p, from, &item) && next_spooled(p, 0, &item)))
		return false;
	outcome = try_spooled(p, &item);
	if (from || (outcome == TURNED_AWAY && p->probe <= item.seq))
		p->probe = item.seq + 1;
	if (outcome == TURNED_AWAY)
		is_at_fault(p, &item);
	if (outcome != FAILED)
		return outcome == SENT || outcome == REFUSED;
	if (is_at_fault(p, &item) || try_another(p, item.seq))
		return true;
	if (p->retry_at <= now())
		note_away(p);
	return false;
}

/* Without a spool, one that fails goes behind the others. */
static bool put_behind(struct push *p, struct queued *q)
{
	enum tries_verdict verdict = tries__failed(&q->tries, p->accepted, next_try(p));

	if (verdict == TRIES_GIVE_UP) {
		give_up(p);
		queued__delete(q);
		return true;
	}
	if (verdict == TRIES_UNDECIDED && p->retry_at <= now())
		note_away(p);
	give_back(p, q, true);
	return verdict == TRIES_STAND_BACK;
}

/* Send the first in memory; false as above. */
static bool send_queued(struct push *p)
{
	struct queued *q = take_first(p, now());
	enum outcome outcome;

	if (!q)
		return false;
	outcome = try(p, q->query, q->body, q->size);
	if (outcome == SENT || outcome == REFUSED) {
		queued__delete(q);
		return true;
	}
	if (outcome != UNREACHED && !p->spool)
		return put_behind(p, q);
	if (outcome == FAILED)
		note_away(p);
	spool_one(p, q);
	return false;
}

/* What came first is sent first. */
static void send_all(struct push *p)
{
	while (!is_over(p) && send_spooled(p))
		;
	while (p->retry_at <= now() && !is_over(p) && send_queued(p))
		;
}

/* When there is something to do, ns. Called with the lock. */
static u64 next_work(const struct push *p)
{
	u64 at = p->spool ? spool__due_at(p->spool) : UINT64_MAX;

	for (const struct queued *q = p->first; q; q = q->next) {
		if (q->tries.retry_at < at)
			at = q->tries.retry_at;
	}
	if (at < p->retry_at)
		at = p->retry_at;
	/* What is only in memory goes to the disk meanwhile. */
	if (p->spool && p->first && p->spool_at < at)
		at = p->spool_at;
	return at;
}

/* false: the end has come. */
static bool wait_for_work(struct push *p)
{
	struct timespec until;
	bool end;
	u64 at;

	pthread_mutex_lock(&p->lock);
	while (!p->end_at && (at = next_work(p)) > now()) {
		until = (struct timespec){ at / 1000000000, at % 1000000000 };
		if (at == UINT64_MAX)
			pthread_cond_wait(&p->more, &p->lock);
		else
			pthread_cond_timedwait(&p->more, &p->lock, &until);
	}
	end = p->end_at;
	pthread_mutex_unlock(&p->lock);
	return !end;
}

static void *run(void *data)
{
	struct push *p = data;

	while (wait_for_work(p)) {
		if (p->retry_at <= now())
			send_all(p);
		if (p->retry_at > now())
			spool_all(p);
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
	while ((q = take_first(p, UINT64_MAX))) {
		p->counts.no_room += p->spool != NULL;
		p->counts.not_kept += !p->spool;
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
