// SPDX-License-Identifier: GPL-2.0
#include "cmd/report/lost-names.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/symbol/perf-map.h"

#define MANY 5 /* percent of the samples */

/* What makes a runtime write /tmp/perf-PID.map. */
static const struct runtime {
	const char *file; /* the beginning of a name that its processes have mapped */
	const char *how;  /* %u: the pid */
} runtimes[] = {
	{ "libjvm.so", "run 'jcmd %u Compiler.perfmap' before java ends (JDK 17), or start it with -XX:+DumpPerfMapAtExit" },
	{ "libcoreclr.so", "start it with DOTNET_PerfMapEnabled=1" },
	{ "node", "start it with 'node --perf-basic-prof'" },
	{ "php", "start it with 'php -d opcache.jit_debug=16'" },
	{ "ruby", "start it with 'ruby --yjit --yjit-perf'" },
	{ "beam.smp", "start it with ERL_FLAGS='+JPperf true'" },
	{ "wasmtime", "start it with 'wasmtime run --profile=perfmap'" },
	{ "qemu-", "start it with 'qemu -perfmap'" },
};

static enum lost_kind kind_of(const struct hist_entry *entry, struct resolver *resolver)
{
	if (entry->sym)
		return entry->sym->is_unnamed ? LOST_STRIPPED : LOST_KINDS;
	if (!entry->dso || entry->dso->kind != DSO_USER)
		return LOST_KINDS;
	if (perf_map__is_name(entry->dso->name))
		return resolver__has_symbols(resolver, entry->dso) ? LOST_KINDS : LOST_JIT;
	return entry->dso->name[0] == '/' && resolver__error(resolver, entry->dso) == -ENOENT ? LOST_FILE : LOST_KINDS;
}

static void lost__add(struct lost *lost, const struct hist_entry *entry)
{
	lost->period += entry->self.period;
	lost->others |= lost->dso && lost->dso != entry->dso;
	if (lost->dso && entry->self.period <= lost->most)
		return;
	lost->most = entry->self.period;
	lost->dso = entry->dso;
	lost->thread = entry->thread;
}

void lost_names__count(struct lost_names *lost, const struct hists *hists, struct resolver *resolver)
{
	if (!resolver || !hist_column_list__has(&hists->opts.layout->sort, "symbol"))
		return;
	lost->period += hists->total_period;
	for (u32 i = 0; i < hists->nr_entries; i++) {
		const struct hist_entry *entry = hists->entry[i];
		const enum lost_kind kind = entry->self.period ? kind_of(entry, resolver) : LOST_KINDS;

		if (kind != LOST_KINDS && entry->dso)
			lost__add(&lost->of[kind], entry);
	}
}

static const struct runtime *runtime_of(const struct thread *thread)
{
	const struct map *map = machine__next_map(thread, 0);

	for (; map; map = machine__next_map(thread, map->end)) {
		for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
			if (!strncmp(map->of->dso->short_name, runtimes[i].file, strlen(runtimes[i].file)))
				return &runtimes[i];
		}
	}
	return NULL;
}

static void print_jit(const struct lost *lost, FILE *fp)
{
	const struct runtime *runtime = runtime_of(lost->thread);

	fputs("in code that was made at run time and has no names: ", fp);
	if (runtime)
		fprintf(fp, runtime->how, lost->thread->pid);
	else
		fprintf(fp, "have its compiler write %s", lost->dso->shown);
}

void lost_names__fprintf(const struct lost_names *lost, FILE *fp)
{
	const struct lost *worst = &lost->of[0];
	const char *others;

	for (int i = 1; i < LOST_KINDS; i++) {
		if (lost->of[i].period > worst->period)
			worst = &lost->of[i];
	}
	if (!worst->period || worst->period < lost->period / 100 * MANY)
		return;
	others = worst->others ? " and others" : "";
	fprintf(fp, "# (Tip: %.0f%% of the samples are ", 100.0 * worst->period / lost->period);
	if (worst == &lost->of[LOST_STRIPPED])
		fprintf(fp, "in functions without names, of %s%s: install the debug package, or try --debuginfod", worst->dso->short_name, others);
	else if (worst == &lost->of[LOST_FILE])
		fprintf(fp, "in files that are gone, as %s%s: record with --keep-files, or see --symfs", worst->dso->shown, others);
	else
		print_jit(worst, fp);
	fputs(")\n", fp);
}
