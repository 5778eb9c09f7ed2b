// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "bpf"
#include "util/bpf/token.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <mntent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "util/bpf/first-namespace.h"
#include "util/lib/log.h"

/* Newer than the headers that we build with: include/uapi/linux/bpf.h of Linux 6.9. */
#define TOKEN_CREATE 36 /* BPF_TOKEN_CREATE */
#define TOKEN_FLAG (1U << 16) /* BPF_F_TOKEN_FD */

#define SYS_FS_BPF "/sys/fs/bpf"

struct token_create { /* of union bpf_attr */
	u32 flags, bpffs_fd;
};

/* Where a command's attributes have their flags and the token, in bytes. */
struct token_place {
	u32 flags, fd;
};

static const struct token_place *token_place(int cmd)
{
	static const struct token_place map_create = { 16, 76 }, prog_load = { 44, 144 }, btf_load = { 32, 36 };

	switch (cmd) {
	case BPF_MAP_CREATE:
		return &map_create;
	case BPF_PROG_LOAD:
		return &prog_load;
	case BPF_BTF_LOAD:
		return &btf_load;
	default:
		return NULL;
	}
}

#define MOUNT_LINE (2 * PATH_MAX) /* limit of a line of /proc/self/mounts; the names of all delegations need a quarter of it */

static struct {
	bool looked;
	bool in_namespace; /* in a user namespace other than the initial one */
	int fd;		   /* -1: none */
	int error;	   /* of the last attempt to make one, 0: none was made */
	char dir[PATH_MAX]; /* where that was */
	char options[MOUNT_LINE]; /* of that mount: what it delegates */
	/* What the kernel has refused for lack of rights: a command, and for a map or program its type */
	int refused;
	u32 refused_type, refused_attach;
} token = { .fd = -1, .refused = -1 };

static int call(int cmd, void *attr, size_t size)
{
	int ret = syscall(SYS_bpf, cmd, attr, size);

	return ret < 0 ? -errno : ret;
}

/* The options of the mount at dir that hides all others there */
static void find_options(const char *dir, char *options, size_t size)
{
	FILE *fp = setmntent("/proc/self/mounts", "re");
	char buf[MOUNT_LINE];
	struct mntent ent;

	*options = '\0';
	if (!fp)
		return;
	while (getmntent_r(fp, &ent, buf, sizeof(buf))) {
		if (!strcmp(ent.mnt_dir, dir))
			snprintf(options, size, "%s", strcmp(ent.mnt_type, "bpf") ? "" : ent.mnt_opts);
	}
	endmntent(fp);
}

/* The kernel wants a descriptor of the directory where the bpffs is mounted. */
static bool take_from(const char *dir)
{
	struct token_create attr = { 0 };
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	token.error = fd < 0 ? errno : 0;
	if (fd >= 0) {
		attr.bpffs_fd = fd;
		token.fd = call(TOKEN_CREATE, &attr, sizeof(attr));
		if (token.fd < 0) {
			token.error = -token.fd;
			token.fd = -1;
		}
		close(fd);
	}
	snprintf(token.dir, sizeof(token.dir), "%s", dir);
	find_options(dir, token.options, sizeof(token.options));
	if (token.fd >= 0)
		pr_debug("BPF token of %s: %s\n", dir, token.options);
	else
		pr_debug("%s gives no BPF token: %s\n", dir, strerror(token.error));
	return token.fd >= 0;
}

/* Only /sys/fs/bpf, or every other one */
static bool take_from_mounts(bool first)
{
	FILE *fp = setmntent("/proc/self/mounts", "re");
	char buf[MOUNT_LINE];
	struct mntent ent;
	bool found = false;

	if (!fp)
		return false;
	while (!found && getmntent_r(fp, &ent, buf, sizeof(buf))) {
		if (!strcmp(ent.mnt_type, "bpf") && !strcmp(ent.mnt_dir, SYS_FS_BPF) == first)
			found = take_from(ent.mnt_dir);
	}
	endmntent(fp);
	return found;
}

static void look(void)
{
	const char *path = secure_getenv("LIBBPF_BPF_TOKEN_PATH");

	if (token.looked)
		return;
	token.looked = true;
	token.in_namespace = !user_namespace__is_first();
	if (path && *path)
		take_from(path);
	else if (!path && token.in_namespace && !take_from_mounts(true))
		take_from_mounts(false);
}

bool bpf_token__used(void)
{
	look();
	return token.fd >= 0;
}

/* Of a descriptor that is none, kernels that know the command say so. */
bool bpf_token__is_known(void)
{
	struct token_create attr = { .bpffs_fd = -1 };

	return call(TOKEN_CREATE, &attr, sizeof(attr)) == -EBADF;
}

static u32 attr_u32(const char *attr, size_t at)
{
	u32 value;

	memcpy(&value, attr + at, sizeof(value));
	return value;
}

static void note_refusal(int cmd, const char *attr)
{
	token.refused = cmd;
	token.refused_type = attr_u32(attr, 0);
	token.refused_attach = cmd == BPF_PROG_LOAD ? attr_u32(attr, offsetof(union bpf_attr, expected_attach_type)) : 0;
}

