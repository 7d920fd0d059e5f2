/** More parallel uploads would only slow each other down on the disk; clients retry. */
export const MAX_CONCURRENT_UPLOADS = 64

/** Releases a slot; must be called exactly once. */
export type ReleaseSlot = () => void

export interface WorkspaceSemaphore {
  /** Undefined when the workspace gets no slot. */
  acquire(workspace_id: string): ReleaseSlot | undefined
}

/**
 * Creates a semaphore with `maxSlots` slots. A workspace can hold as many as are left for others:
 * alone it gets half of them, beside another one a third. So a few workspaces that hold all they
 * can get still leave slots to the rest.
 */
export function createWorkspaceSemaphore(maxSlots: number): WorkspaceSemaphore {
  let total = 0
  const slots = new Map<string, number>()
  return {
    acquire(workspace_id) {
      const own = slots.get(workspace_id) ?? 0
      if (own >= maxSlots - total) return undefined
      total += 1
      slots.set(workspace_id, own + 1)
      return () => {
        total -= 1
        const left = (slots.get(workspace_id) ?? 0) - 1
        if (left > 0) slots.set(workspace_id, left)
        else slots.delete(workspace_id)
      }
    },
  }
}
