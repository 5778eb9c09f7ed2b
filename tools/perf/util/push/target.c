// SPDX-License-Identifier: GPL-2.0
#include "util/push/target.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"

static const struct {
	const char *name, *path, *content_type;
	bool gzipped;
} kinds[PUSH_NR_KINDS] = {
	[PUSH_PYROSCOPE] = { "pyroscope", "/push.v1.PusherService/Push", "application/proto", false },
	[PUSH_INGEST] = { "ingest", "/ingest", "application/octet-stream", false },
	[PUSH_OTLP] = { "otlp", "/v1development/profiles", "application/x-protobuf", true },
};

static const struct scheme {
	const char *name;
	enum push_kind kind;
	bool tls;
} schemes[] = {
	{ "pyroscope+http://", PUSH_PYROSCOPE, false },
	{ "pyroscope+https://", PUSH_PYROSCOPE, true },
	{ "otlp+http://", PUSH_OTLP, false },
	{ "otlp+https://", PUSH_OTLP, true },
};

const char *push_target__scheme(unsigned int i)
{
	return i < ARRAY_SIZE(schemes) ? schemes[i].name : NULL;
}

const char *push_kind__name(enum push_kind kind)
{
	return kinds[kind].name;
}

const char *push_kind__content_type(enum push_kind kind)
{
	return kinds[kind].content_type;
}

bool push_kind__is_gzipped(enum push_kind kind)
{
	return kinds[kind].gzipped;
}

static const struct scheme *find_scheme(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		if (!strncmp(text, schemes[i].name, strlen(schemes[i].name)))
			return &schemes[i];
	}
	return NULL;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	return len >= strlen(end) && !strncmp(text + len - strlen(end), end, strlen(end));
}

/* Of host[:port], in this many bytes. There may be colons in brackets, too: [::1] */
static bool is_port_wrong(const char *place, size_t len)
{
	const char *colon = memrchr(place, ':', len);
	char *end;

	if (!colon || memchr(colon, ']', place + len - colon))
		return false;
	return !isdigit((unsigned char)colon[1]) || strtoul(colon + 1, &end, 10) - 1 >= 65535 || end != place + len;
}

/* What is wrong with the text after the scheme; NULL: nothing. */
static const char *wrong_place(const char *place)
{
	size_t host = strcspn(place, "/?#");

	if (memchr(place, '@', host))
		return "--push: no name and password in the URL, where everybody can read them. Put them into the environment: "
		       "PERF_PUSH_HEADERS='Authorization=Basic ...'";
	if (place[strcspn(place, "?#")])
		return "--push: the URL ends with its path. What a receiver needs besides goes into the environment, PERF_PUSH_HEADERS";
	if (!host || place[0] == ':')
		return "--push: the URL names no host";
	if (is_port_wrong(place, host))
		return "--push: the port in the URL, behind the colon, is a number from 1 to 65535";
	for (; *place; place++) {
		if (!isgraph((unsigned char)*place) || strchr("\"\\<>^`{|}", *place))
			return "--push: the URL has characters that no URL may have";
	}
	return NULL;
}

int push_target__parse(struct push_target *target, const char *text, struct errmsg *err)
{
	const struct scheme *scheme = find_scheme(text);
	const char *place = scheme ? text + strlen(scheme->name) : "", *wrong, *path;
	size_t len = strlen(place);

	if (!scheme)
		return errmsg__set(err, EINVAL, "--push takes pyroscope+http://HOST:PORT, pyroscope+https://, otlp+http:// or otlp+https://");
	wrong = wrong_place(place);
	if (wrong)
		return errmsg__set(err, EINVAL, "%s", wrong);
	while (len && place[len - 1] == '/')
		len--;
	target->tls = scheme->tls;
	target->kind = scheme->kind;
	if (target->kind == PUSH_PYROSCOPE && ends_with(place, len, kinds[PUSH_INGEST].path))
		target->kind = PUSH_INGEST;
	path = kinds[target->kind].path;
	if (ends_with(place, len, path))
		len -= strlen(path);
	target->shown = strdup(text);
	if (asprintf(&target->url, "http%s://%.*s%s", scheme->tls ? "s" : "", (int)len, place, path) < 0)
		target->url = NULL;
	return target->shown && target->url ? 0 : errmsg__set(err, ENOMEM, "out of memory");
}

