import type { Readable } from 'node:stream'
import type { FileDraft } from './disk.ts'

export type { FileDraft }

/** Stores, reads and deletes the bytes of attachments. */
export interface Files extends FileStore {
  /** Opens a draft, a file that is not visible before it is stored. */
  draft(): Promise<FileDraft>
  /** Deletes drafts older than an instant (milliseconds), which a crash has left. */
  sweepDrafts(before: number): Promise<void>
  /** Waits until the open drafts are stored or discarded. */
  close(): Promise<void>
}

/** A store of whole files under generated keys: a directory or a bucket. */
export interface FileStore {
  /** Stores a draft; it is durable when this resolves. Fails with 503 if it cannot be stored. */
  put(key: string, draft: Pick<FileDraft, 'path' | 'size'>): Promise<void>
  /**
   * Reads the bytes of a range, both ends included. Fails with 503 if there is no such file or its
   * size differs; the cause of the error is then that of a missing file.
   */
  read(key: string, size: number, range: ByteRange): Promise<Readable>
  /** Deletes a file; a missing file is not an error. */
  remove(key: string): Promise<void>
  /** Deletes all files of a workspace and its directory. Nothing may be stored there afterwards. */
  clear(workspace_id: string): Promise<void>
  /** Lists all files in any order, each with the instant (milliseconds) at which it was stored. */
  list(): AsyncIterable<{ key: string; at: number }>
}

/** The first and the last byte. */
export interface ByteRange {
  start: number
  end: number
}

/** The key of a file, which never contains text from a client. */
export const fileKey = (workspace_id: string, id: string): string => `${workspace_id}/${id}`

/** Matches a key and captures its two parts; any other file is not ours. */
export const FILE_KEY = /^(wsp_[0-9a-hjkmnp-tv-z]{26})\/(att_[0-9a-hjkmnp-tv-z]{26})$/
