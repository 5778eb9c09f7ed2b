// SPDX-License-Identifier: GPL-2.0
#include "ui/trace/values.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

/* Constants */

static void put_name(struct text *line, const struct trace_style *style, const struct syscall_names *names, const char *name)
{
	if (style->prefixes && strncmp(name, "SIG", 3) && strncmp(name, "__", 2)) /* these are whole */
		text__str(line, names->prefix);
	text__str(line, name);
}

static const char *name_of_choice(const struct syscall_names *names, u64 value)
{
	for (unsigned int i = 0; i < names->nr && names->choice; i++) {
		if (names->row[i].value == value && !(names->row[i].value & ~names->choice))
			return names->row[i].name;
	}
	return NULL;
}

/* Returns the flags that have no name. */
static u64 put_flags(struct text *line, const struct trace_style *style, const struct syscall_names *names, u64 flags, const char **bar)
{
	for (unsigned int i = 0; i < names->nr && flags; i++) {
		const u64 value = names->row[i].value;

		if (!value || !(value & ~names->choice) || (flags & value) != value)
			continue;
		text__str(line, *bar);
		put_name(line, style, names, names->row[i].name);
		flags &= ~value;
		*bar = "|";
	}
	return flags;
}

void trace_values__names(struct text *line, const struct trace_style *style, const struct syscall_names *names, u64 value)
{
	const char *bar = "", *name = names->choice ? name_of_choice(names, value & names->choice) : NULL;
	u64 rest = value & ~names->choice;

	if (name) {
		put_name(line, style, names, name);
		bar = "|";
	} else if (!value && (name = syscall_names__find(names, 0))) {
		put_name(line, style, names, name);
		return;
	} else if (value & names->choice) {
		const bool is_decimal = names->choice == ~0ULL && names != &syscall_names_ioctl; /* whose parts are bits */

		text__printf(line, is_decimal ? "%" PRId64 : "%#" PRIx64, is_decimal ? (s64)(s32)value : (s64)(value & names->choice));
		bar = "|";
	}
	rest = put_flags(line, style, names, rest, &bar);
	if (rest || !*bar)
		text__printf(line, rest ? "%s%#" PRIx64 : "%s0", bar, rest);
}

/* Texts */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_escape(struct text *line, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	if (c == '"' || c == '\\' || c == '\n')
		text__put(line, (const char[]){ '\\', c == '\n' ? 'n' : c }, 2);
	else
		text__put(line, (const char[]){ '\\', 'x', digits[c >> 4], digits[c & 15] }, 4);
}

void trace_values__escaped(struct text *line, const char *bytes, size_t size)
{
	for (size_t from = 0, i = 0; i < size; from = ++i) {
		while (i < size && is_plain(bytes[i]))
			i++;
		text__put(line, bytes + from, i - from);
		if (i < size)
			put_escape(line, bytes[i]);
	}
}

void trace_values__quoted(struct text *line, const char *bytes, size_t size, bool cut)
{
	text__char(line, '"');
	trace_values__escaped(line, bytes, size);
	text__str(line, cut ? "\"..." : "\"");
}

/* Files: their names come with the last one first. */

static void put_path(struct text *line, const char *names, size_t size, bool cut)
{
	if (cut)
		text__str(line, "...");
	else if (!size)
		text__char(line, '/');
	while (size) {
		size_t from = size - 1; /* before the NUL */

		while (from && names[from - 1])
			from--;
		text__char(line, '/');
		trace_values__escaped(line, names + from, strnlen(names + from, size - from));
		size = from;
	}
}

/* The peer; of one that has none, as a server's that accepts others, its own address */
static void put_socket(struct text *line, const struct trace_file *file, const char *bytes, size_t size)
{
	char address[INET6_ADDRSTRLEN] = "";
	struct trace_socket socket;
	bool has_peer;

	if (size < sizeof(socket)) {
		text__printf(line, "socket:[%" PRIu64 "]", (u64)file->inode);
		return;
	}
	memcpy(&socket, bytes, sizeof(socket));
	has_peer = socket.peer_port;
	if (!has_peer && !socket.local_port) {
		text__printf(line, "socket:[%" PRIu64 "]", (u64)file->inode);
		return;
	}
	inet_ntop(socket.family, has_peer ? socket.peer : socket.local, address, sizeof(address));
	text__printf(line, socket.family == AF_INET6 ? "[%s]:%u" : "%s:%u", address, has_peer ? socket.peer_port : socket.local_port);
}

void trace_values__file(struct text *line, const char *bytes, size_t size)
{
	struct trace_file file;

	if (size < sizeof(file))
		return;
	memcpy(&file, bytes, sizeof(file));
	bytes += sizeof(file);
	size -= sizeof(file);
	text__char(line, '<');
	if (file.kind == TRACE_FILE_PIPE) {
		text__printf(line, "pipe:[%" PRIu64 "]", (u64)file.inode);
	} else if (file.kind == TRACE_FILE_SOCKET) {
		put_socket(line, &file, bytes, size);
	} else if (file.kind == TRACE_FILE_ANONYMOUS) {
		text__str(line, "anon_inode:");
		trace_values__escaped(line, bytes, strnlen(bytes, size));
	} else {
		put_path(line, bytes, size, file.cut);
		text__str(line, file.deleted ? " (deleted)" : "");
	}
	text__char(line, '>');
}

/* Vectors of buffers */

void trace_values__vector(struct text *line, const struct trace_style *style, const char *bytes, size_t size, bool cut)
{
	const char *comma = "";

	text__char(line, '[');
	while (size >= sizeof(struct trace_part)) {
		struct trace_part part;

		memcpy(&part, bytes, sizeof(part));
		bytes += sizeof(part);
		size -= sizeof(part);
		if (part.copied > size)
			break;
		text__printf(line, style->no_names ? "%s{" : "%s{ .base: ", comma);
		trace_values__quoted(line, bytes, part.copied, part.cut);
		text__printf(line, style->no_names ? ",%" PRIu64 "}" : ", .len: %" PRIu64 " }", (u64)part.len);
		bytes += (part.copied + 7) & ~7U;
		size -= (part.copied + 7) & ~7U;
		comma = ", ";
	}
	text__str(line, cut ? ", ...]" : "]");
}
