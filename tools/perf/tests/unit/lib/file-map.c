// SPDX-License-Identifier: GPL-2.0
#include "util/lib/file-map.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/lib/threads.h"

#define SIZE (64 << 10)
#define STATUS 77

static const char *expected;
static pid_t writer;

static void end(const char *message)
{
	_exit(strcmp(message, expected) ? 1 : gettid() == writer ? STATUS : STATUS + 1);
}

static int file(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_return_code(fd, errno);
	assert_return_code(ftruncate(fd, SIZE), errno);
	return fd;
}

static struct file_map *map(int fd, const char *name)
{
	struct file_map *map;
	struct errmsg err;

	assert_int_equal(file_map__new(&map, fd, SIZE, name, &err), 0);
	return map;
}

/* Its wait status. */
static int in_child(void (*run)(void))
{
	pid_t pid = fork();
	int status;

	assert_return_code(pid, errno);
	if (!pid) {
		writer = getpid();
		run();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void exits_with(void (*run)(void), int status)
{
	int got = in_child(run);

	assert_true(WIFEXITED(got));
	assert_int_equal(WEXITSTATUS(got), status);
}

static void cut_then_read(int fd, struct file_map *map, off_t size, u64 at)
{
	volatile u8 *memory = file_map__memory(map);

	memory[0] = 1;
	if (ftruncate(fd, size))
		_exit(2);
	(void)memory[at];
}

static void read_one_of_three(void)
{
	int fd[3] = { file(), file(), file() };
	struct file_map *maps[3] = { map(fd[0], "a"), map(fd[1], "b\n"), map(fd[2], "c") };

	expected = "b? was cut off while it was read: read it when nobody writes to it, or a copy of it\n";
	file_maps__on_loss(end);
	file_map__delete(maps[0]);
	cut_then_read(fd[1], maps[1], 4096, SIZE - 1);
}

static void *read_all(void *map)
{
	u8 *memory = file_map__memory(map);
	u64 sum = 0;

	for (u64 i = 0; i < SIZE; i++)
		sum += memory[i];
	return (void *)(uintptr_t)sum;
}

static void read_in_threads(void)
{
	int fd = file();
	struct file_map *m = map(fd, "a");
	pthread_t thread[4];

	expected = "a was cut off while it was read: read it when nobody writes to it, or a copy of it\n";
	file_maps__on_loss(end);
	if (ftruncate(fd, 0))
		_exit(2);
	for (int i = 0; i < 4; i++) {
		if (threads__start(&thread[i], read_all, m))
			_exit(3);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void *write_until_it_ends(void *ready)
{
	writer = gettid();
	file_maps__set_writer(writer);
	sem_post(ready);
	for (;;)
		pause();
	return NULL;
}

static void read_while_another_writes(void)
{
	pthread_t thread;
	sem_t ready;

	sem_init(&ready, 0, 0);
	if (threads__start(&thread, write_until_it_ends, &ready))
		_exit(3);
	sem_wait(&ready);
	read_in_threads();
}

static void check_the_last_page(void)
{
	int fd = file();
	struct file_map *m = map(fd, "a");

	expected = "a was cut off while it was read: read it when nobody writes to it, or a copy of it\n";
	file_maps__on_loss(end);
	file_map__check(m);
	cut_then_read(fd, m, SIZE - 1, SIZE - 1);
	file_map__check(m);
}

static void read_what_is_no_file(void)
{
	int fd = file();
	u8 *memory = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0);

	expected = "";
	signal(SIGBUS, SIG_DFL);
	file_maps__on_loss(end);
	if (ftruncate(fd, 0))
		_exit(2);
	*(volatile u8 *)memory;
}

static void the_file_that_was_cut_is_named(void **state)
{
	exits_with(read_one_of_three, STATUS);
}

static void any_thread_may_meet_it(void **state)
{
	exits_with(read_in_threads, STATUS);
	exits_with(read_while_another_writes, STATUS);
}

static void raise_it(void)
{
	signal(SIGBUS, SIG_DFL);
	file_maps__on_loss(end);
	raise(SIGBUS);
}

static void the_signal_ends_a_process_that_lost_nothing(void **state)
{
	int got = in_child(raise_it);

	assert_true(WIFSIGNALED(got));
	assert_int_equal(WTERMSIG(got), SIGBUS);
}

static void zeros_are_not_taken_for_the_file(void **state)
{
	exits_with(check_the_last_page, STATUS);
}

static void other_memory_is_not_ours(void **state)
{
	int status = in_child(read_what_is_no_file);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_that_was_cut_is_named),
		cmocka_unit_test(any_thread_may_meet_it),
		cmocka_unit_test(zeros_are_not_taken_for_the_file),
		cmocka_unit_test(the_signal_ends_a_process_that_lost_nothing),
		cmocka_unit_test(other_memory_is_not_ours),
	};

	return cmocka_run_group_tests_name("lib/file-map", tests, NULL, NULL);
}
