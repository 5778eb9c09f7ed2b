// SPDX-License-Identifier: GPL-2.0
/*
 * Threads whose stacks are known, until SIGTERM: each is blocked by a function of its own, below as many calls of go_deeper() as it
 * prints. Others wake all the time, or run, or wait for one another for ever.
 */
#include "tests/workload.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE 65536
#define MAX_DEPTH 40

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other_mutex = PTHREAD_MUTEX_INITIALIZER, of_condition = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both_hold;
static int nobody_writes[2];

/* Something follows each call, so that none of them is the last one of its function. */
static volatile unsigned long returned;

WORKLOAD_FUNCTION void block_mutex(void)
{
	pthread_mutex_lock(&mutex);
	returned++;
}

WORKLOAD_FUNCTION void block_condition(void)
{
	pthread_mutex_lock(&of_condition);
	pthread_cond_wait(&condition, &of_condition);
	returned++;
}

WORKLOAD_FUNCTION void block_read(void)
{
	char byte;

	returned += read(nobody_writes[0], &byte, 1);
}

WORKLOAD_FUNCTION void block_poll(void)
{
	struct pollfd end = { .fd = nobody_writes[0], .events = POLLIN };

	returned += poll(&end, 1, -1);
}

WORKLOAD_FUNCTION void block_sleep(void)
{
	const struct timespec ages = { .tv_sec = 1000000 };

	returned += nanosleep(&ages, NULL);
}

