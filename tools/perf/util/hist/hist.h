/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of one event, grouped by the keys of a layout: entries with sums, their callchains, and their order. */
#ifndef PERF_HIST_HIST_H
#define PERF_HIST_HIST_H

#include <regex.h>
#include <string.h>

#include "util/callchain/callchain.h"
#include "util/event/tracepoint.h"
#include "util/hist/chain-tree.h"
#include "util/hist/fields.h"

enum hist_chain_mode {
	HIST_CHAIN_NONE,
	HIST_CHAIN_GRAPH,   /* limit and percentages of the whole event */
	HIST_CHAIN_FRACTAL, /* of the branch above */
	HIST_CHAIN_FLAT,    /* whole chains one after the other, no tree */
	HIST_CHAIN_FOLDED,  /* the same, each in a line */
};

enum hist_chain_value { HIST_CHAIN_PERCENT, HIST_CHAIN_PERIOD, HIST_CHAIN_COUNT };

struct hist_env { /* what the values of keys are read with; what is NULL leaves them unknown */
	struct resolver *resolver;
	struct machine *machine;
	struct tp_formats *formats;
	const struct perfdata_features *features;
	const regex_t *parent; /* the functions that the key parent looks for */
};

struct hist_opts {
	const struct hist_layout *layout; /* must outlive the hists */
	struct hist_shared *shared;	  /* the same; NULL: it makes its own */
	const struct hist_env *env; /* must outlive the hists; NULL: nothing is known */
	bool children;		/* count a sample for every function on its callchain, too */
	enum hist_chain_mode chain_mode;
	enum hist_chain_value chain_value; /* what is shown of branches */
	enum frame_key frame_key;
	bool caller_first;	/* order of the frames in the entries' callchains */
	double chain_min_percent; /* smaller branches are not shown */
	u32 chain_max_branches;	  /* nor more of a node than so many; 0: all */
	const char *symbol_filter; /* only entries whose function has this in its name; NULL: all */
	bool dsos_chosen;	   /* -d: who looks at some files leaves no room for addresses in the place of others' names, as perf */
	bool relative;		   /* percentages are of what is shown */
	u64 time_quantum;	   /* steps of the key time, in ns; 0: a tenth of a second */
	bool full_paths;	   /* of source files */
	bool nanoseconds;	   /* it is shown to the ns, not to the us */
};

struct hist_branch {
	const struct perf_branch_entry *entry;
	struct location from, to; /* cpumode: user or kernel, where map is known */
};

struct hist_sample { /* read during hists__add() only */
	const struct thread *thread;
	const struct location *loc;
	const struct callchain *chain; /* NULL: none */
	s32 cpu;		       /* -1: not recorded */
	u64 period;
	u64 nr;			       /* of samples that this one stands for; at least 1 */
	u32 parallelism;	       /* of recorded tasks that ran then; 0: not known */
	const struct hist_branch *branch; /* NULL: it is none; else loc is where it goes to, and raw is not NULL */
	const struct perf_sample *raw; /* for keys that are values of it; NULL: they are unknown */
};

struct hist_stat {
	u64 period;
	u64 nr; /* samples */
	u64 latency; /* period, shared by the tasks that ran at the same time: what the whole waited for */
};

static inline struct hist_stat hist_sample__stat(const struct hist_sample *sample)
{
	return (struct hist_stat){ sample->period, sample->nr, sample->period / (sample->parallelism ?: 1) };
}

#define HIST_MODES (PERF_RECORD_MISC_GUEST_USER + 1)

