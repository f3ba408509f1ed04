/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_core

#if !defined(IB_CORE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define IB_CORE_TRACE_H

#include <linux/tracepoint.h>
#include <ib/refuse.h>

TRACE_DEFINE_ENUM(IB_LAYER_UVERBS);
TRACE_DEFINE_ENUM(IB_LAYER_CORE);
TRACE_DEFINE_ENUM(IB_LAYER_UMEM);
TRACE_DEFINE_ENUM(IB_LAYER_DRIVER);
TRACE_DEFINE_ENUM(IB_LAYER_FIRMWARE);

TRACE_EVENT(ib_refuse,
	TP_PROTO(const struct ib_refusal *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		__field(int, layer)
		__field(u16, attr)
		__field(int, err)
		__array(char, why, IB_REFUSE_TEXT)
	),
	TP_fast_assign(
		__entry->layer = r->layer;
		__entry->attr = r->attr;
		__entry->err = r->err;
		ib_refusal_text(r, __entry->why, IB_REFUSE_TEXT);
	),
	TP_printk("%s refuses with %d: %s (attribute 0x%04x)",
		  __print_symbolic(__entry->layer,
				   { IB_LAYER_UVERBS, "uverbs" },
				   { IB_LAYER_CORE, "core" },
				   { IB_LAYER_UMEM, "umem" },
				   { IB_LAYER_DRIVER, "driver" },
				   { IB_LAYER_FIRMWARE, "firmware" }),
		  __entry->err, __entry->why, __entry->attr)
);

#endif /* IB_CORE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
