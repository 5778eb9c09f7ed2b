/* SPDX-License-Identifier: GPL-2.0 */
/* From (machine, thread, cpumode, address) to map, dso and symbol; loads a dso's table on its first use and caches it. */
#ifndef PERF_SYMBOL_RESOLVE_H
#define PERF_SYMBOL_RESOLVE_H

#include "util/machine/machine.h"
#include "util/symbol/data-type.h"
#include "util/symbol/insn.h"
#include "util/symbol/location.h"
#include "util/symbol/srcline.h"
#include "util/symbol/symtab.h"

struct resolver;

struct resolver_opts {
	struct symtab_opts symtab;
	const char *kallsyms;	/* NULL: /proc/kallsyms if the recorded kernel is running */
	const char *vmlinux;	/* NULL: not used */
	bool debuginfod;	/* ask the servers in $DEBUGINFOD_URLS for debug information */
	bool no_fde_names;	/* leave functions unknown that only the unwinding information tells, see unnamed-functions.h */
	bool no_inline;		/* show no inlined functions in callchains */
};

struct resolver *resolver__new(struct machine *machine, const struct resolver_opts *opts);
void resolver__delete(struct resolver *r); /* tables belong to the dsos: see resolver__free_dso */
void resolver__free_dso(struct dso *dso);  /* for machine__new */

/* Fill loc; always succeeds, unknown parts are NULL. */
void resolver__resolve(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr, struct location *loc);

/*
 * What code is at the address, as a value to compare only: equal for addresses of one function, and, where no function is known, for an
 * offset of a file in all processes that map it. Above 32 bits. 0: neither is known.
 */
u64 resolver__identity(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr);
u64 symbol__identity(const struct symbol *sym); /* the same for a function; 0 for NULL */

struct place_fetch {
	struct thread *thread;
	u64 addr;
	u8 cpumode;
	bool in_chain; /* what resolver__frames_at() reads is wanted, too */
	bool loaded; /* result: all that is needed is loaded. Else finding it would take long */
	const struct map *map; /* private to resolve.c */
};
/* Before many places are looked up: prefetch what is read for them, step by step, so that they wait for memory together. Loads nothing. */
void resolver__fetch_places(struct resolver *r, struct place_fetch *place, size_t nr);
/* For a place that is loaded, as long as maps have not changed: what resolver__identity() returns. */
u64 resolver__identity_of(struct resolver *r, const struct place_fetch *place);

/*
 * As resolver__resolve(), for an address of data. A program's variables that begin as zeros are partly in memory without a file, right behind that of its
 * file: then map is that memory, and dso and symbol are the program's.
 */
void resolver__resolve_data(struct resolver *r, struct thread *thread, u64 addr, struct location *loc);

/*
 * The source line of a resolved location and the functions inlined there, from the debug information of the dso's file, which is
 * read on first use; for a kernel from its vmlinux. NULL: unknown. Lives as long as the dso. Not thread-safe.
 */
const struct srcline *resolver__srcline(struct resolver *r, const struct location *loc);
/* The source line of this very location, which may be a call of an inlined function. NULL: unknown. */
const struct srcline_frame *resolver__code(struct resolver *r, const struct location *loc);
/* As resolver__srcline(), but NULL unless functions are inlined there and callchains show them. */
const struct srcline *resolver__inlined(struct resolver *r, const struct location *loc);
/*
 * The type of the data that the instruction at a resolved location accesses; never NULL. Lives as long as the dso. Not thread-safe. Call
 * __read_types() before anything is resolved: without it, debug information is read without what tells the types of optimised code.
 */
void resolver__read_types(struct resolver *r);
const struct data_type *resolver__data_type(struct resolver *r, const struct location *loc);
/* All members of that type, as data_types__layout(). */
int resolver__data_layout(struct resolver *r, const struct location *loc, struct data_layout *layout);
/*
 * Copy the instruction at a resolved location from the file that was mapped there; returns its size in bytes. 0: unknown: kernels,
 * which patch their own code, other machines than x86-64, and builds without libcapstone. Not thread-safe.
 */
u32 resolver__insn(struct resolver *r, const struct location *loc, u8 code[INSN_MAX_SIZE]);
/*
 * Load what resolving such an address will need; in_chain: as a frame of a callchain. After __begin_loading() other threads load it,
 * the largest first. Call all functions here from one thread nevertheless.
 */
void resolver__load_ahead(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr, bool in_chain);
void resolver__begin_loading(struct resolver *r);
/*
 * Call run once, in any thread, when everything to be loaded ahead so far is loaded, or nearly; without memory never. Call
 * __end_notice() afterwards; it guarantees that run is no longer called.
 */
void resolver__notice_loaded(struct resolver *r, void (*run)(void *arg), void *arg);
void resolver__end_notice(struct resolver *r);
/*
 * Frames of callchains, by numbers that go from 1 on. Those of an address are consecutive: the functions inlined there, the innermost
 * first, and the function itself; or one if nothing is inlined. Equal numbers are equal frames, if resolver__has_numbers(). Begin each
 * sample with resolver__begin(): then numbers may be given anew.
 */
