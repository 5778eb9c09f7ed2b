// SPDX-License-Identifier: GPL-2.0
#include "util/source/trace-memory.h"

#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "util/lib/task-memory.h"

/* A copy that is made: its bytes follow it. */
static char *begin_copy(struct trace_call *call, size_t room, size_t *left)
{
	const size_t at = call->bytes + sizeof(struct trace_copy);

	*left = at < room ? (room - at) & ~7UL : 0;
	return (char *)call + at;
}

static void end_copy(struct trace_call *call, u8 arg, u8 kind, size_t size, bool cut)
{
	struct trace_copy *copy = (struct trace_copy *)((char *)call + call->bytes);

	*copy = (struct trace_copy){ .arg = arg, .kind = kind, .cut = cut, .size = size };
	call->bytes += sizeof(*copy) + ((size + 7) & ~7UL);
	call->nr_copies++;
}

static void copy_text(struct task_memory *memory, struct trace_call *call, size_t room, const struct trace_copy_rule *rule, size_t limit)
{
	size_t left, size;
	char *to = begin_copy(call, room, &left);

	size = task_memory__read_part(memory, call->arg[rule->arg], to, left < limit ? left : limit);
	if (size)
		end_copy(call, rule->arg, rule->kind, strnlen(to, size), strnlen(to, size) == size);
}

static void copy_bytes(struct task_memory *memory, struct trace_call *call, size_t room, const struct trace_copy_rule *rule, size_t limit)
{
	const u64 wanted = rule->from == TRACE_SIZE_FIXED ? rule->unit : call->arg[rule->size] * rule->unit;
	size_t left, size;
	char *to = begin_copy(call, room, &left);

	limit = left < limit ? left : limit;
	size = task_memory__read_part(memory, call->arg[rule->arg], to, wanted < limit ? wanted : limit);
	if (size)
		end_copy(call, rule->arg, rule->kind, size, size < wanted);
}

static void copy_memory(struct task_memory *memory, struct trace_call *call, size_t room, const struct trace_copy_rule *rule,
			const struct trace_opts *opts)
{
	if (rule->if_ok || rule->arg >= TRACE_MAX_ARGS || rule->size >= TRACE_MAX_ARGS)
		return;
	if (rule->kind == TRACE_COPY_STRING)
		copy_text(memory, call, room, rule, rule->limit ?: opts->max_text);
	else if (rule->kind == TRACE_COPY_BYTES && (rule->from == TRACE_SIZE_FIXED || rule->from == TRACE_SIZE_ARG))
		copy_bytes(memory, call, room, rule, rule->limit ?: opts->max_bytes);
}

/* "/a/b" as "b\0a\0". Returns the number of bytes. */
static size_t reverse_path(const char *path, char *to, size_t room)
{
	size_t end = strlen(path), used = 0;

	while (end) {
		size_t begin = end;

		while (begin && path[begin - 1] != '/')
			begin--;
		if (end - begin >= room - used)
			break;
		memcpy(to + used, path + begin, end - begin);
		used += end - begin;
		to[used++] = '\0';
		end = begin ? begin - 1 : 0;
	}
	return used;
}

/* What readlink(2) says of a descriptor: proc_pid_fd(5) */
static size_t describe_file(char *link, char *to, size_t room)
{
	static const char deleted[] = " (deleted)";
	struct trace_file file = { .kind = TRACE_FILE_PATH };
	const size_t len = strlen(link);
	unsigned long long inode;
	size_t used = sizeof(file);

	if (sscanf(link, "pipe:[%llu]", &inode) == 1)
		file = (struct trace_file){ .kind = TRACE_FILE_PIPE, .inode = inode };
	else if (sscanf(link, "socket:[%llu]", &inode) == 1)
		file = (struct trace_file){ .kind = TRACE_FILE_SOCKET, .inode = inode };
	else if (!strncmp(link, "anon_inode:", strlen("anon_inode:")))
		file.kind = TRACE_FILE_ANONYMOUS;
	if (file.kind == TRACE_FILE_PATH && len > strlen(deleted) && !strcmp(link + len - strlen(deleted), deleted)) {
		file.deleted = 1;
		link[len - strlen(deleted)] = '\0';
	}
	if (file.kind == TRACE_FILE_ANONYMOUS)
		used += snprintf(to + used, room - used, "%s", link + strlen("anon_inode:")) + 1;
	else if (file.kind == TRACE_FILE_PATH)
		used += reverse_path(link + (*link == '/'), to + used, room - used);
	memcpy(to, &file, sizeof(file));
	return used;
}

