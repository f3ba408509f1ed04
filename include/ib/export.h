/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Some of our names are names of the stock ib_core with other arguments. The
 * namespace keeps stock modules from binding to them: the loader refuses a
 * module that does not say MODULE_IMPORT_NS(IB_NS).
 */
#ifndef IB_EXPORT_H
#define IB_EXPORT_H

#include <linux/export.h>
#include <linux/module.h>
#include <compat.h>

#define EXPORT_SYMBOL_IB(sym)	EXPORT_SYMBOL_NS_GPL(sym, IB_NS)

#endif /* IB_EXPORT_H */
