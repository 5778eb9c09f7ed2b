// SPDX-License-Identifier: GPL-2.0
/*
 * An ELF file for which an unwinding table is made. Its first byte says what the rest is: a whole file, or, as most random files are no ELF files,
 * only the contents of .eh_frame or .debug_frame. Then stacks are walked by the table.
 */
#include <elf.h>
#include "tests/fuzz/fuzz.h"
#include "util/unwind/walk.h"

#define FRAMES 0x1000
#define MAX_FRAMES 0x8000
#define SHDRS 0x400
#define NAMES 0x300
#define TEXT (FRAMES + MAX_FRAMES)
#define TEXT_SIZE 0x4000

enum { WHOLE_FILE, ARM64 = 1, DEBUG = 2 }; /* bits of the first byte; 0x80: not a whole file */

static struct {
	u8 image[TEXT + TEXT_SIZE];
} made;

/* A file with the input as its call frame information; its addresses are the offsets. */
static void make_file(const u8 *data, size_t size, u8 kind)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.plt";
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC,
		.e_machine = kind & ARM64 ? EM_AARCH64 : EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(ehdr), .e_shoff = SHDRS,
		.e_ehsize = sizeof(ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4,
		.e_shstrndx = 1, .e_entry = TEXT + 0x100,
	};
	Elf64_Phdr phdr = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = TEXT, .p_vaddr = TEXT, .p_filesz = TEXT_SIZE, .p_memsz = TEXT_SIZE };
	Elf64_Shdr shdr[] = {
		{},
		{ .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = sizeof(names) },
		{ .sh_name = kind & DEBUG ? 11 : 1, .sh_type = SHT_PROGBITS, .sh_flags = kind & DEBUG ? 0 : SHF_ALLOC, .sh_addr = FRAMES,
		  .sh_offset = FRAMES, .sh_size = size },
		{ .sh_name = 24, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT, .sh_offset = TEXT, .sh_size = 0x40 },
	};

	memcpy(made.image, &ehdr, sizeof(ehdr));
	memcpy(made.image + sizeof(ehdr), &phdr, sizeof(phdr));
	memcpy(made.image + NAMES, names, sizeof(names));
	memcpy(made.image + SHDRS, shdr, sizeof(shdr));
	memcpy(made.image + FRAMES, data, size);
}

struct walked {
	const struct unwind_table *table;
	u64 seed;
};

static enum unwind_end find(void *context, u64 ip, u32 *rule)
{
	struct walked *w = context;

	*rule = unwind_table__rule(w->table, ip % (TEXT + TEXT_SIZE));
	return UNWIND_GOES_ON;
}

static bool read_word(void *context, u64 address, u64 *value)
{
	struct walked *w = context;

	w->seed = w->seed * 6364136223846793005ULL + address;
	*value = w->seed >> 20;
	return w->seed >> 60 != 0;
}

static bool read_reg(void *context, u32 number, u64 *value)
{
	*value = number;
	return true;
}

static void walk(const struct unwind_table *table, const struct unwind_rules *rules, u64 ip)
{
	static const struct unwind_walk_ops ops = { .find = find, .read = read_word, .reg = read_reg };
	struct walked context = { table, ip };
	const struct unwind_walk w = { .rules = rules, .ops = &ops, .context = &context };
	u64 ips[16];
	u32 nr;

	unwind_walk__run(&w, (struct unwind_frame){ .ip = ip, .exact = 1, .sampled = 1, .bp_known = 1, .lr_known = 1 }, ips, 16, &nr);
	if (nr > 16)
		abort();
}

/* What BPF programs rely on */
static void check(const struct unwind_table *table, const struct unwind_rules *rules)
{
	if (table->index[0] || table->index[table->nr_pages] != table->nr_rows || !table->nr_rows || table->rows[0].low)
		abort();
	for (u32 page = 0; page < table->nr_pages; page++) {
		if (table->index[page] > table->index[page + 1])
			abort();
		for (u32 i = table->index[page]; i < table->index[page + 1]; i++) {
			if (table->rows[i].low > UNWIND_PAGE_MASK || table->rows[i].rule >= unwind_rules__nr(rules) ||
			    (i > table->index[page] && table->rows[i].low <= table->rows[i - 1].low))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct unwind_table *table;
	struct unwind_rules *rules;
	int err;
	u8 kind;

	fuzz__take(&data, &size, &kind, sizeof(kind));
	rules = unwind_rules__new(kind & ARM64 ? EM_AARCH64 : EM_X86_64);
	if (!rules)
		abort();
	if (kind & 0x80) {
		size = size < MAX_FRAMES ? size : MAX_FRAMES;
		make_file(data, size, kind);
		err = unwind_table__load_memory(made.image, sizeof(made.image), "made", rules, &table, NULL);
	} else {
		char path[32];
		int fd = fuzz__open_file(data, size, path);

		err = unwind_table__load(path, rules, &table, NULL);
		close(fd);
	}
	if (!err) {
		check(table, rules);
		for (u64 ip = TEXT; ip < TEXT + TEXT_SIZE; ip += 0x1f7)
			walk(table, rules, ip);
		unwind_table__delete(table);
	}
	unwind_rules__delete(rules);
	return 0;
}
