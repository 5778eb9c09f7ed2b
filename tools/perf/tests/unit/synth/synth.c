// SPDX-License-Identifier: GPL-2.0
/* Records made from the test's own process and from a /proc that the test writes. */
#include "util/synth/synth.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/perfdata/record.h"
#include "util/perfdata/sample.h"
#include "util/symbol/symtab.h"
#include "util/synth/build-ids.h"

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	.sample_id_all = 1,
};

/* What was written, as lines of text; every record is checked as it comes. */
static char log_text[1 << 20];
static size_t log_len;
static int write_error;

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_len += vsnprintf(log_text + log_len, sizeof(log_text) - log_len, fmt, ap);
	va_end(ap);
	assert_true(log_len < sizeof(log_text));
}

static void say_record(const union perf_record *r)
{
	const char *id = r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && r->header.type == PERF_RECORD_MMAP2 ? " id" : "";

	switch (r->header.type) {
	case PERF_RECORD_COMM:
		say("COMM %d/%d %s\n", r->comm.pid, r->comm.tid, r->comm.comm);
		break;
	case PERF_RECORD_FORK:
		say("FORK %d/%d < %d/%d misc %x\n", r->fork.pid, r->fork.tid, r->fork.ppid, r->fork.ptid, r->header.misc);
		break;
	case PERF_RECORD_MMAP2:
		say("MMAP2 %d %llx+%llx @%llx misc %x%s %s\n", r->mmap2.pid, (unsigned long long)r->mmap2.start,
		    (unsigned long long)r->mmap2.len, (unsigned long long)r->mmap2.pgoff, r->header.misc & 0x2007, id,
		    r->mmap2.filename);
		break;
	case PERF_RECORD_MMAP:
		say("MMAP %d %llx+%llx @%llx misc %x %s\n", r->mmap.pid, (unsigned long long)r->mmap.start,
		    (unsigned long long)r->mmap.len, (unsigned long long)r->mmap.pgoff, r->header.misc, r->mmap.filename);
		break;
	default:
		fail_msg("record of type %u", r->header.type);
	}
}

static int take(void *data, const void *records, size_t size)
{
	const char *at = records;

	if (write_error)
		return write_error;
	while (size) {
		const union perf_record *r = (const void *)at;
		struct perf_sample id;

		assert_true(r->header.size <= size && r->header.size % 8 == 0);
		assert_int_equal(perf_record__check(r), 0);
		assert_int_equal(perf_sample__decode_id(&id, &attr, r), 0);
		assert_int_equal(id.id, 77);
		assert_int_equal(id.time, 0);
		say_record(r);
		at += r->header.size;
		size -= r->header.size;
	}
	return 0;
}

static struct synth *make(const char *proc, bool data_maps)
{
	const struct synth_opts opts = {
		.attr = &attr, .id = 77, .data_maps = data_maps, .build_ids = true, .proc = proc, .sys = proc, .write = take,
	};
	struct errmsg err;
	struct synth *synth;

	log_len = 0;
	log_text[0] = '\0';
	write_error = 0;
	assert_int_equal(synth__new(&opts, &synth, &err), 0);
	return synth;
}

static void finish(struct synth *synth)
{
	assert_int_equal(synth__flush(synth), 0);
	synth__delete(synth);
}

/* A directory that plays /proc and /sys */
static char root[] = "/tmp/perf-synth-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[512], *slash;
	FILE *fp;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	fp = fopen(full, "we");
	assert_non_null(fp);
	fputs(text, fp);
	fclose(fp);
}

