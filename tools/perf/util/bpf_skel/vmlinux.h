/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The kernel types that our BPF programs use, written by hand: only the members that are read. Types marked CO-RE are relocated when
 * the program is loaded, so the order of their members does not matter; the others are the kernel's ABI. This way the build needs no
 * kernel BTF.
 */
#ifndef PERF_BPF_VMLINUX_H
#define PERF_BPF_VMLINUX_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef _Bool bool;

#define PF_KTHREAD 0x200000 /* unchanged since Linux 3 */

enum { false, true };

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_MMAPABLE = 1U << 10,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1ULL << 0,
	BPF_F_USER_STACK = 1ULL << 8,
	BPF_RB_NO_WAKEUP = 1ULL << 0,
	BPF_RB_FORCE_WAKEUP = 1ULL << 1,
	BPF_RB_AVAIL_DATA = 0,
	BPF_RB_RING_SIZE = 1,
	BPF_RB_CONS_POS = 2,
	BPF_RB_PROD_POS = 3,
};

struct bpf_perf_event_value { /* include/uapi/linux/bpf.h */
	__u64 counter;
	__u64 enabled;
	__u64 running;
};

enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1U << 0,
	PERF_SAMPLE_TID = 1U << 1,
	PERF_SAMPLE_TIME = 1U << 2,
	PERF_SAMPLE_ADDR = 1U << 3,
	PERF_SAMPLE_CALLCHAIN = 1U << 5,
	PERF_SAMPLE_ID = 1U << 6,
	PERF_SAMPLE_CPU = 1U << 7,
	PERF_SAMPLE_PERIOD = 1U << 8,
	PERF_SAMPLE_RAW = 1U << 10,
	PERF_SAMPLE_WEIGHT = 1U << 14,
	PERF_SAMPLE_DATA_SRC = 1U << 15,
	PERF_SAMPLE_IDENTIFIER = 1U << 16,
	PERF_SAMPLE_TRANSACTION = 1U << 17,
	PERF_SAMPLE_PHYS_ADDR = 1U << 19,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1U << 24,
};

/* The registers of a perf_event program: struct pt_regs on x86, struct user_pt_regs on arm64; both are ABI. */
#if defined(__TARGET_ARCH_x86)
typedef struct {
	unsigned long regs[17]; /* r15 ... ip */
	unsigned long cs;	/* the upper bits may carry FRED's event data */
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
} bpf_user_pt_regs_t;
#elif defined(__TARGET_ARCH_arm64)
typedef struct {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
} bpf_user_pt_regs_t;
#else
#error "this architecture's registers are not described here yet: add them and bpf_skel.mak's BPF_ARCH"
#endif

/* include/uapi/linux/bpf_perf_event.h: the context in the verifier's view */
struct bpf_perf_event_data {
	bpf_user_pt_regs_t regs;
	__u64 sample_period;
	__u64 addr;
};

/* include/uapi/linux/perf_event.h */
union perf_sample_weight {
	u64 full;
};

union perf_mem_data_src {
	u64 val;
};

struct pid_namespace;

struct upid { /* read as a whole: layout of the kernel since 4.17 */
	int nr;
	struct pid_namespace *ns;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record) /* CO-RE */

