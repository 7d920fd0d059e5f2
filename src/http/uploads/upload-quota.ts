import { ApiError, workspaceStorageFull } from '#core/api-error.ts'
import type { FileDraft } from '#files/files.ts'

/** Files up to this size are received before the quota of the workspace is looked up. */
const QUOTA_FREE_BYTES = 1_048_576

/** Whether a body is large, or may be because it declares no length. */
export const isLargeUpload = (declaredBytes: number | undefined): boolean =>
  declaredBytes === undefined || declaredBytes > QUOTA_FREE_BYTES

/** Bytes of unfinished uploads by workspace, which the stored rows do not count yet. */
const reservedBytes = new Map<string, number>()

interface UploadLimits {
  workspace_id: string
  /** The maximum size of one file. */
  maxBytes: number
  /** Length that the request declares; undefined if it declares none. */
  declaredBytes: number | undefined
  /** Runs the checks that need no bytes, and returns how many bytes the workspace has left. */
  loadAvailableBytes: () => Promise<number>
}

/**
 * Writes the bytes of one file into a draft and enforces the maximum size. Beyond the first
 * megabyte it also enforces the workspace's quota, including the other uploads of this process.
 */
export function createUploadWriter(
  draft: FileDraft,
  { workspace_id, maxBytes, declaredBytes, loadAvailableBytes }: UploadLimits,
) {
  let available: number | undefined
  let reserved = 0

  return {
    async write(chunk: Uint8Array): Promise<void> {
      const size = draft.size + chunk.length
      if (size > maxBytes) throw fileTooLarge(maxBytes)
      if ((declaredBytes ?? size) > QUOTA_FREE_BYTES) {
        available ??= await loadAvailableBytes()
        reserve(size - reserved)
        if ((reservedBytes.get(workspace_id) ?? 0) > available) throw workspaceStorageFull()
      }
      await draft.write(chunk)
    },
    /** Releases the reservation; must be called whether the upload succeeded or failed. */
    end: () => reserve(-reserved),
  }

  function reserve(bytes: number): void {
    reserved += bytes
    const total = (reservedBytes.get(workspace_id) ?? 0) + bytes
    if (total > 0) reservedBytes.set(workspace_id, total)
    else reservedBytes.delete(workspace_id)
  }
}

export const fileTooLarge = (maxBytes: number) =>
  new ApiError(413, 'payload_too_large', `A file must be at most ${maxBytes} bytes.`)
