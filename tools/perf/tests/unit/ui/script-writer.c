// SPDX-License-Identifier: GPL-2.0
/*
 * What comes out of a writer is what was put in, piece by piece in order, however the threads take turns. It is told by a second
 * text that is made here, of the same pieces by one thread.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "ui/script/fields.h"
#include "ui/script/writer.h"

#define NR_RECORDS 60000
#define NR_LISTS 20

/* Some are short enough to be copied. */
static const char kept[] = "\t    7f0000001234 kept (of/old)\n\t    7f0000005678 and its caller (of/old)\n";
static char longer[NR_LISTS * sizeof(kept)];

struct both {
	struct script_writer *w;
	struct text want;
	const struct script_style *style;
	struct script_clock clock;
	struct kept_text list[NR_LISTS];
};

static void put_text(struct both *b, u32 i)
{
	text__printf(script_writer__text(b->w), "text %u ", i);
	text__printf(&b->want, "text %u ", i);
}

static void put_numbers(struct both *b, u32 i)
{
	const struct script_numbers n = { .mask = SCRIPT_NUMBERS, .pid = i, .tid = -1, .cpu = i % 3 - 1, .time = 1000ULL * i * i,
					  .period = i, .comm = i % 2 ? "wl" : "a long name", .event = "event", .comm_is_free = i % 4 == 1 };

	*script_writer__add_numbers(b->w) = n;
	script_numbers__print(&n, b->style, &b->clock, &b->want);
}

/* Text of any length. */
static struct script_lines *make_lists(struct kept_text *list)
{
	struct script_lines *lines = script_lines__new();

	assert_non_null(lines);
	for (u32 i = 0; i < NR_LISTS; i++) {
		memcpy(longer + i * strlen(kept), kept, strlen(kept));
		list[i] = script_lines__text(lines, script_lines__keep(lines, 0, 1, longer, i * i * strlen(kept) / NR_LISTS));
	}
	return lines;
}

static void want_kept(struct both *b, const struct kept_text *kept_text)
{
	if (kept_text->len)
		text__put(&b->want, kept_text->text, kept_text->len);
}

static void put_kept(struct both *b, u32 i)
{
	const struct kept_text *list = &b->list[i % NR_LISTS];

	script_writer__add_kept(b->w, *list);
	want_kept(b, list);
}

/* Numbers and two of them, many in a row. */
static void put_lines(struct both *b, u32 i)
{
	for (u32 nr = i % 5; nr > 0; nr--) {
		const struct script_numbers n = { .mask = SCRIPT_COMM | SCRIPT_TIME, .time = i + nr, .comm = "wl", .ends_line = true };
		const struct kept_text none = {}, *first = &b->list[i % NR_LISTS], *second = nr == 1 ? &none : &b->list[nr % NR_LISTS];

		*script_writer__add_line(b->w, *first, *second) = n;
		script_numbers__print(&n, b->style, &b->clock, &b->want);
		want_kept(b, first);
		want_kept(b, second);
	}
}

/* Some is long enough to be written from where it is. */
static void put_long_text(struct both *b, u32 i)
{
	text__put(script_writer__text(b->w), longer, i % 1000);
	text__put(&b->want, longer, i % 1000);
}

static void put_stream(struct both *b, u32 i)
{
	FILE *fp = script_writer__stream(b->w);

	assert_non_null(fp);
	fprintf(fp, "stream %u\n", i);
	fflush(fp);
	text__printf(&b->want, "stream %u\n", i);
}

static void (*const put[])(struct both *, u32) = { put_text, put_numbers, put_kept, put_stream, put_lines, put_long_text };

/* Records of one piece, of many, and more of one kind than a chunk holds. */
static void put_record(struct both *b, u32 i, u64 *random)
{
	u32 nr = i % 10000 ? i % 7 : 9000, kind = *random >> 60;

	for (u32 piece = 0; piece < nr; piece++) {
		*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
		put[(i % 10000 ? *random >> 40 : kind) % ARRAY_SIZE(put)](b, i + piece);
	}
	script_writer__end_record(b->w);
}

static void put_records(struct both *b, u64 random, FILE *fp, const size_t *size)
{
	for (u32 i = 0; i < NR_RECORDS; i++) {
		put_record(b, i, &random);
		if (i % 20011)
			continue;
		assert_int_equal(script_writer__drain(b->w), 0);
		fflush(fp);
		if (size)
			assert_int_equal(*size, b->want.len);
	}
	assert_int_equal(script_writer__drain(b->w), 0);
	script_writer__delete(b->w);
}

struct memory { /* what the writer has written */
	struct script_lines *lines;
	FILE *fp;
	char *text;
	size_t size;
};

static void begin_in_memory(struct both *b, struct memory *m)
{
	m->lines = make_lists(b->list);
	m->fp = open_memstream(&m->text, &m->size);
	assert_non_null(b->w);
	assert_non_null(m->fp);
	script_writer__set_file(b->w, m->fp);
}

static void end_in_memory(struct both *b, struct memory *m)
{
	script_lines__delete(m->lines);
	fclose(m->fp);
	assert_int_equal(m->size, b->want.len);
	assert_memory_equal(m->text, b->want.buf, m->size);
	free(m->text);
	text__exit(&b->want);
}

static void write_as_gathered(enum script_times times)
{
	const struct script_style style = { .times = times, .name_width = 8 };
	struct both b = { .w = script_writer__new(&style), .style = &style };
	struct memory m = {};

	begin_in_memory(&b, &m);
	put_records(&b, 1 + times, m.fp, &m.size);
	end_in_memory(&b, &m);
}

