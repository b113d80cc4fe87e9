"""Nests of loops as TIR text, and the C that a person would write for them."""
