import { Refusal, workspaceFull } from '#core/refusal.ts'
import type { Draft } from '#files/files.ts'

/** Up to so many bytes a file is taken before anybody asks what will become of it. */
const UNASKED_BYTES = 1_048_576

/** Whether a body, by what it says of its length, may be so large. */
export const isLarge = (declared: number | undefined): boolean =>
  declared === undefined || declared > UNASKED_BYTES

/** Bytes of uploads under way, by workspace: what is not yet counted where all files are. */
const underWay = new Map<string, number>()

/** What an upload may take. */
export interface Allowance {
  workspace_id: string
  /** The largest that a file may be. */
  max: number
  /** Bytes that the request says it brings; undefined where it does not say. */
  declared: number | undefined
  /** Refuses what would be refused in the end, and tells how many bytes there is room for. */
  ask: () => Promise<number>
}

/**
 * Takes the bytes of one file into a draft, counting: against the largest size, and, once there are
 * many, against what the workspace has room for, other uploads of this process included.
 */
export function intake(draft: Draft, { workspace_id, max, declared, ask }: Allowance) {
  let room: number | undefined
  let reserved = 0

  return {
    async write(chunk: Uint8Array): Promise<void> {
      const size = draft.size + chunk.length
      if (size > max) throw tooLarge(max)
      if ((declared ?? size) > UNASKED_BYTES) {
        room ??= await ask()
        reserve(size - reserved)
        if ((underWay.get(workspace_id) ?? 0) > room) throw workspaceFull()
      }
      await draft.write(chunk)
    },
    /** Whoever began an intake ends it, however it went. */
    end: () => reserve(-reserved),
  }

  function reserve(bytes: number): void {
    reserved += bytes
    const all = (underWay.get(workspace_id) ?? 0) + bytes
    if (all > 0) underWay.set(workspace_id, all)
    else underWay.delete(workspace_id)
  }
}

export const tooLarge = (max: number) =>
  new Refusal(413, 'payload_too_large', `A file may have at most ${max} bytes.`)
