#ifndef TENON_REPORT_LAYERS_H_
#define TENON_REPORT_LAYERS_H_

#include <span>
#include <string>

#include "ir/module.h"
#include "report/report.h"

namespace tenon {

/// Sets what each step of a module computes and needs (ReportStep). `stmts` are the statements of
/// the steps. Buffers and lifetimes are in the report already. Not for planned modules, which have
/// no allocations.
void DescribeLayers(const IRModule& module, const Function& entry,
                    std::span<const Stmt* const> stmts, MemoryReport& report);

/// A table of the steps, for a terminal.
std::string LayersText(const MemoryReport& report);

}  // namespace tenon

#endif  // TENON_REPORT_LAYERS_H_
