/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The maps of all programs that unwind stacks in one recording: those of unwind-tables.bpf.c, which user space fills and shares with
 * the others.
 */
#ifndef PERF_BPF_UNWIND_TABLES_BPF_H
#define PERF_BPF_UNWIND_TABLES_BPF_H

#include "unwind-sample.h"

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

#define VM_EXEC 4 /* unchanged since Linux 1.0 */

struct unwind_chunk {
	__u32 word[UNWIND_CHUNK_WORDS];
};

struct unwind_segment {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_SEGMENT_CHUNKS);
	__uint(key_size, sizeof(__u32));
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(value_size, sizeof(struct unwind_chunk)); /* not a type: clang 14 leaves those of inner maps out of the BTF */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_MAX_SEGMENTS);
	__type(key, __u32);
	__array(values, struct unwind_segment);
} unwind_segments SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_MAX_RULES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct unwind_rule);
} unwind_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_MAX_FILES);
	__type(key, struct unwind_key);
	__type(value, struct unwind_file);
} unwind_files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} unwind_requests SEC(".maps");

/* To the key itself, with the seconds in its place: there is little room on the stack. */
#define unwind_key__read_time(key, seconds, ns)							\
	({											\
		long ns_ = 0;									\
												\
		bpf_core_read(&(key)->changed, sizeof((key)->changed), &(seconds));		\
		bpf_core_read(&ns_, sizeof(ns), &(ns));						\
		(key)->changed = (key)->changed * 1000000000ULL + ns_;				\
	})

static __always_inline void unwind_key__read_changed(struct unwind_key *key, const struct inode *inode)
{
	const struct inode___7 *inode7 = (const void *)inode;
	const struct inode___6 *inode6 = (const void *)inode;

	if (bpf_core_field_exists(inode->i_mtime_sec))
		unwind_key__read_time(key, inode->i_mtime_sec, inode->i_mtime_nsec);
	else if (bpf_core_field_exists(inode7->__i_mtime))
		unwind_key__read_time(key, inode7->__i_mtime.tv_sec, inode7->__i_mtime.tv_nsec);
	else
		unwind_key__read_time(key, inode6->i_mtime.tv_sec, inode6->i_mtime.tv_nsec);
}

/* Of a mapping: false, if it is of no file, nor the vdso */
static __always_inline bool unwind_key__read(struct unwind_key *key, __u64 of_file, __u64 start, __u64 vdso)
{
	const struct file *file = (const struct file *)of_file;
	struct inode *inode;

	*key = (struct unwind_key){ 0 };
	if (!file)
		return start == vdso;
	inode = BPF_CORE_READ(file, f_inode);
	bpf_core_read(&key->inode, sizeof(key->inode), &inode->i_ino);
	key->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	bpf_core_read(&key->generation, sizeof(key->generation), &inode->i_generation);
	unwind_key__read_changed(key, inode);
	return true;
}

const volatile struct unwind_file unwind_asked = { .state = UNWIND_FILE_ASKED }; /* on the stack there is little room */

#define UNWIND_MAP_FULL (-7) /* -E2BIG: include/uapi/asm-generic/errno-base.h */

static __always_inline bool unwind_send_request(const struct unwind_key *key, __u64 start, __u64 end)
{
	struct unwind_mapping *m = bpf_ringbuf_reserve(&unwind_requests, sizeof(*m), 0);

	if (!m)
		return false;
	*m = (struct unwind_mapping){
		.size = sizeof(*m), .pid = bpf_get_current_pid_tgid() >> 32, .uid = bpf_get_current_uid_gid(), .start = start, .end = end, .key = *key,
	};
	bpf_ringbuf_submit(m, BPF_RB_FORCE_WAKEUP);
	return true;
}

/* Ask user space for the file's table: once, but again if the map is full, so that user space makes room there. */
static __always_inline void unwind_ask(const struct unwind_key *key, __u64 start, __u64 end)
{
	long ret = bpf_map_update_elem(&unwind_files, key, (const void *)&unwind_asked, BPF_NOEXIST);

	if (ret && ret != UNWIND_MAP_FULL)
		return;
	if (!unwind_send_request(key, start, end) && !ret)
		bpf_map_delete_elem(&unwind_files, key);
}

#endif