int bpf_token__call(int cmd, const void *attr, size_t size)
{
	const struct token_place *place = token_place(cmd);
	char room[256] = { 0 }; /* more than any of the attributes that we know */
	u32 flags;
	int ret;

	if (size > sizeof(room))
		return -E2BIG;
	memcpy(room, attr, size);
	if (place && bpf_token__used()) {
		flags = attr_u32(room, place->flags) | TOKEN_FLAG;
		memcpy(room + place->flags, &flags, sizeof(flags));
		memcpy(room + place->fd, &token.fd, sizeof(token.fd));
		if (size < place->fd + sizeof(token.fd))
			size = place->fd + sizeof(token.fd);
	}
	ret = call(cmd, room, size);
	if (ret == -EPERM && place)
		note_refusal(cmd, room);
	return ret;
}

int bpf_token__create_map(const struct bpf_token_map *map)
{
	union bpf_attr attr = {
		.map_type = map->type,
		.key_size = map->key_size,
		.value_size = map->value_size,
		.max_entries = map->max_entries,
		.map_flags = map->flags,
		.inner_map_fd = map->inner_fd,
	};

	strncpy(attr.map_name, map->name, sizeof(attr.map_name) - 1);
	return bpf_token__call(BPF_MAP_CREATE, &attr, offsetof(union bpf_attr, map_extra));
}

int bpf_token__load_program(u32 type, const struct bpf_insn *insns, size_t nr, u32 flags)
{
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (uintptr_t)insns,
		.insn_cnt = nr,
		.license = (uintptr_t)"GPL",
		.prog_flags = flags,
	};

	return bpf_token__call(BPF_PROG_LOAD, &attr, offsetof(union bpf_attr, fd_array));
}

/* "delegate_maps=array:hash" or "=any" has this name. A mask in hexadecimal says nothing here. */
static bool delegates(const char *option, const char *name)
{
	const char *list = strstr(token.options, option);
	size_t len = strlen(name), n;

	if (!list)
		return false;
	for (list += strlen(option); *list && *list != ','; list += n + (list[n] == ':')) {
		n = strcspn(list, ":,");
		if ((n == len && !strncmp(list, name, n)) || (n == 3 && !strncmp(list, "any", 3)) || !strncmp(list, "0x", 2))
			return true;
	}
	return false;
}

/* The first right that the refused call needs and the mount does not delegate, as a mount option; false: it delegates all */
static bool find_lacking(char *option, size_t size)
{
	const char *cmd = token.refused == BPF_MAP_CREATE ? "map_create" : token.refused == BPF_PROG_LOAD ? "prog_load" : "btf_load";
	const char *type = NULL, *types = "", *attach = NULL;

	if (token.refused == BPF_MAP_CREATE) {
		types = "delegate_maps=";
		type = libbpf_bpf_map_type_str(token.refused_type);
	} else if (token.refused == BPF_PROG_LOAD) {
		types = "delegate_progs=";
		type = libbpf_bpf_prog_type_str(token.refused_type);
		attach = libbpf_bpf_attach_type_str(token.refused_attach);
	}
	if (!*token.options) /* $LIBBPF_BPF_TOKEN_PATH is a directory in a bpffs */
		return false;
	if (!delegates("delegate_cmds=", cmd))
		snprintf(option, size, "delegate_cmds=%s", cmd);
	else if (type && !delegates(types, type))
		snprintf(option, size, "%s%s", types, type);
	else if (attach && !delegates("delegate_attachs=", attach))
		snprintf(option, size, "delegate_attachs=%s", attach);
	else
		return false;
	return true;
}

#define ASK_ROOT "Let root run, outside of it, with the id there of a process in here: perf record --setup-token PID"

static int explain_lack(const char *what, struct errmsg *err)
{
	if (!bpf_token__is_known())
		return errmsg__set(err, EPERM, "%s needs rights outside of this user namespace, or a BPF token, which Linux 6.9 and newer have.\n"
				   "Run perf as root outside of it.", what);
	if (token.error)
		return errmsg__set(err, EPERM, "%s needs a BPF token in this user namespace, and %s gives none: %s.\n" ASK_ROOT, what, token.dir,
				   strerror(token.error));
	return errmsg__set(err, EPERM, "%s needs a BPF token in this user namespace, and no bpffs is mounted that gives one.\n" ASK_ROOT, what);
}

bool bpf_token__explain(const char *what, struct errmsg *err)
{
	char option[64];

	look();
	if (token.refused < 0 && token.fd >= 0)
		return false;
	if (token.fd < 0 && !token.in_namespace && !token.error)
		return false;
	if (token.fd < 0)
		explain_lack(what, err);
	else if (find_lacking(option, sizeof(option)))
		errmsg__set(err, EPERM, "%s needs more than the BPF token of %s delegates: %s is missing.\n" ASK_ROOT, what, token.dir, option);
	else
		return false;
	return true;
}
