import type { Readable } from 'node:stream'
import type { Draft } from './draft.ts'

export type { Draft }

/** Where the bytes of attachments lie: how a file gets there, is read, and goes. */
export interface Files extends Blobs {
  /** Begins a file that nobody sees before it is put in place. */
  draft(): Promise<Draft>
  /** Takes away the drafts that a crash left, from before an instant (milliseconds). */
  sweepDrafts(before: number): Promise<void>
  /** Waits until the drafts that are under way are in place or gone. */
  close(): Promise<void>
}

/** A store of whole files under keys of ours: a directory, or a bucket. */
export interface Blobs {
  /** Puts a draft in its place; it is there for good when this resolves. A 503 when it cannot. */
  put(key: string, draft: Pick<Draft, 'path' | 'size'>): Promise<void>
  /**
   * The bytes of a range, both ends included. A 503 when there is no such file, or one of another
   * size: then its cause `isMissing`.
   */
  read(key: string, size: number, range: Range): Promise<Readable>
  /** It is no fault when the file is gone already. */
  remove(key: string): Promise<void>
  /** Takes away all that lies there for a workspace, and its place. Nothing may be put there any more. */
  clear(workspace_id: string): Promise<void>
  /** All files, in no order, each with the instant (milliseconds) at which it was put there. */
  list(): AsyncIterable<{ key: string; at: number }>
}

/** The first and the last byte. */
export interface Range {
  start: number
  end: number
}

/** Under what a file lies: never anything that a client has named. */
export const keyOf = (workspace_id: string, id: string): string => `${workspace_id}/${id}`

/** What can be a key, in its two parts; what else lies there is not ours. */
export const KEY = /^(wsp_[0-9a-hjkmnp-tv-z]{26})\/(att_[0-9a-hjkmnp-tv-z]{26})$/
