// tenon-opt: reads TVMScript, runs passes, prints TVMScript. For people who know mlir-opt.

#include "tools/opt_main.h"

int main(int argc, char** argv) { return tenon::OptMain(argc, argv); }
