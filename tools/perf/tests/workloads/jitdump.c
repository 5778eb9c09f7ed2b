// SPDX-License-Identifier: GPL-2.0
/*
 * Code made at run time, with its names in jit-PID.dump in the current directory (see util/symbol/jitdump.h). Without an argument it is called
 * once. With [seconds] it runs so long in each of three states: as jit_workload at an address, as jit_replaced at the same one, and as that
 * moved to another.
 */
#include "tests/workload.h"

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
static const uint8_t code[] = { 0xff, 0xcf /* dec %edi */, 0x75, 0xfc /* jne: back to it */, 0xc3 /* ret */ };
#define MACHINE 62 /* EM_X86_64 */
#elif defined(__aarch64__)
static const uint32_t code[] = { 0x71000400 /* subs w0, w0, #1 */, 0x54ffffe1 /* b.ne: back to it */, 0xd65f03c0 /* ret */ };
#define MACHINE 183 /* EM_AARCH64 */
#endif

#ifdef MACHINE

#define AREA 4096
#define MOVED 2048 /* bytes into the area */
#define LOOPS 100000

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t type, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
};

struct move {
	uint32_t type, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, old, new, code_size, index;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int put(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) == (ssize_t)size)
		return 0;
	warn("jit-%d.dump", getpid());
	return -1;
}

/* The file, which a map of it makes known; or -1 after a message. */
static int open_dump(void)
{
	const struct header header = { 0x4a695444, 1, sizeof(header), MACHINE, 0, getpid(), now(), 0 };
	char name[32];
	void *map;
	int fd;

	snprintf(name, sizeof(name), "jit-%d.dump", getpid());
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0644);
	map = fd < 0 ? MAP_FAILED : mmap(NULL, AREA, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		warn("%s", name);
		return -1;
	}
	return put(fd, &header, sizeof(header)) ? -1 : fd;
}

static int write_load(int fd, const void *addr, uint64_t index, const char *name)
{
	struct load load = { 0, sizeof(load) + strlen(name) + 1 + sizeof(code), now(), getpid(), getpid(), (uintptr_t)addr, (uintptr_t)addr,
			     sizeof(code), index };

	return put(fd, &load, sizeof(load)) ?: put(fd, name, strlen(name) + 1) ?: put(fd, code, sizeof(code));
}

static int write_move(int fd, const void *from, const void *to, uint64_t index)
{
	const struct move move = { 1, sizeof(move), now(), getpid(), getpid(), (uintptr_t)to, (uintptr_t)from, (uintptr_t)to, sizeof(code), index };

	return put(fd, &move, sizeof(move));
}

static void make_code(void *addr)
{
	memcpy(addr, code, sizeof(code));
	__builtin___clear_cache(addr, (char *)addr + sizeof(code));
}

static int run_for(int argc, char **argv, void *addr)
{
	void (*run)(unsigned int loops) = addr;

	workload_done = 0;
	if (workload__start(argc, argv))
		return -1;
	while (!workload_done)
		run(LOOPS);
	return 0;
}

static int run_states(int fd, char *area, int argc, char **argv)
{
	if (run_for(argc, argv, area) || write_load(fd, area, 2, "jit_replaced"))
		return 1;
	if (run_for(argc, argv, area))
		return 1;
	make_code(area + MOVED);
	return write_move(fd, area, area + MOVED, 2) || run_for(argc, argv, area + MOVED);
}

int workload_jitdump(int argc, char **argv)
{
	char *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(unsigned int loops) = (void *)area;
	int fd;

	if (area == MAP_FAILED) {
		warn("memory for code");
		return 1;
	}
	fd = open_dump();
	if (fd < 0)
		return 1;
	make_code(area);
	if (write_load(fd, area, 1, "jit_workload"))
		return 1;
	if (argc)
		return run_states(fd, area, argc, argv);
	run(1);
	return 0;
}

#else

int workload_jitdump(int argc, char **argv)
{
	warnx("code for this architecture cannot be made");
	return 1;
}

#endif
