/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Tables for unwinding user stacks: for each instruction of a file the rule that finds its caller. Made by util/unwind/table.h. Plain
 * data only; BPF programs include vmlinux.h first.
 *
 * A table is two arrays. Addresses are offsets in the file, as BPF knows them without a look at the file's headers:
 *
 *	offset = pc - vma->vm_start + vma->vm_pgoff * PAGE_SIZE		(the vdso: pc - mm->context.vdso)
 *
 *	index	a word for each page, 1 KiB, of the file from first_page on, and one more: the number of rows before that page. Most pages have
 *		fewer rows than 64, in two or three lines of the cache: the search for one is half of what a frame costs
 *	rows	sorted by offset; each holds up to the next row, across pages
 *
 * Lookup: page = (offset >> 10) - first_page. If page >= nr_pages, the file has no code there. Otherwise the row is the last one in
 * [index[page], index[page + 1]) whose low is <= (offset & 0x3ff); if there is none, it is the one before index[page]. That one always
 * exists: row 0 is at the begin of the first page, and index[0] is 0. A page has 1,024 rows at most.
 *
 * Rules are shared by all tables of a recording: their ids stay valid while the set grows.
 */
#ifndef PERF_BPF_UNWIND_H
#define PERF_BPF_UNWIND_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define UNWIND_PAGE_SHIFT 10
#define UNWIND_PAGE_MASK ((1U << UNWIND_PAGE_SHIFT) - 1)
#define UNWIND_MAX_RULES 65535
#define UNWIND_MAX_FRAMES 511

struct unwind_row {
	__u16 low;  /* offset in the page */
	__u16 rule; /* its id: index in the set of rules */
};

/* Rules that every set begins with, by id */
enum {
	UNWIND_RULE_NONE, /* the file does not say */
	UNWIND_RULE_HARD, /* the file says what no rule can express: unwind in user space, with DWARF */
	UNWIND_RULE_END,  /* the outermost frame */
	UNWIND_RULE_FP,	  /* code without a table: by frame pointers */
	UNWIND_RULE_WORD, /* x86-64: the frame is one word, and has no frame pointer */
	UNWIND_RULE_EMPTY, /* x86-64: the stack pointer is at the return address */
	UNWIND_NR_FIXED_RULES,
};

/* How to compute the CFA (canonical frame address): the stack pointer of the caller after the return */
enum {
	UNWIND_CFA_NONE,  /* rule UNWIND_RULE_NONE */
	UNWIND_CFA_HARD,  /* rule UNWIND_RULE_HARD */
	UNWIND_CFA_END,	  /* rule UNWIND_RULE_END */
	UNWIND_CFA_SP,	  /* stack pointer + cfa_off */
	UNWIND_CFA_BP,	  /* frame pointer + cfa_off */
	UNWIND_CFA_REG,	  /* register reg + cfa_off; only sampled frames know registers other than sp, bp, lr and rbx */
	UNWIND_CFA_DEREF, /* memory at (register reg + unwind_rule__at()) + unwind_rule__add() */
	UNWIND_CFA_PLT,	  /* x86 PLT: sp + 8, and 8 more if (pc & 15) >= cfa_off */
};

/* Where the caller's frame pointer is */
enum {
	UNWIND_BP_SAME, /* not saved yet, or restored */
	UNWIND_BP_CFA,	/* memory at CFA + 8 * bp_off */
	UNWIND_BP_BASE, /* memory at the register of UNWIND_CFA_* + 8 * bp_off: signal frames */
	UNWIND_BP_LOST, /* nowhere */
};

/* Where the caller's rbx is, of x86: some functions find their CFA by it (_dl_runtime_resolve) */
enum {
	UNWIND_BX_SAME, /* not saved yet, or restored. From here to UNWIND_BX_LOST, memory at CFA - 8 * (this + 1), where functions push it */
	UNWIND_BX_LOST = 7, /* elsewhere, or nowhere */
};

/* Where the return address is */
enum {
	UNWIND_RA_CFA,	/* memory at CFA + 8 * ra_off */
	UNWIND_RA_BASE, /* memory at the register of UNWIND_CFA_* + 8 * ra_off: signal frames */
	UNWIND_RA_REG,	/* register ra_off; only sampled frames know it, except arm64's lr behind a signal frame */
	UNWIND_RA_PAIR, /* the 8 bytes after the frame pointer's: arm64, in large frames */
};

/* Registers in the numbering of DWARF */
#define UNWIND_X86_BX 3
#define UNWIND_X86_BP 6
#define UNWIND_X86_SP 7
#define UNWIND_ARM64_BP 29
#define UNWIND_ARM64_LR 30
#define UNWIND_ARM64_SP 31

