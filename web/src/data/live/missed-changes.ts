import type { listChanges } from '#resources/changes/contract.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { queryClient } from '../cache/query-client.ts'
import { applyLiveEvent } from './apply-live-event.ts'

/** With more changes than this, it is less work to read again what is on the screen. */
const MAX_CHANGES = 100
/** A live event about a change before the position may still be on its way. */
const SETTLE_MS = 5_000
/** What the feed of changes tells, or what follows from it (`applyLiveEvent`). */
const TOLD_KEYS: ReadonlySet<unknown> = new Set([
  ...['index', 'tasks', 'task', 'comments', 'time', 'attachments', 'tags', 'members', 'activity'],
])

/** Up to here this tab has received all changes. */
let position: string | undefined

const readChanges = (query: { after: string; limit?: number }) =>
  requestEndpoint<typeof listChanges>('GET /api/v1/changes', { query })

/** Remembers where the feed of changes stands, if live events arrive now and still do afterwards. */
export async function notePosition(isLive: () => boolean): Promise<void> {
  if (!isLive()) return
  const noted = await readChanges({ after: 'now' }).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  if (noted && isLive()) position = noted.position
}

/**
 * Applies what has changed since live events last arrived, and refetches only what the feed does not
 * tell. Returns false if the screen has to be read again.
 */
export async function applyMissedChanges(): Promise<boolean> {
  if (position === undefined) return false
  const page = await readChanges({ after: position, limit: MAX_CHANGES }).catch(() => undefined)
  position = page?.position
  if (!page || page.has_more || page.data.some(({ op }) => op === 'reset')) return false
  for (const { op, type, id, project_id, record } of page.data) {
    applyLiveEvent({
      ...{
        seq: 0,
        noun: type,
        id,
        project_id: project_id ?? null,
        operation_id: '',
        actor_id: null,
      },
      op: op === 'delete' ? 'delete' : 'update',
      ...(typeof record?.task_id === 'string' && { task_id: record.task_id }),
    })
  }
  await queryClient.invalidateQueries({ predicate: ({ queryKey: [key] }) => !TOLD_KEYS.has(key) })
  return true
}
