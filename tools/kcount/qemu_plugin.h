/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kcount uses of QEMU's plugin interface, version 7. Debian ships QEMU
 * without the header; QEMU refuses a plugin of a version that it does not
 * know, so a declaration that has become wrong here cannot be called.
 */
#ifndef KCOUNT_QEMU_PLUGIN_H
#define KCOUNT_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION	7

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

typedef struct {
	struct qemu_plugin_scoreboard	*score;
	size_t				offset;
} qemu_plugin_u64;

typedef struct {
	struct qemu_plugin_register	*handle;
	const char			*name;
	const char			*feature;
	bool				is_readonly;
} qemu_plugin_reg_descriptor;

/* of glib, which QEMU is linked with */
typedef struct {
	uint8_t		*data;
	unsigned int	len;
} GByteArray;

typedef struct {
	char		*data;
	unsigned int	len;
} GArray;

enum { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum { QEMU_PLUGIN_DISCON_INTERRUPT = 1 };
enum { QEMU_PLUGIN_COND_NE = 3 };

typedef void (*qemu_plugin_udata_cb_t)(void *data);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(struct qemu_plugin_tb *tb,
					       void *data);
typedef void (*qemu_plugin_vcpu_discon_cb_t)(unsigned int vcpu, int type,
					     uint64_t from, uint64_t to,
					     void *data);

extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
					   const qemu_info_t *info,
					   int argc, char **argv);

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int len);

GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *reg,
			       GByteArray *into);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void qemu_plugin_u64_set(qemu_plugin_u64 entry, unsigned int vcpu,
			 uint64_t value);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *into,
			     size_t len);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
				       qemu_plugin_vcpu_udata_cb_t cb,
				       void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   qemu_plugin_vcpu_tb_trans_cb_t cb,
					   void *data);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id, int type,
					 qemu_plugin_vcpu_discon_cb_t cb,
					 void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
				    qemu_plugin_udata_cb_t cb, void *data);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_vcpu_udata_cb_t cb,
					       int flags, int cond,
					       qemu_plugin_u64 entry,
					       uint64_t imm, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    int flags, void *data);

#endif /* KCOUNT_QEMU_PLUGIN_H */
