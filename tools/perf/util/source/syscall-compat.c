// SPDX-License-Identifier: GPL-2.0
#include "util/source/syscall-compat.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * What differs from the call of 64-bit programs: arch/x86/entry/syscalls/syscall_32.tbl and arch/x86/kernel/sys_ia32.c. Sets of signals and ids that are
 * narrower have other names, as rules for wider ones are not for them.
 */
static const struct {
	const char *name, *like, *args;
} others[] = {
	{ "_llseek", "lseek", "unsigned int fd,u32 offset_high,u32 offset_low,loff_t * result,unsigned int whence" },
	{ "_newselect", "select", NULL },
	{ "clone", "clone", "unsigned long clone_flags,unsigned long newsp,int * parent_tidptr,unsigned long tls,int * child_tidptr" },
	{ "fadvise64", "fadvise64", "int fd,u32 offset_low,u32 offset_high,size_t len,int advice" },
	{ "fadvise64_64", "fadvise64", "int fd,u32 offset_low,u32 offset_high,u32 len_low,u32 len_high,int advice" },
	{ "fallocate", "fallocate", "int fd,int mode,u32 offset_low,u32 offset_high,u32 len_low,u32 len_high" },
	{ "fanotify_mark", "fanotify_mark", "int fanotify_fd,unsigned int flags,u32 mask_low,u32 mask_high,int dfd,const char * pathname" },
	{ "fstatat64", "newfstatat", NULL },
	{ "fstatfs64", "fstatfs", "unsigned int fd,size_t sz,struct statfs64 * buf" },
	{ "ftruncate64", "ftruncate", "unsigned int fd,u32 length_low,u32 length_high" },
	{ "get_thread_area", "", "struct user_desc * u_info" },
	{ "getresgid", "getresgid", "u16 * rgid16,u16 * egid16,u16 * sgid16" },
	{ "getresuid", "getresuid", "u16 * ruid16,u16 * euid16,u16 * suid16" },
	{ "ipc", "", "unsigned int call,int first,unsigned long second,unsigned long third,void * ptr,long fifth" },
	{ "mmap", "", "struct mmap_arg_struct32 * arg" },
	{ "mmap2", "mmap", "unsigned long addr,unsigned long len,unsigned long prot,unsigned long flags,unsigned int fd,unsigned long pgoff" },
	{ "nice", "", "int increment" },
	{ "oldfstat", "fstat", NULL },
	{ "oldlstat", "lstat", NULL },
	{ "oldolduname", "", "struct oldold_utsname * name" },
	{ "oldstat", "stat", NULL },
	{ "olduname", "", "struct old_utsname * name" },
	{ "pread64", "pread64", "unsigned int fd,char * buf,size_t count,u32 pos_low,u32 pos_high" },
	{ "pwrite64", "pwrite64", "unsigned int fd,const char * buf,size_t count,u32 pos_low,u32 pos_high" },
	{ "readahead", "readahead", "int fd,u32 offset_low,u32 offset_high,size_t count" },
	{ "select", "", "struct sel_arg_struct32 * arg" },
	{ "set_thread_area", "", "struct user_desc * u_info" },
	{ "sgetmask", "", "" },
	{ "sigaction", "rt_sigaction", "int sig,const struct old_sigaction32 * act,struct old_sigaction32 * oact" },
	{ "signal", "rt_sigaction", "int sig,__sighandler_t handler" },
	{ "sigpending", "", "old_sigset_t * set" },
	{ "sigprocmask", "rt_sigprocmask", "int how,old_sigset_t * set32,old_sigset_t * oset32" },
	{ "sigsuspend", "", "int unused1,int unused2,old_sigset_t set32" },
	{ "socketcall", "", "int call,u32 * args" },
	{ "ssetmask", "", "int newmask" },
	{ "statfs64", "statfs", "const char * pathname,size_t sz,struct statfs64 * buf" },
	{ "stime", "", "old_time32_t * tptr" },
	{ "sync_file_range", "sync_file_range", "int fd,u32 offset_low,u32 offset_high,u32 nbytes_low,u32 nbytes_high,unsigned int flags" },
	{ "truncate64", "truncate", "const char * path,u32 length_low,u32 length_high" },
	{ "ugetrlimit", "getrlimit", NULL },
	{ "umount", "umount2", "char * name" },
	{ "uselib", "", "const char * library" },
	{ "vm86", "", "unsigned long cmd,unsigned long arg" },
	{ "vm86old", "", "struct vm86_struct * user_vm86" },
	{ "waitpid", "wait4", "pid_t upid,int * stat_addr,int options" },
};

/* These have another number than a call of the same name without it, for times, file offsets and ids that are wider than the first ones. */
static const char *const endings[] = { "_time64", "64", "32" };

/* Names of calls of 64-bit programs that end so, too. */
static bool is_whole_name(const char *name)
{
	return !strcmp(name, "getdents64") || !strcmp(name, "prlimit64");
}

static size_t length_without_ending(const char *name)
{
	const size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(endings) && !is_whole_name(name); i++) {
		const size_t ending = strlen(endings[i]);

		if (len > ending && !strcmp(name + len - ending, endings[i]))
			return len - ending;
	}
	return len;
}

void syscall_compat__find(const char *name, struct syscall_compat *compat)
{
	compat->args = NULL;
	snprintf(compat->like, sizeof(compat->like), "%.*s", (int)length_without_ending(name), name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (strcmp(others[i].name, name))
			continue;
		snprintf(compat->like, sizeof(compat->like), "%s", others[i].like);
		compat->args = others[i].args;
	}
}
