// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <setjmp.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/machine/maps.h"

#define SPACE 4096

/* The plain way to keep maps: what each address belongs to. */
struct model {
	struct {
		struct dso *dso; /* NULL: nothing */
		u64 file_off;
	} at[SPACE];
};

static void model__insert(struct model *model, const struct map *map)
{
	for (u64 addr = map->start; addr < map->end; addr++) {
		model->at[addr].dso = map->of->dso;
		model->at[addr].file_off = map->pgoff + addr - map->start;
	}
}

static void assert_same(struct maps *maps, const struct model *model)
{
	for (u64 addr = 0; addr < SPACE; addr++) {
		const struct map *map = maps__find(maps, addr);

		if (!model->at[addr].dso) {
			assert_null(map);
			continue;
		}
		assert_non_null(map);
		assert_ptr_equal(map->of->dso, model->at[addr].dso);
		assert_int_equal(map->pgoff + addr - map->start, model->at[addr].file_off);
	}
}

static void assert_in_order(struct maps *maps)
{
	const struct map *map, *next;

	for (map = maps__next(maps, 0); map; map = next) {
		assert_true(map->start < map->end);
		next = maps__next(maps, map->start);
		assert_true(!next || next->start >= map->end);
	}
}

static void insert_random(struct maps *maps, struct map_pool *pool, struct model *model, const struct mapped *of)
{
	u64 start = rand() % (SPACE - 1), max = rand() % 4 ? 64 : SPACE;
	struct map map = { .start = start, .end = start + 1 + rand() % max, .pgoff = rand(), .of = &of[rand() % 8] };

	if (map.end > SPACE)
		map.end = SPACE;
	assert_int_equal(maps__insert(maps, pool, &map), 0);
	model__insert(model, &map);
}

static void test_against_model(void **state)
{
	struct dso dsos[8];
	struct mapped of[8];

	for (int i = 0; i < 8; i++)
		of[i] = (struct mapped){ .dso = &dsos[i] };
	srand(1);
	for (int round = 0; round < 20; round++) {
		struct model *model = calloc(1, sizeof(*model)), *child_model = malloc(sizeof(*child_model));
		struct map_pool pool = { NULL };
		struct maps *maps = maps__new(), *child;

		for (int i = 0; i < 20 * round; i++)
			insert_random(maps, &pool, model, of);
		assert_same(maps, model);
		child = maps__clone(maps);
		*child_model = *model;
		for (int i = 0; i < 10; i++) {
			if (i % 3 == 1) /* as after the end of the last thread, though more follows */
				maps__end(maps);
			insert_random(maps, &pool, model, of);
			if (i == 5)
				maps__end(child);
			insert_random(child, &pool, child_model, of);
		}
		maps__end(round % 2 ? maps : child);
		assert_same(maps, model);
		assert_same(child, child_model);
		assert_in_order(maps);
		maps__put(maps);
		maps__put(child);
		map_pool__exit(&pool);
		free(model);
		free(child_model);
	}
}

/* Of processes that have ended only the maps themselves take memory, and what they share with others stays shared. */
static void test_ended_maps_take_less(void **state)
{
	enum { SHARED = 8, COPIES = 2000, OWN = 6, EACH = OWN * sizeof(struct map) + OWN * sizeof(void *) + 192 };
	struct map_pool pool = { NULL };
	struct maps *maps = maps__new(), *copy[COPIES], *clone;
	size_t before;
	u32 version;

	for (u64 i = 1; i <= SHARED; i++)
		assert_int_equal(maps__insert(maps, &pool, &(struct map){ .start = i << 12, .end = (i << 12) + 16 }), 0);
	before = mallinfo2().uordblks;
	for (u64 i = 0; i < COPIES; i++) {
		copy[i] = maps__clone(maps);
		for (u64 j = 1; j <= OWN; j++)
			assert_int_equal(maps__insert(copy[i], &pool, &(struct map){ .start = (j << 12) + 32, .end = (j << 12) + 33 + i }), 0);
		version = maps__version(copy[i]);
		maps__end(copy[i]);
		assert_int_equal(maps__version(copy[i]), version);
	}
	assert_in_range(mallinfo2().uordblks - before, 0, COPIES * EACH);
	for (u64 i = 0; i < COPIES; i++) {
		assert_int_equal(maps__find(copy[i], (OWN << 12) + 32)->end, (OWN << 12) + 33 + i);
		assert_int_equal(maps__find(copy[i], SHARED << 12)->end, (SHARED << 12) + 16);
		assert_int_equal(maps__first(copy[i])->start, 1 << 12);
		assert_int_equal(maps__next(copy[i], 1 << 12)->start, (1 << 12) + 32);
		assert_null(maps__next(copy[i], SHARED << 12));
		assert_null(maps__find(copy[i], 0));
	}
	clone = maps__clone(copy[0]);
	assert_int_equal(maps__remove(copy[0], &pool, SHARED << 12), 0);
	assert_null(maps__find(copy[0], SHARED << 12));
	maps__end(copy[0]);
	assert_null(maps__find(copy[0], SHARED << 12));
	assert_int_equal(maps__find(copy[0], OWN << 12)->end, (OWN << 12) + 16);
	assert_non_null(maps__find(clone, SHARED << 12));
	assert_non_null(maps__find(copy[1], SHARED << 12));
	maps__put(maps);
	maps__put(clone);
	for (u64 i = 0; i < COPIES; i++)
		maps__put(copy[i]);
	map_pool__exit(&pool);
}

