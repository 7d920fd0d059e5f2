import type { listTasks } from '#resources/tasks/contract.ts'
import { call } from '../lib/call.ts'
import { isPassing } from '../lib/problem.ts'
import { signal } from '../lib/signal.ts'
import { sessionEnded } from '../lib/signed-out.ts'
import { loadBootSoon } from './boot.ts'
import { isOwn } from './own.ts'
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

/** When the last notice came: ms since 1970, told once a second at most. */
export const lastChange = signal<number | undefined>(undefined)

/** Reads again what a write of somebody else has made stale, as far as it is on the screen. */
export function heed(notice: Notice): void {
  if (Date.now() - (lastChange.get() ?? 0) > 1_000) lastChange.set(Date.now())
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
  // What is told to the person it counts at once.
  if (noun === 'notification') loadBootSoon(WAIT_MS)
  // Who is let into a project, or out of it, sees other projects.
  if (noun === 'project' || noun === 'member' || noun === 'person' || noun === 'view')
    loadBootSoon(WAIT_MS)
}

/** What has changed is not known: everything on the screen is read again, the rest is forgotten. */
export function heedReset(): void {
  void refetchAll()
  loadBootSoon(WAIT_MS)
  forgetUnshown(knownIds())
  for (const id of knownIds()) if (TASK.test(id)) stale.add(id)
  readSoon(WAIT_MS)
}

/** Which reads a notice makes stale. */
function keysOf({ noun, id, task_id = '', project_id }: Notice): unknown[][] {
  switch (noun) {
    case 'comment':
      return [['comments', task_id], ['activity', task_id], ['search']]
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
    case 'notification':
      return [['notifications'], ['watch']]
    case 'view':
      return [['views', project_id]]
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

/** Not the placeholders of tasks that are being made. */
const TASK = /^tsk_/
const WAIT_MS = 250
/** Where many change at a time, nobody can follow each. */
const CROWD = 10
const CROWD_MS = 1_000
const MOST_MS = 30_000
const AT_ONCE = 100

/** Tasks to be read again, together. */
const stale = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined
let notBefore = 0
let failures = 0

function readSoon(ms: number): void {
  if (timer === undefined) timer = setTimeout(readStale, Math.max(ms, notBefore - Date.now()))
}

/** A task with changes of one's own under way waits for them: their replies are newer. */
async function readStale(): Promise<void> {
  if (stale.size > CROWD) notBefore = Date.now() + CROWD_MS
  const ids = [...stale].filter((id) => changesOf(id).length === 0).slice(0, AT_ONCE)
  for (const id of ids) stale.delete(id)
  try {
    if (ids.length > 0) await read(ids)
    failures = 0
  } catch (error) {
    failures += 1
    if (isPassing(error)) for (const id of ids) stale.add(id)
  }
  timer = undefined
  // Who has to sign in first reads everything anew then.
  if (stale.size > 0 && !sessionEnded.get()) {
    readSoon(Math.min(WAIT_MS * 4 * 2 ** failures, MOST_MS))
  }
}

async function read(ids: readonly string[]): Promise<void> {
  const query = { id: [...ids], limit: AT_ONCE }
  const page = await call<typeof listTasks>('GET /api/v1/tasks', { query })
  putTasks(page.data, { byOthers: true })
  const found = new Set(page.data.map(({ id }) => id))
  // Deleted, or moved out of sight, while nothing was heard of it.
  for (const id of ids) if (!found.has(id) && changesOf(id).length === 0) dropTask(id)
}
