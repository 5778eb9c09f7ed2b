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
"$PERF" record -q -e cpu-clock -F 499 -N -o p.data ./prog || exit 1
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=other.example 2>/dev/null || exit 1

# Without the class that asks DNS for the name of this machine
cat >server.py <<'END'
import http.server, socketserver, ssl, sys, time
what = sys.argv[1]

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        places = {"loop": self.path + "x", "file": "file:///etc/passwd"}
        self.send_response(302 if what in places else 200)
        if what in places:
            self.send_header("Location", places[what])
        while what == "headers":
            self.wfile.write(b"X-More: " + 60000 * b"x" + b"\r\n")
        self.end_headers()
        while what == "endless":
            self.wfile.write((1 << 18) * b"x")
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

# ask WHAT [SETTINGS...]: report of a server that sends this, which must end within 20 s
ask() {
	local what=$1 scheme=http
	[ "$what" != tls ] || scheme=https
	shift
	rm -rf cache port
	mkdir cache
	spawn python3 server.py "$what" >port 2>"server-$what.txt"
	wait_for 60 test -s port
	run env -u http_proxy -u https_proxy -u all_proxy DEBUGINFOD_CACHE_PATH="$WORK/cache/d" DEBUGINFOD_URLS="$scheme://127.0.0.1:$(<port)" "$@" \
		timeout 60 "$PERF" report --stdio --debuginfod -s sym -i p.data
	kill "$spawned_pid"
	is "$rc" 0 "$what: the report ends"
	ok "$what: asked" test -s "server-$what.txt" -o "$what" = tls
	largest=$(find cache -type f -printf '%s\n' | sort -n | tail -n 1)
}

ask good
like "$out" '[0-9]%.* main$' "the debug file gives names"
ask endless DEBUGINFOD_MAXSIZE=1000000
unlike "$out" ' main$' "endless: gives none"
ok "endless: leaves no large file (${largest:-0})" test "${largest:-0}" -le 1000000
ask slow DEBUGINFOD_TIMEOUT=2
unlike "$out" ' main$' "slow: gives none"
ask loop DEBUGINFOD_TIMEOUT=2
unlike "$out" ' main$' "loop: gives none"
for what in file headers other tls; do
	ask $what
	unlike "$out" ' main$' "$what: gives no names"
	ok "$what: leaves no large file (${largest:-0})" test "${largest:-0}" -le 100000
done

done_testing
