# SPDX-License-Identifier: GPL-2.0-only
"""The bench: a guest with an RDMA stack on modelled adapters."""
