// SPDX-License-Identifier: GPL-2.0
#include "util/push/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void parses(const char *text, enum push_kind kind, const char *url)
{
	struct push_target target = { 0 };
	struct errmsg err;

	assert_int_equal(push_target__parse(&target, text, &err), 0);
	assert_int_equal(target.kind, kind);
	assert_string_equal(target.url, url);
	assert_string_equal(target.shown, text);
	push_target__exit(&target);
}

static void urls(void **state)
{
	parses("pyroscope+http://a:1", PUSH_PYROSCOPE, "http://a:1/push.v1.PusherService/Push");
	parses("pyroscope+https://a/x/", PUSH_PYROSCOPE, "https://a/x/push.v1.PusherService/Push");
	parses("pyroscope+http://a/push.v1.PusherService/Push", PUSH_PYROSCOPE, "http://a/push.v1.PusherService/Push");
	parses("pyroscope+http://a:1/ingest", PUSH_INGEST, "http://a:1/ingest");
	parses("otlp+http://[::1]:4318", PUSH_OTLP, "http://[::1]:4318/v1development/profiles");
	parses("otlp+http://[::1]", PUSH_OTLP, "http://[::1]/v1development/profiles");
	parses("otlp+http://a:65535/b:c", PUSH_OTLP, "http://a:65535/b:c/v1development/profiles");
	parses("otlp+https://a/p/v1development/profiles/", PUSH_OTLP, "https://a/p/v1development/profiles");
}

static void refuses(const char *text, const char *why)
{
	struct push_target target = { 0 };
	struct errmsg err;

	assert_int_equal(push_target__parse(&target, text, &err), -EINVAL);
	assert_non_null(strstr(err.text, why));
	assert_null(strstr(err.text, "geheim"));
	push_target__exit(&target);
}

static void wrong_urls(void **state)
{
	refuses("http://a", "--push takes");
	refuses("otlp+http://", "no host");
	refuses("otlp+http://:80", "no host");
	refuses("otlp+http://a:", "the port");
	refuses("otlp+http://a:/x", "the port");
	refuses("otlp+http://a:0", "the port");
	refuses("otlp+http://a:65536", "the port");
	refuses("otlp+http://a:99999999999999999999", "the port");
	refuses("otlp+http://[::1]:8x/y", "the port");
	refuses("otlp+http://me:geheim@a", "no name and password");
	refuses("otlp+http://a/?token=geheim", "ends with its path");
	refuses("otlp+http://a/#geheim", "ends with its path");
	refuses("otlp+http://a/ geheim", "characters");
	refuses("otlp+http://a/\r\nX: geheim", "characters");
}

static void headers(void **state)
{
	struct push_secrets secrets = { 0 };
	struct errmsg err;

	setenv("PERF_PUSH_HEADERS", "Authorization=Basic%20YWJj, X-Scope-OrgID = a%2Cb ,", 1);
	setenv("PERF_PUSH_CA", "/ca", 1);
	assert_int_equal(push_secrets__take(&secrets, &err), 0);
	assert_int_equal(secrets.nr_headers, 2);
	assert_string_equal(secrets.header[0], "Authorization: Basic YWJj");
	assert_string_equal(secrets.header[1], "X-Scope-OrgID: a,b");
	assert_string_equal(secrets.ca, "/ca");
	assert_null(getenv("PERF_PUSH_HEADERS"));
	assert_null(getenv("PERF_PUSH_CA"));
	assert_true(push_secrets__are_in(&secrets, "you sent YWJj"));
	assert_true(push_secrets__are_in(&secrets, "a,b"));
	assert_false(push_secrets__are_in(&secrets, "Authorization is missing"));
	push_secrets__exit(&secrets);
}

static void wrong_header(const char *text)
{
	struct push_secrets secrets = { 0 };
	struct errmsg err;

	setenv("PERF_PUSH_HEADERS", text, 1);
	assert_int_equal(push_secrets__take(&secrets, &err), -EINVAL);
	assert_null(strstr(err.text, "geheim"));
	push_secrets__exit(&secrets);
}

static void wrong_headers(void **state)
{
	wrong_header("geheim");
	wrong_header("=geheim");
	wrong_header("a b=geheim");
	wrong_header("a=geheim%0d%0aX: y");
	wrong_header("a=geheim%");
	wrong_header("a=1,b=geheim%2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls),
		cmocka_unit_test(wrong_urls),
		cmocka_unit_test(headers),
		cmocka_unit_test(wrong_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
