// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "unwind"
#include "util/source/interp-feeder.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/bpf/ring.h"
#include "util/interp/interp.h"
#include "util/lib/log.h"
#include "util/lib/printable.h"

struct interp_feeder {
	int files_fd, sent_fd;
	struct bpf_ring sent;
	struct interp_names *names;
	struct interp_file file[INTERP_MAX_FILES]; /* as programs have them, by place */
	u32 next_number;
	u64 unread;
	struct errmsg first_unread;
	pthread_mutex_t taking; /* of file: who looks at live functions may take some, in any thread */
};

static void take_now(void *data)
{
	interp_feeder__take(data);
}

int interp_feeder__new(const struct bpf_programs *programs, struct interp_names *names, struct interp_feeder **feeder, struct errmsg *err)
{
	struct interp_feeder *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return errmsg__set(err, ENOMEM, "out of memory for frames of interpreters");
	f->files_fd = bpf_programs__map(programs, "interp_files");
	f->names = names;
	pthread_mutex_init(&f->taking, NULL);
	f->sent_fd = bpf_programs__map(programs, "interp_sent");
	ret = bpf_ring__map(&f->sent, f->sent_fd, INTERP_SENT_BYTES, err);
	if (ret) {
		interp_feeder__delete(f);
		return ret;
	}
	interp_names__set_fetch(names, take_now, f);
	*feeder = f;
	return 0;
}

void interp_feeder__delete(struct interp_feeder *f)
{
	if (!f)
		return;
	interp_names__set_fetch(f->names, NULL, NULL);
	bpf_ring__unmap(&f->sent);
	pthread_mutex_destroy(&f->taking);
	free(f);
}

int interp_feeder__share(const struct bpf_programs *tables, enum interp_mode mode, struct bpf_programs *programs)
{
	static const char *const maps[] = { "interp_files", "interp_codes", "interp_functions", "interp_used", "interp_shares", "interp_sent" };
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(maps) && !ret; i++)
		ret = bpf_programs__share(programs, maps[i], tables);
	bpf_programs__set(programs, "interp_mode", (u32)mode);
	return ret;
}

int interp_feeder__fd(const struct interp_feeder *f)
{
	return f ? f->sent_fd : -1;
}

static bool is_same(const struct interp_file *a, const struct interp_file *b)
{
	struct interp_file copy = *a;

	copy.number = b->number;
	copy.used = b->used;
	return !memcmp(&copy, b, sizeof(copy));
}

/* Copies of a file in several containers are one. NULL: it is new. */
static const struct interp_file *feeder__find(const struct interp_feeder *f, const struct interp_file *file)
{
	for (u32 i = 0; i < INTERP_MAX_FILES; i++) {
		if (is_same(&f->file[i], file))
			return &f->file[i];
	}
	return NULL;
}

static int take_code(struct interp_feeder *f, const struct interp_code *code)
{
	const struct interp_file *file = &f->file[code->file % INTERP_MAX_FILES];

	return file->kind && file->number == code->file ? interp_names__add(f->names, code, file) : 0;
}

static int take_codes(void *data, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	struct interp_feeder *f = data;
	int ret = 0;

	while (at < end && !ret) {
		const struct interp_code *code = (const void *)at;

		ret = take_code(f, code);
		at += code->size;
	}
	return ret;
}

static int feeder__take(struct interp_feeder *f)
{
	return bpf_ring__drain(&f->sent, take_codes, f, NULL);
}

/* Has its place a file that programs met since we looked last? */
static bool feeder__is_used(struct interp_feeder *f, u32 place)
{
	struct interp_file *old = &f->file[place];

	if (!old->kind || bpf_map_lookup_elem(f->files_fd, &place, old) || !old->used)
		return false;
	old->used = 0;
	bpf_map_update_elem(f->files_fd, &place, old, BPF_ANY);
	return true;
}

/*
 * Numbers go on, and so do places. Where the place has a file that is used, the next one is taken: with files that nobody runs any more nobody can
 * fill the table. If all are used, the second round finds none.
 */
static u32 feeder__add(struct interp_feeder *f, const struct interp_file *file)
{
	struct interp_file new = *file;
	u32 place;

	feeder__take(f); /* functions of the file that goes */
	for (u32 i = 0; i < INTERP_MAX_FILES && feeder__is_used(f, f->next_number % INTERP_MAX_FILES); i++)
		f->next_number++;
	new.number = f->next_number;
	place = new.number % INTERP_MAX_FILES;
	if (bpf_map_update_elem(f->files_fd, &place, &new, BPF_ANY))
		return 0;
	f->file[place] = new;
	f->next_number++;
	return new.number + 1;
}

static void note_unread(struct interp_feeder *f, struct errmsg *err)
{
	printable__clean(err->text);
	pr_debug("stacks have native frames only: %s\n", err->text);
	if (!f->unread++)
		f->first_unread = *err;
}

u64 interp_feeder__unread(const struct interp_feeder *f, char *text, size_t size)
{
	snprintf(text, size, "%s", f->unread ? f->first_unread.text : "");
	return f->unread;
}

u64 interp_feeder__refused(const struct interp_feeder *f)
{
	return interp_names__refused(f->names);
}

bool interp_feeder__recognise(struct interp_feeder *f, int fd, struct interp_file *file)
{
	char link[40], name[256];
	struct errmsg err;
	ssize_t size;
	int ret;

	if (!f || fd < 0)
		return false;
	memset(file, 0, sizeof(*file)); /* all bytes: files are compared */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, name, sizeof(name) - 1);
	name[size < 0 ? 0 : size] = '\0';
	ret = interp__recognise(fd, name, file, &err);
	if (ret == -ENOTSUP)
		note_unread(f, &err);
	return !ret;
}

u32 interp_feeder__number(struct interp_feeder *f, const struct interp_file *file)
{
	const struct interp_file *old;
	u32 number;

	pthread_mutex_lock(&f->taking);
	old = feeder__find(f, file);
	number = old ? old->number + 1 : feeder__add(f, file);
	pthread_mutex_unlock(&f->taking);
	return number;
}

int interp_feeder__take(struct interp_feeder *f)
{
	int ret;

	if (!f)
		return 0;
	pthread_mutex_lock(&f->taking);
	ret = feeder__take(f);
	pthread_mutex_unlock(&f->taking);
	return ret;
}
