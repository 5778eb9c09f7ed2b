// SPDX-License-Identifier: GPL-2.0
/* The users and groups with pinned filters. */
#include "util/judge/filter-pins.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf_skel/filter-shared.build.h"

/* Parse a plain number; -1 is no id: system calls take it for "keep" */
static bool parse_id(const char *text, id_t *id)
{
	unsigned long value;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*id = value;
	return !errno && !*end && value < (id_t)-1;
}

static bool find_user(const char *name, id_t *id)
{
	const struct passwd *user = getpwnam(name);

	if (!user)
		return parse_id(name, id);
	*id = user->pw_uid;
	return true;
}

static bool find_group(const char *name, id_t *id)
{
	const struct group *group = getgrnam(name);

	if (!group)
		return parse_id(name, id);
	*id = group->gr_gid;
	return true;
}

int filter_owner__parse(const char *text, struct filter_owner *owner, struct errmsg *err)
{
	const char *sudo_uid = getenv("SUDO_UID");

	*owner = (struct filter_owner){ 0 };
	if (!text) {
		if (sudo_uid && parse_id(sudo_uid, &owner->id))
			return 0;
		return errmsg__set(err, EINVAL, "Name a user or a group to prepare filters for: --setup-filter pin=USER or pin=@GROUP");
	}
	if (*text == '@') {
		owner->group = true;
		if (find_group(text + 1, &owner->id))
			return 0;
		return errmsg__set(err, EINVAL, "There is no group \"%s\": see getent group", text + 1);
	}
	if (find_user(text, &owner->id))
		return 0;
	return errmsg__set(err, EINVAL, "There is no user \"%s\": see getent passwd. A group is written @GROUP", text);
}

const char *filter_owner__name(const struct filter_owner *owner, char *buf, size_t size)
{
	const struct passwd *user = owner->group ? NULL : getpwuid(owner->id);
	const struct group *group = owner->group ? getgrgid(owner->id) : NULL;
	const char *name = user ? user->pw_name : group ? group->gr_name : NULL;

	if (name)
		snprintf(buf, size, "%s%s", owner->group ? "@" : "", name);
	else
		snprintf(buf, size, "%s%u", owner->group ? "@" : "", owner->id);
	return buf;
}

char *filter_owner__dir(const struct filter_owner *owner, char buf[PATH_MAX])
{
	size_t len;

	if (owner->place)
		len = snprintf(buf, PATH_MAX, "/proc/self/fd/%d", owner->place);
	else
		len = snprintf(buf, PATH_MAX, FILTER_PINS_DIR);
	snprintf(buf + len, PATH_MAX - len, "/%s-%u", owner->group ? "group" : "user", owner->id);
	return buf;
}

char *filter_owner__object(const struct filter_owner *owner, unsigned int slot, const char *object, char buf[PATH_MAX])
{
	size_t len = strlen(filter_owner__dir(owner, buf));

	snprintf(buf + len, PATH_MAX - len, "/" FILTER_SHARED_BUILD "/%u/%s", slot, object);
	return buf;
}
