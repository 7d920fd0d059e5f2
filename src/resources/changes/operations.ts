import { type Actor, viewerId } from '#core/actor.ts'
import { insufficientScope, positionExpired } from '#core/api-error.ts'
import type { Feed, FeedPage } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { visibleProjectIds } from '#resources/projects/store.ts'
import { RECORD_TYPES, type RecordType, SCOPE_BY_RECORD_TYPE } from '#wire/scopes.ts'
import { endOf, type FeedPosition, isEnd, startWalk, type Walk } from './position.ts'
import { type FeedState, feedState, historyOf } from './store.ts'
import { type AddEntry, EntryBuffer, readTail, type Selection, toPut } from './tail.ts'
import { walkOn } from './walk.ts'

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
export const openNumberedChanges = (actor: Actor, query: ChangesQuery): Feed => ({
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
