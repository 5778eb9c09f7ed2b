/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * What the arguments of a system call point to, and the files of its descriptors, copied behind its record.
 *
 * Each function that the kernel checks by itself (without static) takes the scratch of its CPU and finds there what else it needs: the
 * kernel then knows nothing about these values, so that it checks each loop's body once and not for each way through the loop.
 */
#ifndef PERF_BPF_TRACE_COPY_BPF_H
#define PERF_BPF_TRACE_COPY_BPF_H

#include "descriptors.bpf.h"

#define COPY_ROOM (TRACE_MAX_COPIES * (TRACE_MAX_COPY + sizeof(struct trace_copy)))
#define COPY_HEAD sizeof(struct trace_copy)
#define EARLY_ROOM 3584 /* of copies that are made when a call begins */
#define EARLY_LIMIT 4096 /* the next power of two */
_Static_assert(EARLY_ROOM < EARLY_LIMIT, "sizes keep their value when they are masked by EARLY_LIMIT - 1");
#define MAX_NAME 256	/* NAME_MAX and a NUL */

/* A record is built here. Strings are read with one byte more than is sent, to detect longer ones. */
struct trace_scratch {
	struct trace_call call;
	char bytes[COPY_ROOM + TRACE_MAX_COPY + 2 * COPY_HEAD];
	/* Of the work: */
	__u32 used;	/* of bytes */
	__u32 room;	/* of bytes, for the copies of this moment */
	__u32 size, limit; /* of the copy that is being made, and its greatest */
	__u64 from;	/* address that it is copied from */
	__u64 left;	/* of a vector that the kernel fills: bytes */
	__u64 nr;	/* of a vector: parts */
	__u64 dentry, mnt, mnt_root, root, root_mnt; /* on the way to a file's root */
	__u8 cut;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct trace_scratch);
} trace_scratch SEC(".maps");

struct trace_early {
	__u32 used, nr_copies;
	char bytes[EARLY_ROOM];
};

/* Copies of a call that has begun. Only tasks whose calls destroy what they are given have one: close(2), execve(2), nanosleep(2), select(2). */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct trace_early);
} trace_early SEC(".maps");

/* The place of the copy's next byte; NULL: no room. */
static __always_inline char *copy_place(struct trace_scratch *s, __u32 size)
{
	__u32 at = s->used + COPY_HEAD;
	__u32 done = s->size;

	if (at > COPY_ROOM || done > TRACE_MAX_COPY - size)
		return NULL;
	return s->bytes + at + done;
}

__noinline int copy_string(struct trace_scratch *s)
{
	__u32 max;
	char *to;
	long size;

	if (!s)
		return 0;
	s->size = 0;
	to = copy_place(s, 0);
	max = s->limit;
	if (!to || !max)
		return 0;
	if (max > TRACE_MAX_COPY - 1)
		max = TRACE_MAX_COPY - 1;
	size = bpf_probe_read_user_str(to, max + 1, (const void *)s->from);
	s->cut = size < 0 || size > max;
	if (size > max)
		size = max;
	s->size = size <= 0 ? 0 : size - 1;
	return 0;
}

/* s->left: bytes that there are. */
__noinline int copy_bytes(struct trace_scratch *s)
{
	__u32 size;
	char *to;

	if (!s)
		return 0;
	s->size = 0;
	to = copy_place(s, 0);
	size = s->limit;
	if (size > TRACE_MAX_COPY)
		size = TRACE_MAX_COPY;
	if (s->left < size)
		size = s->left;
	s->cut = s->left > size;
	if (!to || !size)
		return 0;
	barrier_var(size);
	if (size > TRACE_MAX_COPY)
		return 0;
	if (bpf_probe_read_user(to, size, (const void *)s->from))
		s->cut = 1;
	else
		s->size = size;
	return 0;
}

