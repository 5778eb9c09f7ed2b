#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf sample-bpf --push: what an independent receiver decodes is what was counted, to the last sample, also if the receiver goes and comes
# back; what is lost is told; and no receiver holds perf up.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
run "$PERF" sample-bpf --dry-run --push pyroscope+http://127.0.0.1:1 -- true
[[ $err != *"needs libcurl"* ]] || skip_all "$err"

# Google's own schema of pprof, from a package; protoc makes the decoder
for python in python3 /usr/bin/python3; do
	"$python" -c 'import google.protobuf' 2>/dev/null && break
done
proto=/usr/share/gocode/src/github.com/google/pprof/proto
mkdir decoder
{ protoc --proto_path=$proto --python_out=decoder $proto/profile.proto && "$python" -c 'import google.protobuf'; } 2>protoc.txt ||
	skip_all "needs protobuf-compiler, python3-protobuf and golang-github-google-pprof-dev: $(head -1 protoc.txt)"
if [ -n "${PERF_OTLP_PROTO-}" ]; then
	(cd "$PERF_OTLP_PROTO" && find opentelemetry -name '*.proto' -print0 | xargs -0 protoc -I. --python_out="$WORK/decoder") || exit 1
fi
if [ -n "${PERF_PYROSCOPE_PROTO-}" ]; then
	# What is only for documents is left out, since it needs more packages.
	mkdir -p pyroscope/push/v1 pyroscope/types/v1
	for f in push/v1/push types/v1/types; do
		sed '/gnostic.*import\|import.*gnostic\|option (gnostic/d; s/ \[(gnostic.*\];/;/' "$PERF_PYROSCOPE_PROTO/$f.proto" >pyroscope/$f.proto
	done
	protoc -Ipyroscope --python_out=decoder pyroscope/push/v1/push.proto pyroscope/types/v1/types.proto || exit 1
fi

# serve DIR [PORT [CERTIFICATE]]: sets $port and $server
serve() {
	mkdir -p "$1"
	rm -f "$1/port"
	spawn "$python" "$SOURCE/tests/cmd/push-server.py" "$@"
	server=$spawned_pid
	wait_for 60 test -e "$1/port" || exit 1
	port=$(<"$1/port")
}
end_server() {
	kill "$server" && wait "$server" 2>/dev/null
}
decode() { # DIR
	PYTHONPATH=decoder PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python "$python" "$SOURCE/tests/cmd/push-decode.py" "$1" >"$1.txt" 2>"$1.err" ||
		note "$(tail -3 "$1.err")"
}
sum() { # FILE COLUMN [PATTERN]
	awk -v column="$2" -v pattern="${3-}" '$1 == "sample" && $0 ~ pattern { n += $column } END { printf "%d\n", n }' "$1"
}
bodies() { # DIR NR: that many, or more
	test "$(find "$1" -name '*.body' | wc -l)" -ge "$2"
}
spooled() { # DIR NR
	test "$(find "$1" -name '[0-9]*' 2>/dev/null | wc -l)" -ge "$2"
}
sent_after_two_failures() { # DIR
	awk '$1 == "bad" { n++ } $1 == "take" && n > 1 { taken++ } END { exit taken < 5 }' "$1/requests"
}
nr_of() { # TEXT: the number before it in $err
	sed -nE "s#^([0-9]+) profiles? ${1/were/w[a-z]*}.*#\1#p" <<<"$err" | awk '{ n += $1 } END { print n + 0 }'
}
put() {
	sed -nE 's/^push: .* ([0-9]+) put into it.*/\1/p' <<<"$err"
}
added() {
	sed -nE 's/^push: ([0-9]+) profiles of this run.*/\1/p' <<<"$err"
}

push=(sample-bpf -e cpu-clock -F 999 --spool spool)

# --- what is decoded is what was counted, and what the file of the same rounds has ---

