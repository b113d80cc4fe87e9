/* The part of the model of CMSIS-NN that the library declares in this header. */
#ifndef TENON_TESTS_INTEGRATION_CMSIS_NN_STUB_ARM_NNSUPPORTFUNCTIONS_H_
#define TENON_TESTS_INTEGRATION_CMSIS_NN_STUB_ARM_NNSUPPORTFUNCTIONS_H_

#include "arm_nnfunctions.h"

#ifdef __cplusplus
extern "C" {
#endif

arm_cmsis_nn_status arm_nn_mat_mult_nt_t_s8_s32(const int8_t* lhs, const int8_t* rhs, int32_t* dst,
                                                int32_t lhs_rows, int32_t rhs_rows,
                                                int32_t rhs_cols, int32_t lhs_offset,
                                                int32_t dst_idx_offset);

#ifdef __cplusplus
}
#endif

#endif