struct hist_entry {
	const struct hists *hists;
	const struct thread *thread; /* of the first sample */
	const char *comm;	     /* at that time */
	s32 tid;		     /* -1: a task that was exiting */
	s32 cpu;
	const struct dso *dso;	   /* NULL: unknown */
	const struct symbol *sym;  /* NULL: unknown */
	u64 addr;
	char level;		   /* '.' user, 'k' kernel, 'u' and 'g' guest, 'H' hypervisor */
	u8 cpumode;
	bool unnamed;		   /* comm is made up, see late-names.h */
	u32 chain_depth;	   /* of the deepest of its chains, those that are not shown, too */
	struct hist_stat self;	   /* samples that fell on this entry */
	struct hist_stat total;	   /* and those that had it on their callchain; with opts.children only */
	u32 first_use, last_use;   /* of chains, see entry-chains.h; 0: none */
	u32 last_chain;		   /* the place, plus 1, of the last chain that was counted in total */
	u32 made_by;		   /* of a group's leader: which member had these keys first */
	u64 first_sample;	   /* number of the sample that what is no key comes from: the first one */
	struct hist_entry *became; /* what has the samples of this one, too: under a late name, or the entry of a group's leader */
	struct hist_entry *next_kept;
	struct hist_members *others; /* of a group's leader: the entries with these keys of others, see group.h. NULL: there are none */
	struct hist_value value[]; /* as many as the layout has; behind them, if it has_modes, those of hist_entry__modes() */
};

struct hist_reading { /* what a key's value is read from */
	struct hists *hists;
	const struct hist_sample *sample; /* NULL, if the key is HIST_KEY_PLACE */
	const struct location *loc;
	const struct hist_column *column;
};

static inline void hist_stat__add(struct hist_stat *stat, const struct hist_stat *more)
{
	stat->period += more->period;
	stat->nr += more->nr;
	stat->latency += more->latency;
}

struct hist_chains { /* of one hists, in struct hist_shared: places, plus 1; 0: none */
	u32 first, last;
	u32 max_depth;
	u64 note_owner; /* of what it notes at cached chains, which may be another event's, too */
};

/*
 * What the hists of all events of a report have together: the way to entries that were met lately, and the callchains that samples had. An
 * event of its own costs little then, of which a file may describe thousands.
 */
struct hist_shared *hist_shared__new(const struct hist_opts *opts); /* as those of the hists but for their layouts; NULL: no memory */
void hist_shared__delete(struct hist_shared *shared);

struct hists {
	struct hist_opts opts;
	u64 nr_samples, total_period, total_latency;
	u64 all_period;		   /* of hidden samples, too: what percentages of branches are of, as in perf */
	bool any_samples; /* that were added or hidden */
	struct hist_entry **entry; /* in the layout's order; filled by hists__sort() */
	u32 nr_entries;
	void *tree;		   /* tsearch(3) of all entries by their keys; until hists__sort() */
	bool any_unnamed;
	bool settled;
	struct hist_entry *kept;   /* entries that are not in the tree, but its own */
	struct hist_entry *key;	   /* of the present sample */
	struct hist_text *texts;   /* interned */
	struct hist_shared *shared; /* NULL: no sample was added yet, or none has a chain and all are there */
	struct hist_chains chains;
	struct entry_chains *entry_chains; /* NULL: nobody asks, or not yet */
	bool chain_tells_entry;	   /* with the command's name */
	struct hists **group;	   /* of the leader of a group: the hists in it, itself first */
	u32 nr_group;		   /* the same: how many; else 0 */
	u32 member;		   /* of a group: which of it this is */
	u32 group_sort;		   /* that decides the order first */
	struct hist_entry *none;   /* of a member: stands for entries that it has not */
};

void hists__init(struct hists *hists, const struct hist_opts *opts);
void hists__exit(struct hists *hists);

/*
 * 0 or -ENOMEM. Not after hists__sort(). What callers get of a sample is filled in by hists__sort(): until then equal chains are only
 * counted.
 */
int hists__add(struct hists *hists, const struct hist_sample *sample);
/*
 * Where the sample that was added last is counted, if its command, place and chain alone tell that: not 0, and to be counted more to
 * by hists__add_more(). 0: they do not. is_told_by_function: the same for samples elsewhere in its function, with the same callers.
 */
