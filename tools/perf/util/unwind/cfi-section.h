/* SPDX-License-Identifier: GPL-2.0 */
/* The entries of .eh_frame and .debug_frame: CIEs, which functions share, and FDEs, one for each function. */
#ifndef PERF_UNWIND_CFI_SECTION_H
#define PERF_UNWIND_CFI_SECTION_H

#include "util/symbol/elf-budget.h"
#include "util/unwind/cfi-run.h"

struct cfi_section {
	const u8 *data;
	size_t size;	  /* below 4 GiB */
	u64 vaddr;	  /* of data in the file's address space; 0 for .debug_frame */
	bool is_debug;	  /* .debug_frame */
	const struct cfi_machine *machine;
	struct cfi_cie *cie; /* by position */
	u32 nr_cies, room;
};

struct cfi_fde {
	u64 begin, size;	/* its code, by address */
	const struct cfi_cie *cie;
	struct bytes program;
};

/*
 * Call fde for each FDE of the section, in their order. fde is valid during the call.

 * Damaged entries are left out. 0, -ENOMEM, -E2BIG, or what fde returned if that was not 0.
 */
int cfi_section__scan(struct cfi_section *section, struct elf_budget *budget, int (*fde)(void *context, const struct cfi_fde *fde, u32 position),
		      void *context);
/* Read the FDE at a position that .fde was called with. */
bool cfi_section__fde(const struct cfi_section *section, u32 position, struct cfi_fde *fde);
/*
 * The same for any position, without a scan: reads the CIE, too, if it is not known yet. fde->cie is valid until the next call. 0, -EINVAL:
 * no FDE is there, or it is damaged, -ENOMEM or -E2BIG.
 */
int cfi_section__read_fde(struct cfi_section *section, struct elf_budget *budget, u32 position, struct cfi_fde *fde);
/* Free what the scan made; data stays. */
void cfi_section__exit(struct cfi_section *section);

/*
 * May libdw read the section? It runs whatever it finds. Each CIE has at most so many bytes, each FDE belongs to a CIE that is an entry itself,
 * and none overlap. 0, -E2BIG: no, -ENOMEM. *nr_long: FDEs of more bytes than that
 */
int cfi_section__check(const struct cfi_section *section, u32 max_length, u32 *nr_long);

/* Decode an address of that encoding (DW_EH_PE_*); false: damaged, or its value is not in the file. */
bool cfi_section__address(const struct cfi_section *section, u8 encoding, struct bytes *at, u64 *address);

#endif
