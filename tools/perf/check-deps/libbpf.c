/* libs: -lbpf */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h> /* for skel_internal.h */
#include <bpf/skel_internal.h>

int main(void)
{
	return libbpf_major_version() < 1;
}
