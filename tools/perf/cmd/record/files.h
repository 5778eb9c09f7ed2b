/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf record for its output files. */
#ifndef PERF_CMD_RECORD_FILES_H
#define PERF_CMD_RECORD_FILES_H

#include "util/lib/options.h"
#include "util/record/record.h"

/* Rows for a table of options; o is a struct record_opts with static storage. */
#define RECORD_OPTIONS_FILES(o) \
	OPT_STRING('o', "output", &(o).output, "file", "write to this file (perf.data); - is standard output"), \
	OPT_CALLBACK_FLAGS_OF(0, "threads", &(o), "layout", \
			      "empty the ring buffers by a thread for each cpu, core, package or numa node, or by CPU lists, into a directory (cpu)", \
			      record_files__parse_threads, OPTION_OPTARG, record_files__list_threads), \
	RECORD_OPTION_COMPRESS(o, "compress records: 0 (not at all) to 22 (1 if no level is given)"), \
	OPT_CALLBACK(0, "max-size", &(o), "size", "stop when the output has this size (B, K, M or G)", record_files__parse_max_size), \
	OPT_CALLBACK_FLAGS(0, "switch-output", &(o), "signal|size|time", \
			   "start a new file at SIGUSR2, at this size (B, K, M, G), or after this time (s, m, h, d)", \
			   record_files__parse_switch, OPTION_OPTARG), \
	OPT_CALLBACK(0, "switch-output-event", &(o).switching, "event", \
		     "start a new file when this event has a sample, and at SIGUSR2", record_files__parse_switch_event), \
	OPT_UINT(0, "switch-max-files", &(o).switching.max_files, "n", "keep this many of these files, the latest"), \
	OPT_BOOL(0, "timestamp-filename", &(o).timestamp_filename, "append the time to the file's name"), \
	OPT_BOOL(0, "overwrite", &(o).attr.overwrite, "keep samples in the ring buffers, and write the latest at the end of a file"), \
	OPT_CALLBACK(0, "synth", &(o).synth, "no|all|task|mmap|cgroup", \
		     "record these of the tasks that run already: no, task, mmap (with their maps), cgroup; several with commas (all)", \
		     record_files__parse_synth), \
	OPT_BOOL(0, "tail-synthesize", &(o).synth.at_end, "record the tasks and maps that exist at the end of a file, not at its start"), \
	OPT_BOOL('B', "no-buildid", &(o).no_build_ids, "do not record build-ids"), \
	RECORD_OPTIONS_BUILD_ID_CACHE(o), \
	OPT_BOOL(0, "buildid-mmap", &record_files__always, "do nothing: build-ids are always in the map records"), \
	OPT_BOOL(0, "timestamp-boundary", &record_files__always, "do nothing: the times of the first and last sample are always recorded")

#define RECORD_OPTIONS_BUILD_ID_CACHE(o) \
	OPT_BOOL(0, "buildid-all", &(o).keep_all_files, "copy all mapped files with code to the build-id cache"), \
	OPT_BOOL(0, "keep-files", &(o).keep_files, "copy files that only containers see, and deleted ones, to the build-id cache"), \
	OPT_BOOL('N', "no-buildid-cache", &(o).no_build_id_cache, "copy no files to the build-id cache (default)"), \
	OPT_STRING(0, "buildid-dir", &(o).build_id_cache, "directory", "use this build-id cache ($HOME/.debug)")

#define RECORD_OPTION_DROPPED(o) \
	OPT_BOOL(0, "dropped-as-lost", &(o).dropped_as_lost, "write dropped samples as LOST_SAMPLES records, as the newest perf does")

#define RECORD_OPTION_COMPRESS(o, help) \
	OPT_CALLBACK_FLAGS('z', "compression-level", &(o), "n", help, record_files__parse_level, OPTION_OPTARG)

extern bool record_files__always; /* value of options that are always on */

int record_files__parse_level(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_threads(const struct option_row *row, const char *arg, bool unset);
void record_files__list_threads(void);
/* A number with B, K, M or G behind it. False: it is none. */
bool record_files__parse_bytes(const char *arg, u64 *value);
int record_files__parse_max_size(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_switch(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_switch_event(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_synth(const struct option_row *row, const char *arg, bool unset);
void record_files__exit(struct record_opts *o);

/* Check all together. 0 or an exit status, after a message. */
int record_files__settle(struct record_opts *o);

#endif
