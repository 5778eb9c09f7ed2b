// SPDX-License-Identifier: GPL-2.0
#include "util/lib/clock.h"
#include "util/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* What the run has asked for and noted, a line each */
static char said[2048];

static void say(const char *text)
{
	size_t len = strlen(said);

	snprintf(said + len, sizeof(said) - len, "%s\n", text);
}

static void take_note(void *data, const char *text)
{
	say(text);
}

static int enable_ret;

static int enable(void *data, bool on, struct errmsg *err)
{
	if (enable_ret)
		return errmsg__set(err, -enable_ret, "cannot enable");
	say(on ? "on" : "off");
	return 0;
}

static const char *const events[] = { "cycles", "faults" };

static const char *event_name(void *data, unsigned int event)
{
	return event < ARRAY_SIZE(events) ? events[event] : NULL;
}

static int switch_event(void *data, unsigned int event, bool on, struct errmsg *err)
{
	say(on ? "one on" : "one off");
	say(events[event]);
	return 0;
}

static void take_signal(void *data)
{
	say("signal");
}

static const struct run_ops ops = {
	.enable = enable,
	.switch_event = switch_event,
	.event_name = event_name,
	.signal = take_signal,
};

static struct run *start(struct run_opts opts)
{
	struct errmsg err = { "" };
	struct run *run;

	said[0] = '\0';
	opts.note = take_note;
	assert_int_equal(run__new(&opts, &ops, NULL, &run, &err), 0);
	assert_int_equal(run__prepare(run, &err), 0);
	assert_int_equal(run__start(run, &err), 0);
	return run;
}

static int finish(struct run *run)
{
	int code;

	assert_int_equal(run__watch(run, NULL), 0);
	code = run__finish(run);
	run__delete(run);
	return code;
}

static void ends_with_the_command(void **state)
{
	char *fails[] = { (char *)"sh", (char *)"-c", (char *)"exit 7", NULL };

	assert_int_equal(finish(start((struct run_opts){ .argv = fails })), 7);
	assert_string_equal(said, ""); /* nothing was switched */
}

static void a_command_that_cannot_run_is_an_error(void **state)
{
	char *none[] = { (char *)"no-such-command-of-ours", NULL };
	struct run_opts opts = { .argv = none };
	struct errmsg err = { "" };
	struct run *run;

	assert_int_equal(run__new(&opts, &ops, NULL, &run, &err), 0);
	assert_int_equal(run__prepare(run, &err), 0);
	assert_int_equal(run__start(run, &err), -ENOENT);
	assert_string_equal(err.text, "Failed to run 'no-such-command-of-ours': No such file or directory");
	run__delete(run);
}

static void a_wrong_target_is_an_error(void **state)
{
	struct errmsg err = { "" };
	struct run *run;

	assert_int_equal(run__new(&(struct run_opts){ .pids = "x" }, &ops, NULL, &run, &err), -EINVAL);
	assert_null(run);
	run__delete(run);
}

static void the_target_is_known(void **state)
{
	char self[16], *command[] = { (char *)"true", NULL };
	struct errmsg err;
	struct run *run;
	int nr;

	snprintf(self, sizeof(self), "%d", getpid());
	assert_int_equal(run__new(&(struct run_opts){ .pids = self, .argv = command }, &ops, NULL, &run, &err), 0);
	assert_false(run__follows_command(run));
	assert_int_equal(*run__tids(run, &nr), getpid());
	assert_int_equal(run__target(run)->nr_pids, 1);
	run__delete(run);
	assert_int_equal(run__new(&(struct run_opts){ .argv = command }, &ops, NULL, &run, &err), 0);
	assert_true(run__follows_command(run));
	assert_int_equal(run__prepare(run, &err), 0);
	assert_int_equal(kill(*run__tids(run, &nr), 0), 0); /* it is there, and waits */
	assert_int_equal(nr, 1);
	run__delete(run); /* it is none of ours any more */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(run__new(&(struct run_opts){ .argv = command, .system_wide = true }, &ops, NULL, &run, &err), 0);
	assert_false(run__follows_command(run));
	run__tids(run, &nr);
	assert_int_equal(nr, 0);
	run__delete(run);
}

static void ends_with_a_signal(void **state)
{
	char *sleeps[] = { (char *)"sleep", (char *)"1000", NULL };
	struct run *run = start((struct run_opts){ .argv = sleeps });

	raise(SIGINT);
	assert_int_equal(finish(run), 128 + SIGINT);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the command has ended, too */
}

