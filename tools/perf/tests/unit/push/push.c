// SPDX-License-Identifier: GPL-2.0
#include "util/push/push.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/push/http.h"

#define MAX_REQUESTS 16
#define MB (1 << 20)
#define SECRET "c2VjcmV0"

/* A receiver in a thread of its own. It answers each request in turn, but holds the one with number held until it is let go. */
static struct receiver {
	int fd;
	pthread_t thread;
	int tid;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	int status[MAX_REQUESTS]; /* 0: 200 */
	unsigned int nr, held;	  /* requests so far */
	char first[MAX_REQUESTS + 1]; /* the first byte of each body */
	size_t bytes;                 /* of all bodies */
} receiver;

static struct push_target target;
static char top[] = "/tmp/perf-push-XXXXXX", dir[64];

/* Read up to the end of the body. Returns its first byte. */
static char read_request(int fd, size_t *bytes)
{
	static char text[8192];
	size_t len = 0, left;
	char *end = NULL, first;
	ssize_t n;

	while (!end && len < sizeof(text) - 1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0) {
		len += n;
		text[len] = '\0';
		end = strstr(text, "\r\n\r\n");
	}
	if (!end || !strstr(text, "Content-Length: "))
		return '?';
	*bytes = strtoul(strstr(text, "Content-Length: ") + 16, NULL, 10);
	first = end + 4 < text + len ? end[4] : '\0';
	left = *bytes - (text + len - end - 4);
	for (char more[4096]; left && (n = read(fd, more, left < sizeof(more) ? left : sizeof(more))) > 0; left -= n)
		first = first ?: *more;
	return first;
}

static void take_request(struct receiver *r, int fd)
{
	size_t bytes = 0;
	char first = read_request(fd, &bytes);
	int status;

	pthread_mutex_lock(&r->lock);
	status = r->status[r->nr % MAX_REQUESTS] ?: 200;
	r->first[r->nr++ % MAX_REQUESTS] = first;
	r->bytes += bytes;
	pthread_cond_broadcast(&r->changed);
	while (r->held == r->nr)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
	dprintf(fd, "HTTP/1.1 %d x\r\nContent-Length: 20\r\nConnection: close\r\n\r\nno: Basic %-9s\n", status, SECRET);
	close(fd);
}

static void *receive(void *data)
{
	struct receiver *r = data;
	int fd;

	r->tid = gettid();
	while ((fd = accept(r->fd, NULL, NULL)) >= 0)
		take_request(r, fd);
	return NULL;
}