static int make_root(void **state)
{
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void a_process_with_threads_and_odd_names(void **state)
{
	struct synth *synth = make(root, false);

	put("40/status", "Name:\ta\\nTgid:\t7\nState:\tS\nTgid:\t40\nPid:\t40\nPPid:\t3\n");
	put("40/task/40/comm", "two\nlines\\\n");
	put("40/task/41/comm", "kworker/u8:3-events_unbound\n");
	put("40/task/42/other", ""); /* ended between readdir and open */
	put("40/maps", "1000-3000 r-xp 00002000 fd:01 12345678901 /no/such/file (deleted)\n"
		       "3000-4000 rw-p 00000000 00:00 0 [heap]\n"
		       "4000-5000 rwxp 00000000 00:00 0 \n");
	assert_int_equal(synth__process(synth, 40), 0);
	finish(synth);
	assert_non_null(strstr(log_text, "FORK 40/40 < 3/3 misc 2000\n"));
	assert_non_null(strstr(log_text, "FORK 40/41 < 40/40 misc 2000\n"));
	assert_non_null(strstr(log_text, "COMM 40/40 two\nlines\\\n"));
	assert_non_null(strstr(log_text, "COMM 40/41 kworker/u8:3-ev\n"));
	assert_null(strstr(log_text, "/42"));
	assert_non_null(strstr(log_text, "MMAP2 40 1000+2000 @2000 misc 2 /no/such/file (deleted)\n"));
	assert_non_null(strstr(log_text, "MMAP2 40 4000+1000 @0 misc 2 //anon\n"));
	assert_null(strstr(log_text, "heap"));

	synth = make(root, true);
	assert_int_equal(synth__process(synth, 40), 0);
	finish(synth);
	assert_non_null(strstr(log_text, "MMAP2 40 3000+1000 @0 misc 2002 [heap]\n"));
}

static void a_command_that_waits(void **state)
{
	struct synth *synth = make(root, false);

	assert_int_equal(synth__command(synth, 43, "kworker/u8:3-events_unbound"), 0);
	finish(synth);
	assert_string_equal(log_text, "COMM 43/43 kworker/u8:3-ev\n");
}

/* The kernel then shows no maps of the process, though its threads have them. */
static void a_process_whose_first_thread_has_ended(void **state)
{
	struct synth *synth = make(root, false);

	put("45/status", "Name:\ta\nPPid:\t3\n");
	put("45/task/45/comm", "a\n");
	put("45/task/46/comm", "a\n");
	put("45/maps", "");
	put("45/task/46/maps", "1000-3000 r-xp 00002000 fd:01 12345678901 /no/such/file\n");
	assert_int_equal(synth__process(synth, 45), 0);
	finish(synth);
	assert_non_null(strstr(log_text, "MMAP2 45 1000+2000 @2000 misc 2 /no/such/file\n"));
}

static void what_is_gone_is_left_out(void **state)
{
	struct synth *synth = make(root, false);

	put("50/other", "");
	put("51/status", "Name:\tx\n"); /* not a status file */
	assert_int_equal(synth__process(synth, 49), 0);
	assert_int_equal(synth__process(synth, 50), 0);
	assert_int_equal(synth__process(synth, 51), 0);
	finish(synth);
	assert_string_equal(log_text, "");
}

static void huge_maps_and_names_pass_the_buffer(void **state)
{
	size_t size = 4 << 20, len = 0, i, records = 0;
	char *maps = malloc(size), *at;
	struct synth *synth = make(root, false);

	assert_non_null(maps);
	for (i = 0; i < 3000; i++)
		len += snprintf(maps + len, size - len, "%zx000-%zx000 r-xp 0 00:00 0 /%0*d\n", i + 1, i + 2, (int)(i % 200), 1);
	len += snprintf(maps + len, size - len, "1000-2000 r-xp 0 00:00 0 /%0100000d\n", 1);
	put("60/status", "Name:\tx\nTgid:\t60\nPPid:\t1\n");
	put("60/task/60/comm", "x\n");
	put("60/maps", maps);
	free(maps);
	assert_int_equal(synth__process(synth, 60), 0);
	finish(synth);
	for (at = log_text; (at = strstr(at, "MMAP2 60")); at++)
		records++;
	assert_int_equal(records, 3001);
}

/* On x86-64 the image ends before the first module. */
#ifdef __x86_64__
#define IMAGE "1f000000"
#define MOVED_IMAGE "2000000"
#else
#define IMAGE "3f400000"
#define MOVED_IMAGE "2400000"
#endif
static void the_kernel_and_its_modules(void **state)
{
	struct synth *synth;

	put("kallsyms", "ffffffff81000000 T _stext\nffffffff81000000 T _text\n");
	put("modules", "ext4 1036288 1 mbcache, Live 0xffffffffc0400000 (E)\nbroken\nhidden 10 0 - Live 0x0000000000000000\n"
		       "low 4096 0 - Live 0xffff800000000000\n");
	synth = make(root, false);
	assert_int_equal(synth__kernel(synth), 0);
	finish(synth);
	assert_string_equal(log_text, "MMAP -1 ffffffff81000000+" IMAGE " @ffffffff81000000 misc 1 [kernel.kallsyms]_text\n"
				      "MMAP -1 ffffffffc0400000+fd000 @0 misc 1 [ext4]\n"
				      "MMAP -1 ffff800000000000+1000 @0 misc 1 [low]\n");

	put("kallsyms", "ffffffffbe000000 T _text\n");
	put("modules", "ext4 1036288 1 mbcache, Live 0xffffffffc0400000 (E)\n");
	synth = make(root, false);
	assert_int_equal(synth__kernel(synth), 0);
	finish(synth);
	assert_string_equal(log_text, "MMAP -1 ffffffffbe000000+" MOVED_IMAGE " @ffffffffbe000000 misc 1 [kernel.kallsyms]_text\n"
				      "MMAP -1 ffffffffc0400000+fd000 @0 misc 1 [ext4]\n");

	put("kallsyms", "0000000000000000 T _stext\n0000000000000000 T _text\n");
	put("modules", "");
	synth = make(root, false);
	assert_int_equal(synth__kernel(synth), 0);
	finish(synth);
	assert_string_equal(log_text, "MMAP -1 0+ffffffffffffffff @0 misc 1 [kernel.kallsyms]_text\n");
}

static void this_process_has_its_build_id(void **state)
{
	char line[128], self[256];
	struct build_id id;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct synth *synth = make(NULL, false);

	assert_true(len > 0);
	self[len] = '\0';
	if (build_id__read(self, &id)) /* linked without one */
		skip();
	assert_int_equal(synth__process(synth, getpid()), 0);
	finish(synth);
	snprintf(line, sizeof(line), "FORK %d/%d < %d/%d misc 2000\n", getpid(), getpid(), getppid(), getppid());
	assert_non_null(strstr(log_text, line));
	len = snprintf(line, sizeof(line), " misc 2 id %s\n", self);
	assert_true(len < (int)sizeof(line));
	assert_non_null(strstr(log_text, line));
}

static void all_processes_hold_this_one(void **state)
{
	struct synth *synth = make(NULL, false);
	char line[128];

	assert_int_equal(synth__all_processes(synth), 0);
	finish(synth);
	snprintf(line, sizeof(line), "FORK %d/%d <", getpid(), getpid());
	assert_non_null(strstr(log_text, line));
	assert_non_null(strstr(log_text, "FORK 1/1 <"));
}

/* Of a process of another user, who has no capabilities either. */
static void maps_that_may_not_be_read_are_counted(void **state)
{
	struct synth *synth = make(NULL, false);
	pid_t child = geteuid() ? -1 : fork();
	int status;

	assert_int_equal(synth__process(synth, getpid()), 0);
	assert_int_equal(synth__nr_closed(synth), 0);
	if (!child) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) || synth__process(synth, getppid()))
			_exit(100);
		_exit(synth__nr_closed(synth));
	}
	if (child > 0) {
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 1 << 8);
	}
	finish(synth);
}

