# BPF programs: x.bpf.c -> x.bpf.o -> x.lskel.h (light skeleton). Neither the running kernel's BTF nor root is needed.
SKEL_DIR := $(OUTPUT)/util/bpf_skel
BPF_SRCS := $(wildcard util/bpf_skel/*.bpf.c)
BPF_HDRS := $(wildcard util/bpf_skel/*.h)
LSKELS := $(patsubst util/bpf_skel/%.bpf.c,$(SKEL_DIR)/%.lskel.h,$(BPF_SRCS))

# The architecture in libbpf's spelling. A program's registers depend on it, nothing else does.
BPF_ARCH_x86_64 := x86
BPF_ARCH_aarch64 := arm64
BPF_ARCH := $(BPF_ARCH_$(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null))))
# What the shared engine's programs are made of, in one number: programs that are pinned outlive the perf that loaded them, and
# another build's may number the terms otherwise.
$(SKEL_DIR)/filter-shared.build.h: util/bpf_skel/filter-shared.bpf.h $(BPF_HDRS)
	@mkdir -p $(@D)
	$(Q)printf '#define FILTER_SHARED_BUILD "%s"\n' $$(cat $^ | sha256sum | cut -c 1-12) > $@

BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -I. -Iutil/bpf_skel
ifeq ($(CI),true)
BPF_CFLAGS += -Werror
endif

# Programs of the tests and measurements under tests/ are built by the same rules.
$(patsubst %.c,$(OUTPUT)/%.o,$(filter-out %.bpf.c,$(wildcard tests/bench/*.c))): | $(LSKELS)
$(patsubst %.c,$(OUTPUT)/%.o,$(wildcard tests/unit/sampler/*.c)): | $(patsubst %.bpf.c,$(OUTPUT)/%.lskel.h,$(wildcard tests/bpf/*.bpf.c))
$(patsubst %.c,$(OUTPUT)/%.o,$(wildcard tests/bpf/*.bpf.c)): $(wildcard tests/bpf/*.h)
$(OUTPUT)/%.bpf.o: %.bpf.c $(BPF_HDRS)
	@mkdir -p $(@D)
	$(call say,CLANG,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(OUTPUT)/%.lskel.h: $(OUTPUT)/%.bpf.o
	$(call say,GENSKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton -L $< name $(subst -,_,$(notdir $*)) > $@.tmp && \
		sed -i 's,<bpf/skel_internal\.h>,"util/sampler/skeleton-run.h",; s/\bbpf_load_and_run(/skeleton__run(/' $@.tmp && mv $@.tmp $@
