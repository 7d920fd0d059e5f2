import type { ReadTx } from '#core/transaction.ts'
import { recordOf } from '#resources/nouns.ts'
import { RECORD_TYPES, type RecordType } from '#wire/scopes.ts'
import {
  endOf,
  type FeedPosition,
  keyAfter,
  type Place,
  startWalk,
  TOMBSTONE_RANK,
  type Walk,
} from './position.ts'
import { type NumberedRow, numberedChanges, type RowKeys, type TailParams } from './store.ts'

/** The records that a reader follows. */
export interface Selection {
  types: readonly RecordType[]
  typeSet: ReadonlySet<RecordType>
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
  type: RecordType
  id: string
  project_id: string | null
}

export const toPut = ({ type, id, project_id }: ChangedRecord, json: string): string =>
  `${JSON.stringify({ op: 'put', type, id, project_id }).slice(0, -1)},"record":${json}}`

const toDelete = ({ type, id, project_id }: ChangedRecord): string =>
  JSON.stringify({ op: 'delete', type, id, project_id })

const toReset = (id: string): string => JSON.stringify({ op: 'reset', type: 'project', id })

interface TailStep {
  position: FeedPosition
  /** `end`: nothing follows. `stale`: the rights of the reader are changing at this moment. */
  reached: 'more' | 'end' | 'stale'
}

/** What one row means for a reader. */
interface RowMeaning {
  json?: string
  /** Records to list next. */
  walk?: Walk
}

const TYPE_BY_RANK = new Map<number, RecordType>(
  RECORD_TYPES.map((type) => [recordOf(type).rank, type]),
)

/** The types of record whose deletion leaves a tombstone with the id of the record. */
const TYPE_BY_PREFIX = new Map<string, RecordType>(
  RECORD_TYPES.filter((type) => recordOf(type).of !== 'workspace').map((type) => [
    recordOf(type).idPrefix,
    type,
  ]),
)

/** Adds the numbered changes after a position, as they are at the moment of one statement. */
export async function readTail(
  tx: ReadTx,
  selection: Selection,
  { history, place }: FeedPosition,
  { newest, limit }: { newest: number; limit: number },
  add: AddEntry,
): Promise<TailStep> {
  // One more, whose number tells whether the change before it is whole.
  const rows = await tx.all(numberedChanges(selection.types), toParams(place, limit + 1))
  let reached = place
  for (const [at, row] of rows.entries()) {
    if (row.number > reached[0]) reached = endOf(row.number - 1)
    if (at === limit) return { position: { history, place: reached }, reached: 'more' }
    // The statement was made with the rights from before this change.
    if (row.rank === TOMBSTONE_RANK && row.key.startsWith('members ') && row.number > newest)
      return { position: { history, place: reached }, reached: 'stale' }
    const after: Place = [row.number, row.rank, row.key]
    const { json, walk } = meaningOf(row, selection)
    const position = { history, place: after, ...(walk && { walk }) }
    if (json !== undefined && !add(json, position))
      return { position: { history, place: reached }, reached: 'more' }
    if (walk) return { position, reached: 'more' }
    reached = after
  }
  const end = endOf(Math.max(newest, reached[0]))
  return { position: { history, place: end }, reached: 'end' }
}

function toParams(place: Place, limit: number): TailParams {
  const [after_record = '', after_project = '', after_person = ''] = keyAfter(
    place,
    TOMBSTONE_RANK,
  ).split(' ')
  return {
    after: place[0],
    limit,
    after_record,
    after_project,
    after_person,
    ...(Object.fromEntries(
      RECORD_TYPES.map((type) => [`after_${type}_row`, keyAfter(place, recordOf(type).rank)]),
    ) as RowKeys),
  }
}

function meaningOf(row: NumberedRow, selection: Selection): RowMeaning {
  if (row.rank === TOMBSTONE_RANK) return meaningOfTombstone(row, selection)
  const { typeSet, project_id: wanted } = selection
  const type = TYPE_BY_RANK.get(row.rank)
  if (type === undefined || row.visible === 0) return {}
  const project_id = type === 'member' ? null : row.project_id
  if (wanted !== undefined && project_id !== wanted) return {}
  const record = { type, id: row.key, project_id }
  if (row.json !== null) return { json: toPut(record, row.json) }
  // A reader that follows tasks has removed this record from its copy with the deleted task.
  if (recordOf(type).of === 'task' && typeSet.has('task')) return {}
  return { json: toDelete(record) }
}

function meaningOfTombstone({ key, visible }: NumberedRow, selection: Selection): RowMeaning {
  const { typeSet, project_id: wanted } = selection
  const [id = '', project_id = '', person = ''] = key.split(' ')
  if (id === 'members') return typeSet.has('member') ? { walk: startWalk(id) } : {}
  if (id.startsWith('usr_')) return typeSet.has('comment') ? { walk: startWalk(id) } : {}
  if (wanted !== undefined && project_id !== wanted) return {}
  if (id === project_id) {
    const seesNothingOfIt = visible === 0 && person === ''
    if (seesNothingOfIt || typeSet.isSubsetOf(ONLY_MEMBERS)) return {}
    const json = toReset(id)
    return visible === 0 ? { json } : { json, walk: startWalk(id) }
  }
  const type = TYPE_BY_PREFIX.get(id.split('_', 1)[0] ?? '')
  if (visible === 0 || type === undefined || !typeSet.has(type)) return {}
  return { json: toDelete({ type, id, project_id }) }
}

const ONLY_MEMBERS: ReadonlySet<RecordType> = new Set(['member'])
