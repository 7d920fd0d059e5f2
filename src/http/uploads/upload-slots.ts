/** More parallel uploads would only slow each other down on the disk; clients retry. */
export const MAX_CONCURRENT_UPLOADS = 64

/** Releases a slot; must be called exactly once. */
export type ReleaseSlot = () => void

/** Who holds a slot: the network of the client, the person and the workspace. */
export interface SlotOwners {
  network: string
  user_id: string
  workspace_id: string
}

export interface UploadSlots {
  /** Undefined if there is no slot for these owners. */
  acquire(owners: SlotOwners): ReleaseSlot | undefined
}

/**
 * Creates `maxSlots` slots for uploads. A network can hold as many as are left for other networks:
 * alone it gets half of them, beside another one a third. A person and a workspace can hold as many
 * as that leaves for others in the same network: alone a third of all. So a few that hold all they
 * can get still leave slots to the rest, and creating workspaces brings no more of them.
 */
export function createUploadSlots(maxSlots: number): UploadSlots {
  let total = 0
  const slots = new Map<string, number>()
  const heldBy = (owner: string) => slots.get(owner) ?? 0
  const add = (owner: string, count: number) => {
    const held = heldBy(owner) + count
    if (held > 0) slots.set(owner, held)
    else slots.delete(owner)
  }
  return {
    acquire({ network, user_id, workspace_id }) {
      const left = maxSlots - total - heldBy(network)
      if (Math.max(heldBy(user_id), heldBy(workspace_id)) >= left) return undefined
      const owners = [network, user_id, workspace_id]
      total += 1
      for (const owner of owners) add(owner, 1)
      return () => {
        total -= 1
        for (const owner of owners) add(owner, -1)
      }
    },
  }
}