/* Sockets */

static bool is_inode(int fd, u64 inode)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISSOCK(st.st_mode) && st.st_ino == inode;
}

/* A copy of the descriptor of another process, if it still stands for this socket; otherwise -1. ptrace(2) rights allow it. */
static int take_socket(pid_t pid, int fd, u64 inode)
{
	const int pidfd = syscall(SYS_pidfd_open, pid, 0), copy = pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	if (pidfd >= 0)
		close(pidfd);
	if (copy < 0 || is_inode(copy, inode))
		return copy;
	close(copy);
	return -1;
}

/* Returns the family; 0: it has no such address, or one of another kind. */
static u16 read_address(int fd, bool peer, u8 *address, u16 *port)
{
	struct sockaddr_storage all = {};
	const struct sockaddr_in *four = (const void *)&all;
	const struct sockaddr_in6 *six = (const void *)&all;
	socklen_t len = sizeof(all);

	if (peer ? getpeername(fd, (struct sockaddr *)&all, &len) : getsockname(fd, (struct sockaddr *)&all, &len))
		return 0;
	if (all.ss_family == AF_INET) {
		memcpy(address, &four->sin_addr, sizeof(four->sin_addr));
		*port = ntohs(four->sin_port);
	} else if (all.ss_family == AF_INET6) {
		memcpy(address, &six->sin6_addr, sizeof(six->sin6_addr));
		*port = ntohs(six->sin6_port);
	}
	return all.ss_family;
}

/* Returns the number of bytes: none for other sockets than those of IPv4 and IPv6. */
static size_t describe_socket(const struct trace_call *call, u8 arg, u64 inode, char *to, size_t room)
{
	const int fd = room < sizeof(struct trace_socket) ? -1 : take_socket(call->pid, call->arg[arg], inode);
	struct trace_socket socket = {};

	if (fd < 0)
		return 0;
	socket.family = read_address(fd, false, socket.local, &socket.local_port);
	if (socket.family == AF_INET || socket.family == AF_INET6)
		read_address(fd, true, socket.peer, &socket.peer_port);
	close(fd);
	if (socket.family != AF_INET && socket.family != AF_INET6)
		return 0;
	memcpy(to, &socket, sizeof(socket));
	return sizeof(socket);
}

static size_t add_socket(const struct trace_call *call, u8 arg, char *to, size_t used, size_t room)
{
	struct trace_file file;

	memcpy(&file, to, sizeof(file));
	return file.kind == TRACE_FILE_SOCKET ? used + describe_socket(call, arg, file.inode, to + used, room - used) : used;
}

static void copy_file(struct trace_call *call, size_t room, u8 arg)
{
	char path[64], link[PATH_MAX];
	size_t left, used;
	char *to = begin_copy(call, room, &left);
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%u/fd/%d", call->tid, (int)call->arg[arg]);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0 || left < sizeof(struct trace_file) + len + 2)
		return;
	link[len] = '\0';
	used = describe_file(link, to, left);
	end_copy(call, arg, TRACE_COPY_FILE, add_socket(call, arg, to, used, left), false);
}

void trace_memory__copy(struct trace_call *call, size_t room, const struct trace_opts *opts)
{
	const struct trace_rule *rule = &opts->rule[trace_row(call->nr)];
	struct task_memory *memory = NULL;

	call->bytes = sizeof(*call);
	call->nr_copies = 0;
	for (int i = 0; i < rule->nr_fds && i < TRACE_MAX_FDS; i++)
		copy_file(call, room, rule->fd[i]);
	if (!rule->nr_copies || task_memory__new(call->tid, &memory))
		return;
	for (int i = 0; i < rule->nr_copies && i < TRACE_MAX_COPIES; i++)
		copy_memory(memory, call, room, &rule->copy[i], opts);
	task_memory__delete(memory);
}