static const struct {
	const char *name;
	void (*block)(void);
} kinds[] = {
	{ "block_mutex", block_mutex }, { "block_condition", block_condition }, { "block_read", block_read }, { "block_poll", block_poll },
	{ "block_sleep", block_sleep },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

WORKLOAD_FUNCTION void go_deeper(unsigned int depth, unsigned int kind)
{
	if (depth)
		go_deeper(depth - 1, kind);
	else
		kinds[kind].block();
	returned++;
}

static void *be_blocked(void *arg)
{
	const unsigned long i = (unsigned long)arg;

	printf("%ld %s %lu\n", syscall(SYS_gettid), kinds[i % NR_KINDS].name, i % MAX_DEPTH);
	go_deeper(i % MAX_DEPTH, i % NR_KINDS);
	return NULL;
}

/* Code made at run time, which keeps frame pointers: it calls what the first word at its argument says, with the second one. */

#ifdef __x86_64__
static const unsigned char generated_code[] = {
	0x55, 0x48, 0x89, 0xe5,		    /* push %rbp; mov %rsp, %rbp */
	0x48, 0x8b, 0x07, 0x48, 0x8b, 0x7f, 0x08, /* mov (%rdi), %rax; mov 8(%rdi), %rdi */
	0xff, 0xd0, 0x5d, 0xc3,		    /* call *%rax; pop %rbp; ret */
};

struct generated_call {
	void *(*function)(void *arg);
	void *arg;
};

static void *block_last(void *arg)
{
	block_poll();
	return arg;
}

static void *be_generated(void *arg)
{
	struct generated_call last = { block_last, NULL }, second = { NULL, &last }, first = { NULL, &second };
	void *code = mmap(NULL, sizeof(generated_code), PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return arg;
	memcpy(code, generated_code, sizeof(generated_code));
	first.function = second.function = code;
	first.function(&first);
	returned++;
	return arg;
}
#else
static void *be_generated(void *arg)
{
	return arg;
}
#endif

/* Two ways to the same system call: no stack has functions of both. */

WORKLOAD_FUNCTION void nap(void)
{
	const struct timespec shortly = { .tv_nsec = 200000 };

	nanosleep(&shortly, NULL);
	returned++;
}

WORKLOAD_FUNCTION void left_inner(void)
{
	nap();
	returned++;
}

WORKLOAD_FUNCTION void left_outer(void)
{
	left_inner();
	returned++;
}

WORKLOAD_FUNCTION void right_inner(void)
{
	char room[200];

	memset(room, 0, sizeof(room));
	nap();
	returned += room[0];
}

WORKLOAD_FUNCTION void right_outer(void)
{
	right_inner();
	returned++;
}

static void *be_restless(void *arg)
{
	for (;;) {
		left_outer();
		right_outer();
	}
	return arg;
}

/*
 * Many ways to the same system call: the four innermost steps are the digits of a number, which says how many steps there are, and of what kind
 * each of the others is. So a stack of two ways shows. The steps' frames are of different sizes.
 */

static void take_step(unsigned int way, unsigned int level);

#define WAYS 256
#define DEFINE_STEP(kind, size)							\
	WORKLOAD_FUNCTION void step_##kind(unsigned int way, unsigned int level)	\
	{										\
		volatile char room[size];						\
											\
		room[0] = level;							\
		take_step(way, level + 1);						\
		returned += room[0];							\
	}
DEFINE_STEP(0, 8)
DEFINE_STEP(1, 72)
DEFINE_STEP(2, 264)
DEFINE_STEP(3, 1000)

static inline __attribute__((always_inline)) void take_step(unsigned int way, unsigned int level)
{
	static void (*const step[])(unsigned int way, unsigned int level) = { step_0, step_1, step_2, step_3 };
	const unsigned int left = 6 + way % 13 - level;

	if (!left)
		nap();
	else if (left <= 4)
		step[way >> 2 * (left - 1) & 3](way, level);
	else
		step[(way * 7 + level * 5 + (way * level >> 3)) & 3](way, level);
	returned++;
}

static void *wander(void *arg)
{
	for (unsigned int way = (unsigned long)arg * 37;; way = way * 1103515245 + 12345)
		take_step((way >> 16) % WAYS, 0);
	return arg;
}

WORKLOAD_FUNCTION void *compute(void *arg)
{
	for (;;)
		returned++;
	return arg;
}

/* Each of two threads has what the other one wants; a third one wants it, too. */

WORKLOAD_FUNCTION void take_lock(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	returned++;
}

static void *take_both(void *arg)
{
	pthread_mutex_t *first = arg ? &other_mutex : &mutex, *second = arg ? &mutex : &other_mutex;

	pthread_mutex_lock(first);
	pthread_barrier_wait(&both_hold);
	take_lock(second);
	return NULL;
}

static void *take_one(void *arg)
{
	pthread_barrier_wait(&both_hold);
	take_lock(&mutex);
	return arg;
}

/* Two processes with two shared locks: each has what the other one wants. */

static int deadlock_processes(void)
{
	struct {
		pthread_mutex_t mutex[2];
		pthread_barrier_t both_hold;
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t barrier_attr;
	pthread_mutexattr_t mutex_attr;
	pid_t child;

	if (shared == MAP_FAILED)
		return 1;
	pthread_mutexattr_init(&mutex_attr);
	pthread_mutexattr_setpshared(&mutex_attr, PTHREAD_PROCESS_SHARED);
	pthread_barrierattr_init(&barrier_attr);
	pthread_barrierattr_setpshared(&barrier_attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex[0], &mutex_attr);
	pthread_mutex_init(&shared->mutex[1], &mutex_attr);
	pthread_barrier_init(&shared->both_hold, &barrier_attr, 2);
	child = fork();
	if (child < 0)
		return 1;
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_mutex_lock(&shared->mutex[!child]);
	pthread_barrier_wait(&shared->both_hold);
	take_lock(&shared->mutex[!!child]);
	return 1;
}

/*
 * Locks of the kernel: a holder is in a system call that holds one while it copies from or to memory that nobody fills; a waiter makes a call that
 * wants the same lock.
 */

static char *absent;
static int written = -1;

#define ABSENT_SIZE (1 << 20)

static void *hold_pipe(void *arg)
{
	returned += write(nobody_writes[1], absent, 100);
	return arg;
}

static void *want_pipe(void *arg)
{
	block_read();
	return arg;
}

static void *hold_file(void *arg)
{
	returned += write(written, absent, 100);
	return arg;
}

static void *want_file(void *arg)
{
	returned += write(written, "x", 1);
	return arg;
}

/* Directories are read by many at once. Nobody else needs this one. */
static void *hold_directory(void *arg)
{
	returned += syscall(SYS_getdents64, open("held", O_RDONLY | O_DIRECTORY), absent, 4096);
	return arg;
}

static void *want_directory(void *arg)
{
	returned += mkdir("held/new", 0700);
	return arg;
}

static const struct {
	const char *name;
	void *(*hold)(void *arg), *(*want)(void *arg);
} kernel_locks[] = {
	{ "mutex", hold_pipe, want_pipe }, { "rwsem", hold_file, want_file }, { "readers", hold_directory, want_directory },
};

/* Reading from it waits until a thread needs a page. */
static int open_absent(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register all = { .range = { .len = ABSENT_SIZE }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	absent = mmap(NULL, ABSENT_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	all.range.start = (uintptr_t)absent;
	written = memfd_create("written", MFD_CLOEXEC);
	if (mkdir("held", 0700))
		warn("held");
	if (fd >= 0 && absent != MAP_FAILED && written >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &all))
		return fd;
	warn("no userfaultfd");
	return -1;
}

struct named_thread {
	const char *what, *name;
	void *(*run)(void *arg);
};

static void *be_named(void *arg)
{
	const struct named_thread *thread = arg;

	printf("%ld %s %s\n", syscall(SYS_gettid), thread->what, thread->name);
	return thread->run(NULL);
}

static int start(void *(*run)(void *), unsigned long arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	error = pthread_create(&thread, &attr, run, (void *)arg);
	pthread_attr_destroy(&attr);
	if (error)
		warnx("cannot create a thread: %s", strerror(error));
	return error;
}

static int start_kernel(void)
{
	static struct named_thread holder[sizeof(kernel_locks) / sizeof(kernel_locks[0])], waiter[sizeof(kernel_locks) / sizeof(kernel_locks[0])];
	int fd = open_absent(), error = fd < 0;
	struct uffd_msg message;

	for (size_t i = 0; i < sizeof(kernel_locks) / sizeof(kernel_locks[0]) && !error; i++) {
		holder[i] = (struct named_thread){ "holds", kernel_locks[i].name, kernel_locks[i].hold };
		waiter[i] = (struct named_thread){ "wants", kernel_locks[i].name, kernel_locks[i].want };
		error = start(be_named, (unsigned long)&holder[i]) || read(fd, &message, sizeof(message)) != sizeof(message) ||
			start(be_named, (unsigned long)&waiter[i]);
	}
	return error;
}

static void *(*run_of(const char *what))(void *arg)
{
	if (!strcmp(what, "restless"))
		return be_restless;
	if (!strcmp(what, "wandering"))
		return wander;
	if (!strcmp(what, "generated"))
		return be_generated;
	return strcmp(what, "running") ? be_blocked : compute;
}

static int start_all(const char *what, unsigned long nr)
{
	int error = 0;

	if (!strcmp(what, "deadlock")) {
		pthread_barrier_init(&both_hold, NULL, 3);
		return start(take_both, 0) ?: start(take_both, 1) ?: start(take_one, 0);
	}
	if (!strcmp(what, "kernel"))
		return start_kernel();
	if (!strcmp(what, "held"))
		return start(take_one, 0);
	for (unsigned long i = 0; i < nr && !error; i++)
		error = start(run_of(what), i);
	return error;
}

static int is_known(const char *what)
{
	static const char *const known[] = { "threads", "headless", "restless", "wandering", "generated", "running", "deadlock", "held", "processes", "kernel" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(what, known[i]))
			return 1;
	}
	warnx("'%s' is none of threads, headless, restless, wandering, generated, running, deadlock, held, processes and kernel", what);
	return 0;
}

int workload_blocked(int argc, char **argv)
{
	const char *what = argc ? argv[0] : "threads";
	unsigned long nr = 100;

	if (!is_known(what))
		return 1;
	if (argc > 1 && workload__parse_loops(1, argv + 1, &nr))
		return 1;
	if (!strcmp(what, "processes"))
		return deadlock_processes();
	if (pipe(nobody_writes))
		return 1;
	pthread_barrier_init(&both_hold, NULL, 1);
	if (strcmp(what, "deadlock"))
		pthread_mutex_lock(&mutex);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (start_all(what, nr))
		return 1;
	if (!strcmp(what, "headless"))
		pthread_exit(NULL);
	for (;;)
		pause();
}
