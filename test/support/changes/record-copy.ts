import { isDeepStrictEqual } from 'node:util'

/** A change as a client of `GET /api/v1/changes` reads it. */
export interface ReceivedChange {
  op: 'put' | 'delete' | 'reset'
  type: string
  id: string
  project_id?: string | null
  record?: Record<string, unknown>
}

/** A record with the project that its change named. */
export interface CopiedRecord {
  type: string
  id: string
  project_id: string | null
  record: Record<string, unknown>
}

/** Records by type and id. */
export type RecordSet = Map<string, CopiedRecord>

export const recordKey = (type: string, id: string): string => `${type} ${id}`

/** What a program holds that applies the three rules of the feed of changes, and nothing else. */
export class RecordCopy {
  readonly records: RecordSet = new Map()
  position: string | undefined

  apply(change: ReceivedChange): void {
    const { op, type, id } = change
    if (op === 'put') this.#put(change)
    else if (op === 'reset')
      this.#forget((held) => held.project_id === id || (held.type === 'project' && held.id === id))
    else {
      this.records.delete(recordKey(type, id))
      if (type === 'task') this.#forget(({ record }) => record.task_id === id)
    }
  }

  /** All records by type and id, without the one field that moves without a change. */
  toObject(): Record<string, object> {
    return Object.fromEntries(
      [...this.records]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, { record }]) => [key, { ...record, last_active_at: null }]),
    )
  }

  /** Forgets everything, to begin again without a position. */
  clear(): void {
    this.records.clear()
    this.position = undefined
  }

  #put({ type, id, project_id, record }: ReceivedChange): void {
    if (record === undefined || project_id === undefined)
      throw new Error(`A put of ${id} lacks its record or its project`)
    this.records.set(recordKey(type, id), { type, id, project_id, record })
  }

  #forget(isForgotten: (held: CopiedRecord) => boolean): void {
    for (const [key, held] of this.records) if (isForgotten(held)) this.records.delete(key)
  }
}

/** Describes at most this many differences. */
const MAX_DIFFERENCES = 6

/** Lists what a copy has in excess, lacks, or has with another value. */
export function findDifferences(copied: RecordSet, expected: RecordSet): string[] {
  const differences: string[] = []
  for (const [key, { record, project_id }] of expected) {
    const held = copied.get(key)
    if (!held) differences.push(`lacks ${key}`)
    else if (!isDeepStrictEqual(toComparable(held.record), toComparable(record)))
      differences.push(`has an old ${key}: ${describeFields(held.record, record)}`)
    else if (held.project_id !== project_id)
      differences.push(`has ${key} in ${held.project_id} instead of ${project_id}`)
  }
  for (const key of copied.keys()) if (!expected.has(key)) differences.push(`still has ${key}`)
  return differences.slice(0, MAX_DIFFERENCES)
}

/** The feed does not tell when a member was active last. */
const toComparable = ({ last_active_at, ...record }: Record<string, unknown>) => record

function describeFields(held: Record<string, unknown>, expected: Record<string, unknown>): string {
  return Object.keys({ ...held, ...expected })
    .filter((name) => name !== 'last_active_at' && !isDeepStrictEqual(held[name], expected[name]))
    .map((name) => `${name} ${JSON.stringify(held[name])} ≠ ${JSON.stringify(expected[name])}`)
    .join(', ')
}
