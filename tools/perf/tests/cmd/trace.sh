#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace: programs whose system calls are known.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

run "$PERF" trace -o all.txt -- sh -c 'cat /etc/hostname >/dev/null; exit 3'
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc" 3 "the command's exit status is perf's"
like "$(cat all.txt)" 'execve\(filename: "/[^"]*/cat"' "an exec has its file"
like "$(cat all.txt)" 'openat\(dfd: CWD, filename: "/etc/hostname".*\) += [0-9]+' "an open has its path and a descriptor"
like "$(tail -1 all.txt)" 'exit_group\(.*= \?$' "the last call does not return"

run "$PERF" trace -e openat -o failed.txt --filter 'ret < 0' -- cat /nosuch
like "$(cat failed.txt)" 'filename: "/nosuch"\) += -1 ENOENT \(No such file or directory\)' "an error has its name"
is "$(grep -cv ENOENT failed.txt)" 0 "the filter leaves out all others"

dd=(dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none)
run "$PERF" trace -e write -o lines.txt -- "${dd[@]}"
is "$rc:$err" "0:" "nothing is lost"
is "$(grep -c 'write(fd: 1, buf: "\\x00", count: 1) *= 1$' lines.txt)" 100000 "each of 100,000 writes has a line"
run "$PERF" trace -s -e read,write --summary-mode total -o sums.txt -- "${dd[@]}"
is "$(awk '$1 == "write" { print $2, $3 }' sums.txt)" "100000 0" "and is counted in the kernel"
run "$PERF" trace -s --errno-summary -e openat -o sums.txt -- cat /nosuch
like "$(cat sums.txt)" $'\t\t\t\tENOENT: [0-9]+' "errors are counted by name"
run "$PERF" trace -e write --max-events 2 -o two.txt -- "${dd[@]}"
is "$(wc -l <two.txt)" 2 "--max-events"

run "$PERF" trace -e nosuchcall -- true
is "$rc" 129 "a wrong name is refused"
like "$err" 'no system call "nosuchcall"' "with its name"
run "$PERF" trace --filter 'bogus == 1' -- true
is "$rc" 129 "and so is a wrong filter"
done_testing
