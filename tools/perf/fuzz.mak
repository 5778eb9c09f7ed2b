# make fuzz: tests/fuzz/<target>.c, each a program of clang's libFuzzer, with all that it uses built by clang with sanitizers, in a
# directory of its own. TARGET: the ones to run; FUZZ_RUNS, FUZZ_SECONDS: until each has had so many inputs, or for so long; what
# they find is left in OUTPUT/fuzz/found, and inputs that go new ways in OUTPUT/fuzz/corpus.
TARGET ?= $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
FUZZ_RUNS ?= -1
FUZZ_SECONDS ?= $(if $(filter -1,$(FUZZ_RUNS)),60,0)
FUZZ_SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_CFLAGS := -O1 -Wno-missing-field-initializers -Wno-gnu-variable-sized-type-not-at-end -fno-omit-frame-pointer -U_FORTIFY_SOURCE $(FUZZ_SAN) -fsanitize=fuzzer-no-link

fuzz-build: deps
	+@$(MAKE) --no-print-directory -f Makefile.perf O='$(OUTPUT)/fuzz' CC='$(CLANG)' SAN=0 CFLAGS='$(FUZZ_CFLAGS)' \
		$(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc)) $(TARGET:%='$(OUTPUT)/fuzz/tests/fuzz/%')
fuzz: fuzz-build
	@FUZZ_RUNS=$(FUZZ_RUNS) FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh '$(OUTPUT)/fuzz' $(TARGET)

# In that directory. What is above session/ but is no command is linked as it is; what starts or writes recordings is not.
FUZZ_LAYERS := ui annotate session hist callchain stacks unwind symbol machine perfdata filter types bpf event push lib
FUZZ_OBJS_file := $(patsubst %.c,$(OUTPUT)/%.o,$(wildcard cmd/report/*.c) $(wildcard cmd/read/*.c) cmd/common/build-id-dir.c cmd/common/config-defaults.c cmd/common/own-file.c util/source/tally-values.c util/judge/kernel-walks.c util/judge/tp-fields.c)
define fuzz_rule
$(OUTPUT)/tests/fuzz/$(1): $(OUTPUT)/tests/fuzz/$(1).o $$(FUZZ_OBJS_$(1)) $(call archives,$(FUZZ_LAYERS))
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $$(FUZZ_SAN) -fsanitize=fuzzer -o $$@ $$^ $$(LIBS)
endef
$(foreach t,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)),$(eval $(call fuzz_rule,$(t))))
