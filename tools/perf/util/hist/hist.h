/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of one event, grouped by the keys of a layout: entries with sums, their callchains, and their order. */
#ifndef PERF_HIST_HIST_H
#define PERF_HIST_HIST_H

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "util/callchain/callchain.h"
#include "util/event/tracepoint.h"
#include "util/hist/chain-tree.h"
#include "util/hist/entry-table.h"
#include "util/hist/fields.h"

enum hist_chain_mode {
	HIST_CHAIN_NONE,
	HIST_CHAIN_GRAPH,   /* limits and percentages are relative to the whole event */
	HIST_CHAIN_FRACTAL, /* relative to the parent branch */
	HIST_CHAIN_FLAT,    /* whole chains, one after the other, no tree */
	HIST_CHAIN_FOLDED,  /* whole chains, one per line */
};

enum hist_chain_value { HIST_CHAIN_PERCENT, HIST_CHAIN_PERIOD, HIST_CHAIN_COUNT };

struct hist_env { /* where the values of keys are read from; keys whose source is NULL stay unknown */
	struct resolver *resolver;
	struct machine *machine;
	struct tp_formats *formats;
	const struct perfdata_features *features;
	const regex_t *parent; /* the functions that the key parent looks for */
};

struct hist_opts {
	const struct hist_layout *layout; /* must outlive the hists */
	struct hist_shared *shared;	  /* must outlive the hists; NULL: hists make their own */
	const struct hist_env *env; /* must outlive the hists; NULL: nothing is known */
	bool children;		/* count a sample for each function on its callchain, too */
	enum hist_chain_mode chain_mode;
	enum hist_chain_value chain_value; /* what to show of branches */
	enum frame_key frame_key;
	bool caller_first;	/* order of the frames in the entries' callchains */
	double chain_min_percent; /* hide smaller branches */
	u32 chain_max_branches;	  /* show at most this many branches of a node; 0: all */
	const char *symbol_filter; /* only entries whose function name contains this; NULL: all */
	bool dsos_chosen;	   /* -d: a choice of files leaves no space for addresses in place of unknown names, as in perf */
	const struct hist_comparison *comparison; /* that these hists are a part of, see compare.h; NULL: of none */
	bool relative;		   /* percentages are relative to what is shown */
	u64 time_quantum;	   /* steps of the key time in ns; 0: 100 ms */
	bool full_paths;	   /* of source files */
	bool nanoseconds;	   /* show the time in ns, not in us */
};

/* Do the hists read the callchains of samples? */
bool hist_opts__have_chains(const struct hist_opts *opts);

struct hist_branch {
	const struct perf_branch_entry *entry;
	struct location from, to; /* cpumode: user or kernel, where map is known */
};

struct hist_sample { /* read during hists__add() only */
	const struct thread *thread;
	const struct location *loc;
	const struct callchain *chain; /* NULL: none */
	u32 callers; /* id of the chain's callers, see hists__know_callers(); 0: none */
	u32 place;   /* id of loc, the chain's leaf and its mode, see hists__add_known(); 0: none */
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
	s32 tid;		     /* -1: the task was exiting */
	s32 cpu;
	const struct dso *dso;	   /* NULL: unknown */
	const struct symbol *sym;  /* NULL: unknown */
	u64 addr;
	char level;		   /* '.' user, 'k' kernel, 'u' and 'g' guest, 'H' hypervisor */
	u8 cpumode;
	bool unnamed;		   /* comm is a placeholder, see late-names.h */
	u32 chain_depth;	   /* of its deepest chain, including chains that are not shown; without opts.children 1 for any */
	struct hist_stat self;	   /* sum of the samples in this entry */
	struct hist_stat total;	   /* and of those that have it on their callchain; with opts.children only */
	u32 first_use, last_use;   /* first use of a chain, see entry-chains.h; 0: none */
	union {
		u32 last_chain;	   /* with chains: index, plus 1, of the last chain that total includes */
		u32 number;	   /* without: see hists__last_place(); 0: none */
	};
	u32 made_by;		   /* in a group's leader: index of the member that had these keys first */
	u64 first_sample;	   /* number of the sample that set the members that are no keys: the first one */
	struct hist_entry *became; /* the entry that has this one's samples, too: under a late name, or in a group's leader */
	union {
		struct hist_members *others; /* in a group's leader: the other members' entries with these keys, see group.h. NULL: there are none */
		struct hist_entry *next_kept; /* out of the table, see hists__keep() */
	};
	struct hist_value value[]; /* as many as the layout has; then, if it has_modes, those of hist_entry__modes() */
};

