/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The terms of filters: the only source of the language, the programs, their explanations and the checks of the documentation. Lists
 * only; the includer expands them with its own macros.
 *
 * A term is a name in the language (FILTER_TERMS). It tests a field (FILTER_FIELDS, FILTER_TESTS), or some bits of one. A new term that
 * reads a new field needs a row in both, and an expression in filter-fetch.bpf.h that reads the field.
 */
#ifndef PERF_BPF_FILTER_TERMS_H
#define PERF_BPF_FILTER_TERMS_H

/*
 * F(name, shown, bit, guard, group, old, tracepoint, off_cpu): what a program can read. FILTER_TERM_<name> are numbered in this order.
 *	shown	its name in --dry-run -v
 *	bit	the PERF_SAMPLE_* bit to set in the event's attr; 0: none
 *	guard	the sample has the field if its flags have one of these bits; 0: always, since a helper reads it
 *	group	where the programs for samples read it from:
 *		MEMBER	the sample, by code in each slot of the table; RARE: by a function
 *		CURRENT	a helper for the current task or CPU, or the filter's words; in all programs but those for off-CPU time
 *		TASK	a member of the task
 *		OWN	the task or the clock, since the sample may hold another event's value; see filter-own.bpf.h
 *		FILE	the file that is mapped at ip; 0 in the kernel and in memory without file
 *		RECORD	the record of a tracepoint
 *		WALK	the kernel's data; in programs that their own user loads, which define FILTER_WALKS
 *		OTHER	separate code
 *	old	its requirement before Linux 6.3: HELPERS that all kernels have, BTF, FILES (BTF and bpf_find_vma), or a PREPARED sample,
 *		which only newer kernels have
 *	tracepoint	YES: tracepoints have it, too
 *	off_cpu	whether a task has it that need not be the current one, as for off-CPU time: DIRECT, TASK (read by a function), SPAN (where it
 *		is judged for a span of time, which counts are not) or NO
 * To expand bit or guard, define SB(bit) as PERF_SAMPLE_<bit>.
 *
 * Contents of the fields:
 *	ID         	either bit makes the kernel fill it; IDENTIFIER does not depend on other bits
 *	CPU        	a helper reads it; the bit adds it to the file, which then shows the value that was tested
 *	TIME       	no helper reads perf's clock
 *	CGROUP     	id of the task's cgroup in the v2 hierarchy
 *	MODE       	enum filter_mode
 *	COMM_LO    	bytes 0-7 of the command name, little endian, NUL-padded
 *	COMM_HI    	bytes 8-15
 *	RAND       	32 random bits, fresh ones each time
 *	WEIGHT     	weight1 in bits 0-31, weight2 in 32-47, weight3 in 48-63
 *	DATA_SRC   	union perf_mem_data_src
 *	PRIO       	task_struct.prio + 1, as a deadline task's is -1
 *	IDLE       	1: the CPU had nothing to do
 *	FILE_DEV   	the kernel's dev_t: major << 20 | minor
 *	FILE_OFFSET	of the byte at ip
 */
