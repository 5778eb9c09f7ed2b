# Everything real is under tools/perf; this only passes on what was asked.
%:
	@$(MAKE) --no-print-directory -C tools/perf $@
all:
	@$(MAKE) --no-print-directory -C tools/perf
.DEFAULT_GOAL := all
.PHONY: all
