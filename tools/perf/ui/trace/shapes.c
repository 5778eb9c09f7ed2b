// SPDX-License-Identifier: GPL-2.0
/* Structs that system calls take and fill. */
#include "ui/trace/values.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>

struct fields { /* of a struct, on their way into a line */
	struct text *line;
	const struct trace_style *style;
	bool some;
};

static struct fields begin(struct text *line, const struct trace_style *style)
{
	text__str(line, style->no_names ? "{" : "{ ");
	return (struct fields){ .line = line, .style = style };
}

static void end(struct fields *f)
{
	text__str(f->line, f->style->no_names ? "}" : " }");
}

/* The caller adds the value. */
static void field(struct fields *f, const char *name)
{
	if (f->some)
		text__str(f->line, f->style->no_names ? "," : ", ");
	if (!f->style->no_names)
		text__printf(f->line, "%s: ", name);
	f->some = true;
}

static void put_number(struct fields *f, const char *name, s64 value)
{
	field(f, name);
	text__printf(f->line, "%" PRId64, value);
}

static void put_unsigned(struct fields *f, const char *name, u64 value)
{
	field(f, name);
	text__printf(f->line, "%" PRIu64, value);
}

static void put_hex(struct fields *f, const char *name, u64 value)
{
	field(f, name);
	text__printf(f->line, "%#" PRIx64, value);
}

static void put_constant(struct fields *f, const char *name, const struct syscall_names *names, u64 value)
{
	field(f, name);
	trace_values__names(f->line, f->style, names, value);
}

static void put_string(struct fields *f, const char *name, const char *bytes, size_t size)
{
	field(f, name);
	trace_values__quoted(f->line, bytes, strnlen(bytes, size), false);
}

/* Sockets */

static void put_unix(struct fields *f, const char *path, size_t size)
{
	field(f, "path");
	if (size && !*path) { /* an abstract name may have any bytes */
		text__char(f->line, '@');
		trace_values__quoted(f->line, path + 1, size - 1, false);
	} else {
		trace_values__quoted(f->line, path, strnlen(path, size), false);
	}
}

static void put_inet(struct fields *f, int family, const void *address, u16 port)
{
	char buf[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, address, buf, sizeof(buf));
	put_unsigned(f, "port", ntohs(port));
	field(f, "addr");
	text__str(f->line, buf);
}

static bool put_sockaddr(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct sockaddr_storage any = { 0 };
	struct fields f;

	if (size < sizeof(any.ss_family))
		return false;
	memcpy(&any, bytes, size < sizeof(any) ? size : sizeof(any));
	f = begin(line, style);
	put_constant(&f, ".family", &syscall_names_domain, any.ss_family);
	if (any.ss_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
		const struct sockaddr_in *in = (const void *)&any;

		put_inet(&f, AF_INET, &in->sin_addr, in->sin_port);
	} else if (any.ss_family == AF_INET6 && size >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
		const struct sockaddr_in6 *in6 = (const void *)&any;

		put_inet(&f, AF_INET6, &in6->sin6_addr, in6->sin6_port);
		if (in6->sin6_scope_id)
			put_unsigned(&f, "scope", in6->sin6_scope_id);
	} else if (any.ss_family == AF_UNIX && size > offsetof(struct sockaddr_un, sun_path)) {
		put_unix(&f, bytes + offsetof(struct sockaddr_un, sun_path), size - offsetof(struct sockaddr_un, sun_path));
	} else if (any.ss_family == AF_NETLINK && size >= sizeof(struct sockaddr_nl)) {
		const struct sockaddr_nl *nl = (const void *)&any;

		put_unsigned(&f, "pid", nl->nl_pid);
		put_hex(&f, "groups", nl->nl_groups);
	} else if (size > sizeof(any.ss_family)) {
		put_string(&f, "data", bytes + sizeof(any.ss_family), size - sizeof(any.ss_family));
	}
	end(&f);
	return true;
}

