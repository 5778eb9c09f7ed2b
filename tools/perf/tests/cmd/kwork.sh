#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf kwork: interrupts and softirqs against the kernel's own counts, works whose number is known, and times that add up.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# counts NAME: sum of column 4 of the rows of that name on standard input
counts() {
	awk -F'|' -v name="$1" '{ n = $1; gsub(/ /, "", n) } n == name { sum += $4 } END { print sum + 0 }'
}

rows() { # of tables on standard input
	grep '| [ 0-9.]* ms |'
}

# when_shown COMMAND [ARGS...]: run it until no thread of process 1 had a CPU between two moments inside, which leave these threads' times and turns in
# the files others.1 and others.2. Some kernels of virtual machines hide all that comes while those run, from BPF programs and from recordings, without
# a count. Where that process never rests, it does so for the last time.
when_shown() {
	local try
	for ((try = 0; try < 30; try++)); do
		"$@"
		! cmp -s others.1 others.2 || return 0
	done
	note "process 1 ran each time"
}

# --- works: many that live once, all in one row for each CPU ---

run "$PERF" kwork report -k workqueue -- sh -c "$WORKLOAD make_maps 600; sleep 2"
is "$rc" 0 "report ends with the command"
like "$out" 'Kwork Name .*\| Cpu .*\| Total Runtime \| Count .*\| Max runtime .*\| Max runtime start .*\| Max runtime end ' "the header is that of other perfs"
nr=$(counts '(w)bpf_map_free_deferred' <<<"$out")
# Those of others are there, too. A work that runs late does so after a second at most.
ok "works are summed by function, and none is missing: $nr" test "$nr" -ge 600
ok "in one row for each CPU" test "$(grep -c bpf_map_free_deferred <<<"$out")" -le "$(nproc --all)"

run "$PERF" kwork latency --stages -k workqueue -- sh -c "$WORKLOAD make_maps 600; sleep 2"
nr=$(counts '(w)bpf_map_free_deferred' <<<"$out")
ok "each of them has a delay: $nr" test "$nr" -ge 600
like "$out" 'Avg delay .*\| Count .*\| Max delay .*\| Max delay start .*\| Max delay end .*\| Avg inactive' "latency has its header"
# Such a work may start at once, and then waits for a thread that executes it.
ok "which is more than they were inactive" awk -F'|' '/bpf_map_free_deferred/ { n++; bad += ($8 + 0 >= $3 + 0) } END { exit !(n && !bad) }' <<<"$out"

: >empty
# shellcheck disable=SC2016 # for the inner shell
run unshare --mount sh -c 'mount --bind empty /proc/kallsyms && exec "$0" kwork timehist --kwork workqueue -- sh -c "$1 make_maps 20; sleep 1"' "$PERF" "$WORKLOAD"
like "$out" '\(w\)bpf_map_free_deferred' "the kernel tells timehist the names of works, without a reading of all its symbols"

# --- no work loses its wait, on whatever CPU it was queued ---

run "$PERF" kwork timehist --kwork workqueue -v -- sh -c 'for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=file bs=64k count=4 conv=fsync 2>/dev/null; done; '"$WORKLOAD make_maps 100"
like "$out" '^ *[0-9]+\.[0-9]{6} +[0-9]+\.[0-9]{6} +\[[0-9]{4}\] +\(w\)bpf_map_free_deferred +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{3}' "timehist shows runs"
alone=$(awk '/\(w\)/ && NF < 6 { n++ } END { print n + 0 }' <<<"$out")
early=$(awk '/works were queued before/ { print $1 }' <<<"$err")
ok "works without a delay were queued before: $alone of ${early:-0}" test "$alone" -le "${early:-0}"
is "$(awk '/^ *[0-9]+\./ { print $2 }' <<<"$out" | sort -nc 2>&1)" "" "runs are in the order of their ends"

# --- softirqs and interrupts: the kernel counts them, too ---

