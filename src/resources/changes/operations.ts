import { type Actor, viewerId } from '#core/actor.ts'
import { insufficientScope, positionExpired } from '#core/api-error.ts'
import { type Feed, type FeedPage, feedRoute } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { recordOf } from '#resources/nouns.ts'
import { visibleProjectIds } from '#resources/projects/store.ts'
import { RECORD_TYPES, type RecordType, SCOPE_BY_RECORD_TYPE } from '#wire/scopes.ts'
import { listChanges, listNumberedChanges } from './contract.ts'
import {
  endOf,
  type FeedPosition,
  type FeedState,
  feedState,
  historyOf,
  isEnd,
  keyAfter,
  type NumberedRow,
  numberedChanges,
  type Place,
  type RowKeys,
  startWalk,
  type TailParams,
  TOMBSTONE_RANK,
  type Walk,
  walkOn,
} from './store.ts'

/** Rows that one statement reads, so that a reply of large records needs little memory. */
const ROWS_PER_STATEMENT = 100
/** Statements of one reply, which bound the work for records that the viewer does not see. */
const MAX_STATEMENTS = 60
interface ChangesQuery {
  project_id?: string
  types?: RecordType[]
}

/** What the actor may follow: all types that its scopes show, or those that it asks for. */
export function openChanges(actor: Actor, { project_id, types }: ChangesQuery): Feed {
  const missing = (types ?? []).find((type) => !actor.scopes.has(SCOPE_BY_RECORD_TYPE[type]))
  if (missing) throw insufficientScope(SCOPE_BY_RECORD_TYPE[missing])
  const readable = RECORD_TYPES.filter((type) => actor.scopes.has(SCOPE_BY_RECORD_TYPE[type]))
  if (readable.length === 0) throw insufficientScope(SCOPE_BY_RECORD_TYPE.task)
  const wanted = readable.filter((type) => types === undefined || types.includes(type))
  const followed = wanted.filter((type) => project_id === undefined || type !== 'member')
  const selection: Selection = { types: followed, typeSet: new Set(followed), project_id }
  return {
    scope: ['changes', actor.workspace_id, viewerId(actor), project_id ?? '', wanted].join('\n'),
    read: (tx, after, limit) =>
      readChanges(tx, selection, after as FeedPosition | undefined, limit),
    async readPosition(tx) {
      const state = await readState(tx)
      return {
        history: historyOf(tx.actor, state),
        place: endOf(state.newest),
      } satisfies FeedPosition
    },
  }
}

/**
 * The same for a page of the web app, whose positions are `<change number>.<history>`: it knows them also
 * from other replies. Within a change they are encrypted as usual.
 */
const openNumberedChanges = (actor: Actor, query: ChangesQuery): Feed => ({
  ...openChanges(actor, query),
  plain: {
    create(position) {
      const { history, place, walk } = position as FeedPosition
      return walk === undefined && isEnd(place) ? `${place[0]}.${history}` : undefined
    },
    parse(text) {
      const [, number, history = ''] = /^(\d{1,15})\.(.*)$/s.exec(text) ?? []
      if (number === undefined) return undefined
      return { history, place: endOf(Number(number)) } satisfies FeedPosition
    },
  },
  async loadVisibleProjects(tx, project_ids) {
    const visible = await tx.all(visibleProjectIds({ isNamed: true }), { ids: project_ids })
    return visible.map(({ id }) => id)
  },
})

async function readChanges(
  tx: ReadTx,
  selection: Selection,
  after: FeedPosition | undefined,
  limit: number,
): Promise<FeedPage> {
  const state = await readState(tx)
  const history = historyOf(tx.actor, state)
  let position = after ?? begin(history, state, selection)
  assertKept(position, history, state)
  if (selection.types.length === 0)
    return { entries: [], position: { history, place: endOf(state.newest) }, has_more: false }
  if (after && isCaughtUp(position, state)) return { entries: [], position, has_more: false }
  // Rights that have changed a moment ago: the next request is made with the new ones.
  if (state.role !== null && state.role !== tx.actor.role)
    return { entries: [], position, has_more: true }
  const reply = new EntryBuffer(limit)
  for (let statements = 0; reply.room > 0 && statements < MAX_STATEMENTS; statements += 1) {
    const rows = Math.min(ROWS_PER_STATEMENT, reply.room)
    if (position.walk) {
      position = await readWalk(tx, selection, position, position.walk, rows, reply.add)
      continue
    }
    const from = { newest: state.newest, limit: rows }
    const tail = await readTail(tx, selection, position, from, reply.add)
    position = tail.position
    if (tail.reached === 'end') return { entries: reply.entries, position, has_more: false }
    if (tail.reached === 'stale') break
  }
  return { entries: reply.entries, position, has_more: true }
}

async function readState(tx: ReadTx): Promise<FeedState> {
  const state = await tx.one(feedState, {})
  return state ?? { newest: 0, tombstones_from: 0, history: null, role: null, base_url: '' }
}

/** A snapshot lists all records, and then tells what has changed since it began. */
const begin = (
  history: string,
  { newest }: FeedState,
  { project_id }: Selection,
): FeedPosition => ({
  history,
  place: endOf(newest),
  walk: startWalk(project_id ?? 'all'),
})

function assertKept({ history: ours, place }: FeedPosition, history: string, state: FeedState) {
  if (ours !== history || place[0] > state.newest)
    throw positionExpired('belongs to another state of the database')
  const isExpired = isEnd(place)
    ? place[0] < state.tombstones_from
    : place[0] <= state.tombstones_from
  if (isExpired) throw positionExpired('is too old')
}

const isCaughtUp = ({ place, walk }: FeedPosition, { newest }: FeedState): boolean =>
  walk === undefined && place[0] === newest && isEnd(place)

/** Adds the next records of a walk, and returns the position after those that had room. */
async function readWalk(
  tx: ReadTx,
  { typeSet, project_id }: Selection,
  { history, place }: FeedPosition,
  walk: Walk,
  rows: number,
  add: AddEntry,
): Promise<FeedPosition> {
  const { records, next } = await walkOn(tx, walk, typeSet, rows)
  let reached: FeedPosition = { history, place, walk }
  for (const record of records) {
    const after: FeedPosition = { history, place, walk: record.next }
    const isFollowed = project_id === undefined || record.project_id === project_id
    if (isFollowed && record.json !== null && !add(toPut(record, record.json), after))
      return reached
    reached = after
  }
  return { history, place, ...(next && { walk: next }) }
}

/** The records that a reader follows. */
interface Selection {
  types: readonly RecordType[]
  typeSet: ReadonlySet<RecordType>
  project_id: string | undefined
}

/** Adds an entry to a reply; returns false without adding it if the reply has no room for it. */
type AddEntry = (json: string, position: FeedPosition) => boolean

/** Keeps a reply under 8 MiB, with room for the JSON around the changes. */
const MAX_BYTES = 8 * 1024 * 1024 - 4_096

/** The entries of a reply, as long as there is room for more. */
class EntryBuffer {
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

const toPut = ({ type, id, project_id }: ChangedRecord, json: string): string =>
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
async function readTail(
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

export const changes = [
  feedRoute(listChanges, openChanges),
  feedRoute(listNumberedChanges, openNumberedChanges),
]
