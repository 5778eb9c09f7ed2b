// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/source/trace-memory.h"

static struct trace_rule rules[TRACE_MAX_CALLS];
static const struct trace_opts opts = { .rule = rules, .max_text = 16, .max_bytes = 8 };
static u64 buf[512];

/* The copies of call 1 with these arguments, which is one of this process. */
static struct trace_call *copies(u64 first, u64 second, size_t room)
{
	struct trace_call *call = (struct trace_call *)buf;

	*call = (struct trace_call){ .pid = getpid(), .tid = getpid(), .nr = 1, .arg = { first, second } };
	trace_memory__copy(call, room, &opts);
	return call;
}

static const struct trace_copy *first_of(const struct trace_call *call)
{
	return (const struct trace_copy *)(call + 1);
}

static void check_text(const char *text, const char *expected, bool cut)
{
	const struct trace_call *call = copies((uintptr_t)text, 0, sizeof(buf));
	const struct trace_copy *copy = first_of(call);

	assert_int_equal(call->nr_copies, 1);
	assert_int_equal(copy->size, strlen(expected));
	assert_memory_equal(copy + 1, expected, strlen(expected));
	assert_int_equal(copy->cut, cut);
	assert_int_equal(call->bytes, sizeof(*call) + sizeof(*copy) + ((copy->size + 7U) & ~7U));
}

static void test_texts(void **state)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	rules[1] = (struct trace_rule){ .nr_copies = 1, .copy = { { .kind = TRACE_COPY_STRING } } };
	check_text("some text", "some text", false);
	check_text("a text that is too long", "a text that is t", true);
	munmap(pages + 4096, 4096);
	strcpy(pages + 4091, "last");
	check_text(pages + 4091, "last", false);
	memset(pages, 'z', 4096);
	check_text(pages + 4091, "zzzzz", true);
	assert_int_equal(copies(8, 0, sizeof(buf))->nr_copies, 0);
	assert_int_equal(copies(0, 0, sizeof(buf))->nr_copies, 0);
	rules[1].copy[0].limit = 4;
	check_text("some text", "some", true);
	munmap(pages, 4096);
}

static void test_bytes(void **state)
{
	static const char bytes[32] = "0123456789";
	const struct trace_call *call;

	rules[1] = (struct trace_rule){ .nr_copies = 1, .copy = { { .kind = TRACE_COPY_BYTES, .from = TRACE_SIZE_ARG, .size = 1, .unit = 2 } } };
	call = copies((uintptr_t)bytes, 3, sizeof(buf));
	assert_int_equal(call->nr_copies, 1);
	assert_int_equal(first_of(call)->size, 6);
	assert_false(first_of(call)->cut);
	call = copies((uintptr_t)bytes, 5, sizeof(buf));
	assert_int_equal(first_of(call)->size, 8);
	assert_true(first_of(call)->cut);
	rules[1].copy[0] = (struct trace_copy_rule){ .kind = TRACE_COPY_BYTES, .from = TRACE_SIZE_FIXED, .unit = 16, .limit = 100 };
	assert_int_equal(first_of(copies((uintptr_t)bytes, 0, sizeof(buf)))->size, 16);
	/* No room, or little */
	assert_int_equal(copies((uintptr_t)bytes, 0, sizeof(struct trace_call))->nr_copies, 0);
	assert_int_equal(copies((uintptr_t)bytes, 0, sizeof(struct trace_call) + sizeof(struct trace_copy))->nr_copies, 0);
	call = copies((uintptr_t)bytes, 0, sizeof(struct trace_call) + sizeof(struct trace_copy) + 9);
	assert_int_equal(first_of(call)->size, 8);
	assert_true(first_of(call)->cut);
	/* What the kernel fills has no value yet. */
	rules[1].copy[0].if_ok = 1;
	assert_int_equal(copies((uintptr_t)bytes, 0, sizeof(buf))->nr_copies, 0);
	rules[1].copy[0] = (struct trace_copy_rule){ .kind = TRACE_COPY_BYTES, .from = TRACE_SIZE_RESULT, .unit = 1 };
	assert_int_equal(copies((uintptr_t)bytes, 0, sizeof(buf))->nr_copies, 0);
}

