/* libs: -lcurl */
#include <curl/curl.h>

int main(void)
{
	return !curl_version();
}