# sums FILE: "NAME COUNT" for each row, summed over the CPUs: of /proc/softirqs, or of /proc/interrupts with names of handlers and numbers
sums() {
	awk 'NR == 1 { cpus = NF; next } { sum = 0; for (i = 2; i <= cpus + 1; i++) sum += $i; sub(":", "", $1); print $1, sum }' "$1"
}
cat >load.sh <<'END'
cat /proc/1/task/*/schedstat >others.1
cat /proc/softirqs >inner-softirqs.1; cat /proc/interrupts >inner-irqs.1
i=0
while [ $i -lt 10 ]; do
	dd if=/dev/zero of=file bs=4k count=4 conv=fsync 2>/dev/null
	i=$((i + 1))
done
cat /proc/interrupts >inner-irqs.2; cat /proc/softirqs >inner-softirqs.2
cat /proc/1/task/*/schedstat >others.2
END
watch_load() {
	cat /proc/softirqs >outer-softirqs.1
	cat /proc/interrupts >outer-irqs.1
	run "$PERF" record -q -o irqs.data -a -e irq:irq_handler_entry -- "$PERF" kwork report -k irq,softirq -- sh load.sh
	cat /proc/interrupts >outer-irqs.2
	cat /proc/softirqs >outer-softirqs.2
}
busy_cpus
when_shown watch_load
idle_cpus
rows <<<"$out" | awk -F'|' '{ n = $1; gsub(/ /, "", n); sum[n] += $4 } END { for (n in sum) print n, sum[n] }' >ours.txt