/* A socket's option: a number has 4 bytes, a time 16. */
static void put_option(struct text *line, const char *bytes, size_t size, bool cut)
{
	s32 value;

	if (size != sizeof(value)) {
		trace_values__quoted(line, bytes, size, cut);
		return;
	}
	memcpy(&value, bytes, sizeof(value));
	text__printf(line, "[%d]", value);
}

/* Times */

static void put_time(struct text *line, const struct trace_style *style, const char *bytes, const char *fraction)
{
	s64 time[2];
	struct fields f;

	memcpy(time, bytes, sizeof(time));
	f = begin(line, style);
	put_number(&f, ".tv_sec", time[0]);
	put_number(&f, fraction, time[1]);
	end(&f);
}

/* One, or two in brackets */
static bool put_times(struct text *line, const struct trace_style *style, const char *bytes, size_t size, const char *fraction)
{
	if (size < 16)
		return false;
	if (size < 32) {
		put_time(line, style, bytes, fraction);
		return true;
	}
	text__char(line, '[');
	put_time(line, style, bytes, fraction);
	text__str(line, ", ");
	put_time(line, style, bytes + 16, fraction);
	text__char(line, ']');
	return true;
}

/* A time, or what to do without one */
static void put_utime(struct text *line, const struct trace_style *style, const char *bytes)
{
	s64 ns;

	memcpy(&ns, bytes + 8, sizeof(ns));
	if (syscall_names__find(&syscall_names_utime, ns))
		trace_values__names(line, style, &syscall_names_utime, ns);
	else
		put_time(line, style, bytes, ".tv_nsec");
}

static bool put_utimes(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	if (size < 32)
		return false;
	text__char(line, '[');
	put_utime(line, style, bytes);
	text__str(line, ", ");
	put_utime(line, style, bytes + 16);
	text__char(line, ']');
	return true;
}

static bool put_timer(struct text *line, const struct trace_style *style, const char *bytes, size_t size, const char *fraction)
{
	struct fields f;

	if (size < 32)
		return false;
	f = begin(line, style);
	field(&f, ".it_interval");
	put_time(line, style, bytes, fraction);
	field(&f, ".it_value");
	put_time(line, style, bytes + 16, fraction);
	end(&f);
	return true;
}

/* Files */

static void put_mode(struct fields *f, const char *name, u32 mode)
{
	static const char *const types[16] = { [1] = "FIFO", [2] = "CHR", [4] = "DIR", [6] = "BLK", [8] = "REG", [10] = "LNK", [12] = "SOCK" };

	field(f, name);
	if (types[mode >> 12 & 15])
		text__printf(f->line, "%s%s|0%o", f->style->prefixes ? "S_IF" : "", types[mode >> 12 & 15], mode & 07777);
	else
		text__printf(f->line, "0%o", mode);
}

static bool put_stat(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct fields f;
	struct stat st;

	if (size < sizeof(st))
		return false;
	memcpy(&st, bytes, sizeof(st));
	f = begin(line, style);
	put_mode(&f, ".st_mode", st.st_mode);
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) {
		field(&f, ".st_rdev");
		text__printf(line, "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	} else {
		put_number(&f, ".st_size", st.st_size);
	}
	end(&f);
	return true;
}

static bool put_statx(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct fields f;
	struct statx stx;

	if (size < sizeof(stx))
		return false;
	memcpy(&stx, bytes, sizeof(stx));
	f = begin(line, style);
	put_constant(&f, ".stx_mask", &syscall_names_statx_mask, stx.stx_mask);
	put_mode(&f, ".stx_mode", stx.stx_mode);
	put_number(&f, ".stx_size", stx.stx_size);
	end(&f);
	return true;
}

