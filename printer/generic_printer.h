#ifndef TENON_PRINTER_GENERIC_PRINTER_H_
#define TENON_PRINTER_GENERIC_PRINTER_H_

#include "ir/module.h"
#include "printer/sink.h"

namespace tenon {

/// The generic form: `Kind:dtype(field=value, ...)`, with statements and functions on several
/// lines.
void PrintGeneric(const IRModule& module, Sink& sink);
void PrintGeneric(const Node* node, Sink& sink);

}  // namespace tenon

#endif  // TENON_PRINTER_GENERIC_PRINTER_H_
