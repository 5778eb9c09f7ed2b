// SPDX-License-Identifier: GPL-2.0
/* A sample's registers and a copy of its stack, both behind two bytes with the stack's length, then the ELF file that its code is in. */
#include "tests/fuzz/fuzz.h"
#include "util/callchain/unwind.h"

#define NR_REGS 17
#define CODE 0x400000 /* where the file is mapped */
#define STACK 0x7ffff0000000

struct map_record {
	struct record_mmap record;
	char name[64];
};

static void map_file(struct machine *machine, const char *path, u64 size)
{
	struct map_record m = {
		.record = { .header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_USER, .size = sizeof(m) },
			    .pid = 1, .tid = 1, .start = CODE, .len = ALIGN_UP(size, 4096) },
	};

	strcpy(m.record.filename, path);
	if (machine__process(machine, (const union perf_record *)&m))
		abort();
}

static void unwind(const u64 *regs, const void *stack, size_t stack_size, const char *path, size_t file_size)
{
	struct machine *machine = machine__new(NULL);
	struct unwinder *u = machine ? unwinder__new(machine, &(struct file_places){}) : NULL;
	struct thread *thread = machine ? machine__thread(machine, 1, 1) : NULL;
	struct perf_sample sample = {
		.cpumode = PERF_RECORD_MISC_USER, .user_regs_abi = PERF_SAMPLE_REGS_ABI_64, .user_regs_mask = 0xff01ff, .user_regs = regs,
		.ip = regs[8], .user_stack = stack, .user_stack_size = stack_size,
	};

	if (!u || !thread)
		abort();
	map_file(machine, path, file_size);
	if (unwinder__unwind(u, thread, &sample, 127) == 0 && sample.nr_callchain > 128)
		abort();
	unwinder__delete(u);
	machine__delete(machine);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u64 regs[NR_REGS];
	u16 stack_size;
	void *stack;
	char path[32];
	int fd;

	fuzz__take(&data, &size, &stack_size, sizeof(stack_size));
	fuzz__take(&data, &size, regs, sizeof(regs));
	/* most addresses mean nothing: those that may are near the code and the stack */
	regs[8] = CODE + (regs[8] & 0xffff);
	regs[7] = STACK + (regs[7] & 0xff8);
	stack_size = stack_size / 8 * 8 < size ? stack_size / 8 * 8 : size / 8 * 8;
	stack = malloc(stack_size ?: 1);
	if (!stack)
		abort();
	fuzz__take(&data, &size, stack, stack_size);
	fd = fuzz__open_file(data, size, path);
	unwind(regs, stack, stack_size, path, size);
	close(fd);
	free(stack);
	return 0;
}
