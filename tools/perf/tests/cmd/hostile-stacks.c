// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks that are made to deceive or delay who unwinds them, for x86-64. The first argument says which. Threads spin in code that does not
 * touch its stack, whatever it is. The file "ready" is made when they do.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t u64;

#define PAGE 4096UL
#define STACK_SIZE (64 * PAGE)

/* Its caller's frame is at the stack pointer, as nothing was pushed. */
void spin(u64 sp, u64 bp);
void spin_expression(u64 sp, u64 bp);
asm(".text\n.globl spin, spin_expression\n"
    ".type spin, @function\n"
    "spin: .cfi_startproc\n mov %rdi, %rsp\n mov %rsi, %rbp\n"
    "1: jmp 1b\n nop\n nop\n ret\n .cfi_endproc\n .size spin, . - spin\n"
    /* the same, but no rule of a table says so: user space is to finish it */
    ".type spin_expression, @function\n"
    "spin_expression: .cfi_startproc\n .cfi_escape 0x0f, 4, 0x77, 0, 0x38, 0x22\n mov %rdi, %rsp\n mov %rsi, %rbp\n"
    "1: jmp 1b\n nop\n nop\n ret\n .cfi_endproc\n .size spin_expression, . - spin_expression\n");

static void *spin_thread(void *sp)
{
	spin((u64)sp, 0);
	return NULL;
}

#define IN_SPIN ((u64)spin + 9) /* a return address */

static void ready(void)
{
	close(open("ready", O_CREAT | O_WRONLY, 0600));
}

