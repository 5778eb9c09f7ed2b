// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps what perf kwork watches busy: "switch N" makes two tasks on one CPU switch N times, "softirq N" sends N packets to itself, each of which
 * the softirq NET_RX delivers. Prints the CPU time of each in ns.
 */
#include <arpa/inet.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void echo(int in, int out, long n)
{
	char c = 0;

	while (n--) {
		check(read(in, &c, 1) == 1, "read");
		check(write(out, &c, 1) == 1, "write");
	}
}

static void switch_tasks(long n)
{
	int there[2], back[2];
	pid_t child;

	check(!pipe(there) && !pipe(back), "pipe");
	child = fork();
	check(child >= 0, "fork");
	if (!child) {
		echo(there[0], back[1], n / 2);
		_exit(0);
	}
	check(write(there[1], "", 1) == 1, "write");
	echo(back[0], there[1], n / 2 - 1);
	check(read(back[0], &(char){ 0 }, 1) == 1, "read");
	waitpid(child, NULL, 0);
}

static void send_packets(long n)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char c = 0;

	check(fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof(at)) && !getsockname(fd, (struct sockaddr *)&at, &len), "socket");
	while (n--) {
		check(sendto(fd, &c, 1, 0, (struct sockaddr *)&at, sizeof(at)) == 1, "sendto");
		check(recv(fd, &c, 1, 0) == 1, "recv");
	}
	close(fd);
}

int main(int argc, char **argv)
{
	cpu_set_t one;
	double begin;
	long n;

	if (argc != 3 || (n = atol(argv[2])) < 2)
		return 2;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	check(!sched_setaffinity(0, sizeof(one), &one), "sched_setaffinity");
	begin = now();
	if (!strcmp(argv[1], "switch"))
		switch_tasks(n);
	else
		send_packets(n);
	printf("%.1f\n", (now() - begin) / n);
	return 0;
}
