"""The parts of train.py: data, the float network, quantisation, integer arithmetic, the files."""
