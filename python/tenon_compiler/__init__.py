"""Compiles neural networks to portable C with planned memory.

    import tenon_compiler as tenon
    module = tenon.load("kws.tflite")
    model = module.compile()
    logits = model(samples)

docs/guide/python.md is the guide. All errors in the input are tenon.Error; nothing is printed.
"""

from ._native import engines, version as __version__
from .artifact import Artifact
from .errors import Diagnostic, Error
from .generator import generator
from .module import Function, Module, Pass, Statement, load, parse
from .plan import Plan, check_plan, plan
from .report import Report
from .tensors import TensorInfo
from .torch import from_torch
from .verify import Comparison, Verification, verify

__all__ = ["Artifact", "Comparison", "Diagnostic", "Error", "Function", "Module", "Pass", "Plan", "Report", "Statement",
           "TensorInfo", "Verification", "__version__", "check_plan", "engines", "from_torch", "generator", "load", "parse",
           "plan", "verify"]
