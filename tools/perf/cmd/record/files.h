/* SPDX-License-Identifier: GPL-2.0 */
/* The options of perf record that say what files it writes. */
#ifndef PERF_CMD_RECORD_FILES_H
#define PERF_CMD_RECORD_FILES_H

#include "util/lib/options.h"
#include "util/record/record.h"

/* Rows for a table of options; o is a struct record_opts with static storage. */
#define RECORD_OPTIONS_FILES(o) \
	OPT_STRING('o', "output", &(o).output, "file", "output file, else perf.data; - is the standard output"), \
	RECORD_OPTION_COMPRESS(o, "compress records, from 0, not at all, to 22 (without a number 1)"), \
	OPT_CALLBACK(0, "max-size", &(o), "size", "end when the output has so many bytes, with B, K, M or G", record_files__parse_max_size), \
	OPT_CALLBACK_FLAGS(0, "switch-output", &(o), "signal|size|time", \
			   "go on to the next file at SIGUSR2, after so many bytes (B, K, M, G), or so much time (s, m, h, d)", \
			   record_files__parse_switch, OPTION_OPTARG), \
	OPT_CALLBACK(0, "switch-output-event", &(o).switching, "event", \
		     "go on to the next file when this event samples, too, and at SIGUSR2", record_files__parse_switch_event), \
	OPT_UINT(0, "switch-max-files", &(o).switching.max_files, "n", "keep so many of these files, the latest"), \
	OPT_BOOL(0, "timestamp-filename", &(o).timestamp_filename, "let the file's name end with the time"), \
	OPT_BOOL(0, "overwrite", &(o).attr.overwrite, "write the latest samples only, at the end of a file: what the rings can hold"), \
	OPT_CALLBACK(0, "synth", &(o).synth, "no|all|task|mmap|cgroup", \
		     "of what runs already, record tasks, their maps too, control groups, several with commas between; else all", \
		     record_files__parse_synth), \
	OPT_BOOL(0, "tail-synthesize", &(o).synth.at_end, "record what runs already at the end of a file"), \
	OPT_BOOL('B', "no-buildid", &(o).no_build_ids, "not the build-ids of files"), \
	OPT_BOOL('N', "no-buildid-cache", &record_files__always, "taken, but nothing is put into a cache of files anyway"), \
	OPT_BOOL(0, "buildid-all", &record_files__always, "taken: all files that are mapped have their build-ids anyway"), \
	OPT_BOOL(0, "buildid-mmap", &record_files__always, "taken: build-ids are in the records of maps anyway"), \
	OPT_BOOL(0, "timestamp-boundary", &record_files__always, "taken: the times of first and last sample are there anyway")

#define RECORD_OPTION_DROPPED(o) \
	OPT_BOOL(0, "dropped-as-lost", &(o).dropped_as_lost, "write what filters dropped as samples that are lost, as the newest perf does")

#define RECORD_OPTION_COMPRESS(o, help) \
	OPT_CALLBACK_FLAGS('z', "compression-level", &(o), "n", help, record_files__parse_level, OPTION_OPTARG)

extern bool record_files__always; /* of options for what is so in any case */

int record_files__parse_level(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_max_size(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_switch(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_switch_event(const struct option_row *row, const char *arg, bool unset);
int record_files__parse_synth(const struct option_row *row, const char *arg, bool unset);
void record_files__exit(struct record_opts *o);

/* As a whole. 0 or an exit status, after a message. */
int record_files__settle(struct record_opts *o);

#endif
