/* libs: -lcapstone */
#include <capstone/capstone.h>

int main(void)
{
	return !cs_support(CS_ARCH_X86);
}
