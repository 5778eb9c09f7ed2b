// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "kwork"

#include "cmd/kwork/record.h"

#include <stdlib.h>
#include <string.h>
#include "builtin.h"
#include "util/bpf_skel/kwork.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

/* Switches show when works sleep, so times of works need them; interrupts and softirqs are in the times of all others. */
static const char *const irq_events = "irq:irq_handler_entry,irq:irq_handler_exit";
static const char *const softirq_events = "irq:softirq_raise,irq:softirq_entry,irq:softirq_exit";
static const char *const work_events = "workqueue:workqueue_queue_work,workqueue:workqueue_activate_work,"
				       "workqueue:workqueue_execute_start,workqueue:workqueue_execute_end";
static const char *const switch_events = "sched:sched_switch";
static const char *const task_events = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new";

#define OF(class) (1U << (class))
#define ALL_CLASSES (OF(KWORK_NR_CLASSES) - 1)

static int record(const char *const *events, unsigned int nr, int argc, char **argv, const char *const *usages)
{
	static const char *const first[] = { "record", "-a", "-R", "-m", "1024", "-c", "1" };
	char **words = calloc(ARRAY_SIZE(first) + 2 * nr + argc + 1, sizeof(*words));
	int at = ARRAY_SIZE(first), ret;

	if (!words) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	memcpy(words, first, sizeof(first));
	for (unsigned int i = 0; i < nr; i++) {
		words[at++] = "-e";
		words[at++] = (char *)events[i];
	}
	memcpy(words + at, argv + 1, (argc - 1) * sizeof(*words));
	ret = cmd_record_as(at + argc - 1, words, usages);
	free(words);
	return ret;
}

int kwork_record(u32 classes, int argc, char **argv, const char *const *usages)
{
	const u32 wanted = classes ?: ALL_CLASSES;
	const char *events[4];
	unsigned int nr = 0;

	events[nr++] = irq_events;
	if (wanted != OF(KWORK_IRQ))
		events[nr++] = softirq_events;
	if (wanted & OF(KWORK_WORK))
		events[nr++] = work_events;
	if (wanted & OF(KWORK_TASK))
		events[nr++] = task_events;
	else if (wanted & OF(KWORK_WORK))
		events[nr++] = switch_events;
	return record(events, nr, argc, argv, usages);
}
