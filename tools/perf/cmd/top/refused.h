/* SPDX-License-Identifier: GPL-2.0 */
/* Options of other perf tops that this one lacks: it refuses them with the reason, which is in place of the help. */
#ifndef PERF_CMD_TOP_REFUSED_H
#define PERF_CMD_TOP_REFUSED_H

#include "util/lib/options.h"

#define TOP_NO_BRANCHES "branches are not counted in the kernel: take perf record -b, and perf report"
#define TOP_LATER "perf record writes it, and perf report shows it: it is not counted live"
#define TOP_REFUSED(name, argh, flags, why) OPT_REFUSED(0, name, argh, flags, why)
#define TOP_REFUSED_OPTIONS                                                                                       \
	OPT_REFUSED('b', "branch-any", NULL, OPTION_NOARG, TOP_NO_BRANCHES),                                      \
	OPT_REFUSED('j', "branch-filter", "list", 0, TOP_NO_BRANCHES),                                            \
	TOP_REFUSED("branch-history", NULL, OPTION_NOARG, TOP_NO_BRANCHES),                                       \
	TOP_REFUSED("stitch-lbr", NULL, OPTION_NOARG, TOP_NO_BRANCHES),                                           \
	OPT_REFUSED('f', "count-filter", "n", 0, "take --percent-limit: rows with at least this share"),          \
	OPT_REFUSED('D', "dump-symtab", NULL, OPTION_NOARG, "perf top prints no tables of symbols: leave it out"), \
	OPT_REFUSED('r', "realtime", "priority", 0, "samples are counted in the kernel, so perf need not be quick: leave it out"), \
	OPT_REFUSED('H', "hierarchy", NULL, OPTION_NOARG, "perf top shows no tree: perf report -H shows one of a recording"),         \
	TOP_REFUSED("fields", "key,...", 0, "take -s, -n and --show-total-period: they choose the columns"),      \
	TOP_REFUSED("overwrite", NULL, OPTION_NOARG, "samples are counted in maps, and no count is overwritten: leave it out"), \
	TOP_REFUSED("all-cgroups", NULL, OPTION_NOARG, TOP_LATER),                                                \
	TOP_REFUSED("namespaces", NULL, OPTION_NOARG, TOP_LATER),                                                 \
	TOP_REFUSED("raw-trace", NULL, OPTION_NOARG, TOP_LATER),                                                  \
	TOP_REFUSED("ignore-callees", "regex", 0, "perf record -g, and perf report --ignore-callees do it"),      \
	TOP_REFUSED("kallsyms", "file", 0, "names are those of the running kernel: leave it out"),               \
	TOP_REFUSED("ignore-vmlinux", NULL, OPTION_NOARG, "leave out -k"),                                        \
	TOP_REFUSED("sym-annotate", "symbol", 0, "the key a of the browser shows code"),                          \
	TOP_REFUSED("source", NULL, OPTION_NOARG, "the key s of code in the browser shows it"),                   \
	TOP_REFUSED("switch-on", "event", 0, "take --filter"),                                                    \
	TOP_REFUSED("switch-off", "event", 0, "take --filter"),                                                   \
	TOP_REFUSED("num-thread-synthesize", "n", 0, "running tasks are read by one thread: leave it out"),       \
	TOP_REFUSED("proc-map-timeout", "ms", 0, "maps of running processes are read to their end: leave it out")

#endif
