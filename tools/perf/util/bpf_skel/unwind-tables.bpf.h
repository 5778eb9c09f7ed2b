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

/* false: the mapping is of no file, nor the vdso */
static __always_inline bool unwind_key__read(struct unwind_key *key, struct vm_area_struct *vma, __u64 vdso)
{
	struct inode *inode;

	*key = (struct unwind_key){ 0 };
	if (!vma->vm_file)
		return vma->vm_start == vdso;
	inode = vma->vm_file->f_inode;
	key->inode = inode->i_ino;
	key->dev = inode->i_sb->s_dev;
	key->generation = inode->i_generation;
	return true;
}

#define UNWIND_MAP_FULL (-7) /* -E2BIG: include/uapi/asm-generic/errno-base.h */

/* Ask user space for the file's table: once, but again if the map is full, so that user space makes room there. */
static __always_inline void unwind_ask(const struct unwind_key *key, __u64 start, __u64 end)
{
	struct unwind_file asked = { .state = UNWIND_FILE_ASKED };
	long ret = bpf_map_update_elem(&unwind_files, key, &asked, BPF_NOEXIST);
	struct unwind_mapping *m;

	if (ret && ret != UNWIND_MAP_FULL)
		return;
	m = bpf_ringbuf_reserve(&unwind_requests, sizeof(*m), 0);
	if (!m) {
		if (!ret)
			bpf_map_delete_elem(&unwind_files, key);
		return;
	}
	*m = (struct unwind_mapping){
		.size = sizeof(*m), .pid = bpf_get_current_pid_tgid() >> 32, .start = start, .end = end, .key = *key,
	};
	bpf_ringbuf_submit(m, BPF_RB_FORCE_WAKEUP);
}

#endif