/* In a child, which writes to a pipe that nobody reads, and gets signals. Returns its status as of waitpid(2). reads: somebody does in the end */
static int write_to_nobody(const int *signos, bool reads)
{
	struct timespec pause = { .tv_sec = 1, .tv_nsec = 400000000 };
	char room[1 << 17] = { 0 };
	int data[2], status;
	pid_t pid;

	assert_int_equal(pipe(data), 0);
	pid = fork();
	if (!pid) {
		struct run *run = start((struct run_opts){ .system_wide = true });

		close(STDERR_FILENO);
		if (write(data[1], room, sizeof(room)) < 0)
			_exit(1);
		_exit(finish(run));
	}
	for (; *signos; signos++) {
		nanosleep(&pause, NULL);
		kill(pid, *signos);
	}
	nanosleep(&pause, NULL);
	close(data[1]);
	while (reads && read(data[0], room, sizeof(room)) > 0)
		;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(data[0]);
	return status;
}

static void a_signal_waits_for_a_reader(void **state)
{
	const int one[] = { SIGTERM, 0 };
	const int status = write_to_nobody(one, true);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
}

static void two_signals_end_who_is_stuck(void **state)
{
	const int two[] = { SIGINT, SIGTERM, 0 };
	const int status = write_to_nobody(two, false);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* Long work is none: what perf has is completed. */
static void signals_do_not_end_who_works(void **state)
{
	const struct timespec pause = { .tv_sec = 1, .tv_nsec = 400000000 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct run *run = start((struct run_opts){ .system_wide = true });

		for (u64 end = clock__ns(CLOCK_MONOTONIC) + 5000000000ULL; clock__ns(CLOCK_MONOTONIC) < end;)
			;
		_exit(finish(run));
	}
	for (int i = 0; i < 3; i++) {
		nanosleep(&pause, NULL);
		kill(pid, SIGINT);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
}

static void another_signal_is_told(void **state)
{
	struct run *run = start((struct run_opts){ .signo = SIGUSR2 });

	raise(SIGUSR2);
	raise(SIGTERM);
	assert_int_equal(finish(run), 128 + SIGTERM);
	assert_string_equal(said, "signal\n");
}

static void events_count_in_spans(void **state)
{
	static const struct run_span spans[] = { { 0, 1 }, { 2, 5 } };
	struct run *run = start((struct run_opts){ .spans = spans, .nr_spans = 2 });

	assert_true(run__starts_disabled(run));
	assert_int_equal(finish(run), 0); /* with the last span */
	assert_string_equal(said, "Events disabled\non\nEvents enabled\noff\nEvents disabled\n"
			    "on\nEvents enabled\noff\nEvents disabled\n");
}

static void spans_can_be_silent(void **state)
{
	static const struct run_span spans[] = { { 0, 1 } };
	struct run *run = start((struct run_opts){ .spans = spans, .nr_spans = 1, .silent_switches = true });

	assert_int_equal(finish(run), 0);
	assert_string_equal(said, "on\noff\n");
}

static void events_that_cannot_be_enabled_end_the_run(void **state)
{
	static const struct run_span spans[] = { { 0, 0 } };
	struct run_control control = { .ack_fd = -1 };
	struct errmsg err = { "" };
	struct run *run;
	int in[2];

	assert_int_equal(run__new(&(struct run_opts){ .spans = spans, .nr_spans = 1 }, &ops, NULL, &run, &err), 0);
	assert_int_equal(run__prepare(run, &err), 0);
	enable_ret = -EIO;
	assert_int_equal(run__start(run, &err), -EIO);
	assert_string_equal(err.text, "cannot enable");
	run__delete(run);
	/* The same by a command, in the loop */
	assert_int_equal(pipe(in), 0);
	control.fd = in[0];
	run = start((struct run_opts){ .control = &control, .start_disabled = true });
	assert_int_equal(write(in[1], "enable\n", 7), 7);
	assert_int_equal(run__watch(run, &err), -EIO);
	enable_ret = 0;
	run__delete(run);
	close(in[0]);
	close(in[1]);
}

static void spans_are_parsed(void **state)
{
	static const char *const wrong[] = { "", "-", "x", "1-", "5-5", "5-4", "1-2,", "1-5,4-6", "1-2 ", "-1", "1,2", "99999999999" };
	struct run_span spans[RUN_MAX_SPANS];
	char many[16 * (RUN_MAX_SPANS + 1)] = "1-2";

	assert_int_equal(run_spans__parse("0", spans), 0);
	assert_int_equal(run_spans__parse("100", spans), 1);
	assert_int_equal(spans[0].from, 100);
	assert_int_equal(spans[0].to, 0);
	assert_int_equal(run_spans__parse("10-20,20-40", spans), 2);
	assert_int_equal(spans[1].from, 20);
	assert_int_equal(spans[1].to, 40);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(run_spans__parse(wrong[i], spans), -EINVAL);
	for (unsigned int i = 1; i < RUN_MAX_SPANS; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",%u-%u", 2 * i + 1, 2 * i + 2);
	assert_int_equal(run_spans__parse(many, spans), RUN_MAX_SPANS);
	strcat(many, ",5000-5001");
	assert_int_equal(run_spans__parse(many, spans), -EINVAL);
}

/* Hand the commands to a run in these two pieces; *answers gets what it answers. */
static int order(const char *first, const char *second, char *answers, size_t size)
{
	int in[2], out[2], code;
	struct run_control control;
	struct run *run;
	ssize_t n;

	assert_int_equal(pipe(in) | pipe(out), 0);
	control = (struct run_control){ in[0], out[1] };
	run = start((struct run_opts){ .control = &control, .start_disabled = true });
	assert_int_equal(write(in[1], first, strlen(first)), strlen(first));
	assert_int_equal(write(in[1], second, strlen(second)), strlen(second));
	code = finish(run);
	close(out[1]);
	n = read(out[0], answers, size - 1);
	answers[n > 0 ? n : 0] = '\0';
	close(in[0]);
	close(in[1]);
	close(out[0]);
	return code;
}

static void commands_are_obeyed(void **state)
{
	char answers[64], line[400];

	assert_int_equal(order("enable\ndisable fau", "lts\n\nevlist\nping\nenable cycles\ndisable\nstop\n", answers, sizeof(answers)), 0);
	assert_string_equal(answers, "ack\nack\nack\nack\nack\nack\nack\n");
	assert_string_equal(said, "Events disabled\non\nEvents enabled\none off\nfaults\nEvent faults disabled\ncycles\nfaults\n"
			    "one on\ncycles\nEvent cycles enabled\noff\nEvents disabled\n");
	/* What is not known is not answered. */
	order("ping me\nenabled\nenable instructions\n", "stop\n", answers, sizeof(answers));
	assert_string_equal(answers, "ack\n");
	assert_string_equal(said, "Events disabled\n--control: unknown command, or unknown event: ping me\n"
			    "--control: unknown command, or unknown event: enabled\n"
			    "--control: unknown command, or unknown event: enable instructions\n");
	/* A long line is none, though its end looks like one. */
	memset(line, 'x', sizeof(line));
	strcpy(line + sizeof(line) - 6, "stop\n");
	order(line, "stop\n", answers, sizeof(answers));
	assert_string_equal(answers, "ack\n");
}

static void control_may_be_closed(void **state)
{
	struct run_control control = { .ack_fd = -1 };
	int in[2];
	struct run *run;

	assert_int_equal(pipe(in), 0);
	control.fd = in[0];
	run = start((struct run_opts){ .control = &control });
	assert_int_equal(write(in[1], "ping\n", 5), 5);
	close(in[1]);
	raise(SIGTERM);
	assert_int_equal(finish(run), 128 + SIGTERM);
	close(in[0]);
}

static void control_is_opened(void **state)
{
	static const char *const wrong[] = { "", "0", "fd:", "fd:x", "fd:0,", "fd:0,1,2", "fd:99999999999", "fd:987654", "fd:0,987654",
		"fifo:/dev/null", "fifo:/nowhere/at/all" };
	char dir[] = "/tmp/perf-unit-XXXXXX", fifo[64], text[192];
	struct run_control c;
	struct errmsg err;

	assert_int_equal(run_control__open(&c, "fd:0", &err), 0);
	assert_int_equal(c.fd, 0);
	assert_int_equal(c.ack_fd, -1);
	assert_int_equal(run_control__open(&c, "fd:0,1", &err), 0);
	assert_int_equal(c.ack_fd, 1);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		err.text[0] = '\0';
		assert_true(run_control__open(&c, wrong[i], &err) < 0);
		assert_int_equal(strncmp(err.text, "--control", 9), 0);
	}
	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	snprintf(text, sizeof(text), "fifo:%s,%s", fifo, fifo);
	assert_int_equal(run_control__open(&c, text, &err), 0);
	assert_true(c.fd >= 0 && c.ack_fd >= 0);
	close(c.fd);
	close(c.ack_fd);
	snprintf(text, sizeof(text), "fifo:%s,%s", fifo, dir);
	assert_true(run_control__open(&c, text, &err) < 0);
	unlink(fifo);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_with_the_command),
		cmocka_unit_test(a_command_that_cannot_run_is_an_error),
		cmocka_unit_test(a_wrong_target_is_an_error),
		cmocka_unit_test(the_target_is_known),
		cmocka_unit_test(ends_with_a_signal),
		cmocka_unit_test(a_signal_waits_for_a_reader),
		cmocka_unit_test(two_signals_end_who_is_stuck),
		cmocka_unit_test(signals_do_not_end_who_works),
		cmocka_unit_test(another_signal_is_told),
		cmocka_unit_test(events_count_in_spans),
		cmocka_unit_test(spans_can_be_silent),
		cmocka_unit_test(events_that_cannot_be_enabled_end_the_run),
		cmocka_unit_test(spans_are_parsed),
		cmocka_unit_test(commands_are_obeyed),
		cmocka_unit_test(control_may_be_closed),
		cmocka_unit_test(control_is_opened),
	};

	return cmocka_run_group_tests_name("run/run", tests, NULL, NULL);
}
