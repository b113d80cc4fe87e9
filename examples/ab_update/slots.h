/* Two slots of flash for the weights of one model. The code of the model is elsewhere, and stays.
 * At every moment, one slot has a whole file: an update writes the other slot, and its last write
 * makes it the newer one. If the power fails before, the next start uses the old weights.
 */
#ifndef TENON_EXAMPLES_AB_UPDATE_SLOTS_H_
#define TENON_EXAMPLES_AB_UPDATE_SLOTS_H_

#include <stddef.h>
#include <stdint.h>

/* The bytes of a slot: sectors of the file, and one sector that says whether the file is whole. */
enum { SLOT_COUNT = 2, SLOT_FILE_BYTES = 32768, SLOT_BYTES = SLOT_FILE_BYTES + 4096 };

/* The place of the slots, a multiple of the model's CONSTANTS_FILE_ALIGNMENT. */
extern uint8_t slots[SLOT_COUNT][SLOT_BYTES];

/* Hands over a file to the model: `<prefix>_set_constants`, which checks each byte. */
typedef int32_t (*slots_set_constants)(const void* bytes, size_t size);

/* At the start of the device: gives the model the newest whole file. Returns its slot, or -1 if no
 * slot has one. */
int slots_start(slots_set_constants set);

/* Writes a file to the slot that is not used. Returns 0, or a negative number if a write failed or
 * the file is too long. The model goes on with the old file; call slots_start() then, and again
 * after a failure. */
int slots_update(const uint8_t* file, size_t size, int used);

#endif /* TENON_EXAMPLES_AB_UPDATE_SLOTS_H_ */
