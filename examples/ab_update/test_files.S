/* The files of both models, an input, and the answers, from files in a folder of -I. The answers have
 * the header of .npy files, 128 bytes.
 */
#define FILE_OF(name, path, header) \
  .balign 16 ; .global name ; name: ; .incbin path, header

#if defined(__arm__)
  .section .test_vectors, "a"
#else
  .section .rodata
#endif

  FILE_OF(old_file, "old.safetensors", 0)
  .global old_file_end
old_file_end:
  FILE_OF(new_file, "new.safetensors", 0)
  .global new_file_end
new_file_end:
  FILE_OF(test_input, "input.npy", 128)
  FILE_OF(old_output, "old.npy", 128)
  FILE_OF(new_output, "new.npy", 128)

#if !defined(__arm__)
  .section .note.GNU-stack,"",%progbits
#endif
