"""exit_code.py CODE COMMAND...: runs the command and fails unless it ends with CODE."""

import subprocess
import sys

done = subprocess.run(sys.argv[2:], check=False)
if done.returncode != int(sys.argv[1]):
    sys.exit(f"exit code {done.returncode}, expected {sys.argv[1]}")