#define FILTER_FIELDS(F) \
	F(IP,          "ip",             SB(IP),               SB(IP),                             MEMBER,  HELPERS,  NO,  NO) \
	F(ID,          "id",             SB(IDENTIFIER),       SB(IDENTIFIER) | SB(ID),            MEMBER,  PREPARED, NO,  NO) \
	F(TID,         "tid",            SB(TID),              SB(TID),                            MEMBER,  HELPERS,  YES, DIRECT) \
	F(PID,         "pid",            SB(TID),              SB(TID),                            MEMBER,  HELPERS,  YES, DIRECT) \
	F(CPU,         "cpu",            SB(CPU),              0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(TIME,        "time",           SB(TIME),             SB(TIME),                           MEMBER,  PREPARED, YES, SPAN) \
	F(ADDR,        "addr",           SB(ADDR),             SB(ADDR),                           MEMBER,  BTF,      NO,  NO) \
	F(PERIOD,      "period",         SB(PERIOD),           SB(PERIOD),                         MEMBER,  HELPERS,  NO,  SPAN) \
	F(UID,         "uid",            0,                    0,                                  CURRENT, HELPERS,  YES, TASK) \
	F(GID,         "gid",            0,                    0,                                  CURRENT, HELPERS,  YES, TASK) \
	F(CGROUP,      "cgroup",         0,                    0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(MODE,        "mode",           0,                    0,                                  OTHER,   HELPERS,  YES, NO) \
	F(COMM_LO,     "comm[0-7]",      0,                    0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(COMM_HI,     "comm[8-15]",     0,                    0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(RAND,        "rand",           0,                    0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(WEIGHT,      "weight",         SB(WEIGHT_STRUCT),    SB(WEIGHT_STRUCT) | SB(WEIGHT),     RARE,    PREPARED, NO,  NO) \
	F(TXN,         "txn",            SB(TRANSACTION),      SB(TRANSACTION),                    RARE,    PREPARED, NO,  NO) \
	F(PHYS_ADDR,   "phys_addr",      SB(PHYS_ADDR),        SB(PHYS_ADDR),                      RARE,    PREPARED, NO,  NO) \
	F(CODE_PGSZ,   "code_pgsz",      SB(CODE_PAGE_SIZE),   SB(CODE_PAGE_SIZE),                 RARE,    PREPARED, NO,  NO) \
	F(DATA_PGSZ,   "data_pgsz",      SB(DATA_PAGE_SIZE),   SB(DATA_PAGE_SIZE),                 RARE,    PREPARED, NO,  NO) \
	F(DATA_SRC,    "data_src",       SB(DATA_SRC),         SB(DATA_SRC),                       RARE,    PREPARED, NO,  NO) \
	F(PPID,        "ppid",           0,                    0,                                  TASK,    BTF,      YES, TASK) \
	F(PRIO,        "prio+1",         0,                    0,                                  TASK,    BTF,      YES, TASK) \
	F(NICE,        "nice+20",        0,                    0,                                  TASK,    BTF,      YES, TASK) \
	F(IDLE,        "idle",           0,                    0,                                  TASK,    HELPERS,  YES, NO) \
	F(OWN_ID,      "own-id",         0,                    0,                                  OWN,     PREPARED, NO,  NO) \
	F(OWN_TID,     "own-tid",        0,                    0,                                  OWN,     HELPERS,  NO,  NO) \
	F(OWN_PID,     "own-pid",        0,                    0,                                  OWN,     HELPERS,  NO,  NO) \
	F(OWN_TIME,    "own-time",       0,                    0,                                  OWN,     PREPARED, NO,  NO) \
	F(FILE_DEV,    "file-dev",       SB(IP),               0,                                  FILE,    FILES,    NO,  NO) \
	F(FILE_INO,    "file-inode",     SB(IP),               0,                                  FILE,    FILES,    NO,  NO) \
	F(FILE_OFFSET, "file-offset",    SB(IP),               0,                                  FILE,    FILES,    NO,  NO)

/*
 * The same for tests with an index, which is in entry->shift, so nothing is masked. The result is 1 or 0, except for CGROUP_AT:
 *	COMM_GLOB  	the command name matches glob[index]
 *	FILE_NAME  	the file's name, without directories, is name[index]
 *	FILE_GLOB  	the file's name matches glob[index]
 *	IP_SET     	the ip is in set[index]
 *	OFFSET_SET 	the file offset is in set[index]
 *	EVERY      	1 for each every[index]th test on a CPU
 *	CGROUP_AT  	id of the task's cgroup at level index of the v2 hierarchy (0: the root); 0: not as deep
 *	FIELD_TEXT 	the string begins with text[]
 *	FIELD_GLOB 	the string matches glob[]
 *	WALK_HAS   	walk[index] leads to a value
 *	WALK_TEXT  	the string that a walk leads to begins with text[]
 *	WALK_GLOB  	that string matches glob[]
 * For a tracepoint's record, and for a walk's string, index >> FILTER_FIELD_SHIFT is the number of the field or walk, and index & FILTER_FIELD_WHICH that of the text or glob.
 */
#define FILTER_TESTS(F) \
	F(COMM_GLOB,   "comm-matches",   0,                    0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(FILE_NAME,   "file-name",      SB(IP),               0,                                  FILE,    FILES,    NO,  NO) \
	F(FILE_GLOB,   "file-matches",   SB(IP),               0,                                  FILE,    FILES,    NO,  NO) \
	F(IP_SET,      "ip-in",          SB(IP),               0,                                  OTHER,   HELPERS,  NO,  NO) \
	F(OFFSET_SET,  "file-offset-in", SB(IP),               0,                                  FILE,    FILES,    NO,  NO) \
	F(EVERY,       "every",          0,                    0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(CGROUP_AT,   "cgroup-at",      0,                    0,                                  CURRENT, HELPERS,  YES, DIRECT) \
	F(FIELD_TEXT,  "field-is",       SB(RAW),              0,                                  RECORD,  HELPERS,  YES, NO) \
	F(FIELD_GLOB,  "field-matches",  SB(RAW),              0,                                  RECORD,  HELPERS,  YES, NO) \
	F(WALK_HAS,    "walk-has",       0,                    0,                                  WALK,    PREPARED, YES, NO) \
	F(WALK_TEXT,   "walk-is",        0,                    0,                                  WALK,    PREPARED, YES, NO) \
	F(WALK_GLOB,   "walk-matches",   0,                    0,                                  WALK,    PREPARED, YES, NO)

/* FILTER_CONSTANTS_<list>: C(name, value). Names as upstream perf has them, values of include/uapi/linux/perf_event.h. */
#define FILTER_CONSTANTS_NONE(C)
#define FILTER_CONSTANTS_MODE(C) C("user", FILTER_MODE_USER) C("kernel", FILTER_MODE_KERNEL)
#define FILTER_CONSTANTS_MEM_OP(C) \
	C("na", PERF_MEM_OP_NA) C("load", PERF_MEM_OP_LOAD) C("store", PERF_MEM_OP_STORE) C("pfetch", PERF_MEM_OP_PFETCH) \
	C("exec", PERF_MEM_OP_EXEC)
#define FILTER_CONSTANTS_MEM_LVL(C) \
	C("na", PERF_MEM_LVLNUM_NA) C("l1", PERF_MEM_LVLNUM_L1) C("l2", PERF_MEM_LVLNUM_L2) C("l3", PERF_MEM_LVLNUM_L3) \
	C("l4", PERF_MEM_LVLNUM_L4) C("cxl", PERF_MEM_LVLNUM_CXL) C("io", PERF_MEM_LVLNUM_IO) \
	C("any_cache", PERF_MEM_LVLNUM_ANY_CACHE) C("lfb", PERF_MEM_LVLNUM_LFB) C("ram", PERF_MEM_LVLNUM_RAM) \
	C("pmem", PERF_MEM_LVLNUM_PMEM)
/* The extension's bits are above the five of mem_snoop. */
#define FILTER_CONSTANTS_MEM_SNOOP(C) \
	C("na", PERF_MEM_SNOOP_NA) C("none", PERF_MEM_SNOOP_NONE) C("hit", PERF_MEM_SNOOP_HIT) C("miss", PERF_MEM_SNOOP_MISS) \
	C("hitm", PERF_MEM_SNOOP_HITM) C("fwd", PERF_MEM_SNOOPX_FWD << 5) C("peer", PERF_MEM_SNOOPX_PEER << 5)
#define FILTER_CONSTANTS_MEM_REMOTE(C) C("remote", PERF_MEM_REMOTE_REMOTE)
#define FILTER_CONSTANTS_MEM_LOCK(C) C("na", PERF_MEM_LOCK_NA) C("locked", PERF_MEM_LOCK_LOCKED)
#define FILTER_CONSTANTS_MEM_DTLB(C) \
	C("na", PERF_MEM_TLB_NA) C("l1_hit", PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT) C("l1_miss", PERF_MEM_TLB_L1 | PERF_MEM_TLB_MISS) \
	C("l2_hit", PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT) C("l2_miss", PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS) \
	C("any_hit", PERF_MEM_TLB_HIT) C("any_miss", PERF_MEM_TLB_MISS) C("walk", PERF_MEM_TLB_WK) C("os", PERF_MEM_TLB_OS) \
	C("fault", PERF_MEM_TLB_OS)
#define FILTER_CONSTANTS_MEM_BLK(C) C("na", PERF_MEM_BLK_NA) C("by_data", PERF_MEM_BLK_DATA) C("by_addr", PERF_MEM_BLK_ADDR)
#define FILTER_CONSTANTS_MEM_HOPS(C) \
	C("hops0", PERF_MEM_HOPS_0) C("hops1", PERF_MEM_HOPS_1) C("hops2", PERF_MEM_HOPS_2) C("hops3", PERF_MEM_HOPS_3)

/*
 * T(name, kind, ops, field, constants, further members of struct filter_term_desc): the names of the language, in the order in which messages
 * list them. FILTER_KIND_<kind>, FILTER_OPS_<ops>: see util/filter/terms.h. FILTER_BITS(first, number): the bits of the field to use.
 */
#define FILTER_TERMS(T) \
	T("ip", NUMBER, NUMBER, IP, NONE) \
	T("id", NUMBER, NUMBER, ID, NONE) \
	T("tid", NUMBER, NUMBER, TID, NONE) \
	T("pid", NUMBER, NUMBER, PID, NONE) \
	T("ppid", NUMBER, NUMBER, PPID, NONE) \
	T("cpu", CPU, NUMBER, CPU, NONE) \
	T("time", TIME, NUMBER, TIME, NONE) \
	T("addr", NUMBER, NUMBER, ADDR, NONE) \
	T("period", NUMBER, NUMBER, PERIOD, NONE) \
	T("uid", USER, NUMBER, UID, NONE) \
	T("gid", GROUP, NUMBER, GID, NONE) \
	T("comm", COMM, STRING, COMM_LO, NONE) \
	T("cgroup", CGROUP, EQUAL, CGROUP, NONE) \
	T("mode", CONSTANT, EQUAL, MODE, MODE) \
	T("prio", SIGNED, SIGNED, PRIO, NONE, .min = -1, .max = 139) \
	T("nice", SIGNED, SIGNED, NICE, NONE, .min = -20, .max = 19) \
	T("idle", FLAG, FLAG, IDLE, NONE) \
	T("sym", SYMBOL, STRING, IP, NONE) \
	T("dso", FILE, STRING, FILE_NAME, NONE) \
	T("rand", PERCENT, ORDER, RAND, NONE) \
	T("every", EVERY, FLAG, EVERY, NONE) \
	T("phys_addr", NUMBER, NUMBER, PHYS_ADDR, NONE) \
	T("txn", NUMBER, NUMBER, TXN, NONE) \
	T("weight", NUMBER, NUMBER, WEIGHT, NONE, FILTER_BITS(0, 32), .aliases = { "weight1" }) \
	T("weight2", NUMBER, NUMBER, WEIGHT, NONE, FILTER_BITS(32, 16), .aliases = { "ins_lat" }) \
	T("weight3", NUMBER, NUMBER, WEIGHT, NONE, FILTER_BITS(48, 16), .aliases = { "retire_lat", "p_stage_cyc" }) \
	T("code_pgsz", NUMBER, NUMBER, CODE_PGSZ, NONE) \
	T("data_pgsz", NUMBER, NUMBER, DATA_PGSZ, NONE) \
	T("mem_op", CONSTANT, NUMBER, DATA_SRC, MEM_OP, FILTER_BITS(PERF_MEM_OP_SHIFT, 5)) \
	T("mem_lvl", CONSTANT, NUMBER, DATA_SRC, MEM_LVL, FILTER_BITS(PERF_MEM_LVLNUM_SHIFT, 4), .aliases = { "mem_lvlnum" }) \
	T("mem_snoop", CONSTANT, NUMBER, DATA_SRC, MEM_SNOOP, FILTER_BITS(PERF_MEM_SNOOP_SHIFT, 5), \
	  .high_at = PERF_MEM_SNOOPX_SHIFT - PERF_MEM_SNOOP_SHIFT, .high_bits = 2) \
	T("mem_remote", CONSTANT, NUMBER, DATA_SRC, MEM_REMOTE, FILTER_BITS(PERF_MEM_REMOTE_SHIFT, 1)) \
	T("mem_lock", CONSTANT, NUMBER, DATA_SRC, MEM_LOCK, FILTER_BITS(PERF_MEM_LOCK_SHIFT, 2)) \
	T("mem_dtlb", CONSTANT, NUMBER, DATA_SRC, MEM_DTLB, FILTER_BITS(PERF_MEM_TLB_SHIFT, 7)) \
	T("mem_blk", CONSTANT, NUMBER, DATA_SRC, MEM_BLK, FILTER_BITS(PERF_MEM_BLK_SHIFT, 3)) \
	T("mem_hops", CONSTANT, NUMBER, DATA_SRC, MEM_HOPS, FILTER_BITS(PERF_MEM_HOPS_SHIFT, 3))

/*
 * FILTER_IF(column, WORD, text) expands to text if the column is WORD, FILTER_UNLESS(column, WORD, text) if it is another word: so a list
 * can leave out some rows. text may have commas only in parentheses.
 */
#define FILTER_IF(column, word, text) FILTER_THIRD(FILTER_SAME_##column##_##word, text, , )
#define FILTER_UNLESS(column, word, text) FILTER_SECOND(FILTER_SAME_##column##_##word, text, , )
#define FILTER_THIRD(...) FILTER_THIRD_OF(__VA_ARGS__)
#define FILTER_THIRD_OF(a, b, c, ...) c
#define FILTER_SECOND(...) FILTER_SECOND_OF(__VA_ARGS__)
#define FILTER_SECOND_OF(a, b, ...) b
/* Equal words expand to a comma, which shifts the arguments after it. */
#define FILTER_SAME_MEMBER_MEMBER ,
#define FILTER_SAME_RARE_RARE ,
#define FILTER_SAME_CURRENT_CURRENT ,
#define FILTER_SAME_TASK_TASK ,
#define FILTER_SAME_OWN_OWN ,
#define FILTER_SAME_FILE_FILE ,
#define FILTER_SAME_RECORD_RECORD ,
#define FILTER_SAME_WALK_WALK ,
#define FILTER_SAME_OTHER_OTHER ,
#define FILTER_SAME_PREPARED_PREPARED ,
#define FILTER_SAME_YES_YES ,
#define FILTER_SAME_NO_NO ,
#define FILTER_SAME_DIRECT_DIRECT ,
#define FILTER_SAME_SPAN_SPAN ,

#endif
