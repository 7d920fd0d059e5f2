/** Gives back a place, once. */
export type Leave = () => void

/**
 * Places for what is done at the same time: so many in all, and half of them for one workspace, so that
 * none keeps the others out. `take` gives undefined where there is none.
 */
export function places(most: number): { take(workspace_id: string): Leave | undefined } {
  let all = 0
  const taken = new Map<string, number>()
  return {
    take(workspace_id) {
      const own = taken.get(workspace_id) ?? 0
      if (all >= most || own >= most / 2) return undefined
      all += 1
      taken.set(workspace_id, own + 1)
      return () => {
        all -= 1
        const left = (taken.get(workspace_id) ?? 0) - 1
        if (left > 0) taken.set(workspace_id, left)
        else taken.delete(workspace_id)
      }
    },
  }
}
