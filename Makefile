# SPDX-License-Identifier: GPL-2.0-only
#
# Targets for people; the modules are built by Kbuild, through "modules".
# Each target does the set-up that it needs; the results are kept in
# VERBENA_CACHE, so a second run starts in seconds.

SHELL := /bin/bash
MAKEFLAGS += --no-print-directory

KERNEL ?= stock
STACK ?= ours
O := $(CURDIR)/build
PYTHON ?= /usr/bin/python3

# CMD is for the guest's shell, K is a regular expression: make must not look
# into them.
override CMD := $(value CMD)
override K := $(value K)
export KERNEL STACK CMD SHARE HCAS MEM SMP TIMEOUT CENSUS KEEP ACCEL
export MODEL MODEL_ARGS QEMU_ARGS KERNEL_ARGS VERBENA_CACHE K

setup := scripts/setup.sh
# Debian's kernel comes as it is, the others are built from its source.
kernel_steps = $(if $(filter stock,$1),kernel-stock,source kernel-$1)

.PHONY: help
help:			## this list
	@sed -nE 's/^([a-z-]+):[^#]*## /\1|/p' $(MAKEFILE_LIST) | \
		awk -F'|' '{ printf "  make %-12s %s\n", $$1, $$2 }'
	@echo; scripts/vm.py --help | sed -n '/^  /p'
	@echo "  VERBENA_CACHE=     what is fetched and built; ~/.cache/verbena"

.PHONY: demo
demo:			## show a transfer through our stack on our adapter, in minutes
	@$(setup) host qemu guest kernel-stock
	@$(MAKE) KERNEL=stock modules model
	@scripts/demo.sh

.PHONY: test
test:			## the tests that each change has to pass
	@$(setup) host
	@$(PYTHON) scripts/test.py quick

.PHONY: test-full
test-full:		## longer lists, debug kernel; RESUME=1 goes on after an end
	@$(setup) host
	@$(PYTHON) scripts/test.py $(if $(RESUME),--resume) full

.PHONY: soak
soak:			## load, unload, transfer and kill for hours
	@$(setup) host
	@$(PYTHON) scripts/test.py soak

.PHONY: vm
vm: vm-setup		## a shell in the guest, or CMD='...' and its status
	@scripts/vm.py

# Only our stack needs our modules, only adapters need the model.
.PHONY: vm-setup
vm-setup:
	@$(setup) host qemu guest $(call kernel_steps,$(KERNEL))
	@$(if $(filter ours,$(STACK)),$(MAKE) modules)
	@$(if $(filter 0,$(HCAS)),,$(MAKE) verbs-why)
	@$(if $(filter ours upstream,$(STACK)),$(if $(filter 0,$(HCAS)),, \
		$(if $(MODEL),,$(MAKE) model)))

.PHONY: modules
modules:		## build our modules for KERNEL in build/modules-KERNEL
	@$(setup) host $(call kernel_steps,$(KERNEL))
	@scripts/modules.sh

.PHONY: model
model:			## build the adapter, build/cxmodel
	@$(setup) host
	@mkdir -p $(O)
	@$(MAKE) -s -C tools/cxmodel O=$(O)

.PHONY: verbs-why
verbs-why:		## build build/verbs-why/verbs-why: why does a program fail?
	@$(setup) host
	@$(MAKE) -s -C tools/verbs-why O=$(O)

.PHONY: kunit
kunit:			## run the KUnit suites in the guest, on KERNEL=test
	@$(MAKE) KERNEL=test setup modules model
	@$(PYTHON) scripts/test.py kunit

N ?= 200000
SEED ?= 1
.PHONY: abidiff
abidiff:		## N=200000 calls, of SEED=1, on upstream's stack and ours: what differs
	@$(MAKE) KERNEL=test setup modules model
	@$(PYTHON) -B scripts/abidiff.py $(N) $(SEED)

.PHONY: mutants
mutants:		## plant faults one by one; the suites must find each
	@$(MAKE) KERNEL=test setup
	@$(PYTHON) scripts/test.py mutants

# Both stacks run on one kernel image, which is the test kernel's.
suite-setup = $(MAKE) KERNEL=$(suite-kernel) setup modules model
suite-kernel = $(if $(filter command environment,$(origin KERNEL)),$(KERNEL),test)

.PHONY: pyverbs
pyverbs:		## rdma-core's python tests on STACK; K=regular expression
	@$(suite-setup)
	@KERNEL=$(suite-kernel) scripts/pyverbs.py $(STACK)

.PHONY: compare
compare:		## the same on upstream's stack and ours: what differs; K=
	@$(suite-setup)
	@KERNEL=$(suite-kernel) scripts/pyverbs.py upstream ours

.PHONY: bench-ioctl
bench-ioctl:		## kernel instructions per ioctl, ours against upstream's
	@$(MAKE) KERNEL=test setup modules model
	@scripts/bench-ioctl.py full

.PHONY: bench-mr
bench-mr:		## what it costs to register memory, 4 KiB to 8 GiB
	@$(MAKE) KERNEL=test setup modules model
	@scripts/bench-mr.py full

.PHONY: check
check:			## static checks: style, sparse, includes, copied lines
	@$(setup) host source kernel-stock
	@scripts/check.sh

.PHONY: setup
setup:			## all set-up for KERNEL; UPDATE=1 looks for newer versions
	@$(setup) host qemu guest $(call kernel_steps,$(KERNEL))

.PHONY: clean
clean:			## remove build/; the cache stays
	rm -rf build
