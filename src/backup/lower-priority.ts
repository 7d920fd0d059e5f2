import { constants, setPriority } from 'node:os'

/** Lowers the priority of this process, so that a server beside it gets the CPU first. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // A system call filter may forbid it. The work is done all the same.
  }
}