/* One part of a vector, at s->from. 1: go on. */
static __always_inline int copy_part(struct trace_scratch *s)
{
	struct { __u64 base, len; } iov;
	struct trace_part *part;
	__u64 len;
	__u32 size;
	char *to;

	to = copy_place(s, sizeof(*part));
	if (!to)
		return 0;
	part = (struct trace_part *)to;
	if (bpf_probe_read_user(&iov, sizeof(iov), (const void *)s->from)) {
		s->cut = 1;
		return 0;
	}
	part->len = iov.len;
	part->copied = 0;
	s->size += sizeof(*part);
	len = iov.len;
	if (len > s->left)
		len = s->left;
	s->left -= len;
	size = s->limit;
	part->cut = len > size;
	if (len < size)
		size = len;
	if (!size)
		return 1;
	barrier_var(size); /* Linux 6.1 does not see through both comparisons as one */
	if (size > TRACE_MAX_COPY / TRACE_MAX_PARTS - sizeof(*part))
		return 1;
	to = copy_place(s, TRACE_MAX_COPY / TRACE_MAX_PARTS - sizeof(*part));
	if (!to || bpf_probe_read_user(to, size, (const void *)iov.base)) {
		part->cut = 1;
		return 1;
	}
	part->copied = size;
	s->size += (size + 7) & ~7U;
	return 1;
}

/* s->left: bytes that the kernel has moved. s->nr: parts */
__noinline int copy_vector(struct trace_scratch *s)
{
	if (!s)
		return 0;
	s->size = 0;
	if (s->limit > TRACE_MAX_COPY / TRACE_MAX_PARTS - sizeof(struct trace_part))
		s->limit = TRACE_MAX_COPY / TRACE_MAX_PARTS - sizeof(struct trace_part);
	for (int i = 0; i < TRACE_MAX_PARTS; i++) {
		if (i >= s->nr || !copy_part(s))
			break;
		s->from += 16;
	}
	s->cut |= s->nr > TRACE_MAX_PARTS;
	return 0;
}

/* An array of pointers to strings. */
__noinline int copy_strings(struct trace_scratch *s)
{
	if (!s)
		return 0;
	s->size = 0;
	s->cut = 1;
	for (int i = 0; i < TRACE_MAX_STRINGS; i++) {
		__u64 string = 0;
		char *to = copy_place(s, MAX_NAME);
		long size;

		if (!to || s->size > s->limit || bpf_probe_read_user(&string, sizeof(string), (const void *)(s->from + 8 * i)))
			return 0;
		if (!string) {
			s->cut = 0;
			return 0;
		}
		size = bpf_probe_read_user_str(to, MAX_NAME, (const void *)string);
		if (size <= 0 || size > MAX_NAME)
			return 0;
		s->size += size;
	}
	return 0;
}

/* Files */

/*
 * The address of a descriptor's struct file; 0: none. The verifier checks it once, whoever calls it: for each load of a pointer it
 * searches the kernel's BTF by name, 1 ms in all.
 */
__noinline __u64 file_of(__u32 fd)
{
	return descriptor__file(bpf_get_current_task_btf(), fd);
}

/*
 * Members of a kernel struct that lie side by side on most kernels: one read for all of them, as a read by a helper takes longer than what
 * is done with it. All offsets are constants for the verifier, so of each member only one way is left.
 */
struct neighbors {
	__u64 word[4];
};

static __always_inline void neighbors__read(struct neighbors *near, __u64 from, __u32 first)
{
	if (bpf_probe_read_kernel(near, sizeof(*near), (const void *)(from + first)))
		*near = (struct neighbors){ 0 };
}

static __always_inline __u64 neighbors__get(const struct neighbors *near, __u64 from, __u32 first, __u32 offset)
{
	const __u32 distance = offset - first; /* huge if offset is before first */
	__u64 word = 0;

	if (distance < sizeof(*near))
		return near->word[distance / sizeof(word)];
	bpf_probe_read_kernel(&word, sizeof(word), (const void *)(from + offset));
	return word;
}

#define NEIGHBORS_READ(near, from, type, first) neighbors__read(near, from, bpf_core_field_offset(type, first))
#define NEIGHBORS_GET(near, from, type, first, member) \
	neighbors__get(near, from, bpf_core_field_offset(type, first), bpf_core_field_offset(type, member))

/* Go on in this mount. Returns the address of its super block. */
static __always_inline __u64 enter_mount(struct trace_scratch *s, __u64 mnt)
{
	struct neighbors near;

	NEIGHBORS_READ(&near, mnt, struct vfsmount, mnt_root);
	s->mnt = mnt;
	s->mnt_root = NEIGHBORS_GET(&near, mnt, struct vfsmount, mnt_root, mnt_root);
	return NEIGHBORS_GET(&near, mnt, struct vfsmount, mnt_root, mnt_sb);
}

/* Leave a mount for the directory where it is mounted. 1: go on. */
static __always_inline int leave_mount(struct trace_scratch *s)
{
	const __u64 mount = s->mnt - bpf_core_field_offset(struct mount, mnt);
	struct neighbors near;
	__u64 above;

	NEIGHBORS_READ(&near, mount, struct mount, mnt_parent);
	above = NEIGHBORS_GET(&near, mount, struct mount, mnt_parent, mnt_parent);
	if (above == mount)
		return 0;
	s->dentry = NEIGHBORS_GET(&near, mount, struct mount, mnt_parent, mnt_mountpoint);
	enter_mount(s, above + bpf_core_field_offset(struct mount, mnt));
	return 1;
}

#define DENTRY_READ(near, at) NEIGHBORS_READ(near, at, struct dentry, d_hash.pprev)
#define DENTRY_GET(near, at, member) NEIGHBORS_GET(near, at, struct dentry, d_hash.pprev, member)

/* One step to the root: a name is added, or a mount is left. 1: go on. */
static __always_inline int climb(struct trace_scratch *s)
{
	struct neighbors near;
	__u64 parent;
	char *to;
	long size;

	if (s->dentry == s->root && s->mnt == s->root_mnt)
		return 0;
	if (s->dentry == s->mnt_root)
		return leave_mount(s);
	DENTRY_READ(&near, s->dentry);
	parent = DENTRY_GET(&near, s->dentry, d_parent);
	if (parent == s->dentry)
		return 0;
	to = copy_place(s, MAX_NAME);
	if (!to)
		return -1;
	size = bpf_probe_read_kernel_str(to, MAX_NAME, (const void *)DENTRY_GET(&near, s->dentry, d_name.name));
	if (size <= 0 || size > MAX_NAME)
		return -1;
	s->size += size;
	s->dentry = parent;
	return 1;
}

static __always_inline __u8 kind_of(unsigned long magic)
{
	switch (magic) {
	case 0x50495045: /* PIPEFS_MAGIC */
		return TRACE_FILE_PIPE;
	case 0x534f434b: /* SOCKFS_MAGIC */
		return TRACE_FILE_SOCKET;
	case 0x09041934: /* ANON_INODE_FS_MAGIC */
		return TRACE_FILE_ANONYMOUS;
	default:
		return TRACE_FILE_PATH;
	}
}

/* Files without a directory have the name of their own. */
static __always_inline void copy_own_name(struct trace_scratch *s, const struct dentry *dentry)
{
	char *to = copy_place(s, MAX_NAME);
	long size;

	if (!to)
		return;
	size = bpf_probe_read_kernel_str(to, MAX_NAME, BPF_CORE_READ(dentry, d_name.name));
	if (size > 0 && size <= MAX_NAME)
		s->size += size;
}

/* The addresses of a socket: IPv4 or IPv6 */
static __always_inline void copy_socket(struct trace_scratch *s, const struct file *file)
{
	struct trace_socket *to = (struct trace_socket *)copy_place(s, sizeof(*to));

	if (to && socket__read(to, file))
		s->size += sizeof(*to);
}

static __always_inline void find_root(struct trace_scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct neighbors near;
	__u64 fs = 0, root;

	bpf_core_read(&fs, sizeof(fs), &task->fs);
	root = fs + bpf_core_field_offset(struct fs_struct, root);
	NEIGHBORS_READ(&near, root, struct path, mnt);
	s->root_mnt = NEIGHBORS_GET(&near, root, struct path, mnt, mnt);
	s->root = NEIGHBORS_GET(&near, root, struct path, mnt, dentry);
}

/* A dentry that is not hashed has no name in a directory. 1: its name was removed, 2: it is a root */
static __always_inline __u8 was_deleted(const struct trace_scratch *s)
{
	struct neighbors near;

	DENTRY_READ(&near, s->dentry);
	if (DENTRY_GET(&near, s->dentry, d_hash.pprev))
		return 0;
	if (DENTRY_GET(&near, s->dentry, d_parent) != s->dentry)
		return 1;
	return s->mnt != s->root_mnt ? 2 : 0;
}

/* s->from: a struct file */
__noinline int copy_file(struct trace_scratch *s)
{
	const struct file *file;
	struct neighbors near;
	struct trace_file *head;
	__u64 path, dentry, sb;
	int more = 1;

	if (!s)
		return 0;
	s->size = 0;
	head = (struct trace_file *)copy_place(s, sizeof(*head));
	if (!head)
		return 0;
	s->size = sizeof(*head);
	file = (const struct file *)s->from;
	path = s->from + bpf_core_field_offset(struct file, f_path);
	NEIGHBORS_READ(&near, path, struct path, mnt);
	dentry = NEIGHBORS_GET(&near, path, struct path, mnt, dentry);
	sb = enter_mount(s, NEIGHBORS_GET(&near, path, struct path, mnt, mnt));
	*head = (struct trace_file){ .kind = kind_of(BPF_CORE_READ((struct super_block *)sb, s_magic)) };
	if (head->kind != TRACE_FILE_PATH) {
		head->inode = BPF_CORE_READ(file, f_inode, i_ino);
		if (head->kind == TRACE_FILE_SOCKET)
			copy_socket(s, file);
		else
			copy_own_name(s, (const struct dentry *)dentry);
		return 0;
	}
	s->dentry = dentry;
	find_root(s);
	head->deleted = was_deleted(s);
	for (int i = 0; i < TRACE_MAX_NAMES && more == 1; i++)
		more = climb(s);
	head->cut = more != 0;
	if (head->deleted != 2)
		return 0;
	head->deleted = s->size == sizeof(*head) && s->dentry != s->root; /* a file of memory, in no directory */
	if (head->deleted)
		copy_own_name(s, (const struct dentry *)dentry);
	return 0;
}

/* Copies of a rule */

/* By a helper, which takes the verifier no search of BTF. */
static __always_inline struct mm_struct *current_memory(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm = NULL;

	bpf_core_read(&mm, sizeof(mm), &task->mm);
	return mm;
}

/* An exec has replaced the memory that its arguments point to; the kernel keeps the name of the file right after the environment. */
static __always_inline __u64 address_of(const struct trace_call *call, __u32 arg)
{
	struct mm_struct *mm;
	__u64 name = 0;

	if (!trace_is_execve(call->nr) || call->ret || call->state != TRACE_ENDED)
		return call->arg[arg % TRACE_ARG_ROOM];
	mm = current_memory();
	bpf_core_read(&name, sizeof(name), &mm->env_end);
	return name;
}

static __always_inline __u64 wanted_bytes(const struct trace_call *call, const volatile struct trace_copy_rule *rule)
{
	__u32 size = 0;

	switch (rule->from) {
	case TRACE_SIZE_FIXED:
		return rule->unit;
	case TRACE_SIZE_ARG:
		return call->arg[rule->size % TRACE_ARG_ROOM] * rule->unit;
	case TRACE_SIZE_POINTER:
		bpf_probe_read_user(&size, sizeof(size), (const void *)call->arg[rule->size % TRACE_ARG_ROOM]);
		return size;
	default:
		return call->ret > 0 ? call->ret * rule->unit : 0;
	}
}