/* Text is not changed while it waits for more, in the chunk where it was collected. */
static void long_text_stays_until_it_is_written(void **state)
{
	const struct script_style style = { .name_width = 8 };
	struct both b = { .w = script_writer__new(&style), .style = &style };
	struct memory m = {};

	begin_in_memory(&b, &m);
	for (u32 i = 0; i < 30000; i++) {
		char many[600];

		memset(many, 'a' + i / 1000 % 26, sizeof(many));
		if (i % 1000 == 0) {
			text__put(script_writer__text(b.w), many, sizeof(many));
			text__put(&b.want, many, sizeof(many));
		}
		*script_writer__add_numbers(b.w) = (struct script_numbers){ .mask = SCRIPT_CPU };
		text__str(&b.want, "[000] ");
		script_writer__end_record(b.w);
	}
	assert_int_equal(script_writer__drain(b.w), 0);
	script_writer__delete(b.w);
	end_in_memory(&b, &m);
}

/* Such a file gets text from where it is kept, behind what stdio holds. */
static void a_file_has_the_same(void **state)
{
	static const char before[] = "before all";
	const struct script_style style = { .name_width = 8 };
	struct both b = { .w = script_writer__new(&style), .style = &style };
	struct script_lines *lines = make_lists(b.list);
	FILE *fp = tmpfile();
	char *text;

	assert_non_null(b.w);
	assert_non_null(fp);
	fputs(before, fp);
	text__str(&b.want, before);
	script_writer__set_file(b.w, fp);
	put_records(&b, 1, fp, NULL);
	script_lines__delete(lines);
	text = malloc(b.want.len + 1);
	assert_non_null(text);
	assert_int_equal(pread(fileno(fp), text, b.want.len + 1, 0), b.want.len);
	assert_memory_equal(text, b.want.buf, b.want.len);
	assert_false(ferror(fp));
	fclose(fp);
	free(text);
	text__exit(&b.want);
}

static void errors_are_the_files(void **state)
{
	const struct script_style style = {};
	struct script_writer *w = script_writer__new(&style);
	struct kept_text text = { longer, sizeof(longer) };
	FILE *fp = fopen("/dev/full", "w");

	assert_non_null(w);
	assert_non_null(fp);
	script_writer__set_file(w, fp);
	script_writer__add_kept(w, text);
	assert_int_equal(script_writer__drain(w), 0);
	assert_true(fflush(fp) || ferror(fp));
	fclose(fp);
	script_writer__delete(w);
}

static void pieces_come_in_order(void **state)
{
	write_as_gathered(SCRIPT_TIMES_PLAIN);
}

/* They depend on the record before, which another chunk may have held. */
static void times_go_on_from_chunk_to_chunk(void **state)
{
	write_as_gathered(SCRIPT_TIMES_DELTA);
	write_as_gathered(SCRIPT_TIMES_RELATIVE);
}

/* Where there is one CPU only. */
static void one_thread_does_the_same(void **state)
{
	cpu_set_t before, one;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	write_as_gathered(SCRIPT_TIMES_DELTA);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void each_file_has_what_was_for_it(void **state)
{
	const struct script_style style = {};
	struct script_writer *w = script_writer__new(&style);
	char *text[3], number[16];
	size_t size[3];
	FILE *fp[3];

	assert_non_null(w);
	for (u32 i = 0; i < 3; i++) {
		fp[i] = open_memstream(&text[i], &size[i]);
		assert_non_null(fp[i]);
	}
	for (u32 i = 0; i < 30000; i++) {
		script_writer__set_file(w, fp[i % 3]);
		text__printf(script_writer__text(w), "%u\n", i);
		script_writer__end_record(w);
	}
	assert_int_equal(script_writer__drain(w), 0);
	script_writer__delete(w);
	for (u32 file = 0; file < 3; file++) {
		const char *at;

		fclose(fp[file]);
		at = text[file];
		for (u32 i = file; i < 30000; i += 3) {
			snprintf(number, sizeof(number), "%u\n", i);
			assert_memory_equal(at, number, strlen(number));
			at += strlen(number);
		}
		assert_ptr_equal(at, text[file] + size[file]);
		free(text[file]);
	}
}

/* As a program of one thread is ended by `perf script | head`. */
static void nobody_reading_ends_the_process(void **state)
{
	const struct script_style style = {};
	struct script_writer *w;
	int pipefd[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipefd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(pipefd[0]);
		signal(SIGPIPE, SIG_DFL);
		w = script_writer__new(&style);
		script_writer__set_file(w, fdopen(pipefd[1], "w"));
		for (;;) {
			text__put(script_writer__text(w), kept, sizeof(kept));
			script_writer__end_record(w);
		}
	}
	close(pipefd[0]);
	close(pipefd[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_come_in_order),
		cmocka_unit_test(times_go_on_from_chunk_to_chunk),
		cmocka_unit_test(one_thread_does_the_same),
		cmocka_unit_test(each_file_has_what_was_for_it),
		cmocka_unit_test(long_text_stays_until_it_is_written),
		cmocka_unit_test(a_file_has_the_same),
		cmocka_unit_test(errors_are_the_files),
		cmocka_unit_test(nobody_reading_ends_the_process),
	};

	return cmocka_run_group_tests_name("ui/script/writer", tests, NULL, NULL);
}
