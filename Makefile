# Everything real is under tools/perf; this only passes on what was asked. O=dir is relative to where make was called.
pass := $(MAKE) --no-print-directory -C tools/perf $(if $(O),O='$(abspath $(O))')
all: FORCE
	+@$(pass)
%: FORCE
	+@$(pass) $@
Makefile: ;
FORCE: ;
.SUFFIXES:
.DEFAULT_GOAL := all
# Goals come one after the other, each with all its jobs: two makes in one directory would take files from each other.
.NOTPARALLEL:
.PHONY: all FORCE