u32 hists__last_place(const struct hists *hists, const struct hist_sample *sample, bool *is_told_by_function);
void hists__add_more(struct hists *hists, u32 place, const struct hist_stat *stat);
/* Count a sample in the whole only; with opts.relative not there either. */
void hists__count_hidden(struct hists *hists, const struct hist_sample *sample);
/*
 * Put all samples where they belong; hists__sort() does that, too. No hists__add() after it, nor to others that share with these hists.
 * 0 or -ENOMEM.
 */
int hists__settle(struct hists *hists);
/* The entry with key's keys, made as a copy of key if there is none; NULL: no memory. */
struct hist_entry *hists__entry(struct hists *hists, struct hist_entry *key);
size_t hist_entry__size(const struct hists *hists);
/* Bring entries into the order in which they are shown. 0 or -ENOMEM. */
int hists__sort(struct hists *hists);

/* The letter of a PERF_RECORD_MISC_ cpumode: 'k', '.', ... */
char hist_level(u8 cpumode);

/* The one copy of a text that is there for all entries; NULL: no memory. */
const char *hists__intern(struct hists *hists, const char *text);

/* Of self: the sum of the periods of each PERF_RECORD_MISC_ cpumode, HIST_MODES of them; NULL: the layout does without. */
static inline u64 *hist_entry__modes(const struct hist_entry *entry)
{
	const struct hist_layout *layout = entry->hists->opts.layout;

	return layout->has_modes ? (u64 *)&entry->value[layout->nr_values] : NULL;
}

static inline u64 hist_entry__mode_period(const struct hist_entry *entry, int mode)
{
	const u64 *modes = hist_entry__modes(entry);

	return modes ? modes[mode] : 0;
}

/* Samples of this cpumode fell on the entry. */
static inline void hist_entry__count(struct hist_entry *entry, const struct hist_stat *stat, u8 cpumode)
{
	u64 *modes = hist_entry__modes(entry);

	hist_stat__add(&entry->self, stat);
	if (modes && cpumode < HIST_MODES)
		modes[cpumode] += stat->period;
}

/* All that fell on another entry falls on this one. */
static inline void hist_entry__merge(struct hist_entry *entry, const struct hist_entry *other)
{
	u64 *modes = hist_entry__modes(entry);

	hist_stat__add(&entry->self, &other->self);
	hist_stat__add(&entry->total, &other->total);
	for (int i = 0; modes && i < HIST_MODES; i++)
		modes[i] += hist_entry__mode_period(other, i);
}

/* Keep the keys only. */
static inline void hist_entry__clear_sums(struct hist_entry *entry)
{
	u64 *modes = hist_entry__modes(entry);

	entry->self = entry->total = (struct hist_stat){};
	if (modes)
		memset(modes, 0, HIST_MODES * sizeof(*modes));
	entry->first_use = entry->last_use = 0;
	entry->chain_depth = 0;
}

/* What has the samples of an entry of the same hists, after names came late. */
static inline struct hist_entry *hist_entry__now(struct hist_entry *entry)
{
	return entry->became && entry->became->hists == entry->hists ? entry->became : entry;
}

/* And where they are shown, which may be in the table of a group's leader. */
static inline struct hist_entry *hist_entry__shown(struct hist_entry *entry)
{
	struct hist_entry *now = hist_entry__now(entry);

	return now->became ?: now;
}

/* What part of its event's sum of periods a period is, in percent. */
static inline double hist_entry__percent(const struct hist_entry *entry, u64 period)
{
	return entry->hists->total_period ? period * 100.0 / entry->hists->total_period : 0.0;
}

/* Children's or own period, by what the entries are listed by. */
static inline u64 hist_entry__period(const struct hist_entry *entry)
{
	return entry->hists->opts.children ? entry->total.period : entry->self.period;
}

#endif