/* The address and the number of parts of a vector. */
static __always_inline void find_vector(struct trace_scratch *s, const volatile struct trace_copy_rule *rule)
{
	struct { __u64 name; __u32 name_len, pad; __u64 iov, nr; } message = { 0 };

	s->left = rule->from == TRACE_SIZE_RESULT ? (s->call.ret > 0 ? s->call.ret : 0) : ~0ULL;
	s->nr = s->call.arg[rule->size % TRACE_ARG_ROOM];
	if (rule->kind == TRACE_COPY_VECTOR)
		return;
	if (bpf_probe_read_user(&message, sizeof(message), (const void *)s->from))
		s->cut = 1;
	if (rule->kind == TRACE_COPY_PEER) {
		s->from = message.name;
		s->left = message.name ? message.name_len : 0;
		return;
	}
	s->from = message.iov;
	s->nr = message.nr;
}

/* What the new program got: other words than the call's if it is a script, so that it counts only if those could not be read. */
static __always_inline void copy_program_args(struct trace_scratch *s)
{
	struct mm_struct *mm = current_memory();
	__u64 end = 0;

	bpf_core_read(&s->from, sizeof(s->from), &mm->arg_start);
	bpf_core_read(&end, sizeof(end), &mm->arg_end);
	s->left = end - s->from;
	copy_bytes(s);
}

static __always_inline void copy_kind(struct trace_scratch *s, const volatile struct trace_copy_rule *rule)
{
	switch (rule->kind) {
	case TRACE_COPY_STRING:
		copy_string(s);
		break;
	case TRACE_COPY_BYTES:
		s->left = wanted_bytes(&s->call, rule);
		copy_bytes(s);
		break;
	case TRACE_COPY_STRINGS:
		if (s->call.state == TRACE_ENDED && !s->call.ret)
			copy_program_args(s);
		else
			copy_strings(s);
		break;
	case TRACE_COPY_PEER:
		find_vector(s, rule);
		copy_bytes(s);
		break;
	default:
		find_vector(s, rule);
		copy_vector(s);
	}
}

static __always_inline void copy_begin(struct trace_scratch *s)
{
	s->size = 0;
	s->cut = 0;
}

/* The copy is complete; without bytes it tells only that there are none. */
static __always_inline void copy_end(struct trace_scratch *s, __u32 arg, __u32 kind, __u32 early)
{
	__u32 at = s->used, size = s->size;
	struct trace_copy *copy;

	if (at > COPY_ROOM || size > TRACE_MAX_COPY)
		return;
	copy = (struct trace_copy *)(s->bytes + at);
	*copy = (struct trace_copy){ .arg = arg, .kind = kind, .cut = s->cut, .early = early, .size = size };
	s->used = at + COPY_HEAD + ((size + 7) & ~7U);
	s->call.nr_copies++;
}

static __always_inline bool begin_copy(struct trace_scratch *s, const volatile struct trace_copy_rule *rule)
{
	s->from = address_of(&s->call, rule->arg);
	copy_begin(s);
	s->limit = rule->limit;
	if (!s->limit)
		s->limit = rule->kind == TRACE_COPY_STRING ? trace_config.max_text : trace_config.max_bytes;
	return s->from || rule->kind == TRACE_COPY_FILE;
}

static __always_inline void copy_late(struct trace_scratch *s, const volatile struct trace_copy_rule *rule)
{
	if (rule->kind == TRACE_COPY_FILE || (rule->if_ok && s->call.ret < 0) || !begin_copy(s, rule))
		return;
	copy_kind(s, rule);
	copy_end(s, rule->arg, rule->kind, 0);
}

/* When it begins, for what the call destroys. */
static __always_inline void copy_before(struct trace_scratch *s, const volatile struct trace_copy_rule *rule)
{
	if (!rule->early || !begin_copy(s, rule))
		return;
	if (rule->kind == TRACE_COPY_STRING) {
		copy_string(s);
	} else if (rule->kind == TRACE_COPY_STRINGS) {
		copy_strings(s);
	} else if (rule->kind == TRACE_COPY_BYTES) {
		s->left = rule->unit;
		copy_bytes(s);
	} else {
		s->from = file_of(s->call.arg[rule->arg % TRACE_ARG_ROOM]);
		if (!s->from)
			return;
		copy_file(s);
	}
	copy_end(s, rule->arg, rule->kind, 1);
}

