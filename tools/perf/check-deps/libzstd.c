/* libs: -lzstd */
#include <zstd.h>

int main(void)
{
	return !ZSTD_versionNumber();
}
