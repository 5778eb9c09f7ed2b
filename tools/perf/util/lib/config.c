// SPDX-License-Identifier: GPL-2.0
#include "util/lib/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "util/lib/array.h"

#define SYSTEM_PATH "/etc/perfconfig"

struct config_item {
	char *key, *value;
};

struct config {
	struct config_item *item;
	unsigned int nr;
};

static size_t word_length(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '-' || text[len] == '_')
		len++;
	return len;
}

bool config__is_key(const char *key)
{
	size_t section = word_length(key), name;

	if (!section || key[section] != '.')
		return false;
	name = word_length(key + section + 1);
	return name && !key[section + 1 + name];
}

static char *skip_blanks(char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool ends_line(const char *at)
{
	return !*at || *at == '#' || *at == ';';
}

/* Modify in place: remove quotes, backslashes, comments and trailing blanks. false: unterminated quote. */
static bool parse_value(char *at)
{
	char *to = at, *end = at;
	bool quoted = false;

	for (; *at && (quoted || !ends_line(at)); at++) {
		if (*at == '"') {
			quoted = !quoted;
			end = to;
			continue;
		}
		if (*at == '\\' && at[1])
			at++;
		*to++ = *at;
		if (quoted || !isspace((unsigned char)*at))
			end = to;
	}
	*end = '\0';
	return !quoted;
}

/* A parsed line. Text points into the line, which gets NULs. */
struct config_line {
	enum { LINE_EMPTY, LINE_SECTION, LINE_VALUE, LINE_WRONG } kind;
	char *name, *value;
};

static struct config_line parse_line(char *line)
{
	struct config_line l = { .kind = LINE_WRONG, .name = skip_blanks(line) };
	size_t len;
	char *at;

	if (ends_line(l.name))
		return (struct config_line){ .kind = LINE_EMPTY };
	if (*l.name == '[') {
		l.name = skip_blanks(l.name + 1);
		len = strcspn(l.name, " \t]");
		at = skip_blanks(l.name + len);
		if (*at == ']' && ends_line(skip_blanks(at + 1))) {
			l.name[len] = '\0';
			l.kind = LINE_SECTION;
		}
		return l;
	}
	len = word_length(l.name);
	at = skip_blanks(l.name + len);
	if (!len || (*at != '=' && !ends_line(at)))
		return l;
	l.value = *at == '=' ? skip_blanks(at + 1) : (char *)"";
	if (*at == '=' && !parse_value(l.value))
		return l;
	l.name[len] = '\0';
	l.kind = LINE_VALUE;
	return l;
}

static int config__add(struct config *config, const char *section, const struct config_line *line)
{
	struct config_item *item;

	if (array__extend(config->item, config->nr))
		return -ENOMEM;
	item = &config->item[config->nr];
	item->value = strdup(line->value);
	if (!item->value || asprintf(&item->key, "%s.%s", section, line->name) < 0) {
		free(item->value);
		return -ENOMEM;
	}
	config->nr++;
	return 0;
}

static int config__read_lines(struct config *config, FILE *fp, const char *path, struct errmsg *err)
{
	char *line = NULL, *section = NULL;
	unsigned int number = 0;
	size_t room = 0;
	int ret = 0;

	while (!ret && getline(&line, &room, fp) >= 0) {
		const struct config_line l = parse_line(line);

		number++;
		if (l.kind == LINE_SECTION) {
			free(section);
			section = strdup(l.name);
			ret = section ? 0 : errmsg__set(err, ENOMEM, "out of memory");
		} else if (l.kind == LINE_VALUE && section) {
			ret = config__add(config, section, &l) ? errmsg__set(err, ENOMEM, "out of memory") : 0;
		} else if (l.kind != LINE_EMPTY) {
			ret = errmsg__set(err, EINVAL, "%s, line %u: neither [section] nor, below one, name = value", path, number);
		}
	}
	if (!ret && ferror(fp))
		ret = errmsg__set(err, EIO, "%s cannot be read", path);
	free(section);
	free(line);
	return ret;
}

/* Options can make perf run programs and write files: nobody else may set them. PERF_CONFIG=/dev/null means no configuration. */
static bool is_trusted(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)) && (!st.st_uid || st.st_uid == geteuid()) &&
	       (S_ISCHR(st.st_mode) || !(st.st_mode & S_IWOTH));
}

