import type { listTasks } from '#resources/tasks/contract.ts'
import { call } from '../lib/call.ts'
import { signal } from '../lib/signal.ts'
import { boot, loadBoot } from './boot.ts'
import { isOwn } from './own.ts'
import { retryAll } from './queue.ts'
import { refetchAll, refetchLists, refetchSoon } from './refetch.ts'
import {
  baseOf,
  changesOf,
  dropTask,
  forgetUnshown,
  isMounted,
  knownIds,
  putTasks,
} from './task-store.ts'

/** What the server tells of a committed write (`GET /internal/live`). */
export interface Notice {
  seq: number
  noun: string
  id: string
  number?: number
  project_id?: string | null
  task_id?: string
  version?: number
  op: 'create' | 'update' | 'delete'
  operation_id: string
  actor_id: string | null
}

export type LiveState = 'connecting' | 'live' | 'paused'
export const liveState = signal<LiveState>('connecting')
/** When the last notice came: ms since 1970. */
export const lastChange = signal<number | undefined>(undefined)

/** The server sends a heartbeat each 25 s; after this silence the connection is taken for dead. */
const SILENCE_MS = 60_000
const CHANNEL = 'docket-live'
const LOCK = 'docket-live-owner'

/**
 * Opens live updates: one connection for all tabs of the browser (HTTP/1.1 has six in all), held by
 * the tab that has the lock; the others hear of it by a BroadcastChannel. Gives what closes it.
 */
export function openLive(workspace_id: string): () => void {
  const ending = new AbortController()
  const channel = new BroadcastChannel(`${CHANNEL}-${workspace_id}`)
  channel.onmessage = ({ data }: MessageEvent<Told>) => take(data)
  const name = `${LOCK}-${workspace_id}`
  const owning = navigator.locks.request(name, { signal: ending.signal }, () =>
    own(channel, ending.signal),
  )
  // Aborting a request that waits for the lock is how a tab leaves.
  owning.catch(() => undefined)
  return () => {
    ending.abort()
    channel.close()
  }
}

type Told = { state: LiveState } | { notice: Notice } | { reset: true }

/** Holds the connection until the tab leaves. */
function own(channel: BroadcastChannel, ended: AbortSignal): Promise<void> {
  const tell = (told: Told) => {
    channel.postMessage(told)
    take(told)
  }
  let source: EventSource
  let watch: ReturnType<typeof setTimeout>
  let last = boot.get()?.notice ?? ''

  function connect(): void {
    source = new EventSource(`/internal/live?after=${encodeURIComponent(last)}`)
    source.onopen = () => heard()
    source.onerror = () => tell({ state: 'paused' })
    source.addEventListener('heartbeat', heard)
    source.addEventListener('reset', (event) => {
      heard()
      last = event.lastEventId || last
      tell({ reset: true })
    })
    source.addEventListener('notice', (event) => {
      heard()
      last = event.lastEventId
      tell({ notice: JSON.parse(event.data) as Notice })
    })
    rewatch()
  }

  function heard(): void {
    tell({ state: 'live' })
    rewatch()
  }

  function rewatch(): void {
    clearTimeout(watch)
    watch = setTimeout(() => {
      tell({ state: 'paused' })
      source.close()
      connect()
    }, SILENCE_MS)
  }

  connect()
  return new Promise((resolve) => {
    ended.addEventListener('abort', () => {
      clearTimeout(watch)
      source.close()
      resolve()
    })
  })
}

function take(told: Told): void {
  if ('state' in told) {
    const back = told.state === 'live' && liveState.get() !== 'live'
    liveState.set(told.state)
    if (back) retryAll()
  } else if ('reset' in told) {
    void refetchAll()
    void loadBoot()
    forgetUnshown(knownIds())
    for (const id of knownIds()) stale.add(id)
    timer ??= setTimeout(readStale, WAIT_MS)
  } else heed(told.notice)
}

/** Tasks to be read again, together. */
const stale = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined
const WAIT_MS = 250

function heed(notice: Notice): void {
  lastChange.set(Date.now())
  if (isOwn(notice.operation_id)) return
  const { noun, id, op, version } = notice
  if (noun === 'task') {
    if (op === 'delete') dropTask(id)
    else if (isMounted(id) && (baseOf(id)?.version ?? 0) <= (version ?? Number.MAX_SAFE_INTEGER)) {
      stale.add(id)
      readSoon(WAIT_MS)
    } else forgetUnshown([id])
    refetchLists()
    refetchSoon(['activity', id])
    return
  }
  for (const key of keysOf(notice)) refetchSoon(key)
  if (noun === 'project' || noun === 'member') rebootSoon()
}

/** Which reads a notice makes stale. */
function keysOf({ noun, id, task_id = '', project_id }: Notice): unknown[][] {
  switch (noun) {
    case 'comment':
      return [
        ['comments', task_id],
        ['activity', task_id],
      ]
    case 'time_entry':
      return [['time', task_id], ['timer']]
    case 'attachment':
      return [
        ['attachments', task_id],
        ['activity', task_id],
      ]
    case 'tag':
      return [
        ['tags', project_id],
        ['index', project_id],
      ]
    case 'member':
      return [['members']]
    case 'webhook':
      return [['webhooks'], ['deliveries', id]]
    case 'person':
      return [['people', project_id]]
    case 'api_key':
      return [['keys']]
    case 'workspace':
      return [['workspace']]
    default:
      return [[`${noun}s`]]
  }
}

function readSoon(ms: number): void {
  if (timer === undefined) timer = setTimeout(readStale, ms)
}

/** A task with changes of one's own under way waits for them: their replies are newer. */
async function readStale(): Promise<void> {
  timer = undefined
  const ids = [...stale].filter((id) => changesOf(id).length === 0).slice(0, 100)
  for (const id of ids) stale.delete(id)
  if (ids.length > 0) {
    try {
      const query = { id: ids, limit: 100 }
      const page = await call<typeof listTasks>('GET /api/v1/tasks', { query })
      putTasks(page.data, { byOthers: true })
    } catch {
      // They stay stale on the screen until the next notice or reset; the connection tells of trouble.
      for (const id of ids) stale.add(id)
    }
  }
  if (stale.size > 0) readSoon(WAIT_MS * 4)
}

let rebooting: ReturnType<typeof setTimeout> | undefined
function rebootSoon(): void {
  clearTimeout(rebooting)
  rebooting = setTimeout(() => void loadBoot(), WAIT_MS)
}
