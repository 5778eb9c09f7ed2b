// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-budget.h"

#include <stdlib.h>
#include <unistd.h>
#include "util/lib/hash.h"

#define MS 1000000ULL
#define NR_KINDS 2

struct share { /* what may be used: at once, and a part of the time that has passed */
	u64 grace_ns;
	u32 part;
};

static const struct share own_share[NR_KINDS] = { { 2000 * MS, 4 }, { 100 * MS, 20 } };
static const struct share others_share[NR_KINDS] = { { 1000 * MS, 10 }, { 100 * MS, 20 } };
static const struct share all_others_share = { 3000 * MS, 4 };

#define MAX_USERS 4096 /* user namespaces have 65,536 each; those of more are in the sum of all */

struct user {
	uid_t uid;
	u64 used_ns[NR_KINDS];
	UT_hash_handle hh;
};

struct unwind_budget {
	u64 began, others_ns;
	uid_t own;
	struct user *users;
};

struct unwind_budget *unwind_budget__new(void)
{
	struct unwind_budget *b = calloc(1, sizeof(*b));

	if (b)
		b->own = geteuid();
	return b;
}

void unwind_budget__delete(struct unwind_budget *b)
{
	struct user *user, *next;

	if (!b)
		return;
	HASH_ITER(hh, b->users, user, next) {
		HASH_DEL(b->users, user);
		free(user);
	}
	free(b);
}

void unwind_budget__begin(struct unwind_budget *b, u64 now)
{
	b->began = now;
}

static bool is_own(const struct unwind_budget *b, uid_t uid)
{
	return !uid || uid == b->own;
}

static struct user *unwind_budget__find(const struct unwind_budget *b, uid_t uid)
{
	struct user *user;

	HASH_FIND(hh, b->users, &uid, sizeof(uid), user);
	return user;
}

static struct user *unwind_budget__add(struct unwind_budget *b, uid_t uid)
{
	struct user *user = HASH_COUNT(b->users) < MAX_USERS ? calloc(1, sizeof(*user)) : NULL;

	if (!user)
		return NULL;
	user->uid = uid;
	HASH_ADD(hh, b->users, uid, sizeof(user->uid), user);
	if (hash_added(user))
		return user;
	free(user);
	return NULL;
}

static bool is_within(u64 used_ns, const struct share *share, u64 passed_ns)
{
	return used_ns <= share->grace_ns + passed_ns / share->part;
}

/* Of all tables, or only of the second kind */
static u64 user__used(const struct user *user, enum unwind_budget_kind kind)
{
	if (!user)
		return 0;
	return user->used_ns[UNWIND_BUDGET_MORE] + (kind == UNWIND_BUDGET_NEW ? user->used_ns[UNWIND_BUDGET_NEW] : 0);
}

bool unwind_budget__has_time(const struct unwind_budget *b, uid_t uid, enum unwind_budget_kind kind, u64 now)
{
	const struct share *share = is_own(b, uid) ? own_share : others_share;
	const struct user *user = unwind_budget__find(b, uid);
	const u64 passed = now - b->began;

	for (enum unwind_budget_kind k = UNWIND_BUDGET_NEW; k <= kind; k++) {
		if (!is_within(user__used(user, k), &share[k], passed))
			return false;
	}
	return is_own(b, uid) || is_within(b->others_ns, &all_others_share, passed);
}

void unwind_budget__charge(struct unwind_budget *b, uid_t uid, enum unwind_budget_kind kind, u64 ns)
{
	struct user *user = unwind_budget__find(b, uid) ?: unwind_budget__add(b, uid);

	if (user)
		user->used_ns[kind] += ns;
	if (!is_own(b, uid))
		b->others_ns += ns;
}
