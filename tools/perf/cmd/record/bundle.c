// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/read/recorded-ids.h"
#include "cmd/record/files.h"
#include "ui/session-stdio.h"
#include "util/lib/advice.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/perfdata/spool.h"
#include "util/run/signals.h"
#include "util/symbol/build-id-cache.h"
#include "util/symbol/bundle-writer.h"
#include "util/symbol/debug-file.h"
#include "util/symbol/jitdump.h"
#include "util/symbol/mapped-files.h"
#include "util/symbol/perf-map.h"
#include "util/symbol/recorded-file.h"
#include "util/symbol/running-kernel.h"

#define MAX_NAMED 4 /* of files that are missing */

int record_bundle__parse(const struct option_row *row, const char *arg, bool unset)
{
	struct record_bundle *b = row->value;

	b->wanted = !unset;
	b->max_bytes = RECORD_BUNDLE_MAX;
	if (unset || !arg || record_files__parse_bytes(arg, &b->max_bytes))
		return 0;
	pr_err("--bundle takes a number with B, K, M or G behind it: not \"%s\"\n", arg);
	return -1;
}

static void refuse_others(const struct record_opts *opts)
{
	if (!strcmp(opts->output, "-"))
		options__refuse_exit("--bundle needs a file: not -o -\n");
	if (opts->threads)
		options__refuse_exit("--bundle makes one file, and --threads a directory: leave out one of them\n");
	if (opts->switching.on || opts->timestamp_filename)
		options__refuse_exit("--bundle makes one file of a known name: leave out --switch-output and --timestamp-filename\n");
	if (opts->no_build_ids)
		options__refuse_exit("--bundle finds files by their build-ids, and -B (or record.build-id in perfconfig) records none: leave out one of them\n");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

/* Does the directory hold only what perf keeps, or does it not exist? */
static bool is_of_perf(const char *dir)
{
	static const char *const ours[] = { ".", "..", "kept" };
	const struct dirent *entry;
	DIR *d = opendir(dir);
	size_t known = 0;

	if (!d)
		return errno == ENOENT;
	while (known < ARRAY_SIZE(ours) && (entry = readdir(d))) {
		for (known = 0; known < ARRAY_SIZE(ours) && strcmp(entry->d_name, ours[known]);)
			known++;
	}
	closedir(d);
	return known < ARRAY_SIZE(ours);
}

/* It is ours alone: others could not write to it. */
static void remove_kept(const char *dir)
{
	struct stat st;

	if (!lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid())
		nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int record_bundle__settle(struct record_bundle *b, struct record_opts *opts)
{
	if (!b->wanted)
		return 0;
	refuse_others(opts);
	if (opts->keep_files || opts->keep_all_files)
		return 0;
	if (asprintf(&b->kept, "%s.kept", opts->output) < 0) {
		b->kept = NULL;
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	if (!is_of_perf(b->kept)) {
		pr_err("--bundle keeps files in %s while it records, but other files are there: move them, or take another -o\n", b->kept);
		free(b->kept);
		b->kept = NULL;
		return EXIT_SETUP;
	}
	remove_kept(b->kept); /* of a perf that was killed */
	opts->keep_files = true;
	opts->build_id_cache = b->kept;
	opts->no_build_id_cache = false;
	return 0;
}

void record_bundle__exit(struct record_bundle *b)
{
	if (b->kept)
		remove_kept(b->kept);
	free(b->kept);
	b->kept = NULL;
}

struct wanted_file {
	const struct dso *dso;
	u64 nr_hits;
};

struct missing { /* files, by the reason */
	unsigned int nr;
	char names[512];
};

struct making {
	struct session *session;
	const char *cache;
	struct bundle_writer *writer;
	struct signals signals;
	int signo; /* ended the work; 0: none */
	struct mapped_files *mapped;
	struct wanted_file *file;
	size_t nr, alloc;
	bool all_programs; /* copied stacks will be unwound by them */
	bool has_kernel;
	bool failed;
	unsigned int nr_added;
	struct missing no_room, unreadable;
};

static bool making__wants(const struct making *m, const struct dso *dso, u64 nr_hits)
{
	if (dso->is_jitdump || nr_hits)
		return true;
	return m->all_programs && dso->kind == DSO_USER;
}

static void note_file(const struct dso *dso, u64 nr_hits, void *data)
{
	struct making *m = data;
	size_t alloc = m->alloc ? 2 * m->alloc : 64;
	struct wanted_file *more;

	if (m->failed || !making__wants(m, dso, nr_hits))
		return;
	if (m->nr == m->alloc) {
		more = reallocarray(m->file, alloc, sizeof(*more));
		m->failed = !more;
		if (!more)
			return;
		m->file = more;
		m->alloc = alloc;
	}
	m->file[m->nr++] = (struct wanted_file){ dso, nr_hits };
}

/* What most samples are in comes first: it shall have room. */
static int by_hits(const void *a, const void *b)
{
	const struct wanted_file *fa = a, *fb = b;

	if (fa->nr_hits != fb->nr_hits)
		return fa->nr_hits < fb->nr_hits ? 1 : -1;
	return fa->dso->index < fb->dso->index ? -1 : 1;
}

static void missing__add(struct missing *missing, const struct dso *dso)
{
	size_t len = strlen(missing->names);

	if (missing->nr++ < MAX_NAMED)
		snprintf(missing->names + len, sizeof(missing->names) - len, "%s%s", len ? ", " : "", dso->shown);
}

/* fd: an error if negative; is closed. 0, or an error that ends the bundle, with a text. */
static int making__add(struct making *m, const struct dso *dso, const struct build_id *id, const char *name, bool kept, int fd, struct errmsg *err)
{
	enum bundle_added added = BUNDLE_UNREADABLE;
	int ret = fd < 0 ? 0 : bundle_writer__add(m->writer, id, dso->name, name, kept, fd, &added, err);

	fs__close_many(&fd, 1);
	if (ret)
		return ret;
	m->nr_added += added == BUNDLE_ADDED;
	if (added == BUNDLE_NO_ROOM)
		missing__add(&m->no_room, dso);
	else if (added == BUNDLE_UNREADABLE)
		missing__add(&m->unreadable, dso);
	return 0;
}

/* A descriptor of a copy, or -errno. */
static int spool_memory(const void *data, size_t size)
{
	struct errmsg err;
	int fd = spool__open(&err), ret = fd < 0 ? fd : spool__write(fd, data, size, &err);

	if (!ret)
		return fd;
	fs__close_many(&fd, 1);
	return ret;
}

/* Without privilege all addresses are 0: useless. */
static int spool_kallsyms(void)
{
	static const char *const name = "_text";
	size_t size;
	char *text;
	u64 addr;
	int fd;

	if (kallsyms__lookup(NULL, &name, &addr, 1) != 1 || !addr)
		return -EPERM;
	text = fs__read_file(AT_FDCWD, "/proc/kallsyms", &size);
	if (!text)
		return -errno;
	fd = spool_memory(text, size);
	free(text);
	return fd;
}

/* Modules are in it, too. */
static int making__add_kernel(struct making *m, struct errmsg *err)
{
	const struct dso *kernel = m->has_kernel ? NULL : machine__kernel(session__machine(m->session));

	m->has_kernel = true;
	return kernel && kernel->build_id.size ? making__add(m, kernel, &kernel->build_id, "kallsyms", false, spool_kallsyms(), err) : 0;
}

static int making__add_vdso(struct making *m, const struct dso *dso, struct errmsg *err)
{
	size_t size;
	const void *image = running_kernel__vdso(session__machine(m->session), &size);

	return making__add(m, dso, &dso->build_id, "vdso", false, image ? spool_memory(image, size) : -ENOENT, err);
}

static bool has_symbols(const struct elf_file *file)
{
	GElf_Shdr shdr;

	return elf_file__section(file, ".symtab", &shdr);
}

/* The symbols of a stripped file, if this machine has them apart. */
static int making__add_debug(struct making *m, const struct dso *dso, struct elf_file *runtime, bool kept, struct errmsg *err)
{
	struct elf_file debug;
	int ret;

	if (!dso->build_id.size || has_symbols(runtime) ||
	    debug_file__open(&debug, ".symtab", dso->name, &dso->build_id, runtime, NULL, NULL))
		return 0;
	ret = making__add(m, dso, &dso->build_id, "debug", kept, dup(debug.fd), err);
	elf_file__close(&debug);
	return ret;
}

/* Is it what perf sees at its path? Else it goes to "kept". */
static bool is_seen(const struct elf_file *file, const struct dso *dso)
{
	struct stat mapped, seen;

	return !fstat(file->fd, &mapped) && !stat(dso->name, &seen) && mapped.st_dev == seen.st_dev && mapped.st_ino == seen.st_ino;
}

static int making__add_program(struct making *m, const struct dso *dso, struct errmsg *err)
{
	const struct file_places places = { .cache = m->cache, .dso = dso, .mapped = m->mapped };
	const struct build_id *id = dso->build_id.size ? &dso->build_id : NULL;
	struct elf_file file;
	bool kept;
	int ret;

	if (recorded_file__open(&file, dso->name, id, &places, NULL))
		return making__add(m, dso, id, "elf", false, -ENOENT, err);
	kept = id && !is_seen(&file, dso);
	ret = making__add(m, dso, id, "elf", kept, dup(file.fd), err) ?: making__add_debug(m, dso, &file, kept, err);
	elf_file__close(&file);
	return ret;
}

/* Most programs write no perf map: none is missing. */
static int making__add_perf_map(struct making *m, const struct dso *dso, struct errmsg *err)
{
	struct errmsg why;
	int fd = build_id_cache__open_kept(m->cache, &dso->build_id, dso->name);

	if (fd < 0)
		fd = perf_map__open(dso->name, &why);
	if (fd >= 0 && !perf_map__is_one(fd)) {
		close(fd);
		return 0;
	}
	return fd == -ENOENT ? 0 : making__add(m, dso, NULL, NULL, false, fd, err);
}

static int making__add_dump(struct making *m, const struct dso *dso, struct errmsg *err)
{
	const struct file_places places = { .cache = m->cache };
	struct errmsg why;
	int fd = jitdump__open(dso->name, dso__pid(dso, 0), dso->ino, &dso->build_id, &places, &why);

	return making__add(m, dso, NULL, NULL, false, fd, err);
}

static int making__add_file(struct making *m, const struct dso *dso, struct errmsg *err)
{
	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE)
		return making__add_kernel(m, err);
	if (dso->kind != DSO_USER)
		return 0;
	if (!strcmp(dso->name, "[vdso]"))
		return making__add_vdso(m, dso, err);
	if (perf_map__is_name(dso->name))
		return making__add_perf_map(m, dso, err);
	if (dso->is_jitdump)
		return making__add_dump(m, dso, err);
	return dso->name[0] == '/' ? making__add_program(m, dso, err) : 0;
}

static bool copies_stacks(struct session *s)
{
	bool copies = false;

	for (u32 i = 0; i < session__nr_events(s); i++)
		copies |= session__event(s, i)->event->attr.sample_type & PERF_SAMPLE_STACK_USER;
	return copies;
}

static void tell_missing(const struct missing *missing, const char *why)
{
	if (missing->nr > MAX_NAMED)
		pr_warn("%u files are not in the bundle: %s: %s and others\n", missing->nr, why, missing->names);
	else if (missing->nr)
		pr_warn("%u file%s not in the bundle: %s: %s\n", missing->nr, missing->nr == 1 ? " is" : "s are", why, missing->names);
}

static void making__tell(const struct making *m, const char *output, u64 size)
{
	pr_info("[ perf record: Bundled %u file%s with it, %.3f MB; %s is a tar archive of %.3f MB now ]\n", m->nr_added, plural(m->nr_added),
		bundle_writer__bytes(m->writer) / 1024.0 / 1024.0, output, size / 1024.0 / 1024.0);
	tell_missing(&m->no_room, "they have no room (--bundle=SIZE gives more)");
	tell_missing(&m->unreadable, "they are gone or cannot be read, and their functions have no names on other machines");
}

static bool is_stopped(void *data)
{
	struct making *m = data;
	int signo;

	while (!m->signo && (signo = signals__next(&m->signals)))
		m->signo = signo != SIGCHLD ? signo : 0;
	return m->signo;
}

static int making__write(struct making *m, const char *output, u64 max_bytes)
{
	const struct bundle_writer_opts opts = { .max_bytes = max_bytes, .stop = is_stopped, .data = m };
	struct errmsg err;
	int ret = bundle_writer__open(output, &opts, &m->writer, &err);
	u64 size = 0;

	for (size_t i = 0; i < m->nr && !ret; i++)
		ret = making__add_file(m, m->file[i].dso, &err);
	ret = ret ?: bundle_writer__finish(m->writer, &size, &err);
	if (!ret)
		making__tell(m, output, size);
	else
		pr_err("%s\n%s is a recording as without --bundle\n", err.text, output);
	bundle_writer__delete(m->writer);
	return !ret ? 0 : m->signo ? 128 + m->signo : EXIT_SETUP;
}

static int making__run(struct making *m, const struct record_bundle *b, const char *output)
{
	m->all_programs = copies_stacks(m->session);
	if (recorded_files__for_each(m->session, output, note_file, m))
		return EXIT_SETUP;
	if (m->failed) {
		pr_err("out of memory: %s is a recording as without --bundle\n", output);
		return EXIT_SETUP;
	}
	if (m->nr)
		qsort(m->file, m->nr, sizeof(*m->file), by_hits);
	return making__write(m, output, b->max_bytes);
}

int record_bundle__make(const struct record_bundle *b, const struct record_opts *opts)
{
	const struct session_opts how = { .input = opts->output, .no_resolve = true };
	struct making m = { .cache = b->kept ?: opts->build_id_cache };
	struct errmsg err;
	int ret = session__open(&how, &m.session, &err);

	if (ret) {
		session__explain_open(opts->output, ret, &err);
		return EXIT_SETUP;
	}
	m.mapped = mapped_files__new();
	ret = signals__take(&m.signals, 0, &err);
	if (ret)
		pr_err("%s\n%s is a recording as without --bundle\n", err.text, opts->output);
	ret = ret ? EXIT_SETUP : making__run(&m, b, opts->output);
	signals__release(&m.signals);
	mapped_files__delete(m.mapped);
	free(m.file);
	session__delete(m.session);
	return ret;
}
