# make install PREFIX= DESTDIR=, make uninstall, make man, make deb. Without asciidoctor make install leaves the manual pages out.
#
# All that perf looks for at run time is in EXEC_PATH; perf-sample-bpf is how a perf of a distribution finds us as its subcommand.

# The first line of a page tells its section.
MANS := $(shell sed -nE '1s/^(perf[a-z-]*)\(([0-9])\)$$/\1.\2/p' -s Documentation/*.txt)
ASCIIDOCTOR ?= asciidoctor
man: $(MANS:%=$(OUTPUT)/man/%)
# asciidoctor takes " -- " for a dash between words; in these pages it is what ends the options.
define man_rule
$(OUTPUT)/man/$(1): Documentation/$(basename $(1)).txt
	@mkdir -p $$(@D)
	$$(call say,MAN,$$@)
	$$(Q)$(ASCIIDOCTOR) -b manpage -d manpage -a reproducible -a manmanual='perf Manual' -a mansource='perf $(VERSION)' \
		--failure-level WARN -o $$@.tmp $$< && sed 's/\\(em/\\-\\-/g' $$@.tmp > $$@ && rm $$@.tmp
endef
$(foreach m,$(MANS),$(eval $(call man_rule,$(m))))

# What is no manual page
OTHER_TEXTS := $(filter-out $(foreach m,$(MANS),Documentation/$(basename $(m)).txt),$(wildcard Documentation/*.txt))

BIN_DIR := $(DESTDIR)$(PREFIX)/bin
OWN_DIR := $(DESTDIR)$(EXEC_PATH)
MAN_DIR := $(DESTDIR)$(PREFIX)/share/man
MAN_FILES := $(foreach m,$(MANS),$(MAN_DIR)/man$(subst .,,$(suffix $(m)))/$(m))
FLEET_DIR := $(DESTDIR)$(PREFIX)/share/doc/perf/fleet
FLEET := $(wildcard Documentation/fleet/*)
COMPLETION_DIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions

# As test and demo do, install first brings what the build needs.
ifneq ($(filter install,$(MAKECMDGOALS)),)
$(BUILD_DEPS): | deps-build
endif
install: $(OUTPUT)/perf $(HELP) $(PAGE)
	install -D -m 755 $(OUTPUT)/perf $(BIN_DIR)/perf
	ln -sf perf $(BIN_DIR)/perf-sample-bpf
	install -d $(OWN_DIR)/Documentation $(OWN_DIR)/help
	install -m 644 $(OTHER_TEXTS) $(OWN_DIR)/Documentation
	install -m 644 $(HELP) $(OWN_DIR)/help
	install -m 644 $(PAGE) $(OWN_DIR)
	+@if ! command -v $(ASCIIDOCTOR) >/dev/null; then \
		echo "Manual pages are left out: install asciidoctor and run make install again" >&2; \
	else \
		$(MAKE) --no-print-directory -f Makefile.perf install-man; \
	fi
	install -d $(FLEET_DIR)
	install -m 644 $(FLEET) $(FLEET_DIR)
	sed -i 's,^ExecStart=/usr/local/bin/,ExecStart=$(PREFIX)/bin/,' $(FLEET_DIR)/perf-push.service
	install -D -m 644 install/completion.bash $(COMPLETION_DIR)/perf

# perf help finds its own pages in EXEC_PATH, whatever perf the names in MAN_DIR belong to.
install-man: man
	install -d $(OWN_DIR)/man
	for man in $(MAN_FILES); do \
		install -D -m 644 $(OUTPUT)/man/$${man##*/} $$man && ln -sf $${man#$(DESTDIR)} $(OWN_DIR)/man/ || exit; \
	done

# Our own directories, inner ones first; they go only if nobody else has something in them. Those above may be others'.
OWN_DIRS := $(OWN_DIR)/Documentation $(OWN_DIR)/help $(OWN_DIR)/man $(OWN_DIR)
uninstall:
	rm -f $(BIN_DIR)/perf $(BIN_DIR)/perf-sample-bpf $(COMPLETION_DIR)/perf
	rm -f $(MAN_FILES) $(OTHER_TEXTS:%=$(OWN_DIR)/%) $(HELP:$(OUTPUT)/%=$(OWN_DIR)/%) $(OWN_DIR)/$(notdir $(PAGE)) $(MANS:%=$(OWN_DIR)/man/%)
	rm -f $(FLEET:Documentation/fleet/%=$(FLEET_DIR)/%)
	for dir in $(OWN_DIRS) $(FLEET_DIR) $(dir $(FLEET_DIR)); do [ ! -d $$dir ] || rmdir --ignore-fail-on-non-empty $$dir || exit; done

# A package that leaves the distribution's perf alone: it is called perf-bpf there.
deb:
	@check-deps/check.sh --install build optional man deb
	@install/deb.sh $(OUTPUT)/deb
.PHONY: man install install-man uninstall deb