static const struct trace_file *file_of(int fd, const char **names)
{
	const struct trace_call *call = copies(0, fd, sizeof(buf));
	const struct trace_file *file = (const struct trace_file *)(first_of(call) + 1);

	assert_int_equal(call->nr_copies, 1);
	assert_int_equal(first_of(call)->kind, TRACE_COPY_FILE);
	assert_int_equal(first_of(call)->arg, 1);
	*names = (const char *)(file + 1);
	return file;
}

static void test_files(void **state)
{
	char path[] = "/tmp/trace-memory.XXXXXX", expected[64];
	const int fd = mkstemp(path), sock = socket(AF_UNIX, SOCK_STREAM, 0);
	int pipes[2];
	const char *names;

	assert_int_equal(pipe(pipes), 0);
	rules[1] = (struct trace_rule){ .nr_fds = 1, .fd = { 1 } };
	assert_int_equal(file_of(fd, &names)->kind, TRACE_FILE_PATH);
	assert_int_equal(snprintf(expected, sizeof(expected), "%s%ctmp", path + strlen("/tmp/"), 0), (int)strlen(path + 1));
	assert_memory_equal(names, expected, strlen(path + 1) + 1);
	assert_int_equal(first_of((void *)buf)->size, sizeof(struct trace_file) + strlen(path));
	unlink(path);
	assert_int_equal(file_of(fd, &names)->deleted, 1);
	assert_memory_equal(names, expected, strlen(path + 1) + 1);
	assert_int_equal(file_of(pipes[0], &names)->kind, TRACE_FILE_PIPE);
	assert_true(file_of(pipes[0], &names)->inode > 0);
	assert_int_equal(file_of(sock, &names)->kind, TRACE_FILE_SOCKET);
	assert_int_equal(copies(0, 4711, sizeof(buf))->nr_copies, 0);
	assert_int_equal(copies(0, -1, sizeof(buf))->nr_copies, 0);
	assert_int_equal(copies(0, fd, sizeof(struct trace_call) + sizeof(struct trace_copy) + 16)->nr_copies, 0);
	close(fd);
	close(sock);
	close(pipes[0]);
	close(pipes[1]);
}

static struct trace_socket addresses_of(int fd)
{
	struct trace_socket socket = {};
	const char *bytes;

	assert_int_equal(file_of(fd, &bytes)->kind, TRACE_FILE_SOCKET);
	if (first_of((void *)buf)->size > sizeof(struct trace_file))
		memcpy(&socket, bytes, sizeof(socket));
	return socket;
}

static void test_sockets(void **state)
{
	const int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct trace_socket socket;
	socklen_t len = sizeof(in);

	rules[1] = (struct trace_rule){ .nr_fds = 1, .fd = { 1 } };
	assert_int_equal(addresses_of(client).local_port, 0);
	if (bind(server, (struct sockaddr *)&in, sizeof(in)) || listen(server, 1) || getsockname(server, (struct sockaddr *)&in, &len) ||
	    connect(client, (struct sockaddr *)&in, sizeof(in)))
		skip(); /* no network */
	socket = addresses_of(server);
	assert_int_equal(socket.family, AF_INET);
	assert_int_equal(socket.local_port, ntohs(in.sin_port));
	assert_memory_equal(socket.local, &in.sin_addr, 4);
	assert_int_equal(socket.peer_port, 0);
	socket = addresses_of(client);
	assert_int_equal(socket.peer_port, ntohs(in.sin_port));
	assert_memory_equal(socket.peer, &in.sin_addr, 4);
	assert_int_not_equal(socket.local_port, 0);
	assert_int_equal(addresses_of(local).family, 0);
	/* No room for the addresses: the file alone */
	assert_int_equal(copies(0, client, sizeof(struct trace_call) + sizeof(struct trace_copy) + 40)->nr_copies, 1);
	assert_int_equal(first_of((void *)buf)->size, sizeof(struct trace_file));
	close(server);
	close(client);
	close(local);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_sockets),
	};

	return cmocka_run_group_tests_name("trace-memory", tests, NULL, NULL);
}
