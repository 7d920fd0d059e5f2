import type { ChangeType } from './contract.ts'
import type { FeedPosition } from './position.ts'

/** The records that a reader follows. */
export interface Selection {
  types: readonly ChangeType[]
  typeSet: ReadonlySet<ChangeType>
  project_id: string | undefined
}

/** Adds an entry to a reply; returns false without adding it if the reply has no room for it. */
export type AddEntry = (json: string, position: FeedPosition) => boolean

/** Keeps a reply under 8 MiB, with room for the JSON around the changes. */
const MAX_BYTES = 8 * 1024 * 1024 - 4_096

/** The entries of a reply, as long as there is room for more. */
export class EntryBuffer {
  readonly entries: { json: string; position: FeedPosition }[] = []
  readonly #limit: number
  #bytes = 0
  #isFull = false

  constructor(limit: number) {
    this.#limit = limit
  }

  get room(): number {
    return this.#isFull ? 0 : this.#limit - this.entries.length
  }

  readonly add: AddEntry = (json, position) => {
    const bytes = Buffer.byteLength(json) + 1
    this.#isFull ||= this.#bytes + bytes > MAX_BYTES && this.entries.length > 0
    if (this.room === 0) return false
    this.#bytes += bytes
    this.entries.push({ json, position })
    return true
  }
}

interface ChangedRecord {
  type: ChangeType
  id: string
  project_id: string | null
}

export const toPut = ({ type, id, project_id }: ChangedRecord, json: string): string =>
  `${JSON.stringify({ op: 'put', type, id, project_id }).slice(0, -1)},"record":${json}}`

export const toDelete = ({ type, id, project_id }: ChangedRecord): string =>
  JSON.stringify({ op: 'delete', type, id, project_id })

export const toReset = (id: string): string => JSON.stringify({ op: 'reset', type: 'project', id })
