/* libs: -fsanitize=fuzzer,address,undefined */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return 0;
}