static void hidden_addresses_are_noticed(void **state)
{
	struct synth *synth = make(root, false);
	bool hidden;

	put("kallsyms", "0000000000000000 T _text\n0000000000000000 T _stext\n");
	assert_int_equal(synth__kernel(synth), 0);
	hidden = synth__kernel_is_hidden(synth);
	finish(synth);
	assert_true(hidden);
	put("kallsyms", "ffffffff81000000 T _text\nffffffff81000000 T _stext\n");
	synth = make(root, false);
	assert_int_equal(synth__kernel(synth), 0);
	hidden = synth__kernel_is_hidden(synth);
	finish(synth);
	assert_false(hidden);
}

static void an_error_of_the_writer_ends_it(void **state)
{
	struct synth *synth = make(NULL, true);

	write_error = -ENOSPC;
	assert_int_equal(synth__process(synth, getpid()), 0); /* still in the buffer */
	assert_int_equal(synth__flush(synth), -ENOSPC);
	synth__delete(synth);
}

/* A record as the kernel makes it for this program's own code, from /proc/self/maps; its file's build-id in id. */
static struct record_mmap2 *own_code(struct build_id *id)
{
	static union { struct record_mmap2 mmap; char room[sizeof(struct record_mmap2) + PATH_MAX]; } r;
	unsigned long start, end, pgoff, ino;
	char line[PATH_MAX + 128], exe[PATH_MAX];
	FILE *fp = fopen("/proc/self/maps", "r");
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	unsigned int maj, min;