# Another perf records the same at once: both count each ms that the command runs.
beside=(stock_record -q -e cpu-clock -F 999 -o beside.data --)
[ -n "$STOCK" ] || beside=(run "$PERF" record -q -e cpu-clock -F 999 -o beside.data --)
for url in pyroscope+http otlp+http pyroscope+http/ingest; do
	name=${url//[+\/]/-}
	serve "$name"
	"${beside[@]}" "$PERF" "${push[@]}" -I 200 -o "$name.data" --push "${url%/*}://127.0.0.1:$port${url#*+http}" --label env=prod --label service.name=shop -- \
		"$WORKLOAD" shareloop 1
	is "$rc" 0 "$url"
	end_server
	decode "$name"
	read -r samples _ <<<"$(counted)"
	is "$(sum "$name.txt" 3)" "$samples" "$url: what was decoded is what was counted"
	is "$(sum "$name.txt" 4)" "$("$PERF" script -i "$name.data" -F period | awk '{ n += $1 } END { printf "%d\n", n }')" "$url: so are the periods"
	comm=$([ "$url" = otlp+http ] && echo thread.name || echo comm)
	is "$(awk -v c="$comm" '$1 == "sample" { match($5, c "=[^,]*"); n[substr($5, RSTART + length(c) + 1, RLENGTH - length(c) - 1)] += $3 }
		END { for (c in n) print n[c], c }' "$name.txt" | sort)" \
		"$("$PERF" report -i "$name.data" --stdio -q --no-children -g none -n -s comm 2>/dev/null | awk 'NF { print $2, $3 }' | sort)" \
		"$url: and those of each command"
	n=$("$PERF" script -i beside.data --comm workload -F comm | wc -l)
	ok "$url: $n samples of a recording made at once, to 3 %" near "$(sum "$name.txt" 3 "$comm=workload(,|\$| )")" "$n" $((n * 3 / 100))
	ok "$url: functions have names, and their callers" grep -q '^sample .*;main;.*seven_parts' "$name.txt"
	ok "$url: seven parts of ten" near "$(awk '$1 == "sample" && / .*seven_parts/ { s += $3 } $1 == "sample" && / .*three_parts/ { t += $3 }
		END { print s * 100 / (s + t) }' "$name.txt")" 70 4
	ok "$url: there are several rounds" bodies "$name" 3
	like "$err" "^\[ perf sample-bpf: Pushed $(find "$name" -name '*.body' | wc -l) profiles " "$url: perf says how many"
done
# --- Python's functions ---
if /usr/bin/python3 -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' && [ "$(uname -m)" = x86_64 ]; then
	serve python
	run "$PERF" "${push[@]}" -g -I 200 --push "pyroscope+http://127.0.0.1:$port" -- /usr/bin/python3 "$SOURCE/tests/cmd/python-stacks.py" shares 50
	end_server
	decode python
	ok "functions of Python have names" grep -q '^sample .*;seventy_(python-stacks.py);work_(python-stacks.py)\|^sample .*;seventy (python-stacks.py);work (python-stacks.py)' python.txt
fi
# Where it starts and how long it is
read -r begin length < <(awk '/^profile/ { print $7, $8; exit }' pyroscope-http.txt)
ok "a round has its time" near "$((begin / 1000000000))" "$(stat -c %Y pyroscope-http.data)" 60
ok "and its length" test "$length" -gt 1000000 -a "$length" -lt 60000000000
like "$(<pyroscope-http.txt)" '^profile process_cpu samples/count cpu/nanoseconds cpu/nanoseconds 1001001 ' "Pyroscope knows it as CPU time"
like "$(<otlp-http.txt)" '^profile otlp samples/count cpu/nanoseconds 1001001 ' "so do receivers of OpenTelemetry's"
for label in __name__=process_cpu service_name=shop env=prod "host=$(hostname)"; do
	ok "label $label" grep -qxF "label $label" pyroscope-http.txt
done
for label in service.name=shop env=prod "host.name=$(hostname)"; do
	ok "label $label of OpenTelemetry" grep -qxF "label $label" otlp-http.txt
done
ok "samples have the cgroup" grep -q '^sample .* cgroup=/' pyroscope-http.txt
like "$(jq -r .path pyroscope-http-ingest/00000.json 2>/dev/null || cat pyroscope-http-ingest/00000.json)" \
	'/ingest\?name=shop%7Bhost%3D[^&]*%2Cenv%3Dprod%7D&from=[0-9]{10}&until=[0-9]{10}&format=pprof' "/ingest has the labels in its query"
[ -z "${PERF_OTLP_PROTO-}" ] || ok "by the official schema" grep -q '^official otlp' otlp-http.txt

# Functions without a name: their build-id and address lead to it.
cat >named.c <<'C'
#include <stdlib.h>
#include <time.h>
static volatile unsigned long n;
static __attribute__((noinline)) void nameless(void) { for (int i = 0; i < 1000000; i++) n += i; }
int main(int argc, char **argv) { clock_t end = clock() + atoi(argv[1]) * CLOCKS_PER_SEC; while (clock() < end) nameless(); return 0; }
C
cc -O1 -fno-omit-frame-pointer -Wl,-z,separate-code -Wl,--build-id -o named named.c && strip -o stripped named
for scheme in pyroscope otlp; do
	serve "places-$scheme"
	run "$PERF" "${push[@]}" --push "$scheme+http://127.0.0.1:$port" -- ./stripped 1
	end_server
	decode "places-$scheme"
	id=$(file -b named | sed -nE 's/.*BuildID\[sha1\]=([0-9a-f]*).*/\1/p')
	: "${id:=$(readelf -n named | sed -n 's/.*Build ID: //p')}"
	awk -v id="$id" '$1 == "place" && $2 == id { print $3 }' "places-$scheme.txt" >addresses
	like "$(addr2line -f -e named <addresses | grep -v :)" '^nameless$' "$scheme: addr2line finds functions without a name by address and build-id"
done

# --- other events, other keys ---

serve keys
run "$PERF" "${push[@]}" -e cpu-clock,page-faults -a --key comm,pid,tid,cpu,uid --push "pyroscope+http://127.0.0.1:$port" -- "$WORKLOAD" shareloop 1
end_server
decode keys
like "$(<keys.txt)" '^profile page_faults samples/count page_faults/count page_faults/count' "an event without such a name keeps its own"
like "$(<keys.txt)" '^sample process_cpu [0-9]+ [0-9]+ comm=[^,]*,cpu=[0-9]+,pid=[0-9]+,tid=[0-9]+,uid=0 ' "the other keys are labels"
read -r samples _ <<<"$(counted)"
is "$(sum keys.txt 3)" "$samples" "samples of both events"

# --- the receiver goes, and comes back ---

for scheme in pyroscope otlp; do
	dir=away-$scheme
	serve "$dir"
	"$PERF" "${push[@]}" -v -I 100 --push "$scheme+http://127.0.0.1:$port" -a -- \
		sh -c 'while [ ! -e stop ]; do sleep 0.1; done' >/dev/null 2>"$dir.told" &
	pid=$!
	wait_for 60 bodies "$dir" 2
	end_server
	wait_for 60 spooled spool 3
	is "$(stat -c %a spool)" 700 "$scheme: only root may look into the spool"
	serve "$dir" "$port"
	before=$(find "$dir" -name '*.body' | wc -l)
	wait_for 60 bodies "$dir" $((before + 5))
	touch stop
	wait "$pid"
	end_server
	rm stop
	err=$(<"$dir.told")
	decode "$dir"
	read -r samples _ <<<"$(counted)"
	is "$(sum "$dir.txt" 3)" "$samples" "$scheme: nothing is lost while the receiver is away"
	like "$err" "^cannot push to $scheme.*Profiles wait in spool" "$scheme: perf says so"
	like "$err" "^$scheme.* answers again" "$scheme: and when it is back"
	unlike "$err" 'lost' "$scheme: no loss"
	ok "$scheme: the spool is empty" test -z "$(ls spool)"
	is "$(awk '/^profile/ { print ($2 == "otlp" ? $6 : $7) }' "$dir.txt" | sort -c 2>&1)" "" "$scheme: they came in their order"
done

# Of two perfs one after the other, the first without a receiver
run "$PERF" "${push[@]}" -v -I 100 --push "otlp+http://127.0.0.1:$port" -- "$WORKLOAD" shareloop 1
is "$rc" 0 "the receiver is away all the time"
read -r samples _ <<<"$(counted)"
is "$(nr_of 'waits? in spool')" "$(added)" "all profiles wait"
serve after "$port"
run "$PERF" "${push[@]}" -v --push "otlp+http://127.0.0.1:$port" -- "$WORKLOAD" shareloop 1
end_server
decode after
read -r more _ <<<"$(counted)"
is "$(sum after.txt 3)" $((samples + more)) "the next perf sends them, too"
ok "and takes them out of the spool" test -z "$(ls spool)"

# --- a profile at which the receiver fails each time ---

for bad in 500/64M 429/64M 500/0; do
	status=${bad%/*} room=${bad#*/} dir=bad-${bad/\//-}
	serve "$dir"
	echo "one $status" >"$dir/mode"
	"$PERF" "${push[@]}" -v -I 50 --spool "spool-$dir" --spool-size "$room" --push "otlp+http://127.0.0.1:$port" -a -- \
		sh -c 'while [ ! -e stop ]; do sleep 0.1; done' >/dev/null 2>told &
	pid=$!
	wait_for 60 sent_after_two_failures "$dir"
	touch stop
	wait "$pid"
	end_server
	rm stop
	err=$(<told)
	read -r samples _ <<<"$(counted)"
	ok "$bad: it stands back for longer each time" test "$(grep -c bad "$dir/requests")" -le 10
	[ "$room" = 0 ] || is "$(nr_of "waits? in .*: status $status")" 1 "$bad: it waits, and no other"
	[ "$room" != 0 ] || is "$(nr_of 'were lost')" 1 "$bad: without a spool it is lost, and no other"
	unlike "$err" 'refused them' "$bad: it is not thrown away so soon"
	[ "$room" != 0 ] || continue
	serve "$dir" "$port"
	rm "$dir/mode"
	run "$PERF" "${push[@]}" --spool "spool-$dir" --push "otlp+http://127.0.0.1:$port" -- true
	end_server
	decode "$dir"
	read -r more _ <<<"$(counted)"
	is "$(sum "$dir.txt" 3)" $((samples + more)) "$bad: when the receiver takes it, nothing is missing"
done

# A perf that is killed leaves what waits.
"$PERF" "${push[@]}" -I 100 --push "otlp+http://127.0.0.1:$port" -- sleep 100 >/dev/null 2>&1 &
pid=$!
spawned+=("$pid")
"$WORKLOAD" shareloop 1
is "$(find spool -name '[0-9]*.part' | wc -l)" 0 "no file is left half written"
kill -KILL "$pid"
wait "$pid" 2>/dev/null

# --- no room ---

# rounds DIR NR OPTIONS...: push to nobody until the spool has had that many profiles; sets $err
rounds() {
	local dir=$1 nr=$2
	shift 2
	rm -f rounds.told # what the run before has told must not be taken for this one's
	"$PERF" "${push[@]}" -v -I 50 --push "otlp+http://127.0.0.1:$port" "$@" -- "$WORKLOAD" shareloop 100 >/dev/null 2>rounds.told &
	pid=$!
	spawned+=("$pid")
	if [ "$dir" ]; then
		wait_for 100 had "$dir" "$nr"
	else
		wait_for 100 grep -qs '^cannot push' rounds.told
	fi
	kill -INT "$pid"
	wait "$pid"
	err=$(<rounds.told)
}
had() { # DIR NR
	local names=("$1"/0*)
	[[ ${names[-1]##*/} =~ ^0*([1-9][0-9]*)\. && ${BASH_REMATCH[1]} -ge $2 ]]
}

rounds small 20 --spool small --spool-size 12K
ok "a small spool stays small" test "$(cat small/* | wc -c)" -le 12288
like "$err" 'profiles? w[a-z]* lost: the spool was full' "perf tells what it has no room for"
is $(($(nr_of 'waits? in small') + $(nr_of 'were lost'))) "$(added)" "each profile waits or is lost"
is "$(find small -name '0*' | sort | tail -1)" "small/$(printf %020d $(($(put) - 1))).otlp" "the latest wait"

mkdir disk && mount -t tmpfs -o size=40k none disk
rounds disk/spool 30 --spool disk/spool
ok "a full disk: something waits" test "$(nr_of 'waits? in disk/spool')" -gt 0
ok "a full disk: something is lost, which is told" test "$(nr_of 'were lost')" -gt 0
is $(($(nr_of 'waits? in disk/spool') + $(nr_of 'were lost'))) "$(added)" "a full disk: each profile waits or is lost"
umount disk

rounds "" 0 --spool-size 0
is "$(nr_of 'were lost: perf ended before the receiver took them')" "$(added)" "without a spool they are lost in the end, and told"
run "$PERF" "${push[@]}" --spool tiny --spool-size 10 --push "otlp+http://127.0.0.1:$port" -- "$WORKLOAD" shareloop 0.2
like "$err" 'lost: neither .* had room for them: a profile of [0-9]+ bytes does not fit into a spool of 10' "one that is larger than the spool"

# --- receivers that are no good ---

serve bad
secret=c2VjcmV0LXdvcmQ
export PERF_PUSH_HEADERS="Authorization=Basic%20$secret"
hostile() { # MODE
	echo "$1" >bad/mode
	: >bad/requests
	rm -rf bad/*.body bad/*.json
	run env PERF_PUSH_HEADERS="$PERF_PUSH_HEADERS" "$PERF" "${push[@]}" -v -I 50 --spool "spool-$1" --push "otlp+http://127.0.0.1:$port" \
		-o bad.data -a -- sh -c 'env >env.txt; sleep 0.5'
	is "$rc" 0 "$1: perf goes on"
	unlike "$err" "$secret" "$1: no secret in messages"
	# The end waits 5 s for the receiver at most.
	ok "$1: and ends in time" test "$elapsed" -le 30000
}
hostile fail
like "$err" 'cannot push to otlp.*: status 503' "fail: told"
is "$(nr_of 'waits? in spool-fail')" "$(added)" "fail: all profiles wait"
ok "fail: with delays that grow there are few tries" test "$(wc -l <bad/requests)" -le 6
hostile refuse
is "$(nr_of 'were lost: the receiver refused them')" "$(added)" "refuse: all are lost, and not sent again"
hostile forbid
like "$err" 'cannot push.*: status 401: set PERF_PUSH_HEADERS' "forbid: says what to do"
is "$(nr_of 'waits? in spool-forbid')" "$(added)" "forbid: all profiles wait for a better token"
hostile moved
like "$err" 'cannot push.*: it redirects \(302\), which is not followed' "moved: is not followed"
is "$(nr_of 'waits? in spool-moved')" "$(added)" "moved: all profiles wait"
hostile wait
is "$(nr_of 'waits? in spool-wait')" "$(added)" "wait: all profiles wait"
ok "wait: as long as the receiver asks for" test "$(awk 'NR > 1 && $2 - last < 1.9 { n++ } { last = $2 } END { print n + 0 }' bad/requests)" -le 1
hostile endless
like "$err" 'its answer does not end: perf reads no more than 65536 bytes' "endless: told"
is "$(nr_of 'waits? in')" 0 "endless: its status counts"
hostile headers
ok "headers: their end is not waited for" test "$elapsed" -le 20000
hostile close
is "$(nr_of 'waits? in spool-close')" "$(added)" "close: all profiles wait"
hostile partial
like "$err" 'profiles? w[a-z]* lost: the receiver took the others' "partial: what it did not take is told"
hostile slow
is "$(nr_of 'waits? in spool-slow')" "$(added)" "slow: all profiles wait"
ok "slow: rounds are not delayed" test "$("$PERF" report -D -i bad.data 2>/dev/null | grep -c FINISHED_ROUND)" -ge 3
unlike "$(<env.txt)" PERF_PUSH "commands do not inherit what is secret"
unlike "$(strings -a bad.data)" "$secret" "it is not in files"
end_server

# --- TLS ---

unset PERF_PUSH_HEADERS
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
	-keyout key.pem -out cert.pem 2>/dev/null && cat key.pem cert.pem >both.pem
serve tls 0 both.pem
run "$PERF" "${push[@]}" -v --spool tls-spool --push "pyroscope+https://127.0.0.1:$port" -a -- sleep 0.2
like "$err" 'cannot push to pyroscope.*certificate' "a certificate that nobody vouches for"
ok "nothing is sent" test -z "$(find tls -name '*.body')"
run env PERF_PUSH_CA=cert.pem "$PERF" "${push[@]}" --spool tls-spool --push "pyroscope+https://127.0.0.1:$port" -a -- sleep 0.2
decode tls
is "$(grep -c ^body tls.txt)" 2 "with its CA all are sent"
end_server

# --- wrong ---

refused() { # TEXT OPTIONS...
	local text=$1
	shift
	run "$PERF" sample-bpf "$@" -- true
	is "$rc" 129 "refused: $*"
	like "$err" "$text" "and says why: $text"
}
refused 'takes pyroscope\+http' --push http://127.0.0.1
refused 'no name and password in the URL' --push otlp+http://root:geheim@127.0.0.1
unlike "$err" geheim "without showing them"
refused 'goes into the environment' --push 'otlp+http://127.0.0.1/?token=x'
refused 'names no host' --push otlp+http://
refused '--label takes NAME=VALUE' --push otlp+http://127.0.0.1 --label 1x=2
refused "'a_b' is given twice" --push pyroscope+http://127.0.0.1 --label a.b=1 --label a_b=2
refused 'need --push' --label a=b
refused 'goes with none of' --push otlp+http://127.0.0.1 --folded
refused 'takes a number of bytes' --push otlp+http://127.0.0.1 --spool-size x
run env PERF_PUSH_HEADERS=geheim "$PERF" sample-bpf --push otlp+http://127.0.0.1 -- true
is "$rc" 129 "a header without a value"
unlike "$err" geheim "is not shown"
mkdir open && chmod 755 open
run "$PERF" sample-bpf --push otlp+http://127.0.0.1 --spool open -- true
like "$err" 'must belong to the user of perf alone' "a spool that others can look into"
is "$("$PERF" sample-bpf --list-values --push | head -2)" $'pyroscope+http://\npyroscope+https://' "completion knows the schemes"
done_testing
