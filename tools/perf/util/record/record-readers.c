// SPDX-License-Identifier: GPL-2.0
/*
 * perf record --threads: each reader is a thread with a loop of its own, which moves what the rings of its CPUs hold to its part of the
 * recording. All else is done by the main thread: it starts and stops them, and takes the samples of BPF programs and what is synthesized.
 */
#include "util/record/record-state.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "util/lib/threads.h"
#include "util/record/reader-layout.h"

struct record_reader {
	struct record_stream stream;
	struct record_readers *of;
	unsigned int nr;	/* from 1 on, as for the sampler */
	pthread_t thread;
	bool started;
	struct run_loop *loop;
	struct run_handler on_stop, on_rings;
	struct errmsg text, *err; /* err: of its thread; later that of the recording */
	bool hung_up, full;	/* told the main thread so */
	int ret;		/* of the loop, once it has ended; atomic */
};

struct record_readers {
	struct record *rec;
	struct reader_layout *layout;
	struct record_reader *reader; /* layout->nr; NULL before the output is open */
	int stop_fd;		/* readable: all end */
	int told_fd;		/* readable: one has ended, or all of its tasks have, or the output has its size */
	struct run_handler on_told;
};

static bool can_split(const struct record *rec)
{
	return rec->opts->run.system_wide || evlist__inherits(rec->evlist);
}

static int record__form_layout(struct record *rec)
{
	struct cpumap *online = cpumap__online(rec->err);
	int ret = online ? 0 : -errno;

	if (!ret)
		ret = reader_layout__new(rec->opts->threads, run__target(rec->run)->cpus ?: online, NULL, &rec->readers->layout, rec->err);
	free(online);
	return ret;
}

int record__new_readers(struct record *rec)
{
	if (!rec->opts->threads)
		return 0;
	if (!can_split(rec))
		return errmsg__set(rec->err, EINVAL, "--threads shares out the ring buffers of CPUs, and with --per-thread or --no-inherit each thread has "
						     "one instead: leave one of them out");
	rec->readers = calloc(1, sizeof(*rec->readers));
	if (!rec->readers)
		return errmsg__set(rec->err, ENOMEM, "out of memory");
	rec->readers->rec = rec;
	rec->readers->stop_fd = rec->readers->told_fd = -1;
	return record__form_layout(rec);
}

void record__set_readers(const struct record *rec, struct sampler_opts *opts)
{
	if (!rec->readers)
		return;
	opts->readers = (const struct cpumap *const *)rec->readers->layout->read;
	opts->nr_readers = rec->readers->layout->nr;
}

struct record_stream *record__stream(struct record *rec, unsigned int i)
{
	if (!i)
		return &rec->main;
	return rec->readers && rec->readers->reader && i <= rec->readers->layout->nr ? &rec->readers->reader[i - 1].stream : NULL;
}

u64 record__bytes(struct record *rec)
{
	const struct record_stream *stream;
	u64 nr = rec->dir ? perfdata_writer__bytes(rec->dir) : 0;

	for (unsigned int i = 0; (stream = record__stream(rec, i)); i++)
		nr += stream->writer ? perfdata_writer__bytes(stream->writer) : 0;
	return nr;
}

/* The thread */

static void reader__tell(const struct record_reader *reader)
{
	eventfd_write(reader->of->told_fd, 1);
}

/* The main thread ends the recording, but may sleep for a second. */
static void reader__check_size(struct record_reader *reader)
{
	struct record *rec = reader->stream.rec;

	if (reader->full || !rec->opts->max_size || record__bytes(rec) < rec->opts->max_size)
		return;
	reader->full = true;
	reader__tell(reader);
}

static int reader__take(struct record_reader *reader)
{
	struct record_stream *stream = &reader->stream;
	u64 nr_bytes = 0;
	int ret = sampler__drain_reader(stream->rec->sampler, reader->nr, record__take, stream, &nr_bytes);

	if (ret < 0)
		return record__explain_take(stream, ret);
	stream->wakeups += nr_bytes > 0;
	ret = record_stream__flush(stream);
	if (!ret)
		reader__check_size(reader);
	return ret;
}

static int reader__handle_rings(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct record_reader *reader = data;

	if (!reader->hung_up && sampler__reader_hung_up(reader->stream.rec->sampler, reader->nr)) {
		reader->hung_up = true;
		reader__tell(reader);
	}
	return reader__take(reader);
}

static int reader__handle_stop(struct run_loop *loop, void *data, struct errmsg *err)
{
	run_loop__end(loop);
	return 0;
}

/* A cpuset may forbid the CPUs, or some; only who named them must have them. */
static int reader__move(struct record_reader *reader)
{
	const struct reader_layout *layout = reader->of->layout;
	const struct cpumap *cpus = layout->run[reader->nr - 1];
	const int nr_cpus = cpus->nr ? cpus->cpu[cpus->nr - 1] + 1 : 1;
	cpu_set_t *set = CPU_ALLOC(nr_cpus);
	int ret = 0;

	if (!set)
		return errmsg__set(reader->err, ENOMEM, "out of memory");
	CPU_ZERO_S(CPU_ALLOC_SIZE(nr_cpus), set);
	for (int i = 0; i < cpus->nr; i++)
		CPU_SET_S(cpus->cpu[i], CPU_ALLOC_SIZE(nr_cpus), set);
	if (sched_setaffinity(0, CPU_ALLOC_SIZE(nr_cpus), set) && layout->chosen)
		ret = errmsg__set(reader->err, errno, "cannot read ring buffers on the CPUs of list %u of --threads: %s", reader->nr, strerror(errno));
	CPU_FREE(set);
	return ret;
}

