import { AttemptSlots, MAX_SLOTS } from '#webhooks/queue/slots.ts'

/**
 * For the control: a server that starts attempts in their order, without limits for a workspace or
 * host.
 */
let used = 0
const { acquire } = AttemptSlots.prototype
AttemptSlots.prototype.available = () => MAX_SLOTS.all - used
AttemptSlots.prototype.acquire = function (this: AttemptSlots, ...of) {
  const slot = acquire.apply(this, of)
  used += 1
  return {
    release(inTime) {
      used -= 1
      slot.release(inTime)
    },
  }
}
await import('../../../src/main.ts')