/* A copy that has changed nothing has no nodes of its own: a list would take more. */
static void test_maps_of_others_are_not_listed(void **state)
{
	struct map_pool pool = { NULL };
	struct maps *maps = maps__new(), *copy[1000];
	size_t before;

	for (u64 i = 1; i <= 60; i++)
		assert_int_equal(maps__insert(maps, &pool, &(struct map){ .start = i << 12, .end = (i << 12) + 16 }), 0);
	before = mallinfo2().uordblks;
	for (u32 i = 0; i < ARRAY_SIZE(copy); i++) {
		copy[i] = maps__clone(maps);
		maps__end(copy[i]);
	}
	assert_in_range(mallinfo2().uordblks - before, 0, ARRAY_SIZE(copy) * 160);
	maps__get(maps);
	maps__end(maps); /* of one of two threads */
	maps__put(maps);
	for (u32 i = 0; i < ARRAY_SIZE(copy); i++)
		maps__put(copy[i]);
	maps__put(maps);
	map_pool__exit(&pool);
}

/* Copies that are changed cost what was changed, not what there is: forks of large processes would take all memory. */
static void test_copies_share(void **state)
{
	enum { MAPS = 10000, COPIES = 2000, EACH = 4096 };
	struct map_pool pool = { NULL };
	struct maps *maps = maps__new(), *copy[COPIES];
	size_t before;

	for (u64 i = 1; i <= MAPS; i++)
		assert_int_equal(maps__insert(maps, &pool, &(struct map){ .start = i << 12, .end = (i << 12) + 16 }), 0);
	before = mallinfo2().uordblks;
	for (u64 i = 0; i < COPIES; i++) {
		copy[i] = maps__clone(i % 2 ? copy[i - 1] : maps);
		assert_int_equal(maps__version(copy[i]), maps__version(i % 2 ? copy[i - 1] : maps));
		assert_int_equal(maps__insert(copy[i], &pool, &(struct map){ .start = (i << 12) + 32, .end = (i << 12) + 48 }), 0);
	}
	assert_true(mallinfo2().uordblks - before < COPIES * EACH);
	for (u64 i = 0; i < COPIES; i++) {
		assert_non_null(maps__find(copy[i], (i << 12) + 32));
		assert_null(maps__find(maps, (i << 12) + 32));
		assert_non_null(maps__find(copy[i], MAPS << 12));
	}
	maps__put(maps);
	for (u64 i = 0; i < COPIES; i += 2) {
		assert_int_equal(maps__insert(copy[i], &pool, &(struct map){ .start = 1, .end = UINT64_MAX }), 0);
		assert_null(maps__next(copy[i], 1));
		assert_non_null(maps__next(copy[i + 1], 1));
	}
	for (u64 i = 0; i < COPIES; i++)
		maps__put(copy[i]);
	map_pool__exit(&pool);
}

static void insert_at(struct maps *maps, struct map_pool *pool, u64 start, u64 end)
{
	assert_int_equal(maps__insert(maps, pool, &(struct map){ .start = start, .end = end }), 0);
}