	assert_non_null(fp);
	assert_true(len > 0);
	exe[len] = '\0';
	assert_int_equal(build_id__read(exe, id), 0);
	while (fgets(line, sizeof(line), fp)) {
		if (sscanf(line, "%lx-%lx r-xp %lx %x:%x %lu", &start, &end, &pgoff, &maj, &min, &ino) != 6 || !strstr(line, exe))
			continue;
		r.mmap = (struct record_mmap2){
			.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER }, .pid = getpid(), .tid = getpid(),
			.start = start, .len = end - start, .pgoff = pgoff, .maj = maj, .min = min, .ino = ino,
			.prot = PROT_READ | PROT_EXEC,
		};
		strcpy(r.mmap.filename, exe);
		fclose(fp);
		return &r.mmap;
	}
	fail_msg("no code of this program in /proc/self/maps");
	return NULL;
}

static void records_of_the_kernel_get_build_ids(void **state)
{
	struct build_ids *ids = build_ids__new(NULL);
	struct build_id want;
	struct record_mmap2 *mmap = own_code(&want);

	/* left there by the event of another recording */
	mmap->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	build_ids__clear(mmap);
	assert_int_equal(mmap->header.misc, PERF_RECORD_MISC_USER);
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	assert_int_equal(mmap->header.misc, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	assert_int_equal(mmap->build_id_size, want.size);
	assert_memory_equal(mmap->build_id, want.data, want.size);
	build_ids__delete(ids);
}

static void a_file_is_found_when_its_process_has_ended(void **state)
{
	struct build_ids *ids = build_ids__new(NULL);
	struct build_id want;
	struct record_mmap2 *mmap = own_code(&want);

	mmap->pid = 0x7fffffff;
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	assert_int_equal(mmap->build_id_size, want.size);
	assert_memory_equal(mmap->build_id, want.data, want.size);
	build_ids__delete(ids);
}

/* Of another device by its numbers, it is not taken for the one of that name here; but the parent sees the file as its child did. */
static void a_file_is_found_by_the_parent(void **state)
{
	struct build_ids *ids = build_ids__new(NULL);
	struct build_id want;
	struct record_mmap2 *mmap = own_code(&want);

	mmap->pid = 0x7fffffff;
	mmap->maj++;
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	assert_int_equal(mmap->header.misc, PERF_RECORD_MISC_USER);
	build_ids__note_fork(ids, 0x7ffffffe, getpid());
	build_ids__note_fork(ids, mmap->pid, 0x7ffffffe);
	build_ids__note_fork(ids, mmap->pid, mmap->pid); /* a thread */
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	assert_int_equal(mmap->build_id_size, want.size);
	assert_memory_equal(mmap->build_id, want.data, want.size);
	build_ids__delete(ids);
}

/* A process that sees the directory as "/", or -1. It ends with this one. */
static pid_t contained(const char *dir)
{
	char ready = 0;
	pid_t pid;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!chroot(dir) && write(fds[1], "y", 1) == 1)
			pause();
		_exit(1);
	}
	close(fds[1]);
	if (read(fds[0], &ready, 1) != 1)
		waitpid(pid, NULL, 0);
	close(fds[0]);
	return ready ? pid : -1;
}