static int config__read_file(struct config *config, const char *path, void (*note)(const char *text), struct errmsg *err)
{
	/* O_NONBLOCK: do not wait for a fifo. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;
	FILE *fp;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errmsg__set(err, errno, "%s: %s", path, strerror(errno));
	if (!is_trusted(fd)) {
		struct errmsg text;

		close(fd);
		errmsg__set(&text, EPERM, "%s is left out: it is not a file, belongs to another user, or anybody may write to it", path);
		note(text.text);
		return 0;
	}
	fp = fdopen(fd, "r");
	if (!fp) {
		close(fd);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	ret = config__read_lines(config, fp, path, err);
	fclose(fp);
	return ret;
}

static const char *user_path(char *buf, size_t size)
{
	const char *named = getenv("PERF_CONFIG"), *home = getenv("HOME");

	if (named)
		return named;
	if (!home || (size_t)snprintf(buf, size, "%s/.perfconfig", home) >= size)
		return NULL;
	return buf;
}

int config__read(enum config_which which, void (*note)(const char *text), struct config **out, struct errmsg *err)
{
	struct config *config = calloc(1, sizeof(*config));
	char buf[PATH_MAX];
	const char *user = user_path(buf, sizeof(buf));
	int ret = 0;

	if (!config)
		return errmsg__set(err, ENOMEM, "out of memory");
	if (which == CONFIG_SYSTEM || (which == CONFIG_ALL && !getenv("PERF_CONFIG")))
		ret = config__read_file(config, SYSTEM_PATH, note, err);
	if (!ret && which != CONFIG_SYSTEM && user)
		ret = config__read_file(config, user, note, err);
	if (ret)
		config__delete(config);
	else
		*out = config;
	return ret;
}

void config__delete(struct config *config)
{
	for (unsigned int i = 0; config && i < config->nr; i++) {
		free(config->item[i].key);
		free(config->item[i].value);
	}
	if (config)
		free(config->item);
	free(config);
}

const char *config__get(const struct config *config, const char *key)
{
	for (unsigned int i = config->nr; i--;) {
		if (!strcmp(config->item[i].key, key))
			return config->item[i].value;
	}
	return NULL;
}

int config__bool(const char *value, bool *on)
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on" };
	char *end;
	long number;

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(value, words[i])) {
			*on = i % 2;
			return 0;
		}
	}
	number = strtol(value, &end, 10);
	if (*end)
		return -EINVAL;
	*on = !*value || number;
	return 0;
}

int config__for_each(const struct config *config, int (*cb)(const char *key, const char *value, void *data), void *data)
{
	int ret = 0;

	for (unsigned int i = 0; i < config->nr && !ret; i++)
		ret = cb(config->item[i].key, config->item[i].value, data);
	return ret;
}

/* Setting */

static void put_value(FILE *out, const char *name, const char *value)
{
	bool quoted = !*value || value[strcspn(value, "#;\"\\")] || isspace((unsigned char)*value) ||
		      isspace((unsigned char)value[strlen(value) - 1]);

	fprintf(out, "\t%s = %s", name, quoted ? "\"" : "");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	fprintf(out, "%s\n", quoted ? "\"" : "");
}

/*
 * Copy the file; the value replaces its last occurrence, or goes to the end of its section, or into a new section. Two passes, as
 * the last occurrence is known only at the end.
 */
static int place_of(FILE *in, const char *section, const char *name, unsigned int *replace, unsigned int *behind)
{
	char *line = NULL;
	bool inside = false;
	size_t room = 0;

	*replace = *behind = 0;
	for (unsigned int number = 1; getline(&line, &room, in) >= 0; number++) {
		const struct config_line l = parse_line(line);

		if (l.kind == LINE_SECTION)
			inside = !strcmp(l.name, section);
		if (inside && (l.kind == LINE_SECTION || l.kind == LINE_VALUE))
			*behind = number;
		if (inside && l.kind == LINE_VALUE && !strcmp(l.name, name))
			*replace = number;
	}
	free(line);
	rewind(in);
	return ferror(in) ? -EIO : 0;
}

static int rewrite(FILE *in, FILE *out, const char *key, const char *value)
{
	size_t section_len = strcspn(key, ".");
	const char *name = key + section_len + 1;
	char *section = strndup(key, section_len), *line = NULL;
	unsigned int number = 0, replace = 0, behind = 0;
	size_t room = 0;
	int ret = section ? 0 : -ENOMEM;

	if (!ret && in)
		ret = place_of(in, section, name, &replace, &behind);
	while (!ret && in && getline(&line, &room, in) >= 0) {
		number++;
		if (number != replace) {
			fputs(line, out);
			if (!strchr(line, '\n'))
				fputc('\n', out);
		}
		if (number == (replace ?: behind))
			put_value(out, name, value);
	}
	if (!ret && !replace && !behind) {
		fprintf(out, "[%s]\n", section);
		put_value(out, name, value);
	}
	free(line);
	free(section);
	return ret ?: ferror(out) ? -EIO : 0;
}

int config__set(enum config_which which, const char *key, const char *value, struct errmsg *err)
{
	char buf[PATH_MAX], *scratch = NULL;
	const char *path = which == CONFIG_SYSTEM ? SYSTEM_PATH : user_path(buf, sizeof(buf));
	FILE *in, *out = NULL;
	int fd = -1, ret = 0;
	struct stat st;

	if (!path || asprintf(&scratch, "%s.XXXXXX", path) < 0)
		return errmsg__set(err, EINVAL, "cannot find your .perfconfig: $HOME is not set");
	/* A new file gets its name: do not replace a device, a link or anything else that is there. */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode)) {
		free(scratch);
		return errmsg__set(err, EINVAL, "%s is not a regular file, and stays as it is", path);
	}
	in = fopen(path, "re");
	if (!in && errno != ENOENT)
		ret = -errno;
	if (!ret) {
		fd = mkostemp(scratch, O_CLOEXEC);
		out = fd < 0 ? NULL : fdopen(fd, "w");
		ret = out ? rewrite(in, out, key, value) : -errno;
	}
	if (out && !ret && fchmod(fd, 0644))
		ret = -errno;
	if (out && fclose(out) && !ret)
		ret = -errno;
	if (!ret && rename(scratch, path))
		ret = -errno;
	if (ret && fd >= 0)
		unlink(scratch);
	if (in)
		fclose(in);
	free(scratch);
	return ret ? errmsg__set(err, -ret, "cannot set it in %s: %s", path, strerror(-ret)) : 0;
}
