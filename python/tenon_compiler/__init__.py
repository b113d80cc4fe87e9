"""Compiles neural networks to portable C with planned memory.

    import tenon_compiler as tenon
    module = tenon.load("kws.tflite")
    model = module.compile()
    logits = model(samples)

docs/python.md is the guide. All errors in the input are tenon.Error; nothing is printed.
"""

from ._native import engines, version as __version__
from .artifact import Artifact
from .compare import Comparison, compare
from .errors import Diagnostic, Error
from .generator import generator
from .module import Function, Module, Pass, Statement, load, parse
from .plan import Plan, check_plan, plan
from .report import Report
from .tensors import TensorInfo

__all__ = ["Artifact", "Comparison", "Diagnostic", "Error", "Function", "Module", "Pass", "Plan", "Report", "Statement",
           "TensorInfo", "__version__", "check_plan", "compare", "engines", "generator", "load", "parse", "plan"]