struct hist_reading { /* where a key's value is read from */
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

struct hist_chains { /* of one hists, in struct hist_shared: index, plus 1; 0: none */
	u32 first, last;
	u32 max_depth;
};

/*
 * What the hists of all events of a report share: the callchains of samples. An event then takes little memory of its own: a file
 * may describe thousands.
 */
struct hist_shared *hist_shared__new(const struct hist_opts *opts); /* opts: those of the hists except for their layouts; NULL: no memory */
void hist_shared__delete(struct hist_shared *shared);

struct hists {
	struct hist_opts opts;
	u64 nr_samples, total_period, total_latency;
	u64 all_period;		   /* of hidden samples, too: what percentages of branches are of, as in perf */
	bool any_samples; /* that were added or hidden */
	struct hist_entry **entry; /* in the layout's order; filled by hists__sort() */
	u32 nr_entries;
	struct entry_table all;	   /* entries, including those that are not shown */
	bool by_name;		   /* functions of one name in one file are one entry: since hists__join_names() */
	u64 left_out_period;	   /* no longer in total_period, since hists__keep_matched() */
	bool any_unnamed;
	bool settled;
	struct hist_entry *kept;   /* entries that became others, see late-names.h */
	struct hist_entry *key;	   /* of the current sample */
	struct hist_text *texts;   /* interned */
	struct hist_shared *shared; /* NULL: no sample was added yet, or no sample has a chain and all were added */
	struct hist_chains chains;
	struct entry_chains *entry_chains; /* NULL: not asked for, or not yet made */
	bool chain_tells_entry;	   /* together with the name of the command */
	bool raw_tells_entry;	   /* if the sample's raw data is looked at, too */
	struct hists **group;	   /* of a group's leader: the hists of the group, itself first */
	u32 nr_group;		   /* of a group's leader: the number of members; otherwise 0 */
	u32 member;		   /* of a group: index of this member */
	u32 group_sort;		   /* index of the member that is the primary sort key */
	struct hist_entry *none;   /* of a member: stands for entries that it lacks */
};

void hists__init(struct hists *hists, const struct hist_opts *opts);
void hists__exit(struct hists *hists);

/*
 * 0 or -ENOMEM. Not allowed after hists__sort(). hists__sort() adds a sample to the entries of its callers: until then equal chains
 * are only counted.
 */
int hists__add(struct hists *hists, const struct hist_sample *sample);
/* Do command, place and chain of a sample, and with_raw its raw data, alone determine where it is counted? */
bool hists__can_add_more(const struct hists *hists, bool with_raw);
/* Then: the place that counts the sample added last; hists__add_more() adds to it. 0: no memory. */
u32 hists__last_place(struct hists *hists);
void hists__add_more(struct hists *hists, u32 place, const struct hist_stat *stat);
/* May a sample with callers of this id be added without them, with the frames of its place alone? If others were added with theirs. */
bool hists__know_callers(const struct hists *hists, u32 callers);
/*
 * Add a sample by the ids of its callers and its place, if others were added with them, the place under the same name of the command. Of loc only the
 * mode is read, and the chain is not. 1: done; 0: they are not known; or -ENOMEM.
 */
int hists__add_known(struct hists *hists, const struct hist_sample *sample);
/*
 * Prefetch what __add_known() reads: call the first for a batch of samples, then the second for each of them. false: the ids are not known yet; they may
 * be by the time the sample is added.
 */
void hists__fetch_ids(const struct hists *hists, u32 place, u32 callers);
bool hists__fetch_known(const struct hists *hists, u32 place, u32 callers);
void hist_shared__forget_ids(struct hist_shared *shared); /* they begin anew */
/* Count a sample in the totals only; with opts.relative not even there. */
void hists__count_hidden(struct hists *hists, const struct hist_sample *sample);
/*
 * Put all samples into their entries; hists__sort() calls it, too. Do not call hists__add() after it, neither for these hists nor
 * for others that share with them. 0 or -ENOMEM.
 */
int hists__settle(struct hists *hists);
/* Find the entry with key's keys, or add a copy of key; NULL: no memory. */
struct hist_entry *hists__entry(struct hists *hists, struct hist_entry *key);
size_t hist_entry__size(const struct hists *hists);
/* Sort the entries into the order in which they are shown. 0 or -ENOMEM. */
int hists__sort(struct hists *hists);

/* The letter of a PERF_RECORD_MISC_ cpumode: 'k', '.', ... */
char hist_level(u8 cpumode);

/* Return the single copy of a text that all entries share; NULL: no memory. */
const char *hists__intern(struct hists *hists, const char *text);

/* The periods of self by PERF_RECORD_MISC_ cpumode, HIST_MODES of them; NULL: the layout has no such column. */
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

/* Add samples of this cpumode to the entry. */
static inline void hist_entry__count(struct hist_entry *entry, const struct hist_stat *stat, u8 cpumode)
{
	u64 *modes = hist_entry__modes(entry);

	hist_stat__add(&entry->self, stat);
	if (modes && cpumode < HIST_MODES)
		modes[cpumode] += stat->period;
}

/* The entry is out of the table, but samples and chains may point to it still: free it with the others. */
static inline void hists__keep(struct hists *hists, struct hist_entry *entry)
{
	free(entry->others);
	entry->next_kept = hists->kept;
	hists->kept = entry;
}

/* Add all samples of another entry to this one. */
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

	entry->self = (struct hist_stat){};
	entry->total = (struct hist_stat){};
	if (modes)
		memset(modes, 0, HIST_MODES * sizeof(*modes));
	entry->first_use = entry->last_use = 0;
	entry->chain_depth = 0;
}

/* The entry that has the samples of this one, in the same hists, after late names were set. */
static inline struct hist_entry *hist_entry__now(struct hist_entry *entry)
{
	return entry->became && entry->became->hists == entry->hists ? entry->became : entry;
}

/* The entry that shows them, which may be in the table of a group's leader. */
static inline struct hist_entry *hist_entry__shown(struct hist_entry *entry)
{
	struct hist_entry *now = hist_entry__now(entry);

	return now->became ?: now;
}

/* Percentage of a period in the sum of its event's periods. */
static inline double hist_entry__percent(const struct hist_entry *entry, u64 period)
{
	return entry->hists->total_period ? period * 100.0 / entry->hists->total_period : 0.0;
}

/* Children's or own period, whichever sorts the entries. */
static inline u64 hist_entry__period(const struct hist_entry *entry)
{
	return entry->hists->opts.children ? entry->total.period : entry->self.period;
}

#endif