static bool put_statfs(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct fields f;
	struct statfs st;

	if (size < sizeof(st))
		return false;
	memcpy(&st, bytes, sizeof(st));
	f = begin(line, style);
	put_hex(&f, ".f_type", st.f_type);
	put_unsigned(&f, ".f_bsize", st.f_bsize);
	put_unsigned(&f, ".f_blocks", st.f_blocks);
	put_unsigned(&f, ".f_bfree", st.f_bfree);
	end(&f);
	return true;
}

static bool put_dirents(struct text *line, const char *bytes, size_t size, bool cut)
{
	const size_t head = offsetof(struct dirent64, d_name);
	const char *comma = "";

	text__char(line, '[');
	while (size >= head) {
		u16 len;

		memcpy(&len, bytes + offsetof(struct dirent64, d_reclen), sizeof(len));
		if (len < head || len > size)
			break;
		text__str(line, comma);
		trace_values__quoted(line, bytes + head, strnlen(bytes + head, len - head), false);
		bytes += len;
		size -= len;
		comma = ", ";
	}
	text__str(line, cut ? ", ...]" : "]");
	return true;
}

static bool put_how(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct open_how how;
	struct fields f;

	if (size < sizeof(how))
		return false;
	memcpy(&how, bytes, sizeof(how));
	f = begin(line, style);
	put_constant(&f, ".flags", &syscall_names_open, how.flags);
	if (how.flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {
		field(&f, ".mode");
		text__printf(line, "%#o", (u32)how.mode);
	}
	if (how.resolve)
		put_constant(&f, ".resolve", &syscall_names_resolve, how.resolve);
	end(&f);
	return true;
}

static bool put_winsize(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct winsize ws;
	struct fields f;

	if (size < sizeof(ws))
		return false;
	memcpy(&ws, bytes, sizeof(ws));
	f = begin(line, style);
	put_unsigned(&f, ".ws_row", ws.ws_row);
	put_unsigned(&f, ".ws_col", ws.ws_col);
	end(&f);
	return true;
}

static bool put_flock(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct flock lock;
	struct fields f;

	if (size < sizeof(lock))
		return false;
	memcpy(&lock, bytes, sizeof(lock));
	f = begin(line, style);
	put_constant(&f, ".l_type", &syscall_names_lock_type, lock.l_type);
	put_constant(&f, ".l_whence", &syscall_names_whence, lock.l_whence);
	put_number(&f, ".l_start", lock.l_start);
	put_number(&f, ".l_len", lock.l_len);
	if (lock.l_pid) /* F_GETLK: who holds it */
		put_number(&f, ".l_pid", lock.l_pid);
	end(&f);
	return true;
}

/* Polling */

static bool put_pollfds(struct text *line, const struct trace_style *style, const char *bytes, size_t size, bool cut)
{
	text__char(line, '[');
	for (size_t at = 0; at + sizeof(struct pollfd) <= size; at += sizeof(struct pollfd)) {
		struct pollfd fd;
		struct fields f;

		memcpy(&fd, bytes + at, sizeof(fd));
		if (at)
			text__str(line, ", ");
		f = begin(line, style);
		put_number(&f, ".fd", fd.fd);
		put_constant(&f, ".events", &syscall_names_poll, (u16)fd.events);
		if (fd.revents)
			put_constant(&f, ".revents", &syscall_names_poll, (u16)fd.revents);
		end(&f);
	}
	text__str(line, cut ? ", ...]" : "]");
	return true;
}

static void put_epoll_event(struct text *line, const struct trace_style *style, const struct epoll_event *event)
{
	struct fields f = begin(line, style);

	put_constant(&f, ".events", &syscall_names_epoll_events, event->events);
	put_hex(&f, ".data", event->data.u64);
	end(&f);
}

static bool put_epoll_events(struct text *line, const struct trace_style *style, const char *bytes, size_t size, bool cut, bool several)
{
	if (several)
		text__char(line, '[');
	for (size_t at = 0; at + sizeof(struct epoll_event) <= size; at += sizeof(struct epoll_event)) {
		struct epoll_event event;

		memcpy(&event, bytes + at, sizeof(event));
		if (at)
			text__str(line, ", ");
		put_epoll_event(line, style, &event);
	}
	if (several)
		text__str(line, cut ? ", ...]" : "]");
	return true;
}

/* Signals */

static bool put_sigset(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	const char *comma = "";
	u64 set;

	if (size < sizeof(set))
		return false;
	memcpy(&set, bytes, sizeof(set));
	text__str(line, set == ~0ULL ? "~[" : "[");
	for (unsigned int i = 1; i <= 64 && set != ~0ULL; i++) {
		const char *name = syscall_names__find(&syscall_names_signal, i);

		if (!(set >> (i - 1) & 1))
			continue;
		text__str(line, comma);
		if (name)
			text__str(line, name);
		else
			text__printf(line, "%u", i);
		comma = " ";
	}
	text__char(line, ']');
	return true;
}

static bool put_sigaction(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct { u64 handler, flags, restorer, mask; } act; /* the kernel's */
	struct fields f;

	if (size < sizeof(act))
		return false;
	memcpy(&act, bytes, sizeof(act));
	f = begin(line, style);
	field(&f, ".sa_handler");
	if (act.handler < 2)
		text__str(line, act.handler ? "IGN" : "DFL");
	else
		text__printf(line, "%#" PRIx64, act.handler);
	field(&f, ".sa_mask");
	put_sigset(line, style, (const char *)&act.mask, sizeof(act.mask));
	put_constant(&f, ".sa_flags", &syscall_names_sa_flags, act.flags);
	end(&f);
	return true;
}

static bool put_siginfo(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct fields f;
	siginfo_t info;

	if (size < sizeof(info))
		return false;
	memcpy(&info, bytes, sizeof(info));
	f = begin(line, style);
	put_constant(&f, ".si_signo", &syscall_names_signal, info.si_signo);
	put_number(&f, ".si_code", info.si_code);
	if (info.si_signo == SIGCHLD) {
		put_number(&f, ".si_pid", info.si_pid);
		put_number(&f, ".si_status", info.si_status);
	}
	end(&f);
	return true;
}

/* Processes */

static bool put_status(struct text *line, const char *bytes, size_t size)
{
	int status;

	if (size < sizeof(status))
		return false;
	memcpy(&status, bytes, sizeof(status));
	if (WIFEXITED(status))
		text__printf(line, "[exit %d]", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		text__printf(line, "[signal %d%s]", WTERMSIG(status), WCOREDUMP(status) ? ", core" : "");
	else
		text__printf(line, "[%#x]", status);
	return true;
}

static void put_limit(struct fields *f, const char *name, u64 value)
{
	if (value != RLIM_INFINITY) {
		put_unsigned(f, name, value);
		return;
	}
	field(f, name);
	text__str(f->line, "INFINITY");
}

static bool put_rlimit(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct fields f;
	u64 limit[2];

	if (size < sizeof(limit))
		return false;
	memcpy(limit, bytes, sizeof(limit));
	f = begin(line, style);
	put_limit(&f, ".rlim_cur", limit[0]);
	put_limit(&f, ".rlim_max", limit[1]);
	end(&f);
	return true;
}

static bool put_rusage(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct rusage usage;
	struct fields f;

	if (size < sizeof(usage))
		return false;
	memcpy(&usage, bytes, sizeof(usage));
	f = begin(line, style);
	field(&f, ".ru_utime");
	put_time(line, style, bytes, ".tv_usec");
	field(&f, ".ru_stime");
	put_time(line, style, bytes + sizeof(usage.ru_utime), ".tv_usec");
	put_number(&f, ".ru_maxrss", usage.ru_maxrss);
	end(&f);
	return true;
}

static bool put_utsname(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	const struct utsname *uts = (const void *)bytes; /* characters only */
	struct fields f;

	if (size < sizeof(*uts))
		return false;
	f = begin(line, style);
	put_string(&f, ".sysname", uts->sysname, sizeof(uts->sysname));
	put_string(&f, ".nodename", uts->nodename, sizeof(uts->nodename));
	put_string(&f, ".release", uts->release, sizeof(uts->release));
	end(&f);
	return true;
}

static bool put_sysinfo(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct sysinfo info;
	struct fields f;

	if (size < sizeof(info))
		return false;
	memcpy(&info, bytes, sizeof(info));
	f = begin(line, style);
	put_number(&f, ".uptime", info.uptime);
	put_unsigned(&f, ".totalram", info.totalram);
	put_unsigned(&f, ".freeram", info.freeram);
	put_unsigned(&f, ".procs", info.procs);
	end(&f);
	return true;
}

static bool put_clone_args(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	struct clone_args args;
	struct fields f;

	if (size < sizeof(args))
		return false;
	memcpy(&args, bytes, sizeof(args));
	f = begin(line, style);
	put_constant(&f, ".flags", &syscall_names_clone, args.flags);
	put_constant(&f, ".exit_signal", &syscall_names_signal, args.exit_signal);
	put_hex(&f, ".stack", args.stack);
	put_hex(&f, ".stack_size", args.stack_size);
	end(&f);
	return true;
}

/* Plain numbers */

static bool put_ints(struct text *line, const char *bytes, size_t size)
{
	s32 value;

	if (size < sizeof(value))
		return false;
	for (size_t at = 0; at + sizeof(value) <= size; at += sizeof(value)) {
		memcpy(&value, bytes + at, sizeof(value));
		text__printf(line, "%s%d", at ? ", " : "[", value);
	}
	text__char(line, ']');
	return true;
}

static bool put_u64(struct text *line, const char *bytes, size_t size)
{
	u64 value;

	if (size < sizeof(value))
		return false;
	memcpy(&value, bytes, sizeof(value));
	text__printf(line, "[%" PRIu64 "]", value);
	return true;
}

static bool put_strings(struct text *line, const char *bytes, size_t size, bool cut)
{
	const char *comma = "";

	text__char(line, '[');
	while (size) {
		const size_t len = strnlen(bytes, size);

		text__str(line, comma);
		trace_values__quoted(line, bytes, len, len == size);
		bytes += len;
		size -= len;
		if (size) {
			bytes++;
			size--;
		}
		comma = ", ";
	}
	text__str(line, cut ? ", ...]" : "]");
	return true;
}

/* "[0-3 5]" */
static bool put_cpus(struct text *line, const char *bytes, size_t size, bool cut)
{
	const char *blank = "";
	size_t nr = 8 * size;

	text__char(line, '[');
	for (size_t first = 0, last; first < nr; first = last + 1) {
		last = first;
		if (!(bytes[first / 8] >> first % 8 & 1))
			continue;
		while (last + 1 < nr && bytes[(last + 1) / 8] >> (last + 1) % 8 & 1)
			last++;
		text__printf(line, last > first ? "%s%zu-%zu" : "%s%zu", blank, first, last);
		blank = " ";
	}
	text__str(line, cut ? "...]" : "]");
	return true;
}

/* struct io_uring_params: what both sides agree on, before the offsets in rings */
static bool put_io_uring(struct text *line, const struct trace_style *style, const char *bytes, size_t size)
{
	u32 word[10]; /* sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features, wq_fd, resv[3] */
	struct fields f;

	if (size < sizeof(word))
		return false;
	memcpy(word, bytes, sizeof(word));
	f = begin(line, style);
	put_constant(&f, ".flags", &syscall_names_io_uring_setup, word[2]);
	put_unsigned(&f, ".sq_entries", word[0]);
	put_unsigned(&f, ".cq_entries", word[1]);
	put_hex(&f, ".features", word[5]);
	end(&f);
	return true;
}

bool trace_values__shape(struct text *line, const struct trace_style *style, enum syscall_shape shape, const char *bytes, size_t size, bool cut)
{
	switch (shape) {
	case SYSCALL_SHAPE_TEXT:
		trace_values__quoted(line, bytes, size, cut);
		return true;
	case SYSCALL_SHAPE_SOCKADDR:
		return put_sockaddr(line, style, bytes, size);
	case SYSCALL_SHAPE_TIMESPEC:
		return put_times(line, style, bytes, size, ".tv_nsec");
	case SYSCALL_SHAPE_UTIMES:
		return put_utimes(line, style, bytes, size);
	case SYSCALL_SHAPE_TIMEVAL:
		return put_times(line, style, bytes, size, ".tv_usec");
	case SYSCALL_SHAPE_ITIMERVAL:
		return put_timer(line, style, bytes, size, ".tv_usec");
	case SYSCALL_SHAPE_ITIMERSPEC:
		return put_timer(line, style, bytes, size, ".tv_nsec");
	case SYSCALL_SHAPE_STAT:
		return put_stat(line, style, bytes, size);
	case SYSCALL_SHAPE_STATX:
		return put_statx(line, style, bytes, size);
	case SYSCALL_SHAPE_STATFS:
		return put_statfs(line, style, bytes, size);
	case SYSCALL_SHAPE_RLIMIT:
		return put_rlimit(line, style, bytes, size);
	case SYSCALL_SHAPE_RUSAGE:
		return put_rusage(line, style, bytes, size);
	case SYSCALL_SHAPE_INT:
		return put_ints(line, bytes, size);
	case SYSCALL_SHAPE_UINT64:
		return put_u64(line, bytes, size);
	case SYSCALL_SHAPE_OPTION:
		put_option(line, bytes, size, cut);
		return true;
	case SYSCALL_SHAPE_STATUS:
		return put_status(line, bytes, size);
	case SYSCALL_SHAPE_SIGSET:
		return put_sigset(line, style, bytes, size);
	case SYSCALL_SHAPE_SIGACTION:
		return put_sigaction(line, style, bytes, size);
	case SYSCALL_SHAPE_SIGINFO:
		return put_siginfo(line, style, bytes, size);
	case SYSCALL_SHAPE_POLLFD:
		return put_pollfds(line, style, bytes, size, cut);
	case SYSCALL_SHAPE_EPOLL_EVENT:
		return put_epoll_events(line, style, bytes, size, cut, false);
	case SYSCALL_SHAPE_EPOLL_EVENTS:
		return put_epoll_events(line, style, bytes, size, cut, true);
	case SYSCALL_SHAPE_UTSNAME:
		return put_utsname(line, style, bytes, size);
	case SYSCALL_SHAPE_SYSINFO:
		return put_sysinfo(line, style, bytes, size);
	case SYSCALL_SHAPE_DIRENT:
		return put_dirents(line, bytes, size, cut);
	case SYSCALL_SHAPE_VECTOR:
	case SYSCALL_SHAPE_MESSAGE:
		trace_values__vector(line, style, bytes, size, cut);
		return true;
	case SYSCALL_SHAPE_STRINGS:
		return put_strings(line, bytes, size, cut);
	case SYSCALL_SHAPE_FLOCK:
		return put_flock(line, style, bytes, size);
	case SYSCALL_SHAPE_CLONE_ARGS:
		return put_clone_args(line, style, bytes, size);
	case SYSCALL_SHAPE_OPEN_HOW:
		return put_how(line, style, bytes, size);
	case SYSCALL_SHAPE_CPUS:
		return put_cpus(line, bytes, size, cut);
	case SYSCALL_SHAPE_IO_URING:
		return put_io_uring(line, style, bytes, size);
	case SYSCALL_SHAPE_WINSIZE:
		return put_winsize(line, style, bytes, size);
	}
	return false;
}