/* A version is that of all answers given so far. */
static void test_versions(void **state)
{
	struct map_pool pool = { NULL };
	struct maps *maps = maps__new(), *child;
	u32 first, second;

	insert_at(maps, &pool, 100, 200);
	first = maps__version(maps);
	assert_int_not_equal(first, 0);
	assert_non_null(maps__find(maps, 150));
	insert_at(maps, &pool, 300, 400); /* nobody has looked there */
	assert_int_equal(maps__version(maps), first);
	assert_null(maps__find(maps, 550));
	insert_at(maps, &pool, 600, 700);
	assert_int_equal(maps__version(maps), first);
	insert_at(maps, &pool, 500, 600);
	assert_int_not_equal(maps__version(maps), first);
	second = maps__version(maps);
	insert_at(maps, &pool, 350, 360); /* in place of another one */
	assert_int_not_equal(maps__version(maps), second);

	second = maps__version(maps);
	child = maps__clone(maps);
	assert_int_equal(maps__version(child), second);
	insert_at(child, &pool, 1000, 1100); /* which the other one does not have */
	assert_int_not_equal(maps__version(child), second);
	insert_at(maps, &pool, 2000, 2100);
	assert_int_not_equal(maps__version(maps), second);
	assert_int_not_equal(maps__version(maps), maps__version(child));

	second = maps__version(maps);
	for (u64 addr = 3000; addr < 3100; addr++)
		assert_null(maps__find(maps, addr));
	insert_at(maps, &pool, 3050, 3060);
	assert_int_not_equal(maps__version(maps), second);
	second = maps__version(maps);
	assert_int_equal(maps__remove(maps, &pool, 3050), 0);
	assert_int_not_equal(maps__version(maps), second);
	maps__put(maps);
	maps__put(child);
	map_pool__exit(&pool);
}

static void test_last_address(void **state)
{
	struct map_pool pool = { NULL };
	struct maps *maps = maps__new();
	struct map map = { .start = UINT64_MAX - 16, .end = UINT64_MAX };

	assert_int_equal(maps__insert(maps, &pool, &map), 0);
	assert_non_null(maps__find(maps, UINT64_MAX - 1));
	assert_null(maps__find(maps, UINT64_MAX));
	assert_null(maps__next(maps, UINT64_MAX));
	assert_null(maps__next(maps, map.start));
	assert_int_equal(maps__next(maps, 0)->start, map.start);
	maps__put(maps);
	map_pool__exit(&pool);
}

static void test_remove(void **state)
{
	struct map_pool pool = { NULL };
	struct maps *maps = maps__new();

	for (u64 i = 0; i < 3; i++) {
		struct map map = { .start = 100 * i, .end = 100 * i + 50 };

		assert_int_equal(maps__insert(maps, &pool, &map), 0);
	}
	assert_non_null(maps__find(maps, 120));
	assert_int_equal(maps__remove(maps, &pool, 110), 0); /* starts nowhere */
	assert_non_null(maps__find(maps, 120));
	assert_int_equal(maps__remove(maps, &pool, 100), 0);
	assert_null(maps__find(maps, 120));
	assert_int_equal(maps__find(maps, 220)->start, 200);
	assert_int_equal(maps__find(maps, 20)->start, 0);
	maps__put(maps);
	map_pool__exit(&pool);
}

/* Half a cache line for each of many processes' maps. */
_Static_assert(sizeof(struct map) <= 32, "what maps have in common belongs to struct mapped");

static void test_equal_things_are_shared(void **state)
{
	enum { MANY = 1000 };
	struct dso dso = { .index = 3 }, others[MANY] = {};
	const struct mapped of = { .dso = &dso, .prot = 5, .flags = 2, .ino = 7, .ino_known = true };
	struct mapped differs[] = { of, of, of, of, of };
	struct map_pool pool = { NULL };
	const struct mapped *first = map_pool__share(&pool, &of);

	assert_ptr_equal(map_pool__share(&pool, &of), first);
	differs[0].dso = &others[0];
	differs[1].prot = 1;
	differs[2].flags = 1;
	differs[3].ino = 8;
	differs[4].ino_known = false;
	for (size_t i = 0; i < ARRAY_SIZE(differs); i++) {
		const struct mapped *other = map_pool__share(&pool, &differs[i]);

		assert_ptr_not_equal(other, first);
		assert_memory_equal(other, &differs[i], sizeof(*other));
	}
	for (u32 i = 0; i < MANY; i++) {
		others[i] = (struct dso){ .index = i };
		assert_ptr_equal(map_pool__share(&pool, &(struct mapped){ .dso = &others[i] })->dso, &others[i]);
	}
	assert_ptr_equal(map_pool__share(&pool, &of)->dso, &dso); /* after all those, too */
	assert_int_equal(first->ino, 7);
	map_pool__exit(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_model),
		cmocka_unit_test(test_ended_maps_take_less),
		cmocka_unit_test(test_equal_things_are_shared),
		cmocka_unit_test(test_maps_of_others_are_not_listed),
		cmocka_unit_test(test_copies_share),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_last_address),
		cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests_name("machine/maps", tests, NULL, NULL);
}