/* The copy of rule `which`, of a call that has ended, or that begins. */
__noinline int copy_one(struct trace_scratch *s, __u32 which)
{
	const volatile struct trace_copy_rule *rule;

	if (!s || which >= TRACE_MAX_COPIES)
		return 0;
	rule = &rule_of(s->call.nr)->copy[which];
	if (s->call.state == TRACE_UNFINISHED)
		copy_before(s, rule);
	else
		copy_late(s, rule);
	return 0;
}

/* The files of descriptors, if they still are what they were when the call began. */
static __always_inline void copy_files(struct trace_scratch *s, const volatile struct trace_rule *rule, const struct trace_open *open)
{
	for (int i = 0; i < TRACE_MAX_FDS; i++) {
		if (i >= rule->nr_fds)
			break;
		if (!open->file[i] || file_of(s->call.arg[rule->fd[i] % TRACE_ARG_ROOM]) != open->file[i])
			continue;
		copy_begin(s);
		s->from = open->file[i];
		copy_file(s);
		copy_end(s, rule->fd[i], TRACE_COPY_FILE, 0);
	}
}

/* When a call begins: note its files, and copy what it destroys. */
static __always_inline void note_files(struct trace_open *open, const volatile struct trace_rule *rule)
{
	for (int i = 0; i < TRACE_MAX_FDS; i++) {
		if (i >= rule->nr_fds)
			break;
		open->file[i] = file_of(open->arg[rule->fd[i] % TRACE_ARG_ROOM]);
	}
}

static __always_inline int copy_early(struct trace_open *open)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_early *early = bpf_task_storage_get(&trace_early, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct trace_scratch *s;
	__u32 zero = 0, used;

	s = bpf_map_lookup_elem(&trace_scratch, &zero);
	if (!s || !early)
		return 0;
	s->call.nr = open->nr;
	s->call.ret = 0;
	s->call.state = TRACE_UNFINISHED;
	s->call.nr_copies = 0;
	s->used = 0;
	__builtin_memcpy(s->call.arg, open->arg, sizeof(open->arg));
	for (int i = 0; i < TRACE_MAX_COPIES; i++)
		copy_one(s, i);
	used = s->used;
	early->used = early->nr_copies = 0;
	if (!used || used > EARLY_ROOM || bpf_probe_read_kernel(early->bytes, used, s->bytes))
		return 0;
	early->used = used;
	early->nr_copies = s->call.nr_copies;
	return 0;
}

/* Begin with what was copied then. */
static __always_inline void take_early(struct trace_scratch *s)
{
	struct trace_early *early = bpf_task_storage_get(&trace_early, bpf_get_current_task_btf(), 0, 0);
	__u32 used;

	if (!early)
		return;
	used = early->used;
	if (!used || used > EARLY_ROOM)
		return;
	barrier_var(used); /* verifiers before 6.2 forget the limit of what clang keeps on the stack meanwhile */
	if (bpf_probe_read_kernel(s->bytes, used & (EARLY_LIMIT - 1), early->bytes))
		return;
	s->used = used;
	s->call.nr_copies = early->nr_copies;
	early->used = 0;
}

/* All copies of a call that has ended. Returns their bytes. */
static __always_inline __u32 copy_all(struct trace_scratch *s, const struct trace_open *open)
{
	const volatile struct trace_rule *rule = rule_of(s->call.nr);

	s->used = 0;
	s->call.nr_copies = 0;
	if (rule->early && open->begun == TRACE_BEGIN_SEEN) /* others have no copy; one of a call that was dropped may be left */
		take_early(s);
	for (int i = 0; i < TRACE_MAX_COPIES; i++) {
		if (i >= rule->nr_copies)
			break;
		copy_one(s, i);
	}
	copy_files(s, rule, open);
	return s->used;
}

#endif
