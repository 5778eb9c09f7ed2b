// SPDX-License-Identifier: GPL-2.0
#include "cmd/kwork/record.h"

#include "builtin.h"
#include "util/bpf_skel/kwork.h"

/* Switches show when works sleep, so times of works need them; interrupts and softirqs are in the times of all others. */
static const char *const irq_events = "irq:irq_handler_entry,irq:irq_handler_exit";
static const char *const softirq_events = "irq:softirq_raise,irq:softirq_entry,irq:softirq_exit";
static const char *const work_events = "workqueue:workqueue_queue_work,workqueue:workqueue_activate_work,"
				       "workqueue:workqueue_execute_start,workqueue:workqueue_execute_end";
static const char *const switch_events = "sched:sched_switch";
static const char *const tasklet_events = "irq:tasklet_entry,irq:tasklet_exit";
static const char *const timer_events = "timer:timer_expire_entry,timer:timer_expire_exit";
static const char *const hrtimer_events = "timer:hrtimer_expire_entry,timer:hrtimer_expire_exit";
/* Without irq_work, which the kernel does not let perf record: each record would cause the next one. */
static const char *const ipi_events = "irq_vectors:reschedule_entry,irq_vectors:reschedule_exit,"
				      "irq_vectors:call_function_entry,irq_vectors:call_function_exit,"
				      "irq_vectors:call_function_single_entry,irq_vectors:call_function_single_exit,"
				      "irq_vectors:local_timer_entry,irq_vectors:local_timer_exit";
static const char *const task_events = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new";

#define OF(class) (1U << (class))
#define DEFAULT_CLASSES (OF(KWORK_IRQ) | OF(KWORK_SOFTIRQ) | OF(KWORK_WORK) | OF(KWORK_TASK))

#define MAX_WORDS 32

static unsigned int add_events(const char **words, unsigned int nr, const char *events)
{
	words[nr++] = "-e";
	words[nr++] = events;
	return nr;
}

int kwork_record(u32 classes, int argc, char **argv, const char *const *usages)
{
	const u32 wanted = classes ?: DEFAULT_CLASSES;
	const char *words[MAX_WORDS] = { "record", "-a", "-R", "-m", "1024", "-c", "1" };
	unsigned int nr = 7;

	nr = add_events(words, nr, irq_events);
	if (wanted & ~(OF(KWORK_IRQ) | OF(KWORK_IPI)))
		nr = add_events(words, nr, softirq_events);
	if (wanted & OF(KWORK_WORK))
		nr = add_events(words, nr, work_events);
	if (wanted & OF(KWORK_TASK))
		nr = add_events(words, nr, task_events);
	else if (wanted & OF(KWORK_WORK))
		nr = add_events(words, nr, switch_events);
	if (wanted & OF(KWORK_TASKLET))
		nr = add_events(words, nr, tasklet_events);
	if (wanted & OF(KWORK_TIMER))
		nr = add_events(words, nr, timer_events);
	if (wanted & OF(KWORK_HRTIMER))
		nr = add_events(words, nr, hrtimer_events);
	if (wanted & OF(KWORK_IPI))
		nr = add_events(words, nr, ipi_events);
	return cmd_record_with(words, nr, argc, argv, usages);
}