/* One word, 64 bits. Unused members are 0, so that equal rules are equal words. */
struct unwind_rule {
	__s64 cfa_off : 24; /* bytes; DEREF: see unwind_rule__at() */
	__s64 bp_off : 16;  /* in units of 8 bytes */
	__s64 ra_off : 8;   /* in units of 8 bytes, or a register */
	__u64 cfa : 3;	    /* UNWIND_CFA_* */
	__u64 reg : 5;	    /* of UNWIND_CFA_REG and UNWIND_CFA_DEREF; of UNWIND_CFA_SP: UNWIND_X86_BP in code that keeps frame pointers, see below */
	__u64 bp : 2;	    /* UNWIND_BP_* */
	__u64 ra : 2;	    /* UNWIND_RA_* */
	__u64 signal : 1;   /* a signal frame: the return address is that of an instruction that was interrupted, not the end of a call */
	__u64 bx : 3;	    /* UNWIND_BX_* */
};

/* The frame record: the caller's frame pointer and the return address, on both machines */
#define UNWIND_BY_POINTERS \
	{ .cfa = UNWIND_CFA_BP, .cfa_off = 16, .bp = UNWIND_BP_CFA, .bp_off = -2, .ra = UNWIND_RA_CFA, .ra_off = -1, .bx = UNWIND_BX_LOST }

/*
 * Go's tables say where the CFA is at an instruction, but nothing of frame pointers, which Go keeps, and do not know where its runtime changes
 * stacks. So such a rule only holds where ip is exact, and while the frame pointer is the caller's: 0, or at most UNWIND_MAX_GO_FRAME behind the
 * CFA. Everywhere else, UNWIND_BY_POINTERS does.
 */
#define UNWIND_MAX_GO_FRAME 0x4000ULL

static inline _Bool unwind_rule__has_pointers(const struct unwind_rule *rule)
{
	return rule->cfa == UNWIND_CFA_SP && rule->reg;
}

/* UNWIND_CFA_DEREF has two offsets in bytes: of the pointer, in the upper 16 bits of cfa_off, and what is added to its value. */
static inline __s64 unwind_rule__at(const struct unwind_rule *rule)
{
	return rule->cfa_off >> 8;
}

static inline __s64 unwind_rule__add(const struct unwind_rule *rule)
{
	return (__s8)rule->cfa_off;
}

/* A frame's registers. The sample's own frame comes first: see unwind-step.bpf.h for the next ones. */
struct unwind_frame {
	__u64 ip, sp, bp;
	__u64 lr;	/* arm64: valid while lr_known */
	__u64 bx_at;	/* x86: where a callee has saved rbx; 0: in none of them, UNWIND_BX_NOWHERE */
	__u8 exact;	/* ip is that of an instruction: sampled or interrupted. Otherwise it is a return address, and ip - 1 is in the call */
	__u8 sampled;	/* all registers are known */
	__u8 bp_known;
	__u8 lr_known;
	__u32 pad;
};

#define UNWIND_NO_ADDRESS ((__u64)-4095) /* and above: what marks the parts of a callchain, PERF_CONTEXT_* */
#define UNWIND_BX_NOWHERE 1 /* no word's address */

/* Why a stack ends. The first is no end, the second is what is hoped for; all others are incomplete. */
enum unwind_end {
	UNWIND_GOES_ON,
	UNWIND_COMPLETE,   /* a frame that is marked as outermost */
	UNWIND_ZERO,	   /* a return address of 0, or a caller's frame pointer of 0 */
	UNWIND_NO_MAPPING, /* ip is in no mapping of a file */
	UNWIND_NO_TABLE,   /* ip is in a file whose table is not there yet, */
	UNWIND_NO_ROOM,	   /* had no room, */
	UNWIND_NO_FILE,	   /* or could not be made since the file could not be read */
	UNWIND_NO_CFI,	   /* the file does not say: UNWIND_RULE_NONE, or it has no table, and what was taken for frame pointers led astray */
	UNWIND_GENERATED,  /* the same in code that is in no file */
	UNWIND_HARD,	   /* no rule can express it, or it needs a register that is unknown */
	UNWIND_MEMORY,	   /* the stack cannot be read */
	UNWIND_DEPTH,	   /* more frames than asked for */
	UNWIND_LOOP,	   /* the caller is the frame itself */
	UNWIND_EXITING,	   /* the task has no memory any more */
	UNWIND_EXECVE,	   /* the task is in execve(2): it has the next program's memory, but its own registers */
	UNWIND_COMPAT,	   /* a 32-bit task */
	UNWIND_CUT,	   /* user space had too little of the stack */
	UNWIND_NR_ENDS,
};

#endif