void push_target__exit(struct push_target *target)
{
	free(target->url);
	free(target->shown);
}

/* --- secrets --- */

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower(c) - 'a' + 10 : -1;
}

/* Decodes %XX in place. false: such a sequence is wrong, or stands for a control character, as the end of a line. */
static bool decode(char *text)
{
	char *to = text;

	for (; *text; text++, to++) {
		*to = *text;
		if (*text == '%') {
			int high = hex_digit(text[1]), low = high < 0 ? -1 : hex_digit(text[2]);

			if (low < 0)
				return false;
			*to = high << 4 | low;
			text += 2;
		}
		if (iscntrl((unsigned char)*to))
			return false;
	}
	*to = '\0';
	return true;
}

static bool is_header_name(const char *name)
{
	for (const char *c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("!#$&'*+-.^_`|~", *c))
			return false;
	}
	return *name;
}

static char *trimmed(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isblank((unsigned char)end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

static int add_header(struct push_secrets *s, char *pair, struct errmsg *err)
{
	char *value = strchr(pair, '=');

	if (value)
		*value++ = '\0';
	if (!value || !decode(value) || !is_header_name(trimmed(pair)))
		return errmsg__set(err, EINVAL, "PERF_PUSH_HEADERS: header %u is no NAME=VALUE (a comma or a percent sign in a value is %%2C or "
				   "%%25)", s->nr_headers + 1);
	if (array__extend(s->header, s->nr_headers))
		return errmsg__set(err, ENOMEM, "out of memory");
	if (asprintf(&s->header[s->nr_headers], "%s: %s", trimmed(pair), trimmed(value)) < 0)
		return errmsg__set(err, ENOMEM, "out of memory");
	s->nr_headers++;
	return 0;
}

/* NULL: it is not set, or empty. */
static char *taken(const char *name)
{
	const char *value = getenv(name);
	char *copy = value && *value ? strdup(value) : NULL;

	if (value)
		explicit_bzero((char *)value, strlen(value)); /* /proc/PID/environ shows the old place */
	unsetenv(name);
	return copy;
}

int push_secrets__take(struct push_secrets *s, struct errmsg *err)
{
	char *headers = taken("PERF_PUSH_HEADERS"), *rest = headers, *pair;
	int ret = 0;

	s->ca = taken("PERF_PUSH_CA");
	s->cert = taken("PERF_PUSH_CERT");
	s->key = taken("PERF_PUSH_KEY");
	while (!ret && (pair = strsep(&rest, ","))) {
		if (*trimmed(pair))
			ret = add_header(s, pair, err);
	}
	if (headers)
		explicit_bzero(headers, strlen(headers));
	free(headers);
	if (!ret && !s->cert != !s->key)
		ret = errmsg__set(err, EINVAL, "PERF_PUSH_CERT and PERF_PUSH_KEY belong together: set both");
	return ret;
}

void push_secrets__exit(struct push_secrets *s)
{
	for (u32 i = 0; i < s->nr_headers; i++) {
		explicit_bzero(s->header[i], strlen(s->header[i]));
		free(s->header[i]);
	}
	free(s->header);
	free(s->ca);
	free(s->cert);
	free(s->key);
}

bool push_secrets__are_in(const struct push_secrets *s, const char *text)
{
	for (u32 i = 0; i < s->nr_headers; i++) {
		const char *value = strchr(s->header[i], ' ') + 1, *word = strrchr(value, ' ');

		if (*value && (strstr(text, value) || (word && word[1] && strstr(text, word + 1))))
			return true;
	}
	return false;
}
