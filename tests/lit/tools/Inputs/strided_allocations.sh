# strided_allocations.sh MODULE FOLDER NPY ENGINE...: runs the module with several layouts in the interpreter and in each engine, and
# prints the interpreter's results.
set -e
module=$1
folder=$2
npy=$3
shift 3
for layout in "strides=(8, 1)" "strides=(4, 2)" "strides=(1, 4)" "strides=(1, 1)" "strides=(0, 1)" "strides=(8, 1), elem_offset=3" \
  "elem_offset=3"; do
  sed "s/LAYOUT/$layout/" "$module" > "$folder/module.py"
  tenon run "$folder/module.py" --input "$folder/x.npy" --output "$folder/y.npy"
  for engine in "$@"; do
    # shellcheck disable=SC2086 # an engine is several words
    tenon run "$folder/module.py" $engine --input "$folder/x.npy" --expect "$folder/y.npy"
  done
  printf '%s: ' "$layout"
  $npy "$folder/y.npy"
done
