#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# --debuginfod: what a hostile server sends has an end, and is not taken for the debug file.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
ldconfig -p | grep -q 'libdebuginfod\.so\.1' || skip_all "needs libdebuginfod"
command -v openssl >/dev/null || skip_all "needs openssl"

cat >p.c <<'END'
int main(void)
{
	for (volatile long i = 0; i < 200000000; i++)
		;
}
END
"${CC:-cc}" -g -O1 -Wl,--build-id -o prog p.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
objcopy --only-keep-debug prog prog.debug && strip prog || exit 1
sed 's/int main/int other_main/; $ a int main(void) { return other_main(); }' p.c >q.c
"${CC:-cc}" -g -O1 -Wl,--build-id -o other q.c && strip other || exit 1
"$PERF" record -q -e cpu-clock -F 499 -N -o p.data ./prog || exit 1
"$PERF" record -q -e cpu-clock -F 499 -N -o both.data sh -c './prog; ./other' || exit 1
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=other.example 2>/dev/null || exit 1

# Without the class that asks DNS for the name of this machine
cat >server.py <<'END'
import http.server, socketserver, ssl, sys, time, zlib
what = sys.argv[1]

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        places = {"loop": self.path + "x", "file": "file:///etc/passwd"}
        while what == "mute":
            time.sleep(1)
        self.send_response(302 if what in places else int(what) if what.isdigit() else 200)
        if what == "packed":
            self.send_header("Content-Encoding", "gzip")
        if what in places:
            self.send_header("Location", places[what])
        while what == "headers":
            self.wfile.write(b"X-More: " + 60000 * b"x" + b"\r\n")
        self.end_headers()
        while what == "endless":
            self.wfile.write((1 << 18) * b"x")
        if what == "packed":  # 400 MB in 400 KB
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            self.wfile.write(b"".join(packer.compress(bytes(1 << 20)) for i in range(400)) + packer.flush())
        while what == "slow":
            self.wfile.write(b"x")
            time.sleep(0.1)
        if what in ("good", "tls", "other"):
            self.wfile.write(open("/bin/true" if what == "other" else "prog.debug", "rb").read())

server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
if what == "tls":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
END

recording=p.data keys=sym
# ask WHAT [SETTINGS...]: report of a server that sends this, which must end within 20 s
ask() {
	local what=$1 scheme=http
	[ "$what" != tls ] || scheme=https
	shift
	rm -rf cache port
	mkdir cache
	spawn python3 server.py "$what" >port 2>"server-$what.txt"
	wait_for 60 test -s port
	begin=$SECONDS
	run env -u http_proxy -u https_proxy -u all_proxy DEBUGINFOD_CACHE_PATH="$WORK/cache/d" DEBUGINFOD_URLS="$scheme://127.0.0.1:$(<port)" "$@" \
		timeout 60 "$PERF" report --stdio --debuginfod -s "$keys" -i "$recording"
	took=$((SECONDS - begin))
	kill "$spawned_pid"
	is "$rc" 0 "$what: the report ends"
	ok "$what: asked" test -s "server-$what.txt" -o "$what" = tls -o "$what" = mute
	largest=$(find cache -type f -printf '%s\n' | sort -n | tail -n 1)
}

# warned WHAT TEXT: one line of it, with its cause
warned() {
	like "$err" "^No debug file came from the servers in DEBUGINFOD_URLS$2" "$1: perf says so"
	is "$(wc -l <<<"$err")" 1 "$1: once"
}

ask good
like "$out" '[0-9]%.* main$' "the debug file gives names"
is "$err" "" "and no message"
ask endless DEBUGINFOD_MAXSIZE=1000000
unlike "$out" ' main$' "endless: gives none"
ok "endless: leaves no large file (${largest:-0})" test "${largest:-0}" -le 1000000
warned endless ': .*more than 1000000 bytes; DEBUGINFOD_MAXSIZE'
ask packed DEBUGINFOD_MAXSIZE=1000000
unlike "$out" ' main$' "packed: gives none"
ok "packed: leaves no large file (${largest:-0})" test "${largest:-0}" -le 1000000
warned packed ': .*more than 1000000 bytes; DEBUGINFOD_MAXSIZE'
ask slow DEBUGINFOD_TIMEOUT=2
unlike "$out" ' main$' "slow: gives none"
warned slow ' in 2 s, the last time as: .*slow'
ask loop DEBUGINFOD_TIMEOUT=2
unlike "$out" ' main$' "loop: gives none"
for what in file headers other tls; do
	ask $what
	unlike "$out" ' main$' "$what: gives no names"
	ok "$what: leaves no large file (${largest:-0})" test "${largest:-0}" -le 100000
done
warned tls ': .*certificate'
ask 404
is "$err" "" "404: is no failure"
ask 500
warned 500 ': .* 500'

# What brings nothing takes so long in all, not for each file.
recording=both.data keys=sym,dso
ask mute DEBUGINFOD_TIMEOUT=3
warned mute ' in 3 s, the last time as: .*\. They are not asked any more\. DEBUGINFOD_TIMEOUT'
is "$(grep -cE '\+0x[0-9a-f]+ +(prog|other)' <<<"$out")" 2 "mute: two files have no names"
is "$(grep -c . server-mute.txt)" 0 "mute: nothing was answered"
ok "mute: the second file is not asked for ($took s)" test "$took" -lt 9

done_testing
