import { useEffect, useSyncExternalStore } from 'react'
import type { Attachment, getAttachment } from '#resources/attachments/contract.ts'
import type { Comment, getComment } from '#resources/comments/contract.ts'
import type { getTag, Tag } from '#resources/tags/contract.ts'
import type { getTimeEntry, TimeEntry } from '#resources/time-entries/contract.ts'
import { ApiResponseError, NetworkError } from '../../lib/http/problem.ts'
import { cacheReplies, readReply, staleSince } from '../../lib/http/reply-cache.ts'
import { type CallResult, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { hasSameItems } from '../../lib/state/atom.ts'
import {
  LocalReplica,
  type ReplicaChange,
  type ReplicaScope,
  type ScopeHead,
  ScopeUnavailableError,
  type StreamBatch,
  type VersionedRecord,
} from '../../replica/local-replica.ts'
import type { FeedChange } from '../live/live-message.ts'
import {
  beginWithBoot,
  holdWithCopy,
  keepCopies,
  type StoredCopy,
  waitToRetry,
} from '../session/page-replica.ts'
import { getServerTask } from '../tasks/task-store.ts'

/** The records beside tasks that the stream brings. */
interface HeldTypes {
  comment: Comment
  time_entry: TimeEntry
  attachment: Attachment
  tag: Tag
}
export type HeldType = keyof HeldTypes

/** A record with its type, as the stream and the API tell it. */
export type TypedRecord = {
  [T in HeldType]: { readonly type: T; readonly record: HeldTypes[T] }
}[HeldType]

type ReplicaRecord = VersionedRecord & TypedRecord

/**
 * The server's records, other than tasks, that this page holds. What it shows is these with the pending
 * mutations on top.
 */
export const recordReplica = new LocalReplica<ReplicaRecord>({
  load: loadList,
  read: readRecords,
  waitToRetry,
  isNeeded: () => true,
  onChange: notify,
  onScopeChange: notify,
})

beginWithBoot(recordReplica)

const listeners = new Set<() => void>()
/** Grows with each change of a record, or of what is held. */
let revision = 0

function notify(): void {
  revision += 1
  for (const listener of [...listeners]) listener()
}

/** Calls back when a record, or the state of a list, has changed. Returns an unsubscribe function. */
export function subscribeToHeldRecords(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The server's record; undefined if the page does not hold it. */
export function getHeldRecord<T extends HeldType>(type: T, id: string): HeldTypes[T] | undefined {
  const held = recordReplica.get(id)
  return held && AS_TYPE[type](held)
}

const AS_TYPE: { [T in HeldType]: (held: TypedRecord) => HeldTypes[T] | undefined } = {
  comment: ({ type, record }) => (type === 'comment' ? record : undefined),
  time_entry: ({ type, record }) => (type === 'time_entry' ? record : undefined),
  attachment: ({ type, record }) => (type === 'attachment' ? record : undefined),
  tag: ({ type, record }) => (type === 'tag' ? record : undefined),
}

function toHeld(of: TypedRecord): ReplicaRecord {
  const { record } = of
  return {
    ...of,
    id: record.id,
    project_id:
      'project_id' in record
        ? record.project_id
        : (getServerTask(record.task_id)?.project_id ?? ''),
    // The content of an attachment never changes.
    version: 'updated_at' in record ? Date.parse(record.updated_at) : 0,
  }
}

/** Takes a record from a reply. One in a repeated reply may have changed since, so it is read. */
export async function takeRecord(of: TypedRecord, n: number | undefined): Promise<void> {
  if (n === undefined) await recordReplica.read([of.record.id])
  else recordReplica.takeReply({ op: 'put', record: toHeld(of) }, n)
}

/** Takes from a reply that a record is deleted, or that there is none. */
export async function takeRecordDeletion(id: string, n: number | undefined): Promise<void> {
  const { position } = recordReplica
  const known = Math.max(position?.n ?? 0, recordReplica.getNumber(id) ?? 0)
  const project_id = recordReplica.get(id)?.project_id ?? ''
  // Somebody may have restored a comment since an earlier reply, but nothing else.
  if (n === undefined && id.startsWith('cmt_')) await recordReplica.read([id])
  else recordReplica.takeReply({ op: 'delete', id, project_id }, n ?? known)
}

/** What a list consists of, as of a number. */
export interface ListReply {
  readonly records: readonly TypedRecord[]
  readonly n: number | undefined
}

/** A list of records that the page can hold; it is the same object for the same name. */
export interface RecordList<R> extends ReplicaScope<ReplicaRecord> {
  load(): Promise<ListReply>
  /** The server's records; the same array until one of them changes. */
  read(): readonly R[]
  /** Frees the memory of a list that is held no longer: its name gets another object then. */
  forget(): void
}

/**
 * Makes the lists of a kind, by the id of their task or project. A record is in a list if `pick`
 * returns it.
 */
export function createLists<R>(
  kind: string,
  list: {
    load: (id: string) => Promise<ListReply>
    pick: (held: TypedRecord, id: string) => R | undefined
    /** Whether the list does not hold a record yet that belongs to it. */
    lacks?: (held: TypedRecord) => boolean
    compare: (a: R, b: R) => number
  },
): (id: string) => RecordList<R> {
  const made = new Map<string, RecordList<R>>()
  return (id) => {
    const known = made.get(id)
    if (known) return known
    let readAt: number | undefined
    let records: readonly R[] = []
    const created: RecordList<R> = {
      name: `${kind} ${id}`,
      includes: (held) => list.pick(held, id) !== undefined && !list.lacks?.(held),
      load: () => list.load(id),
      read() {
        if (readAt === revision) return records
        readAt = revision
        const now = [...recordReplica.records()]
          .flatMap((held) => list.pick(held, id) ?? [])
          .sort(list.compare)
        if (!hasSameItems(records, now)) records = now
        return records
      },
      forget: () => void made.delete(id),
    }
    made.set(id, created)
    return created
  }
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

interface DatedRecord {
  id: string
  created_at: string
}

/** The order in which records were created. */
export const byCreation = (a: DatedRecord, b: DatedRecord): number =>
  compareTexts(a.created_at, b.created_at) || compareTexts(a.id, b.id)

/** The lists that were shown last stay in memory. */
const MAX_HELD_LISTS = 40

/** The one that was shown last is at the end. */
const heldLists = new Map<string, RecordList<object>>()
const mountedNames = new Map<string, number>()
const beginning = new Set<string>()

/** Holds a list from now on: as the browser has stored it at once, then exactly. */
export async function holdList(list: RecordList<object>): Promise<void> {
  const { name } = list
  moveToEnd(list)
  if (recordReplica.getScopeState(name) || beginning.has(name)) return
  for (const other of heldLists.keys()) {
    if (heldLists.size <= MAX_HELD_LISTS) break
    if (other !== name && !mountedNames.has(other)) releaseList(other)
  }
  beginning.add(name)
  const copy = await readCopy(name).catch(() => undefined)
  beginning.delete(name)
  if (!heldLists.has(name)) return
  holdWithCopy(recordReplica, list, copy, subscribeToHeldRecords)
}

function moveToEnd(list: RecordList<object>): void {
  heldLists.delete(list.name)
  heldLists.set(list.name, list)
}

function releaseList(name: string): void {
  heldLists.get(name)?.forget()
  heldLists.delete(name)
  recordReplica.release(name)
}

/** The name under which the browser stores a list. */
const copyKey = (name: string): string => `records ${name}`

async function readCopy(name: string): Promise<StoredCopy<ReplicaRecord> | undefined> {
  const stored = await readReply(copyKey(name))
  return stored && { ...JSON.parse(stored.text), at: stored.at }
}

/** Stores the held lists in the browser. Returns a function that ends it. */
export function copyHeldRecords(): () => void {
  // A list that is held no longer is dropped.
  const stored = new WeakMap<object, readonly object[]>()
  const write = () => {
    for (const list of heldLists.values()) {
      const records = list.read()
      const copy = stored.get(list) === records ? undefined : recordReplica.copyScope(list.name)
      if (!copy) continue
      stored.set(list, records)
      cacheReplies([[copyKey(list.name), JSON.stringify(copy)]])
    }
  }
  return keepCopies(write, subscribeToHeldRecords)
}

/** Loads a list again at once if that waits for its next attempt. */
const retryList = (name: string): void => recordReplica.retry(name)

// The server replies again.
staleSince.subscribe(() => {
  if (staleSince.get() === undefined) for (const name of heldLists.keys()) retryList(name)
})

/** The records of a list, whole, perhaps from a stored copy. Rejects if they cannot be loaded. */
export async function readWholeList<R extends object>(list: RecordList<R>): Promise<readonly R[]> {
  await holdList(list)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const check = () => {
    const { mode, n, error } = recordReplica.getScopeState(list.name) ?? {}
    if (n !== undefined || mode === 'unavailable') resolve()
    else if (error) reject(error)
  }
  const stop = subscribeToHeldRecords(check)
  check()
  await promise.finally(stop)
  return list.read()
}

/** Holds a list, and returns the server's records of it; undefined until all are here. */
export function useHeldList<R extends object>(list: RecordList<R> | undefined) {
  const name = list?.name ?? ''
  const state = useSyncExternalStore(subscribeToHeldRecords, () =>
    recordReplica.getScopeState(name),
  )
  const records = useSyncExternalStore(subscribeToHeldRecords, () => list?.read())
  const isHeld = state !== undefined
  useEffect(() => {
    if (!list) return
    // Another session, or a restored backup, begins anew while the page is open.
    if (isHeld) moveToEnd(list)
    else void holdList(list)
  }, [list, isHeld])
  useEffect(() => {
    mountedNames.set(name, (mountedNames.get(name) ?? 0) + 1)
    return () => {
      const count = (mountedNames.get(name) ?? 1) - 1
      if (count > 0) mountedNames.set(name, count)
      else mountedNames.delete(name)
    }
  }, [name])
  const isHere = state?.n !== undefined || state?.mode === 'unavailable'
  return {
    records: isHere ? records : undefined,
    error: !isHere && state?.error instanceof Error ? state.error : undefined,
    retry: () => retryList(name),
  }
}

/** Follows the stream. What belongs to a task is deleted with it. */
export function followHeldRecords({
  changes,
  ...batch
}: Omit<StreamBatch<ReplicaRecord>, 'changes'> & { changes: readonly FeedChange[] }): void {
  recordReplica.follow({ ...batch, changes: changes.flatMap(toRecordChanges) })
  for (const { op, type, id } of changes) {
    if (type !== 'task') continue
    for (const name of [...heldLists.keys()]) {
      // A task that has moved, or is restored, has its records still, of which nothing is told.
      const isAnew = op === 'delete' || recordReplica.getScopeState(name)?.mode === 'unavailable'
      if (isAnew && name.endsWith(` ${id}`)) recordReplica.release(name)
    }
  }
}

function toRecordChanges(
  change: FeedChange,
  at: number,
  all: readonly FeedChange[],
): ReplicaChange<ReplicaRecord>[] {
  if (change.op === 'reset') return [{ op: 'reset', project_id: change.id }]
  if (change.type === 'project' || change.type === 'member') return []
  if (change.type === 'task') {
    const isGone =
      change.op === 'delete' && !all.some(({ id }, later) => later > at && id === change.id)
    return isGone ? listRecordsOf(change.id).map(toDeletion) : []
  }
  if (change.op === 'delete') return [toDeletion(change)]
  const { op: _, ...of } = change
  return [{ op: 'put', record: toHeld(of) }]
}

const toDeletion = ({ id, project_id }: { id: string; project_id?: string | null }) =>
  ({ op: 'delete', id, project_id: project_id ?? '' }) as const

const listRecordsOf = (task_id: string): ReplicaRecord[] =>
  [...recordReplica.records()].filter(
    ({ record }) => 'task_id' in record && record.task_id === task_id,
  )

async function loadList(
  { name }: ReplicaScope<ReplicaRecord>,
  _: unknown,
  take: (head: ScopeHead, changes: readonly ReplicaChange<ReplicaRecord>[]) => void,
): Promise<ScopeHead> {
  const { history, position } = recordReplica
  const list = heldLists.get(name)
  if (!list || history === undefined) throw new NetworkError()
  try {
    const { records, n = 0 } = await list.load()
    const head = { history, n, isWhole: true }
    take(
      head,
      records.map((one) => ({ op: 'put', record: toHeld(one) })),
    )
    return head
  } catch (error) {
    throw isNotFound(error) ? new ScopeUnavailableError(position?.n ?? 0) : error
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof ApiResponseError && error.status === 404

async function readRecords(ids: readonly string[]) {
  const read = await Promise.all(ids.map(readRecord))
  return {
    n: Math.min(...read.map(({ n }) => n)),
    changes: read.flatMap(({ held }): ReplicaChange<ReplicaRecord>[] =>
      held ? [{ op: 'put', record: held }] : [],
    ),
  }
}

async function readRecord(id: string): Promise<{ n: number; held: ReplicaRecord | undefined }> {
  // What the reply contains at least: that there is no such record says no number.
  const n = recordReplica.position?.n ?? 0
  try {
    const { of, changeNumber = n } = await requestRecord(id)
    return { n: changeNumber, held: toHeld(of) }
  } catch (error) {
    if (!isNotFound(error)) throw error
    return { n, held: undefined }
  }
}

type ReadRecord = Pick<CallResult<unknown>, 'changeNumber'> & { of: TypedRecord }

async function requestRecord(id: string): Promise<ReadRecord> {
  const sent = { params: { id } }
  if (id.startsWith('cmt_')) {
    const from = 'GET /api/v1/comments/:id'
    const { body: record, changeNumber } = await requestEndpointForResult<typeof getComment>(
      from,
      sent,
    )
    return { of: { type: 'comment', record }, changeNumber }
  }
  if (id.startsWith('tme_')) {
    const from = 'GET /api/v1/time-entries/:id'
    const { body: record, changeNumber } = await requestEndpointForResult<typeof getTimeEntry>(
      from,
      sent,
    )
    return { of: { type: 'time_entry', record }, changeNumber }
  }
  if (id.startsWith('tag_')) {
    const { body: record, changeNumber } = await requestEndpointForResult<typeof getTag>(
      'GET /api/v1/tags/:id',
      sent,
    )
    return { of: { type: 'tag', record }, changeNumber }
  }
  const from = 'GET /api/v1/attachments/:id'
  const { body: record, changeNumber } = await requestEndpointForResult<typeof getAttachment>(
    from,
    sent,
  )
  return { of: { type: 'attachment', record }, changeNumber }
}
