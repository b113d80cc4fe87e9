/* The bytes of two .npy files without their headers: the input and the expected output.
 *   -DINPUT_FILE='"input0.npy"' -DINPUT_HEADER=128 -DEXPECTED_FILE='"expected0.npy"' -DEXPECTED_HEADER=128
 * The linker script keeps them apart from the firmware, so that they do not count as flash.
 */
  .section .test_vectors, "a"

  .balign 16
  .global test_input
test_input:
  .incbin INPUT_FILE, INPUT_HEADER
  .global test_input_end
test_input_end:

  .balign 16
  .global test_expected
test_expected:
  .incbin EXPECTED_FILE, EXPECTED_HEADER
  .global test_expected_end
test_expected_end:
