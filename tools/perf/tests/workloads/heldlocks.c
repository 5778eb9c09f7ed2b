// SPDX-License-Identifier: GPL-2.0
/*
 * A thread, lock-holder, holds a lock of the kernel for times that are known: under the lock it touches a page that is missing, which this
 * program provides by userfaultfd. It does so some time after another thread, lock-waiter, has gone to sleep for the lock. Prints the least
 * that lock-waiter waited, which is how long its sleeps were watched; the most, which is the time of its system calls, by its own clock;
 * and the ids of holder and waiter. The times are sums in ns. The true sum lies between them, however busy the machine is.
 */
#include "tests/workload.h"

#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 10
#define HOLD 50 /* ms */

struct thread {
	pthread_t id;
	const char *name;
	void (*turn)(void);
	atomic_int tid;
	sem_t go, done;
};

static int fds[2];
static char *missing; /* page of this round */
static long page_size;
static unsigned long long least, most; /* ns */
static atomic_long nr_sleeps; /* of lock-waiter before its system call; -1: it has not come there */

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void pass(unsigned int ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

static void await(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

/* Kinds of locks: how each is prepared, held, and waited for */

/* The rwsem of a file's inode. write() would take the mutex of the file's position before. */
static void open_inode(void)
{
	fds[0] = memfd_create("held", 0);
	if (fds[0] < 0)
		err(1, "no file");
}

static void hold_inode(void)
{
	if (pwrite(fds[0], missing, page_size, 0) != page_size)
		err(1, "cannot write to a file");
}

WORKLOAD_FUNCTION void wait_for_inode(void)
{
	if (pwrite(fds[0], "x", 1, 0) != 1)
		err(1, "cannot write to a file");
}

/* The mutex of a pipe */
static void open_pipe(void)
{
	if (pipe(fds))
		err(1, "no pipe");
}

static void hold_pipe(void)
{
	if (write(fds[1], missing, page_size) != page_size)
		err(1, "cannot write to a pipe");
}

WORKLOAD_FUNCTION void wait_for_pipe(void)
{
	if (write(fds[1], "x", 1) != 1)
		err(1, "cannot write to a pipe");
}

/* The mutex of an epoll instance, in which an eventfd is always ready. */
static void open_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	fds[0] = epoll_create1(0);
	fds[1] = eventfd(1, 0);
	if (fds[0] < 0 || fds[1] < 0 || epoll_ctl(fds[0], EPOLL_CTL_ADD, fds[1], &event))
		err(1, "no epoll instance");
}

static void hold_epoll(void)
{
	if (epoll_wait(fds[0], (struct epoll_event *)missing, 1, -1) != 1)
		err(1, "no event");
}

WORKLOAD_FUNCTION void wait_for_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (epoll_ctl(fds[0], EPOLL_CTL_MOD, fds[1], &event))
		err(1, "cannot change what epoll looks for");
}

/* The rwsem of a directory, which its reader holds for reading. Nobody can make anything in this one, but only who has its lock learns that. */
static void open_directory(void)
{
	fds[0] = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	if (fds[0] < 0)
		err(1, "no directory");
}

static void hold_directory(void)
{
	lseek(fds[0], 0, SEEK_SET);
	if (syscall(SYS_getdents64, fds[0], missing, page_size) <= 0)
		err(1, "cannot read a directory");
}

WORKLOAD_FUNCTION void wait_for_directory(void)
{
	if (!mkdir("/proc/self/fd/x", 0777))
		errx(1, "made a directory in /proc");
}

static const struct kind {
	const char *name;
	void (*open)(void);
	void (*hold)(void);
	void (*wait)(void);
} kinds[] = {
	{ "inode", open_inode, hold_inode, wait_for_inode },
	{ "pipe", open_pipe, hold_pipe, wait_for_pipe },
	{ "epoll", open_epoll, hold_epoll, wait_for_epoll },
	{ "directory", open_directory, hold_directory, wait_for_directory },
};
static const struct kind *kind;

/* The two threads */

static void hold(void)
{
	kind->hold();
}

static void wait_for_lock(void)
{
	struct rusage usage;
	unsigned long long begin;

	getrusage(RUSAGE_THREAD, &usage);
	nr_sleeps = usage.ru_nvcsw;
	begin = now();
	kind->wait();
	most += now() - begin;
}

static struct thread holder = { .name = "lock-holder", .turn = hold };
static struct thread waiter = { .name = "lock-waiter", .turn = wait_for_lock };

static void *work(void *data)
{
	struct thread *t = data;

	prctl(PR_SET_NAME, t->name);
	t->tid = gettid();
	for (int i = 0; i < ROUNDS; i++) {
		await(&t->go);
		t->turn();
		sem_post(&t->done);
	}
	return NULL;
}

static void start(struct thread *t)
{
	sem_init(&t->go, 0, 0);
	sem_init(&t->done, 0, 0);
	if (pthread_create(&t->id, NULL, work, t))
		errx(1, "cannot create a thread");
}

/* The main thread */

/* Does lock-waiter sleep in its system call? A state of D alone may be seen before it leaves its CPU. */
static int waits(void)
{
	const long before = nr_sleeps;
	char path[64], line[128], state = 0;
	long nr = 0;
	FILE *fp;

	if (before < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", waiter.tid);
	fp = fopen(path, "r");
	if (!fp)
		err(1, "cannot read %s", path);
	while (fgets(line, sizeof(line), fp)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "voluntary_ctxt_switches: %ld", &nr);
	}
	fclose(fp);
	return state == 'D' && nr > before;
}

static void watch_sleep(void)
{
	unsigned long long begin;

	while (!waits()) {
		if (!sem_trywait(&waiter.done))
			errx(1, "lock-waiter did not have to wait");
		pass(1);
	}
	begin = now();
	pass(HOLD);
	least += now() - begin;
}

static int open_faults(char *memory, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (unsigned long)memory, size }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		err(1, "no userfaultfd");
	return fd;
}

static void run_round(int faults)
{
	struct uffdio_zeropage zero = { .range = { (unsigned long)missing, page_size } };
	struct uffd_msg fault;
	char rest[2];

	nr_sleeps = -1;
	sem_post(&holder.go);
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault) || fault.event != UFFD_EVENT_PAGEFAULT)
		err(1, "no page fault");
	sem_post(&waiter.go);
	watch_sleep();
	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		err(1, "cannot provide a page");
	await(&holder.done);
	await(&waiter.done);
	if (kind->open == open_pipe && (read(fds[0], missing, page_size) != page_size || read(fds[0], rest, sizeof(rest)) != 1))
		err(1, "cannot read from a pipe");
}

int workload_heldlocks(int argc, char **argv)
{
	char *memory;
	int faults;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && argc == 1; i++) {
		if (!strcmp(kinds[i].name, argv[0]))
			kind = &kinds[i];
	}
	if (!kind) {
		warnx("name one of inode, pipe, epoll and directory");
		return 1;
	}
	page_size = sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, ROUNDS * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "no memory");
	faults = open_faults(memory, ROUNDS * page_size);
	kind->open();
	start(&holder);
	start(&waiter);
	for (int i = 0; i < ROUNDS; i++) {
		missing = memory + i * page_size;
		run_round(faults);
	}
	pthread_join(holder.id, NULL);
	pthread_join(waiter.id, NULL);
	printf("%llu %llu %d %d\n", least, most, holder.tid, waiter.tid);
	return 0;
}