/* Code of "/contained", a copy of this program that is below dir. */
static struct record_mmap2 *contained_code(const char *dir, struct build_id *want)
{
	struct record_mmap2 *mmap = own_code(want);
	char path[PATH_MAX], command[2 * PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/contained", dir);
	snprintf(command, sizeof(command), "cp %s %s", mmap->filename, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(path, &st), 0);
	mmap->ino = st.st_ino;
	mmap->maj = major(st.st_dev);
	mmap->min = minor(st.st_dev);
	strcpy(mmap->filename, "/contained");
	return mmap;
}

/* Records of CPUs are read one CPU after the other: those of files that many processes map, and then those of how these were started. */
static void a_file_is_found_when_forks_are_read_late(void **state)
{
	const u32 first = 0x7ff00000, nr = 200;
	struct build_ids *ids = build_ids__new(NULL);
	char dir[] = "/tmp/synth.XXXXXX", path[64];
	struct record_mmap2 *mmap;
	struct build_id want;
	pid_t parent;

	assert_non_null(mkdtemp(dir));
	mmap = contained_code(dir, &want);
	snprintf(path, sizeof(path), "%s/contained", dir);
	parent = contained(dir);
	for (u32 i = 0; i < nr && parent > 0; i++) {
		mmap->pid = first + i;
		assert_int_equal(build_ids__fill(ids, mmap), 0);
		assert_int_equal(mmap->header.misc, PERF_RECORD_MISC_USER);
	}
	for (u32 i = 0; i < nr; i++)
		build_ids__note_fork(ids, first + i, parent);
	mmap->pid = first + nr;
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	if (parent > 0)
		kill(parent, SIGKILL);
	unlink(path);
	rmdir(dir);
	if (parent < 0)
		skip(); /* not allowed to change a root directory */
	assert_int_equal(mmap->build_id_size, want.size);
	assert_memory_equal(mmap->build_id, want.data, want.size);
	waitpid(parent, NULL, 0);
	build_ids__delete(ids);
}

static void another_file_of_that_name_gives_none(void **state)
{
	struct build_ids *ids = build_ids__new(NULL);
	struct build_id want;
	struct record_mmap2 *mmap = own_code(&want);

	mmap->pid = 0x7fffffff;
	mmap->ino++;
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	assert_int_equal(mmap->header.misc, PERF_RECORD_MISC_USER);
	mmap->ino--;
	for (int other = 0; other < 2; other++) { /* of another device, with the same number there */
		mmap->maj += other ? -1 : 1;
		mmap->min += other;
		assert_int_equal(build_ids__fill(ids, mmap), 0);
		assert_int_equal(mmap->header.misc, PERF_RECORD_MISC_USER);
	}
	mmap->min--;
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	assert_int_equal(mmap->header.misc, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	build_ids__delete(ids);
}

static void data_keeps_its_numbers(void **state)
{
	struct build_ids *ids = build_ids__new(NULL);
	struct build_id want;
	struct record_mmap2 *mmap = own_code(&want), before = *mmap;

	mmap->prot = before.prot = PROT_READ;
	assert_int_equal(build_ids__fill(ids, mmap), 0);
	assert_memory_equal(mmap, &before, sizeof(before));
	build_ids__delete(ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_with_threads_and_odd_names),
		cmocka_unit_test(a_command_that_waits),
		cmocka_unit_test(a_process_whose_first_thread_has_ended),
		cmocka_unit_test(what_is_gone_is_left_out),
		cmocka_unit_test(huge_maps_and_names_pass_the_buffer),
		cmocka_unit_test(the_kernel_and_its_modules),
		cmocka_unit_test(this_process_has_its_build_id),
		cmocka_unit_test(all_processes_hold_this_one),
		cmocka_unit_test(maps_that_may_not_be_read_are_counted),
		cmocka_unit_test(hidden_addresses_are_noticed),
		cmocka_unit_test(an_error_of_the_writer_ends_it),
		cmocka_unit_test(records_of_the_kernel_get_build_ids),
		cmocka_unit_test(a_file_is_found_when_its_process_has_ended),
		cmocka_unit_test(a_file_is_found_by_the_parent),
		cmocka_unit_test(a_file_is_found_when_forks_are_read_late),
		cmocka_unit_test(another_file_of_that_name_gives_none),
		cmocka_unit_test(data_keeps_its_numbers),
	};

	return cmocka_run_group_tests_name("synth/synth", tests, make_root, remove_root);
}
