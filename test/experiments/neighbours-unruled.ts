import { MOST, Slots } from '#delivery/slots.ts'

/** A server whose attempts begin as they come, whoever they are for: the experiment must find it out. */
let used = 0
const { take } = Slots.prototype
Slots.prototype.room = () => MOST.all - used
Slots.prototype.take = function (this: Slots, ...of) {
  const slot = take.apply(this, of)
  used += 1
  return {
    free(inTime) {
      used -= 1
      slot.free(inTime)
    },
  }
}
await import('../../src/main.ts')
