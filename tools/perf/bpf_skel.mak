# BPF programs: x.bpf.c -> x.bpf.o -> x.lskel.h (light skeleton). Neither the running kernel's BTF nor root is needed.
SKEL_DIR := $(OUTPUT)/util/bpf_skel
BPF_SRCS := $(wildcard util/bpf_skel/*.bpf.c)
LSKELS := $(patsubst util/bpf_skel/%.bpf.c,$(SKEL_DIR)/%.lskel.h,$(BPF_SRCS))
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -Wall -Werror -I. -Iutil/bpf_skel

$(SKEL_DIR)/%.bpf.o: util/bpf_skel/%.bpf.c $(wildcard util/bpf_skel/*.h)
	@mkdir -p $(@D)
	$(call say,CLANG,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(SKEL_DIR)/%.lskel.h: $(SKEL_DIR)/%.bpf.o
	$(call say,GENSKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton -L $< name $(subst -,_,$*) > $@.tmp && mv $@.tmp $@
