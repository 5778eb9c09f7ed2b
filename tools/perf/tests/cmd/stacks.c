// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks whose functions are known, for tests of unwinding. The first argument chooses the way to leaf(), where all time is spent:
 * "deep N", "sort" (by a callback of libc), "signal" (on a stack of its own), "thread" or "aligned" (a frame of unknown size); "clock"
 * goes to the vdso instead, and "trampoline" over a copy of the code that Python 3.12 has before each function; "empty" calls nothing there, so
 * that this code itself has samples. The file "ready" is made when it begins. Every function does something after its call, so that none is a jump.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

#define FUNCTION __attribute__((noinline, noclone)) static void

FUNCTION leaf(void)
{
	for (int i = 0; i < 100000; i++)
		sink += i;
}

FUNCTION step(int depth)
{
	volatile char frame[200];

	frame[depth % 200] = 1;
	if (depth)
		step(depth - 1);
	else
		leaf();
	sink += frame[depth % 200];
}

static int compare(const void *a, const void *b)
{
	leaf();
	sink++;
	return *(const int *)a - *(const int *)b;
}

FUNCTION sort(void)
{
	int v[2] = { 2, 1 };

	qsort(v, 2, sizeof(*v), compare);
	sink += v[0];
}

static void on_signal(int sig)
{
	leaf();
	sink++;
}

FUNCTION interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

static void ready(void)
{
	close(open("ready", O_CREAT | O_WRONLY, 0600));
}

static void *in_thread(void *arg)
{
	ready();
	for (;;) {
		leaf();
		sink++;
	}
	return arg;
}

FUNCTION threads(void)
{
	pthread_t t;

	pthread_create(&t, NULL, in_thread, NULL);
	for (;;) {
		leaf();
		sink++;
	}
}

FUNCTION aligned(int size)
{
	_Alignas(64) volatile char frame[64];
	volatile char *more = __builtin_alloca(size);

	frame[size % 64] = more[0] = 1;
	leaf();
	sink += frame[size % 64] + more[0];
}

FUNCTION clocks(void)
{
	struct timespec ts;

	for (int i = 0; i < 1000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		sink += ts.tv_nsec;
	}
}

#ifdef __x86_64__
FUNCTION called(void)
{
	leaf();
	sink++;
}

/* Its samples are on the code that calls it, too. */
FUNCTION nothing(void)
{
	__asm__ volatile("" ::: "memory");
}

/* rbp is no frame pointer of anybody here. */
FUNCTION jump(const unsigned char *code, void (*to)(void))
{
	__asm__ volatile("mov %%rbp, %%rbx; mov $-1, %%rbp; call *%%rax; mov %%rbx, %%rbp"
			 : "+a"(code), "+c"(to) : : "memory", "cc", "rbx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
	sink++;
}

FUNCTION trampoline(void (*to)(void))
{
	static const unsigned char code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
	static unsigned char *copy;

	if (!copy) {
		copy = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(copy, code, sizeof(code));
	}
	jump(copy, to);
	sink++;
}
#else
#define trampoline(to) abort()
#endif

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (strcmp(argv[1], "thread"))
		ready();
	for (;;) {
		if (!strcmp(argv[1], "deep"))
			step(atoi(argv[2]));
		else if (!strcmp(argv[1], "sort"))
			sort();
		else if (!strcmp(argv[1], "signal"))
			interrupted();
		else if (!strcmp(argv[1], "thread"))
			threads();
		else if (!strcmp(argv[1], "trampoline"))
			trampoline(called);
		else if (!strcmp(argv[1], "empty"))
			for (int i = 0; i < 1000; i++)
				trampoline(nothing);
		else if (!strcmp(argv[1], "clock"))
			clocks();
		else
			aligned(argc * 100);
		sink++;
	}
}