struct perf_sample_data {
	u64 sample_flags; /* 6.1: the PERF_SAMPLE_* bits of the members below that are filled in */
	u64 period;
	u64 dyn_size;	  /* 6.3, see filter-sample.bpf.h */
	struct {
		u32 pid;
		u32 tid;
	} tid_entry;
	u64 time;
	u64 id;
	u64 ip;
	u64 addr;
	union perf_sample_weight weight;
	union perf_mem_data_src data_src;
	u64 txn;
	u64 phys_addr;
	u64 data_page_size;
	u64 code_page_size;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup *ancestors[]; /* 6.1 */
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct cred {
	struct {
		u32 val;
	} uid, gid;
};

struct thread_info {
	u32 cpu; /* with CONFIG_THREAD_INFO_IN_TASK */
#if defined(__TARGET_ARCH_x86)
	u32 status;
#elif defined(__TARGET_ARCH_arm64)
	unsigned long flags;
#endif
};

struct perf_event_context;

typedef struct {
	int counter;
} raw_spinlock_t, spinlock_t;

typedef struct {
	__s64 counter;
} atomic_long_t;

struct mutex {
	atomic_long_t owner; /* a task, and flags in the low bits */
};

struct rw_semaphore {
	atomic_long_t owner; /* the same */
};

struct rt_mutex_base {
	void *owner; /* the same */
};

struct rq {
	int cpu;
	raw_spinlock_t __lock; /* 5.14 */
	u64 nr_switches;
};

struct cfs_rq {
	struct rq *rq; /* with CONFIG_FAIR_GROUP_SCHED */
};

struct sched_entity {
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime; /* when it got its CPU */
	struct cfs_rq *cfs_rq; /* with CONFIG_FAIR_GROUP_SCHED */
};

struct sched_info { /* with CONFIG_SCHED_INFO */
	unsigned long long last_arrival; /* on a CPU, by the scheduler's clock; 0: never */
};

struct kmem_cache_order_objects {
	unsigned int x;
};

struct kmem_cache {
	unsigned int size;
	struct kmem_cache_order_objects oo;
	struct kmem_cache_order_objects min;
	int refcount;
	unsigned int red_left_pad;
	const char *name;
};

struct irqaction {
	const char *name;
};

struct work_struct {
	void *func;
};

struct timer_list {
	void *function;
};

struct timerqueue_node {
	__s64 expires; /* CLOCK_MONOTONIC, in ns, for most timers */
};

struct hrtimer {
	struct timerqueue_node node;
	void *function;
};

struct sighand_struct {
	spinlock_t siglock;
};

struct file;
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
	spinlock_t file_lock;
};

struct page;

struct vm_struct {
	struct page **pages;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
	unsigned int level;
};

struct pid {
	unsigned int level;
	struct upid numbers[]; /* by level */
};

struct signal_struct {
	int nr_threads;
	struct pid *pids[4]; /* by enum pid_type */
};

struct maple_tree {
	void *ma_root;
};

struct maple_metadata {
	u8 end;
};

struct maple_range_64 {
	unsigned long pivot[15];
	void *slot[16];
	struct maple_metadata meta;
};

struct maple_arange_64 {
	unsigned long pivot[9];
	void *slot[10];
	struct maple_metadata meta;
};

#if defined(__TARGET_ARCH_x86)
typedef struct {
	void *vdso;
} mm_context_t;
#elif defined(__TARGET_ARCH_arm64)
typedef struct {
	void *vdso;
} mm_context_t;
#endif

struct xol_area {
	unsigned long vaddr; /* of the code that functions with a return probe return to */
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	unsigned long arg_start, arg_end;
	unsigned long env_end;
	struct maple_tree mm_mt; /* 6.1 */
	unsigned long start_code;
	unsigned long start_stack; /* of the first task, as it began */
	struct rw_semaphore mmap_lock;
	spinlock_t page_table_lock;
	unsigned long task_size;
	struct uprobes_state uprobes_state; /* with CONFIG_UPROBES */
	mm_context_t context;
};

struct seccomp {
	int mode;
};

struct in6_addr {
	u8 in6_u[16];
};

struct sock_common {
	unsigned short skc_family;
	u16 skc_dport; /* big endian */
	u16 skc_num;
	u32 skc_daddr, skc_rcv_saddr;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr; /* with CONFIG_IPV6 */
};

struct sock {
	struct sock_common __sk_common;
};

struct socket {
	struct sock *sk;
};

struct signals { /* sigset_t, which user space has as another type */
	unsigned long sig[1];
};

struct sigpending {
	struct signals signal;
};

struct thread_struct {
	unsigned long fsbase; /* x86-64 */
};

struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances;
	unsigned long vaddr, xol_vaddr;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state; /* Linux 5.14 */
	unsigned int flags;
	unsigned int on_cpu; /* int before Linux 7, u8 since then: an unsigned one is read by its size there */
	struct sched_entity se;
	struct sched_info sched_info;
	int prio;
	int static_prio;
	struct mm_struct *mm;
	int exit_state;
	unsigned in_execve : 1;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	unsigned long nvcsw, nivcsw; /* switches */
	u64 start_time, start_boottime;
	u64 self_exec_id;
	struct pid *thread_pid;
	struct signal_struct *signal;
	const struct cred *cred;
	struct css_set *cgroups;
	struct fs_struct *fs;
	struct files_struct *files;
	struct sighand_struct *sighand;
	struct signals blocked;
	struct sigpending pending;
	struct seccomp seccomp; /* with CONFIG_SECCOMP */
	struct uprobe_task *utask; /* with CONFIG_UPROBES */
	unsigned long sas_ss_sp; /* sigaltstack(2) */
	unsigned long sas_ss_size;
	struct task_struct *group_leader;
	struct vm_struct *stack_vm_area; /* with CONFIG_VMAP_STACK */
	struct thread_struct thread;
	char comm[16];
	struct perf_event_context *perf_event_ctxp; /* Linux 6.2; an array of two before */
	unsigned long blocker; /* Linux 6.16, with CONFIG_DETECT_HUNG_TASK_BLOCKER */
};

/* The kernel's own registers, not those of perf_event programs. */
#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long di, si, dx, r10, r8, r9, bx, cx, bp, sp, ip, orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 orig_x0;
	s32 syscallno;
};
#endif

struct bpf_raw_tracepoint_args { /* the context of a program on a raw tracepoint; ABI */
	__u64 args[0];
};

struct seq_file {
	void *private;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task { /* the context of a program on iter/task */
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd;
	struct file *file;
};

struct vm_area_struct;
struct bpf_iter__task_vma {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct vm_area_struct *vma;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
	__s64 i_mtime_sec; /* 6.11 */
	u32 i_mtime_nsec;
};

struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};

struct task_struct___6 { /* before 6.2 */
	struct perf_event_context *perf_event_ctxp[2]; /* of hardware and of software events */
};

struct inode___7 { /* 6.7 */
	struct timespec64 __i_mtime;
};

struct inode___6 {
	struct timespec64 i_mtime;
};

struct qstr {
	const unsigned char *name;
};

struct hlist_bl_node {
	void **pprev;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	void *private_data;
};

struct mm_struct;
struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	unsigned int vm_lock_seq; /* 6.4 */
	unsigned long vm_pgoff;
	struct file *vm_file;
};

struct perf_event_attr {
	u64 sig_data; /* 5.13 */
};

struct hw_perf_event {
	struct hrtimer hrtimer; /* of a clock; other kinds of events have something else here */
	u64 sample_period;
	u64 interrupts_seq; /* number of the CPU's tick */
	u64 interrupts;	    /* overflows since that tick; U64_MAX: the event is throttled */
};

struct tracepoint_func {
	void *func;
	void *data;
	int prio;
};

struct tracepoint {
	struct tracepoint_func *funcs; /* in the order of their calls; func NULL: the end */
};

struct trace_event_class {
	void *perf_probe;
};

struct trace_event_call {
	struct trace_event_class *class;
	struct tracepoint *tp; /* in a union without a name */
};

struct bpf_prog_aux {
	u32 id;
};

struct bpf_prog {
	struct bpf_prog_aux *aux;
};

struct bpf_link {
	struct bpf_prog *prog;
};

struct bpf_raw_tp_link {
	struct bpf_link link;
};

struct perf_event {
	struct perf_event_attr attr;
	struct hw_perf_event hw;
	struct perf_event *parent; /* the event that it was inherited from */
	struct pid_namespace *ns;  /* that of its owner */
	u64 id;
	struct trace_event_call *tp_event; /* of a tracepoint */
	struct { u64 value; } count; /* local64_t; of its size, else loads of it are refused */
};

/* a perf_event program's context in the kernel's view */
struct bpf_perf_event_data_kern {
	bpf_user_pt_regs_t *regs;
	struct perf_sample_data *data;
	struct perf_event *event;
};

#pragma clang attribute pop

#endif
