// SPDX-License-Identifier: GPL-2.0
#include "util/run/hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/lib/clock.h"

#define UEVENT_SIZE 8192 /* more than the kernel makes one */
#define FROM_KERNEL 1	 /* the group of messages that have not gone through udev */

static const char *after(const char *text, const char *prefix)
{
	const size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

/* ACTION@DEVPATH and a NUL, then what is in there as NAME=VALUE */
int uevent__cpu(const char *message, size_t size, bool *online)
{
	const char *number;
	char *end;
	long cpu;

	if (!memchr(message, '\0', size))
		return -1;
	number = after(message, "online@/devices/system/cpu/cpu");
	*online = number;
	number = number ?: after(message, "offline@/devices/system/cpu/cpu");
	if (!number || *number < '0' || *number > '9')
		return -1;
	cpu = strtol(number, &end, 10);
	return *end || cpu > 1000000 ? -1 : cpu;
}

static int open_uevents(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = FROM_KERNEL };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || !bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

int hotplug__init(struct hotplug *h)
{
	h->first = cpumap__online(NULL);
	if (!h->first)
		return 0;
	h->gone_at = calloc(h->first->nr, sizeof(*h->gone_at));
	if (!h->gone_at)
		return -ENOMEM;
	h->fd = open_uevents();
	return 0;
}

void hotplug__exit(struct hotplug *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	free(h->first);
	free(h->gone_at);
	h->first = NULL;
	h->gone_at = NULL;
}

static u64 *gone_at(const struct hotplug *h, int cpu)
{
	for (int i = 0; i < h->first->nr; i++) {
		if (h->first->cpu[i] == cpu)
			return &h->gone_at[i];
	}
	return NULL;
}

static enum hotplug_change hotplug__note(const struct hotplug *h, int cpu, bool online, u64 *ns)
{
	const u64 now = clock__ns(CLOCK_MONOTONIC);
	u64 *gone = gone_at(h, cpu);

	if (gone && !online)
		*gone = now;
	if (!online)
		return HOTPLUG_NONE;
	if (!gone)
		return HOTPLUG_NEW;
	*ns = *gone ? now - *gone : 0;
	*gone = 0;
	return HOTPLUG_BACK;
}

/* Of a message: its size; 0: none is left. Others than the kernel cannot be trusted. */
static ssize_t receive(int fd, char *message, bool *is_of_kernel)
{
	struct sockaddr_nl from = { 0 };
	socklen_t len = sizeof(from);
	ssize_t size;

	do
		size = recvfrom(fd, message, UEVENT_SIZE, 0, (struct sockaddr *)&from, &len);
	while (size < 0 && (errno == EINTR || errno == ENOBUFS));
	*is_of_kernel = !from.nl_pid;
	return size < 0 ? 0 : size;
}

enum hotplug_change hotplug__next(struct hotplug *h, int *cpu, u64 *ns)
{
	enum hotplug_change change = HOTPLUG_NONE;
	char message[UEVENT_SIZE];
	bool is_of_kernel, online;
	ssize_t size;

	while (change == HOTPLUG_NONE && (size = receive(h->fd, message, &is_of_kernel)) > 0) {
		*cpu = is_of_kernel ? uevent__cpu(message, size, &online) : -1;
		if (*cpu >= 0)
			change = hotplug__note(h, *cpu, online, ns);
	}
	return change;
}
