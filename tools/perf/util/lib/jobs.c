// SPDX-License-Identifier: GPL-2.0
#include "util/lib/jobs.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <utlist.h>

#include "util/lib/threads.h"

#define MAX_THREADS 8

struct job {
	void (*run)(void *arg);
	void *arg;
	u8 weight;
	bool done;
	struct job *next, *prev;
};

struct jobs {
	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t added, done;
	struct job *waiting, *begun; /* lists; finished jobs stay in begun until jobs__finish() */
	bool end;
	u32 nr_threads;
	pthread_t thread[MAX_THREADS];
};

struct jobs *jobs__new(void)
{
	struct jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		return NULL;
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->added, NULL);
	pthread_cond_init(&jobs->done, NULL);
	return jobs;
}

/* Locked; unlocked while the job runs. */
static void run_job(struct jobs *jobs, struct job *job)
{
	DL_DELETE(jobs->waiting, job);
	DL_APPEND(jobs->begun, job);
	pthread_mutex_unlock(&jobs->lock);
	job->run(job->arg);
	pthread_mutex_lock(&jobs->lock);
	job->done = true;
	pthread_cond_broadcast(&jobs->done);
}

static void *run_all(void *data)
{
	struct jobs *jobs = data;

	pthread_mutex_lock(&jobs->lock);
	while (!jobs->end) {
		if (jobs->waiting)
			run_job(jobs, jobs->waiting);
		else
			pthread_cond_wait(&jobs->added, &jobs->lock);
	}
	pthread_mutex_unlock(&jobs->lock);
	return NULL;
}

static void delete_all(struct job *list)
{
	struct job *job, *next;

	DL_FOREACH_SAFE(list, job, next)
		free(job);
}

void jobs__delete(struct jobs *jobs)
{
	if (!jobs)
		return;
	pthread_mutex_lock(&jobs->lock);
	jobs->end = true;
	pthread_cond_broadcast(&jobs->added);
	pthread_mutex_unlock(&jobs->lock);
	for (u32 i = 0; i < jobs->nr_threads; i++)
		pthread_join(jobs->thread[i], NULL);
	delete_all(jobs->waiting);
	delete_all(jobs->begun);
	pthread_cond_destroy(&jobs->done);
	pthread_cond_destroy(&jobs->added);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs);
}

/* One for each CPU except the caller's. */
static void start_threads(struct jobs *jobs)
{
	u32 nr = threads__nr_cpus() - 1;

	while (jobs->nr_threads < nr && jobs->nr_threads < MAX_THREADS &&
	       !threads__start(&jobs->thread[jobs->nr_threads], run_all, jobs))
		jobs->nr_threads++;
}

static void add_by_weight(struct jobs *jobs, struct job *job)
{
	struct job *at;

	DL_FOREACH(jobs->waiting, at) {
		if (at->weight < job->weight)
			break;
	}
	if (at)
		DL_PREPEND_ELEM(jobs->waiting, at, job);
	else
		DL_APPEND(jobs->waiting, job);
}

struct job *jobs__add(struct jobs *jobs, void (*run)(void *arg), void *arg, u8 weight)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->run = run;
	job->arg = arg;
	job->weight = weight;
	pthread_mutex_lock(&jobs->lock);
	add_by_weight(jobs, job);
	pthread_mutex_unlock(&jobs->lock);
	return job;
}

void jobs__begin(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	if (!jobs->nr_threads)
		start_threads(jobs);
	pthread_cond_broadcast(&jobs->added);
	pthread_mutex_unlock(&jobs->lock);
}

static bool is_waiting(const struct jobs *jobs, const struct job *job)
{
	const struct job *at;

	DL_FOREACH(jobs->waiting, at) {
		if (at == job)
			return true;
	}
	return false;
}

/* While another thread runs it, run other waiting jobs. */
void jobs__finish(struct jobs *jobs, struct job *job)
{
	pthread_mutex_lock(&jobs->lock);
	if (is_waiting(jobs, job))
		run_job(jobs, job);
	while (!job->done) {
		if (jobs->waiting)
			run_job(jobs, jobs->waiting);
		else
			pthread_cond_wait(&jobs->done, &jobs->lock);
	}
	DL_DELETE(jobs->begun, job);
	pthread_mutex_unlock(&jobs->lock);
	free(job);
}