static void *reader__run(void *data)
{
	struct record_reader *reader = data;
	struct record *rec = reader->stream.rec;
	int ret = reader__move(reader);

	if (!ret && rec->opts->realtime)
		ret = record__hurry(rec, reader->err);
	if (!ret)
		ret = run_loop__run(reader->loop, reader->err);
	__atomic_store_n(&reader->ret, ret, __ATOMIC_RELEASE);
	if (ret)
		reader__tell(reader);
	return NULL;
}

/* The main thread */

static int reader__open(struct record_readers *readers, unsigned int i)
{
	struct record *rec = readers->rec;
	struct record_reader *reader = &readers->reader[i];
	int ret;

	reader->of = readers;
	reader->nr = i + 1;
	reader->err = &reader->text;
	ret = record_stream__init(&reader->stream, rec, &reader->err);
	if (ret)
		return errmsg__set(rec->err, -ret, "%s", reader->text.text);
	ret = perfdata_writer__open_part(rec->dir, reader->nr, &reader->stream.writer, rec->err);
	if (ret)
		return ret;
	reader->loop = run_loop__new(record__max_wait(rec));
	if (!reader->loop)
		return errmsg__set(rec->err, ENOMEM, "out of memory");
	run_loop__add_fd(reader->loop, &reader->on_stop, readers->stop_fd, reader__handle_stop, reader);
	run_loop__add_pass(reader->loop, &reader->on_rings, reader__handle_rings, reader);
	reader->on_rings.fd = sampler__reader_fd(rec->sampler, reader->nr);
	return 0;
}

int record__open_readers(struct record *rec)
{
	struct record_readers *readers = rec->readers;
	int ret = 0;

	if (!readers)
		return 0;
	readers->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	readers->told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (readers->stop_fd < 0 || readers->told_fd < 0)
		return errmsg__set(rec->err, errno, "cannot make threads: %m%s", errno == EMFILE ? "; raise ulimit -n" : "");
	readers->reader = calloc(readers->layout->nr, sizeof(*readers->reader));
	if (!readers->reader)
		return errmsg__set(rec->err, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < readers->layout->nr && !ret; i++)
		ret = reader__open(readers, i);
	return ret;
}

int record__start_readers(struct record *rec)
{
	struct record_readers *readers = rec->readers;

	for (unsigned int i = 0; readers && i < readers->layout->nr; i++) {
		struct record_reader *reader = &readers->reader[i];
		int ret = threads__start(&reader->thread, reader__run, reader);

		if (ret)
			return errmsg__set(rec->err, -ret, "cannot start thread %u of %u: %s", reader->nr, readers->layout->nr, strerror(-ret));
		reader->started = true;
	}
	return 0;
}

/* The first error of a reader; 0: none so far */
static int readers__ask(struct record_readers *readers, struct errmsg *err)
{
	for (unsigned int i = 0; i < readers->layout->nr; i++) {
		const struct record_reader *reader = &readers->reader[i];
		int ret = __atomic_load_n(&reader->ret, __ATOMIC_ACQUIRE);

		if (ret)
			return errmsg__set(err, -ret, "%s", reader->text.text);
	}
	return 0;
}

static int record__handle_told(struct run_loop *loop, void *data, struct errmsg *err)
{
	struct record_readers *readers = data;
	eventfd_t nr;

	eventfd_read(readers->told_fd, &nr);
	return readers__ask(readers, err);
}

void record__add_reader_handlers(struct record *rec)
{
	struct record_readers *readers = rec->readers;

	if (readers)
		run_loop__add_fd(run__loop(rec->run), &readers->on_told, readers->told_fd, record__handle_told, readers);
}

int record__stop_readers(struct record *rec)
{
	struct record_readers *readers = rec->readers;

	if (!readers || !readers->reader)
		return 0;
	eventfd_write(readers->stop_fd, 1);
	for (unsigned int i = 0; i < readers->layout->nr; i++) {
		if (readers->reader[i].started)
			pthread_join(readers->reader[i].thread, NULL);
		readers->reader[i].started = false;
	}
	return readers__ask(readers, rec->err);
}

int record__drain_readers(struct record *rec)
{
	struct record_readers *readers = rec->readers;
	int ret = 0;

	for (unsigned int i = 0; readers && i < readers->layout->nr && !ret; i++) {
		readers->reader[i].err = rec->err;
		ret = reader__take(&readers->reader[i]);
	}
	return ret;
}

int record__finish_parts(struct record *rec)
{
	struct record_readers *readers = rec->readers;
	int ret = 0;

	for (unsigned int i = 0; readers && readers->reader && i < readers->layout->nr; i++) {
		struct record_reader *reader = &readers->reader[i];
		int part_ret;

		if (!reader->stream.writer)
			continue;
		reader->err = rec->err;
		if (reader->stream.failed)
			reader->stream.packing_size = 0;
		part_ret = record_stream__flush(&reader->stream) ?: perfdata_writer__finish(reader->stream.writer, ret ? NULL : rec->err);
		ret = ret ?: part_ret;
	}
	return ret;
}

void record__delete_readers(struct record *rec)
{
	struct record_readers *readers = rec->readers;

	if (!readers)
		return;
	record__stop_readers(rec);
	for (unsigned int i = 0; readers->reader && i < readers->layout->nr; i++) {
		record_stream__exit(&readers->reader[i].stream);
		run_loop__delete(readers->reader[i].loop);
	}
	free(readers->reader);
	if (readers->stop_fd >= 0)
		close(readers->stop_fd);
	if (readers->told_fd >= 0)
		close(readers->told_fd);
	reader_layout__delete(readers->layout);
	free(readers);
	rec->readers = NULL;
}
