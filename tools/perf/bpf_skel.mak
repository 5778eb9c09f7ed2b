# BPF programs: x.bpf.c -> x.bpf.o -> x.lskel.h (light skeleton) -> x.image.c (util/bpf/image.h). Neither the running kernel's BTF nor root is
# needed.
SKEL_DIR := $(OUTPUT)/util/bpf_skel
BPF_SRCS := $(wildcard util/bpf_skel/*.bpf.c)
BPF_HDRS := $(wildcard util/bpf_skel/*.h)

# Sources that are built more than once, with other macros each time. A filter has room for 16, 32 or 64 tests, since what is not used costs
# time at load; what few filters need is in programs of its own. Old: for kernels before Linux 6.3. Tables: they unwind user stacks by tables (user-stack.bpf.h).
# Arguments: for filters of a tracepoint's arguments, which take a second program.
# By event: for perf's events of tracepoints, where kernels preempt programs on raw ones (syscall-hook.bpf.h).
SLOTS = -DFILTER_SLOTS=$(1)
OLD := -DFILTER_OLD_KERNEL
TABLES := -DUSER_STACK_TABLES
BY_EVENT := -DBY_EVENT
ARGUMENTS := -DTP_ARGUMENTS
define VARIANTS
filter16 filter $(call SLOTS,16)
filter32 filter $(call SLOTS,32)
filter64 filter $(call SLOTS,64)
filter-files16 filter $(call SLOTS,16) -DFILTER_SENDS
filter-files64 filter $(call SLOTS,64) -DFILTER_SENDS
filter-explain filter $(call SLOTS,64) -DFILTER_SENDS -DFILTER_EXPLAIN
filter-old filter $(call SLOTS,64) $(OLD)
filter-explain-old filter $(call SLOTS,64) $(OLD) -DFILTER_EXPLAIN
filter-shared filter-shared
filter-shared-bounded filter-shared -DFILTER_BOUNDED_LOOP
filter-shared-old filter-shared -DFILTER_BOUNDED_LOOP $(OLD)
tally-samples16 tally-samples $(call SLOTS,16)
tally-samples32 tally-samples $(call SLOTS,32)
tally-samples64 tally-samples $(call SLOTS,64)
tally-samples-old tally-samples $(call SLOTS,64) $(OLD)
unwind-samples unwind-samples $(call SLOTS,0)
unwind-samples16 unwind-samples $(call SLOTS,16)
unwind-samples64 unwind-samples $(call SLOTS,64)
unwind-samples-old unwind-samples $(call SLOTS,64) $(OLD)
target target
target-command target -DTARGET_IS_COMMAND
counters counters
counters-filter counters $(call SLOTS,64)
offcpu offcpu
offcpu-tables offcpu $(TABLES)
wall wall
wall-tables wall $(TABLES)
lock lock
lock-tables lock $(TABLES)
lock-futex lock-futex
lock-futex-event lock-futex $(BY_EVENT)
lock-futex-tables lock-futex $(TABLES)
lock-futex-tables-event lock-futex $(TABLES) $(BY_EVENT)
trace trace
trace-event trace $(BY_EVENT)
trace-stacks trace -DTRACE_STACKS
trace-stacks-event trace -DTRACE_STACKS $(BY_EVENT)
trace-tables trace -DTRACE_STACKS $(TABLES)
trace-tables-event trace -DTRACE_STACKS $(TABLES) $(BY_EVENT)
kwork kwork
kwork-event kwork $(BY_EVENT)
histogram histogram-tp -DHISTOGRAM_PROGRAMS=0xff
histogram-event histogram-tp -DHISTOGRAM_PROGRAMS=0xff $(BY_EVENT)
histogram-syscalls histogram-tp -DHISTOGRAM_PROGRAMS=0x21
histogram-syscalls-event histogram-tp -DHISTOGRAM_PROGRAMS=0x21 $(BY_EVENT)
histogram-tracepoints histogram-tp -DHISTOGRAM_PROGRAMS=0x44
histogram-probes histogram-tp -DHISTOGRAM_PROGRAMS=0x88
tally-samples-tables tally-samples $(call SLOTS,64) $(TABLES)
tally-samples-tables-old tally-samples $(call SLOTS,64) $(TABLES) $(OLD)
tp-enter tp-enter
tp-enter-event tp-enter $(BY_EVENT)
tp-enter-tables tp-enter $(TABLES)
tp-enter-tables-event tp-enter $(TABLES) $(BY_EVENT)
tp-exit tp-exit
tp-exit-event tp-exit $(BY_EVENT)
tp-exit-tables tp-exit $(TABLES)
tp-exit-tables-event tp-exit $(TABLES) $(BY_EVENT)
tp-probe tp-probe
tp-probe-tables tp-probe $(TABLES)
tp-any tp-any
tp-any-tables tp-any $(TABLES)
tp-any-arguments tp-any $(ARGUMENTS)
tp-any-arguments-tables tp-any $(ARGUMENTS) $(TABLES)
endef
# Rows as words, with ':' in the place of blanks.
empty :=
define newline


endef
VARIANT_ROWS := $(subst |, ,$(subst $(empty) ,:,$(subst $(newline),|,$(VARIANTS))))
row = $(subst :, ,$(1))
VARIANT_NAMES := $(foreach r,$(VARIANT_ROWS),$(word 1,$(call row,$(r))))
VARIED := $(sort $(foreach r,$(VARIANT_ROWS),$(word 2,$(call row,$(r)))))
BPF_NAMES := $(VARIANT_NAMES) $(filter-out $(VARIED),$(BPF_SRCS:util/bpf_skel/%.bpf.c=%))
LSKELS := $(BPF_NAMES:%=$(SKEL_DIR)/%.lskel.h)
IMAGES := $(BPF_NAMES:%=$(SKEL_DIR)/%.image.o)

# The architecture in libbpf's spelling. A program's registers depend on it, nothing else does.
BPF_ARCH_x86_64 := x86
BPF_ARCH_aarch64 := arm64
BPF_ARCH := $(BPF_ARCH_$(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null))))
# What the shared engine's programs are made of, in one number: programs that are pinned outlive the perf that loaded them, and
# another build's may number the terms otherwise.
$(SKEL_DIR)/filter-shared.build.h: util/bpf_skel/filter-shared.bpf.c $(BPF_HDRS)
	@mkdir -p $(@D)
	$(Q)printf '#define FILTER_SHARED_BUILD "%s"\n' $$(cat $^ | sha256sum | cut -c 1-12) > $@

BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -I. -Iutil/bpf_skel
ifeq ($(CI),true)
BPF_CFLAGS += -Werror
endif

# $(1): name, source, macros
define variant_rule
$(SKEL_DIR)/$(word 1,$(1)).bpf.o: util/bpf_skel/$(word 2,$(1)).bpf.c bpf_skel.mak
	@mkdir -p $$(@D)
	$$(call say,CLANG,$$@)
	$$(Q)$$(CLANG) $$(BPF_CFLAGS) $(wordlist 3,99,$(1)) -MMD -MP -c $$< -o $$@
endef
$(foreach r,$(VARIANT_ROWS),$(eval $(call variant_rule,$(call row,$(r)))))

# Programs of the tests and measurements under tests/ are built by the same rules.
$(patsubst %.c,$(OUTPUT)/%.o,$(filter-out %.bpf.c,$(wildcard tests/bench/*.c))): | $(LSKELS)
$(patsubst %.c,$(OUTPUT)/%.o,$(wildcard tests/unit/bpf/*.c tests/unit/judge/*.c tests/unit/source/*.c)): | $(patsubst %.bpf.c,$(OUTPUT)/%.lskel.h,$(wildcard tests/bpf/*.bpf.c))
$(patsubst %.c,$(OUTPUT)/%.o,$(wildcard tests/bpf/*.bpf.c)): $(wildcard tests/bpf/*.h)
$(OUTPUT)/%.bpf.o: %.bpf.c bpf_skel.mak
	@mkdir -p $(@D)
	$(call say,CLANG,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

# The loader in a light skeleton has room for so many functions; with one more the kernel refuses it.
MAX_BPF_FUNCTIONS := 32
$(OUTPUT)/%.lskel.h: $(OUTPUT)/%.bpf.o
	$(call say,GENSKEL,$@)
	$(Q)n=$$($(BPFTOOL) btf dump file $< | grep -cE "FUNC '.* linkage=(static|global)"); [ $$n -le $(MAX_BPF_FUNCTIONS) ] || \
		{ echo "$<: $$n functions, but a light skeleton has room for $(MAX_BPF_FUNCTIONS)" >&2; exit 1; }
	$(Q)$(BPFTOOL) gen skeleton -L $< name $(subst -,_,$(notdir $*)) > $@.tmp && \
		sed -i 's,<bpf/skel_internal\.h>,"util/bpf/skeleton-run.h",; s/\bbpf_load_and_run(/skeleton__run(/' $@.tmp && mv $@.tmp $@

$(SKEL_DIR)/%.image.c: $(SKEL_DIR)/%.lskel.h util/bpf/image.awk
	$(Q)awk -v header=util/bpf_skel/$*.lskel.h -f util/bpf/image.awk $< > $@.tmp && mv $@.tmp $@
$(SKEL_DIR)/%.image.o: $(SKEL_DIR)/%.image.c $(OUTPUT)/flags
	$(call say,CC,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