struct frames {
	u32 first, nr; /* nr 0: no memory */
	bool interrupts; /* the next frame of a callchain was interrupted: it is no return address */
};

/*
 * With a cpumode, where functions take a mode: the address is a return address. What is there is that of the call before it, unless no call can
 * be: code that others return to without having been called, as the start of a coroutine, is looked up as it is.
 */
#define FRAME_CALLER 0x80

void resolver__begin(struct resolver *r);
/* The same after the last sample for now, to free memory. */
void resolver__release(struct resolver *r);
bool resolver__has_numbers(const struct resolver *r);
/* While this is unchanged, numbers are valid, and those of equal addresses and maps are equal. */
u32 resolver__numbering(const struct resolver *r);
/* maps_version: resolver__maps_version() of the thread */
struct frames resolver__frames(struct resolver *r, struct thread *thread, u64 maps_version, u8 mode, u64 addr);
/*
 * The same in two steps for nr addresses in a row. hash[nr] is filled in while the tables are prefetched; then the numbers of those addresses
 * are taken, up to the first one that is new, has several frames, or interrupts. Returns how many these are.
 */
void resolver__hash_frames(const struct resolver *r, u64 maps_version, u8 mode, const u64 *addr, u32 nr, u32 *hash);
u32 resolver__known_frames(const struct resolver *r, u64 maps_version, u8 mode, const u64 *addr, const u32 *hash, u32 nr, u32 *number);
/*
 * The same for an address that hardly occurs again: in a process that had few samples so far, as processes have that soon end. Its frames are not
 * found again by its address, and keep their numbers only as long as resolver__numbering() is unchanged; no others get them afterwards. To find them
 * again would cost more than to resolve them anew.
 */
struct frames resolver__frames_once(struct resolver *r, struct thread *thread, u8 mode, u64 addr);
/* The numbers of nr addresses in a row, up to the first one whose code is new in all processes, has several frames, or interrupts. Returns how many these are. */
u32 resolver__known_once(struct resolver *r, struct thread *thread, u8 mode, const u64 *addr, u32 nr, u32 *number);
bool resolver__numbers_once(const struct resolver *r, const struct thread *thread, u8 mode); /* is that better, as far as we know? */
struct frames resolver__frames_at(struct resolver *r, struct thread *thread, u8 cpumode, u64 addr); /* with numbers of that kind, or the other */
/* The map of code of a user's file without a symbol, which with the address tells the whole location. NULL: it is another frame. */
const struct map *resolver__unnamed_once(const struct resolver *r, u32 number, u64 *addr);
#define FRAMES_ONCE 0xf0000000u
static inline bool frame_number__is_once(u32 number)
{
	return number >= FRAMES_ONCE;
}
/* Of a number since resolver__begin(); valid until something is resolved, or until the next call. */
const struct location *resolver__frame(const struct resolver *r, u32 number);
/* Its address, and the number of its code: frames with equal ones, not 0, differ in their address only, as in several processes. */
u32 resolver__frame_code(const struct resolver *r, u32 number, u64 *addr);
/*
 * How many bytes of memory the dso takes at this map. The kernel's size reaches from its first symbol to its last one, as in perf:
 * the end of its map may be a guess; without symbols it is the recorded size. 0: unknown
 */
u64 resolver__mapped_size(struct resolver *r, const struct map *map);
/* The address in the dso's file, as debuggers and addr2line expect it. */
u64 resolver__file_address(struct resolver *r, const struct location *loc);

/*
 * Where a function of the kernel, or of a module, lies in the memory of the kernel with these kallsyms. NULL: the running one; 0: it is
 * another kernel than the recorded one.
 */
u64 resolver__address_in_memory(struct resolver *r, const struct symbol *sym, const char *kallsyms);
const char *resolver__kallsyms(const struct resolver *r); /* the file that the kernel's symbols are from; NULL: none, or the running kernel's */

/* While this is unchanged, an address of the thread in one cpumode resolves to the same location. See machine__maps_version(). */
u64 resolver__maps_version(const struct resolver *r, const struct thread *thread);

/* After the dso's first use: has it any symbols, and what did loading them end with? 0 or -errno */
bool resolver__has_symbols(struct resolver *r, const struct dso *dso);
int resolver__error(const struct resolver *r, const struct dso *dso);

/*
 * Call cb for each dso whose table could not be loaded, with the reason and -errno, for one message at the end. Unreadable debug
 * information counts only if the error is our own, see fs__own_error(). -E2BIG: a part of the dso's file was left out, see
 * elf-budget.h.
 */
int resolver__for_each_failure(struct resolver *r, int (*cb)(const struct dso *dso, const char *why, int error, void *data),
			       void *data);

#endif