# between KIND NAME COUNT: what we counted lies between what the kernel did, from just inside to just outside. The handlers of an interrupt that
# comes again on another CPU while they run, run once more, which /proc/interrupts does not count, but the tracepoint does; a recording of the tracepoint
# can miss some in turn. The larger count is their upper limit.
between() {
	local kind=$1 name=$2 nr=$3 at=$4 lo hi
	lo=$(($(sums "inner-$kind.2" | awk -v n="$name" '$1 == n { print $2 }') - $(sums "inner-$kind.1" | awk -v n="$name" '$1 == n { print $2 }')))
	hi=$(($(sums "outer-$kind.2" | awk -v n="$name" '$1 == n { print $2 }') - $(sums "outer-$kind.1" | awk -v n="$name" '$1 == n { print $2 }')))
	[ "$kind" != irqs ] || hi=$(printf '%s\n' "$hi" "$(hits "$name")" | sort -n | tail -n 1)
	ok "$at: $lo <= $nr <= $hi" test "$lo" -le "$((nr + missed))" -a "$nr" -le "$hi"
}
# hits IRQ: of irq:irq_handler_entry, from before perf kwork began to after it ended
hits() {
	"$PERF" script -i irqs.data -F trace 2>/dev/null | awk -v irq="$1" 'index($0, "irq=" irq " ") { n++ } END { print n + 0 }'
}
missed=$(awk '/ w[a-z]* missed/ { print $1 }' <<<"$err")
missed=${missed:-0}
while read -r label nr; do
	case $label in
	"(s)"*)
		name=${label#(s)}
		between softirqs "${name%:*}" "$nr" "softirq ${name%:*}"
		;;
	*)
		[ "$(grep -c ":${label##*:}\$" <<<"$(cut -d' ' -f1 ours.txt)")" != 1 ] || [ "${label##*:}" = "$label" ] ||
			between irqs "${label##*:}" "$nr" "interrupt $label"
		;;
	esac
done < <(grep -v '^(s)RCU\|^(s)SCHED\|^(s)TIMER' ours.txt; grep '^(s)RCU\|^(s)SCHED\|^(s)TIMER' ours.txt)
ok "softirqs are seen" grep -q '^(s)TIMER:1 ' ours.txt

# --- timers, tasklets and IPIs ---

# A known number of timers: each signal and each sleep is one. Others have such timers, too: a recording of the tracepoints, from before to after, is the
# upper limit, and for IPIs the kernel's own numbers.
cat >timers.py <<'END'
import glob, shutil, signal, time

def note_others(name):
    with open(name, "w") as out:
        for task in sorted(glob.glob("/proc/1/task/*/schedstat")):
            out.write(open(task).read())

note_others("others.1")
shutil.copy("/proc/interrupts", "inner-irqs.1")
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
for i in range(50):
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    signal.sigwait([signal.SIGALRM])
for i in range(100):
    time.sleep(0.0001)
shutil.copy("/proc/interrupts", "inner-irqs.2")
note_others("others.2")
END
watch_timers() {
	cp /proc/interrupts outer-irqs.1
	run "$PERF" kwork -k timer,hrtimer,tasklet,ipi record -o timers.data -- "$PERF" kwork report -v -k timer,hrtimer,ipi,softirq -- python3 timers.py
	cp /proc/interrupts outer-irqs.2
	live=$out
	err_live=$err
	unended=$(awk '/no end/ { print $1 }' <<<"$err")
	live_rc=$rc
	run "$PERF" kwork report -k timer,hrtimer,tasklet,ipi -i timers.data
	file=$out
}
# lower PREFIX: the rows of the file that are smaller than those counted in the kernel
lower() {
	local seen kept
	rows <<<"$live" | awk '{ print $1 }' | grep -F "$1" | grep -v irq_work | sort -u | while read -r label; do
		seen=$(counts "$label" <<<"$live") kept=$(counts "$label" <<<"$file")
		[ "$seen" -le "$kept" ] || echo "$label: $kept of $seen"
	done
}
busy_cpus
when_shown watch_timers
idle_cpus
signals=$(counts '(hrtimer)it_real_fn' <<<"$live")
sleeps=$(counts '(hrtimer)hrtimer_wakeup' <<<"$live")
missed=$(awk '/ w[a-z]* missed/ { n += $1 } END { print n + 0 }' <<<"$err_live")
is "$live_rc:$rc" 0:0 "timers and IPIs are watched, recorded, and read"
ok "50 timers with signals are seen: $signals" test $((signals + missed)) -ge 50
ok "100 sleeps are seen: $sleeps" test $((sleeps + missed)) -ge 100
for name in '(hrtimer)' '(timer)' '(ipi)'; do
	ok "there are rows of $name" test "$(rows <<<"$live" | grep -cF "$name")" -ge 1
	is "$(lower "$name")" "" "and the file has all of them"
done
ok "nearly all of them end: ${unended:-0} do not" test "${unended:-0}" -le 10
# between_lines LABEL NUMBER NAME: of /proc/interrupts
between_lines() {
	local lo hi
	lo=$(($(sums inner-irqs.2 | awk -v n="$1" '$1 == n { print $2 }') - $(sums inner-irqs.1 | awk -v n="$1" '$1 == n { print $2 }')))
	hi=$(($(sums outer-irqs.2 | awk -v n="$1" '$1 == n { print $2 }') - $(sums outer-irqs.1 | awk -v n="$1" '$1 == n { print $2 }')))
	ok "$3 as in /proc/interrupts: $lo <= $2 <= $hi" test "$lo" -le $(($2 + missed)) -a "$2" -le "$hi"
}
between_lines LOC "$(counts '(ipi)local_timer:236' <<<"$live")" local_timer
between_lines RES "$(counts '(ipi)reschedule:253' <<<"$live")" reschedule
between_lines CAL $(($(counts '(ipi)call_function:252' <<<"$live") + $(counts '(ipi)call_function_single:251' <<<"$live"))) call_function
between_lines IWI "$(counts '(ipi)irq_work:246' <<<"$live")" irq_work
# Timers are parts of the softirq that calls them.
ok "the timers of each CPU take less than its softirq" awk -F'|' '
	/\(timer\)/ { timers[$2] += $3 }
	/\(s\)TIMER:1 / { softirq[$2] += $3 }
	END { for (cpu in timers) { n++; bad += timers[cpu] > softirq[cpu] } exit !(n && !bad) }' <<<"$live"
when_shown run "$PERF" kwork timehist --kwork hrtimer -n it_real_fn -- python3 timers.py
nr=$(grep -c '(hrtimer)it_real_fn' <<<"$out")
ok "timehist shows timers: $nr" test "$nr" -ge 50
run "$PERF" kwork report -k tasklet -- true
if with_tracefs test -e /sys/kernel/tracing/events/irq/tasklet_entry; then
	is "$rc" 0 "tasklets are watched"
else
	is "$rc:$err" "255:this kernel has no tracepoint irq:tasklet_exit" "a kernel without tasklets in its tracepoints is named"
fi
run "$PERF" kwork -k timer latency
is "$rc" 129 "timers have no latency"
like "$err" 'nor when a tasklet or a timer was due' "and a message says so"

# The kernel looks at each tick whether a CPU is in a softirq. Of long ones it sees about the right part: of datagrams that 20 readers filter by 4000
# divisions each, in the softirq. Ticks that come late, after the hypervisor had the CPU, are followed by early ones, and softirqs run after ticks:
# that is why the kernel sees too many of them, and what was stolen is in our times only.
cat >long-softirqs.py <<'END'
import ctypes, socket, struct, sys, time
ops = struct.pack("HBBI", 0x00, 0, 0, 0xfffffff1) + struct.pack("HBBI", 0x34, 0, 0, 3) * 4000 + struct.pack("HBBI", 0x06, 0, 0, 0)
code = ctypes.create_string_buffer(ops)
readers = []
for i in range(20):
    r = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    r.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxP", 4002, ctypes.addressof(code)))
    r.bind(("lo", 0x0800))
    readers.append(r)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.thread_time() + 2
while time.thread_time() < end:
    for i in range(10):
        s.sendto(b"x", ("127.0.0.1", 9))
END
# ticks FIELD: of all CPUs, in ms
ticks() {
	awk -v field="$1" -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { print $field * 1000 / hz }' /proc/stat
}
softirq=$(ticks 8)
steal=$(ticks 9)
run "$PERF" kwork report -k softirq -- python3 long-softirqs.py
softirq=$(($(ticks 8) - softirq))
steal=$(($(ticks 9) - steal))
ours=$(rows <<<"$out" | awk -F'|' '{ ms += $3 } END { printf "%.0f", ms }')
ok "softirqs took $ours ms, the kernel saw $softirq, and $steal stolen" \
	test "$ours" -ge 500 -a "$ours" -ge $((softirq - softirq / 5 - 100)) -a "$ours" -le $((softirq + softirq / 5 + 100 + steal))

# --- top: each ns belongs to somebody ---

spawn sh -c 'while :; do :; done'
spinner=$spawned_pid
taskset -pc 0 $spinner >/dev/null
run "$PERF" kwork top -- sleep 0.5
kill $spinner
wait $spinner 2>/dev/null
like "$out" '^%Cpu\(s\): +[0-9.]+% id, +[0-9.]+% hi, +[0-9.]+% si$' "top shows shares of all CPUs"
like "$out" "^ +$spinner +$spinner +[0-9.]+ +[0-9.]+ ms  sh\$" "a task that runs before, and after, is there"
off=$(awk '
	$1 == "Total" { all = $3 }
	$1 == "%Cpu(s):" { rest = all * ($4 + $6) / 100 }
	$5 == "ms" && $1 ~ /^[0-9]+$/ { sum += $4 }
	END { off = sum + rest - all; printf "%.4f", (off < 0 ? -off : off) / all }' <<<"$out")
ok "tasks, idle or not, interrupts and softirqs add up to elapsed time on all CPUs: off by $off" awk -v off="$off" 'BEGIN { exit !(off < 0.002) }'
ok "no task has more than a CPU" awk '$5 == "ms" && $3 > 100.5 { exit 1 }' <<<"$out"
is "$(awk '$1 == "Total" { print $5 }' <<<"$out")" "$(nproc --all)" "Total has all CPUs"
run "$PERF" kwork top -C 0 -s tid -- sleep 0.1
is "$(awk '$1 == "Total" { print $5 }' <<<"$out")" 1 "-C 0 has one"

# The same of report, where no CPU is idle: an interrupt in a softirq, and both in a task, count once.
spinners=()
for cpu in $(seq 0 $(($(nproc --all) - 1))); do
	spawn taskset -c "$cpu" sh -c 'while :; do :; done'
	spinners+=("$spawned_pid")
done
run "$PERF" kwork -k irq,softirq,sched report -S -- sleep 0.5
kill "${spinners[@]}"
wait "${spinners[@]}" 2>/dev/null
off=$(awk -v cpus="$(nproc --all)" '/Total runtime/ { sum = $5 } /Total time span/ { all = $6 * cpus } END { printf "%.4f", (sum > all ? sum - all : all - sum) / all }' <<<"$out")
ok "runtimes add up to all CPUs: off by $off" awk -v off="$off" 'BEGIN { exit !(off < 0.005) }'

# Two threads that do nothing else share a CPU: they wait for it without being woken. Other workloads may run beside.
ln -s "$WORKLOAD" two-threads
run "$PERF" kwork latency -k sched -- taskset -c 0 ./two-threads thloop 1
is "$(rows <<<"$out" | awk -F'|' '$1 ~ / two-threads:/ { n += ($4 >= 10); ms += $3 * $4 } END { print n, (ms >= 500) }')" "2 1" \
	"latency has the waits of tasks that others preempt"

# --- works that sleep: the kernel waits for readers before it frees such a map ---

run "$PERF" kwork timehist --kwork workqueue -n bpf_map_free_deferred -- sh -c "$WORKLOAD make_maps 20 sleeping; sleep 1"
slept=$(awk '/bpf_map_free_deferred/ { wall += ($2 - $1) * 1000; ran += $5; n++ } END { printf "%d %.3f %.3f", n, wall, ran }' <<<"$out")
read -r nr wall ran <<<"$slept"
ok "$nr works lasted $wall ms, and ran $ran of them" awk -v nr="$nr" -v wall="$wall" -v ran="$ran" 'BEGIN { exit !(nr >= 20 && ran * 1.5 < wall) }'

# --- the same from a file ---

run "$PERF" kwork record -o both.data -- "$PERF" kwork report -k workqueue -- sh -c "$WORKLOAD make_maps 600; sleep 2; exit 3"
is "$rc" 3 "record and report pass on the command's exit status"
live=$(counts '(w)bpf_map_free_deferred' <<<"$out")
run "$PERF" kwork report -i both.data -k workqueue
is "$rc" 0 "report -i reads it"
file=$(counts '(w)bpf_map_free_deferred' <<<"$out")
ok "works in the file: $file, counted in the kernel: $live" test "$file" -ge "$live" -a "$live" -ge 600
run "$PERF" kwork latency -i both.data
like "$out" '\(w\)bpf_map_free_deferred .* [0-9.]+ ms \|' "latency -i has works"
like "$out" '\(s\)TIMER:1 .* [0-9.]+ ms \|' "and softirqs"
run "$PERF" kwork top -i both.data
off=$(awk '
	$1 == "Total" { all = $3 }
	$1 == "%Cpu(s):" { rest = all * ($4 + $6) / 100 }
	$5 == "ms" && $1 ~ /^[0-9]+$/ { sum += $4 }
	END { off = sum + rest - all; printf "%.4f", (off < 0 ? -off : off) / all }' <<<"$out")
ok "top -i adds up, too: off by $off" awk -v off="$off" 'BEGIN { exit !(off < 0.002) }'
run "$PERF" kwork timehist -i both.data
like "$out" 'Runtime start +Runtime end +Cpu +Kwork name +Runtime +Delaytime' "timehist -i has its header"
run "$PERF" kwork report -i both.data -n 'bpf_map_*' -S
is "$(rows <<<"$out" | grep -vc bpf_map)" 0 "-n chooses names"
like "$out" 'Total runtime   \(msec\) : +[0-9.]+ \([0-9.]+% load average\)' "-S shows the sum"
# The share is in per cent of all CPUs.
ok "its share is right" awk '
	/Total runtime/ { ms = $5; share = substr($6, 2) + 0 }
	/Total time span/ { span = $6 }
	END { want = 100 * ms / span / '"$(nproc --all)"'; exit !(share > want * 0.99 - 0.001 && share < want * 1.01 + 0.001) }' <<<"$out"
run "$PERF" kwork report -i both.data -k hrtimer
is "$rc" 255 "a class that was not recorded"
like "$err" "has no event timer:hrtimer_expire_entry: record it with 'perf kwork record -k tasklet,timer,hrtimer,ipi'" "is refused, with the option that records it"
run "$PERF" kwork report -i both.data --filter 'period > 100s'
is "$rc:$(rows <<<"$out")" "0:" "a filter by length leaves out shorter runs"
run "$PERF" kwork report -i both.data --filter 'uid == 0'
is "$rc" 129 "a term that a recording does not have"
like "$err" "recorded runs cannot be tested for 'uid == 0'" "is refused by name"
run "$PERF" kwork report -i both.data -C 4000
is "$(rows <<<"$out")" "" "-C leaves out other CPUs"
run "$PERF" kwork report -i both.data --time 0,0.5
is "$(rows <<<"$out")" "" "and --time other times"
cp both.data perf.data
run "$PERF" kwork report -k workqueue
is "$(counts '(w)bpf_map_free_deferred' <<<"$out")" "$file" "perf.data is read without a command"
rm perf.data
run sh -c '"$1" kwork report -i - -k workqueue <both.data' sh "$PERF"
is "$(counts '(w)bpf_map_free_deferred' <<<"$out")" "$file" "- is the standard input"

if [ -n "$STOCK" ] && "$STOCK" kwork record -o stock.data -- "$WORKLOAD" make_maps 50 >/dev/null 2>&1; then
	run "$PERF" kwork report -i stock.data
	is "$rc" 0 "a file of stock perf"
	for class in irq softirq; do
		"$STOCK" kwork -k $class report -i stock.data 2>/dev/null | rows | awk -F'|' '{ gsub(/ /, ""); print $1, $2, $4 }' | sort >stock.rows
		"$PERF" kwork -k $class report -i stock.data 2>/dev/null | rows | awk -F'|' '{ gsub(/ /, ""); print $1, $2, $4 }' | sort >our.rows
		ok "has the same $(wc -l <stock.rows) rows of $class" cmp stock.rows our.rows
	done
	like "$err" 'has no sched:sched_switch: times of works hold' "and says what it lacks"
	run "$PERF" kwork top -i stock.data
	is "$rc" 255 "without switches there is no top"
	like "$err" "has no event sched:sched_switch: record it with 'perf kwork record" "and the message says how"
else
	skip 6 "no stock perf with kwork"
fi

# --- names of tasks that would control the terminal ---

cat >odd.py <<'END'
import ctypes, time
ctypes.CDLL(None).prctl(15, b"\x1b[31mred\n\x07x", 0, 0, 0)
for i in range(6):
    time.sleep(0.02)
END
run "$PERF" kwork record -q -o odd.data -- python3 odd.py
for view in 'report -k sched' 'latency -k sched' 'timehist --kwork sched' top; do
	for from in '-b -- python3 odd.py' '-i odd.data'; do
		# shellcheck disable=SC2086 # words
		run "$PERF" kwork $view $from
		ok "names are made safe: $view $from" test "$(grep -c '[?]\[31mred[?][?]x' <<<"$out")" -ge 1 -a "$(grep -c $'[\033\a]' <<<"$out")" = 0
		unlike "$err" 'wrong fields' "and no sample is left out for them"
	done
done

# --- forged records ---

cat >forge.py <<'END'
import struct
data = bytearray(open("both.data", "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
end, nr = at + size, 0
while at < end:
    kind, _, length = struct.unpack_from("<IHH", data, at)
    if kind == 9 and length > 40:  # a sample: its last words are the tracepoint's fields
        nr += 1
        if nr % 3 == 0:
            struct.pack_into("<QQ", data, at + length - 16, 0xffffffffffffffff, 0xfefefefefefefefe)
        if nr % 7 == 0:
            struct.pack_into("<I", data, at + 32, 0xfffffff0 - nr)
    at += max(length, 8)
open("forged.data", "wb").write(data)
END
python3 forge.py
for view in report latency top timehist; do
	run timeout 60 "$PERF" kwork $view -i forged.data
	ok "forged records are read by $view: exit status $rc" test "$rc" -le 1
done
head -c 200000 both.data >cut.data
run "$PERF" kwork report -i cut.data
is "$rc" 255 "a file that is cut has no names of events"
like "$err" '^cut.data has no event' "which one message says"
run "$PERF" record -q -o other.data -e cpu-clock -- true
run "$PERF" kwork report -i other.data
is "$rc" 255 "a file without such events"
like "$err" 'has no event irq:irq_handler_entry' "is refused"

# --- options, rights and signals ---

run "$PERF" kwork -k foo report
is "$rc" 129 "an unknown class is a usage error"
like "$err" "Unknown --event key: \`foo'" "with its name"
run "$PERF" kwork -k irq latency
is "$rc" 129 "interrupts have no latency"
like "$err" 'the kernel does not tell when an interrupt was raised' "and a message says so"
run "$PERF" kwork -k sched report -b -- sleep 0.1
like "$out" ' sleep:[0-9]+ ' "sched is a class of report"
run "$PERF" kwork report -s foo
is "$rc" 129 "an unknown sort key is a usage error"
run "$PERF" kwork report -i both.data -- true
is "$rc" 129 "-i runs no command"
run "$PERF" kwork rep -M 2 -k irq,softirq -- sh load.sh
like "$err" '(run or wait is|runs and waits are) missing: the map of rows was full' "losses are told"
cat >stopped.sh <<'END_SH'
kill -STOP $PPID
perl -e 'select(undef, undef, undef, 0.0001) for 1 .. 1000'
kill -CONT $PPID
END_SH
run "$PERF" kwork timehist --kwork sched -m 4K -- sh stopped.sh
like "$err" '^[0-9]+ (run is|runs are) missing: the ring buffer was full' "so are runs that did not fit while perf could not read"
run "$PERF" kwork report --filter 'period > 100s' -- sleep 0.1
is "$rc:$(rows <<<"$out")" "0:" "a filter judges in the kernel"
spawn "$PERF" kwork report -k softirq >table.txt 2>err.txt
pid=$spawned_pid
wait_for 60 in_loop $pid
kill -INT $pid
wait $pid
is "$?" 0 "a signal is the way to end without a command"
ok "and the table is printed" grep -q 'Kwork Name' table.txt

watching() {
	watches "$1" 5 && grep -q 'Starting trace' killed.err
}
for view in report timehist; do
	spawn "$PERF" kwork $view -b 2>killed.err >killed.out
	leaves_nothing "$spawned_pid" watching "$spawned_pid"
done

run "$PERF" kwork -k irq,softirq record -q -o softirqs.data -- sh load.sh
run "$PERF" kwork report -i softirqs.data
is "$rc:$(grep -c 'times of works' <<<"$err")" 0:0 "a file without works has no note on their times"
for option in --vmlinux=none --kallsyms=none --symfs=none; do
	run "$PERF" kwork report $option -- true
	is "$rc" 129 "what does nothing while perf watches is refused: $option"
done
run "$PERF" kwork timehist -i both.data -m 4M
is "$rc" 129 "and so is what does nothing with -i"
run as_user "$PERF" kwork report -b -- true
is "$rc" 255 "without rights it cannot be set up"
like "$err" 'what CPUs do is watched by BPF programs, for which this process lacks' "and one message says why"
run unshare --pid --fork --mount-proc "$PERF" kwork report -b -- true
is "$rc" 255 "nor in a PID namespace"
like "$err" 'which see the ids that tasks have outside of this pid namespace' "and says why"
for view in report timehist; do
	run sh -c '"$1" kwork "$2" -- true >/dev/full' sh "$PERF" $view
	is "$rc:$err" "255:perf: cannot write to the standard output: No space left on device" "$view: a full disk is told once, with its cause"
done
run "$PERF" kwork report -i both.data
whole=$out
run "$PERF" kwork -i both.data report
is "$rc:$out" "0:$whole" "-i may come before the subcommand"
run "$PERF" kwork -i both.data record -- touch ran
is "$rc:$(ls ran 2>/dev/null)" 129: "but before record it is refused"
done_testing
