# SPDX-License-Identifier: GPL-2.0
# Runs inside gdb, for beside-gdb.py: writes the stack of each thread as JSON to $STACKS. A frame is its address, its kind, the function that gdb
# names, the symbol before the address with the distance, and the file.
import json
import os
import re

import gdb

KINDS = {gdb.NORMAL_FRAME: "normal", gdb.INLINE_FRAME: "inlined", gdb.TAILCALL_FRAME: "tail call", gdb.SIGTRAMP_FRAME: "signal"}
symbols = {}


def symbol(pc):
    if pc not in symbols:
        found = re.match(r"(.*?)(?: \+ (\d+))? in section (\S+)(?: of (.*))?$", gdb.execute(f"info symbol {pc:#x}", to_string=True).strip())
        symbols[pc] = (found.group(1), int(found.group(2) or 0)) if found else (None, 0)
    return symbols[pc]


def frames(thread):
    thread.switch()
    found, frame, why = [], gdb.newest_frame(), ""
    try:
        while frame and len(found) < 1000:
            pc, inner = frame.pc(), frame.newer()
            while inner and inner.type() == gdb.INLINE_FRAME:
                inner = inner.newer()
            at = pc if not inner or inner.type() == gdb.SIGTRAMP_FRAME else pc - 1
            name, offset = symbol(at)
            found.append([pc, KINDS.get(frame.type(), "other"), frame.name(), name, offset, gdb.solib_name(pc)])
            why = frame.unwind_stop_reason()
            frame = frame.older()
    except gdb.error as error:
        return found, str(error)
    return found, gdb.frame_stop_reason_string(why) if why else ""


stacks = {}
for thread in gdb.selected_inferior().threads():
    stacks[thread.ptid[1]] = frames(thread)
with open(os.environ["STACKS"], "w") as file:
    json.dump(stacks, file)