/* Nobody listens before start_receiver(). */
static int make_receiver(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	char url[64];

	receiver = (struct receiver){ .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
	receiver.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (receiver.fd < 0 || bind(receiver.fd, (struct sockaddr *)&at, len) || getsockname(receiver.fd, (struct sockaddr *)&at, &len))
		return -1;
	strcpy(top + strlen(top) - 6, "XXXXXX");
	snprintf(dir, sizeof(dir), "%s/spool", mkdtemp(top) ?: "");
	snprintf(url, sizeof(url), "otlp+http://127.0.0.1:%u", ntohs(at.sin_port));
	return push_target__parse(&target, url, NULL);
}

static void start_receiver(void)
{
	assert_int_equal(listen(receiver.fd, 8), 0);
	assert_int_equal(pthread_create(&receiver.thread, NULL, receive, &receiver), 0);
}

static void hold(unsigned int nr)
{
	pthread_mutex_lock(&receiver.lock);
	receiver.held = nr;
	pthread_cond_broadcast(&receiver.changed);
	pthread_mutex_unlock(&receiver.lock);
}

static int end_receiver(void **state)
{
	char command[128];

	hold(0);
	shutdown(receiver.fd, SHUT_RDWR);
	if (receiver.thread)
		pthread_join(receiver.thread, NULL);
	close(receiver.fd);
	push_target__exit(&target);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

/* Until the receiver has had that many requests. */
static void wait_for(unsigned int nr)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 60; /* never reached, unless something is wrong */
	pthread_mutex_lock(&receiver.lock);
	while (receiver.nr < nr && !pthread_cond_timedwait(&receiver.changed, &receiver.lock, &end))
		;
	pthread_mutex_unlock(&receiver.lock);
	assert_true(receiver.nr >= nr);
}

/* The only thread besides this one and the receiver's; 0: not found */
static int find_pusher(void)
{
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");
	int tid = 0;

	assert_non_null(tasks);
	while (!tid && (entry = readdir(tasks))) {
		tid = atoi(entry->d_name);
		if (tid == getpid() || tid == receiver.tid)
			tid = 0;
	}
	closedir(tasks);
	return tid;
}

/* Until its thread waits on a condition, where nothing but a signal wakes it. Kernels that do not tell what a thread waits in are not asked. */
static void wait_until_idle(void)
{
	char path[64], text[64] = "";
	ssize_t n;
	int fd;

	do {
		usleep(1000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", find_pusher());
		fd = open(path, O_RDONLY);
		n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		close(fd);
	} while (n > 0 && strtol(text, NULL, 10) != SYS_futex);
}

static void tell(bool good, const char *text)
{
}

static struct push *started(u64 spool_bytes)
{
	static char *header[] = { (char *)"Authorization: Basic " SECRET };
	static const struct push_secrets secrets = { .header = header, .nr_headers = 1 };
	const struct push_opts opts = { .target = &target, .secrets = &secrets, .spool = dir, .spool_bytes = spool_bytes, .tell = tell };
	const char *why;
	struct errmsg err;
	struct push *push;

	if (!http__available(&why))
		skip();
	if (push__new(&opts, &push, &err))
		fail_msg("%s", err.text);
	return push;
}

static void add(struct push *push, char first, size_t size)
{
	char *body = calloc(1, size);

	assert_non_null(body);
	body[0] = first;
	push__add(push, strdup(""), body, size);
}

static struct push_counts finished(struct push *push)
{
	struct push_counts counts;

	push__finish(push, &counts);
	push__delete(push);
	return counts;
}

/* Each is sent when it comes, not at the end. */
static void profiles_are_sent_in_their_order(void **state)
{
	struct push *push = started(0);
	struct push_counts counts;

	start_receiver();
	add(push, 'a', 10);
	wait_for(1);
	wait_until_idle();
	add(push, 'b', 20);
	add(push, 'c', 30);
	wait_for(3);
	add(push, 'd', 40);
	counts = finished(push);
	assert_string_equal(receiver.first, "abcd");
	assert_int_equal(counts.added, 4);
	assert_int_equal(counts.sent, 4);
	assert_int_equal(counts.sent_bytes, 100);
	assert_int_equal(receiver.bytes, 100);
	assert_int_equal(counts.refused + counts.failures + counts.no_room + counts.not_kept, 0);
}

/* A receiver that answers late: 16 MB wait for it, and the oldest give way. */
static void the_newest_wait_in_memory(void **state)
{
	struct push *push = started(0);
	struct push_counts counts;

	start_receiver();
	hold(1);
	add(push, 'a', 6 * MB);
	wait_for(1);
	for (char c = 'b'; c <= 'e'; c++)
		add(push, c, 6 * MB);
	hold(0);
	wait_for(3);
	counts = finished(push);
	assert_string_equal(receiver.first, "ade");
	assert_int_equal(counts.added, 5);
	assert_int_equal(counts.sent, 3);
	assert_int_equal(counts.no_room, 2);
}

/* Meanwhile it counts for the memory that is taken, and no more when it is sent again. */
static void a_failure_may_pass(void **state, int status)
{
	struct push *push = started(0);
	struct push_counts counts;

	receiver.status[0] = status;
	start_receiver();
	hold(2);
	add(push, 'a', 1000);
	wait_for(2);
	add(push, 'b', 10);
	add(push, 'c', 10);
	hold(0);
	wait_for(4);
	counts = finished(push);
	assert_string_equal(receiver.first, "aabc");
	assert_int_equal(counts.sent, 3);
	assert_int_equal(counts.failures, 1);
	assert_int_equal(counts.refused + counts.no_room, 0);
	assert_null(strstr(counts.why, SECRET));
	assert_non_null(strstr(counts.why, "status "));
}

/* It goes behind those that came meanwhile, and what comes later behind it. */
static void what_has_failed_waits_with_the_others(void **state)
{
	struct push *push = started(0);
	struct push_counts counts;

	receiver.status[0] = 500;
	start_receiver();
	add(push, 'a', 10);
	wait_for(1);
	add(push, 'b', 10);
	wait_until_idle(); /* before the next try */
	add(push, 'c', 10);
	wait_for(4);
	counts = finished(push);
	assert_int_equal(counts.sent, 3);
	assert_int_equal(receiver.nr, 4);
	for (const char *c = "abc"; *c; c++)
		assert_non_null(strchr(receiver.first + 1, *c));
}

static void a_timeout_may_pass(void **state)
{
	a_failure_may_pass(state, 408);
}

static void an_error_of_the_receiver_may_pass(void **state)
{
	a_failure_may_pass(state, 500);
}

/* Kept for the next perf while nobody listens. What is refused is not kept. */
static void the_refused_leave_the_spool(void **state)
{
	struct push *push = started(MB);
	struct push_counts counts;

	add(push, 'a', 10);
	add(push, 'b', 10);
	counts = finished(push);
	assert_int_equal(counts.spooled, 2);
	assert_int_equal(counts.waiting, 2);
	assert_int_equal(counts.sent + counts.refused + counts.no_room, 0);

	receiver.status[0] = 400;
	start_receiver();
	push = started(MB);
	counts = finished(push);
	assert_string_equal(receiver.first, "ab");
	assert_int_equal(counts.found, 2);
	assert_int_equal(counts.refused, 1);
	assert_int_equal(counts.sent, 1);
	assert_int_equal(counts.waiting, 0);
	assert_null(strstr(counts.why_refused, SECRET));
}

/* Nobody listens, and the spool has room for two. */
static void the_oldest_on_disk_are_counted(void **state)
{
	struct push *push = started(2500);
	struct push_counts counts;

	for (char c = 'a'; c <= 'c'; c++)
		add(push, c, 1000);
	add(push, 'd', 3000);
	counts = finished(push);
	assert_int_equal(counts.spooled, 3);
	assert_int_equal(counts.thrown_out, 1);
	assert_int_equal(counts.waiting, 2);
	assert_int_equal(counts.no_room, 1); /* the large one alone is too much */
}

/* Without a spool it is lost, for another reason than one that there was no room for. */
static void what_is_left_is_counted(void **state)
{
	struct push *push = started(0);
	struct push_counts counts;

	add(push, 'a', 10);
	counts = finished(push);
	assert_int_equal(counts.not_kept, 1);
	assert_int_equal(counts.no_room, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(profiles_are_sent_in_their_order, make_receiver, end_receiver),
		cmocka_unit_test_setup_teardown(the_newest_wait_in_memory, make_receiver, end_receiver),
		cmocka_unit_test_setup_teardown(a_timeout_may_pass, make_receiver, end_receiver),
		cmocka_unit_test_setup_teardown(an_error_of_the_receiver_may_pass, make_receiver, end_receiver),
		cmocka_unit_test_setup_teardown(what_has_failed_waits_with_the_others, make_receiver, end_receiver),
		cmocka_unit_test_setup_teardown(the_refused_leave_the_spool, make_receiver, end_receiver),
		cmocka_unit_test_setup_teardown(the_oldest_on_disk_are_counted, make_receiver, end_receiver),
		cmocka_unit_test_setup_teardown(what_is_left_is_counted, make_receiver, end_receiver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