static u64 *map(size_t size, int prot, void *at)
{
	void *p = mmap(at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static void spin_there(u64 sp, u64 bp)
{
	ready();
	spin(sp, bp);
}

/* Code in no file, which jumps to itself or to spin(): frames in it are found by frame pointers */
static u64 generated(void)
{
	unsigned char *code = (void *)map(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, NULL);

	memset(code, 0x90, PAGE);
	return (u64)code + 100;
}

/* Each caller is the other one, for ever. */
static void circle(void)
{
	u64 *stack = map(PAGE, PROT_READ | PROT_WRITE, NULL), code = generated();

	stack[0] = code;
	stack[10] = (u64)&stack[20];
	stack[11] = code;
	stack[20] = (u64)&stack[10];
	stack[21] = code + 8;
	spin_there((u64)stack, (u64)&stack[10]);
}

/* The frame is its own caller. */
static void itself(void)
{
	u64 *stack = map(PAGE, PROT_READ | PROT_WRITE, NULL), code = generated();

	stack[0] = code;
	stack[10] = (u64)&stack[10];
	stack[11] = code;
	spin_there((u64)stack, (u64)&stack[10]);
}

/* A stack of return addresses without an end */
static void endless(void)
{
	u64 *stack = map(STACK_SIZE, PROT_READ | PROT_WRITE, NULL);

	for (size_t i = 0; i < STACK_SIZE / 8; i++)
		stack[i] = IN_SPIN;
	spin_there((u64)stack, 0);
}

/* What is no address of code, where a return address should be: the kernel's, such as mark contexts in callchains, such as name places in files */
static void forged(void)
{
	static const u64 words[] = {
		0xffffffff81000000, (u64)-128 /* PERF_CONTEXT_KERNEL */, (u64)-512 /* PERF_CONTEXT_USER */, (u64)-32, (u64)-4096, 0x8000000000000000,
		0x00007ffffffff000, 1ULL << 62 | 5ULL << 36 | 0x1000, 1ULL << 62 | 0x3ffffffULL << 36 | 0x1000, ~0ULL, 1,
	};
	u64 *stack = map(PAGE, PROT_READ | PROT_WRITE, NULL);
	pthread_t t;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		u64 *at = &stack[4 * i];

		at[0] = IN_SPIN;
		at[1] = words[i];
		at[2] = IN_SPIN;
		if (i && pthread_create(&t, NULL, spin_thread, at)) /* the first one is for this thread */
			abort();
	}
	spin_there((u64)stack, 0);
}

/* The stack pointer in the kernel's memory, and where no memory is */
static void elsewhere(const char *where)
{
	u64 at = strtoull(where, NULL, 16);
	char line[200];
	FILE *maps;

	if (!strcmp(where, "vvar")) { /* the kernel's pages, mapped as a device's are */
		maps = fopen("/proc/self/maps", "r");
		while (fgets(line, sizeof(line), maps) && !(strstr(line, "[vvar]") && (at = strtoull(line, NULL, 16))))
			;
	}
	spin_there(at, at);
}

struct moving {
	u64 *stack;
	unsigned int turn;
};

static u64 random_word(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Words of all kinds, over the whole stack, as fast as can be */
static void corrupt(struct moving *m)
{
	static u64 seed = 88172645463325252ULL;
	u64 word = random_word(&seed);

	switch (word >> 60 & 3) {
	case 0: break;
	case 1: word = IN_SPIN; break;
	case 2: word = (u64)m->stack + (word & (STACK_SIZE - 1) & ~7ULL); break;
	case 3: word |= 0xffff800000000000; break;
	}
	m->stack[random_word(&seed) % (STACK_SIZE / 8)] = word;
}

/* Unmap, map, protect and move the stack. */
static void remap(struct moving *m)
{
	char *middle = (char *)m->stack + STACK_SIZE / 2;

	switch (m->turn++ % 4) {
	case 0: munmap(middle, STACK_SIZE / 2); break;
	case 1: map(STACK_SIZE / 2, PROT_READ | PROT_WRITE, middle); break;
	case 2: mprotect(m->stack, PAGE, PROT_NONE); break;
	case 3:
		mprotect(m->stack, PAGE, PROT_READ | PROT_WRITE);
		for (size_t i = 0; i < STACK_SIZE / 8; i++)
			m->stack[i] = IN_SPIN;
		break;
	}
}

static void *spin_on(void *arg)
{
	struct moving *m = arg;

	spin((u64)m->stack + STACK_SIZE / 4, (u64)m->stack);
	return NULL;
}

static void moving(void (*move)(struct moving *))
{
	struct moving m = { .stack = map(STACK_SIZE, PROT_READ | PROT_WRITE, NULL) };
	pthread_t t;

	if (pthread_create(&t, NULL, spin_on, &m))
		abort();
	ready();
	for (;;)
		move(&m);
}

/* The code that callers are in is mapped from this file and unmapped while it is looked for, between thousands of other mappings. */
static void mappings(void)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	u64 *stack = map(PAGE, PROT_READ | PROT_WRITE, NULL);
	char *code = (char *)map(1000 * PAGE, PROT_NONE, NULL);
	pthread_t t;

	for (int i = 0; i < 512; i++)
		stack[i] = (u64)code + 2 * (i % 500) * PAGE + 9;
	if (pthread_create(&t, NULL, spin_thread, stack))
		abort();
	ready();
	for (unsigned int i = 0;; i++) {
		char *at = code + 2 * (i * 7 % 500) * PAGE;

		if (i / 500 % 2)
			munmap(at, PAGE);
		else
			mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	}
}

/* 60,000 mappings with code: each caller is in another part of them, and its frame in another page. */
static u64 *spread(u64 *bp)
{
	enum { NR = 60000, FRAMES = 600 };
	char *code = (char *)map((size_t)NR * 2 * PAGE, PROT_NONE, NULL);
	u64 *stack = map((size_t)FRAMES * PAGE, PROT_READ | PROT_WRITE, NULL);

	for (long i = 0; i < NR / 2; i++)
		mprotect(code + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC);
	for (u64 i = 0; i < FRAMES; i++) {
		u64 *frame = stack + i * PAGE / 8 + 64;

		frame[0] = (u64)(frame + PAGE / 8);
		frame[1] = (u64)code + 2 * (i * 7919 % (NR / 2)) * PAGE + 100;
	}
	stack[0] = (u64)code + 100;
	*bp = (u64)(stack + 64);
	return stack;
}

int main(int argc, char **argv)
{
	const char *way = argv[1];
	u64 *stack, bp = 0;

	if (!strcmp(way, "circle"))
		circle();
	else if (!strcmp(way, "itself"))
		itself();
	else if (!strcmp(way, "endless"))
		endless();
	else if (!strcmp(way, "forged"))
		forged();
	else if (!strcmp(way, "at"))
		elsewhere(argv[2]);
	else if (!strcmp(way, "corrupt"))
		moving(corrupt);
	else if (!strcmp(way, "remap"))
		moving(remap);
	else if (!strcmp(way, "mappings"))
		mappings();
	stack = spread(&bp);
	ready();
	if (!strcmp(way, "spread"))
		spin((u64)stack, bp);
	else
		spin_expression((u64)stack, bp);
}
