#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What shellcheck warns of in our scripts.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
command -v shellcheck >/dev/null || skip_all "no shellcheck"
cd "$SOURCE" || exit 1

while read -r script; do
	if said=$(shellcheck -x -S warning "$script" 2>&1); then
		pass "$script"
	else
		fail "$script" "$said"
	fi
done < <(find . -name '*.sh' ! -path './build/*' && echo install/completion.bash)

done_testing
