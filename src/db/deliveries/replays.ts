import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { command, insertRow, memoizeByShape, query, type Scoped } from '../core/statement.ts'
import type { ReplayRow, WebhookRow } from '../schema/tables.ts'
import { DELIVERY_QUEUES, queueDeliveries } from './delivery-queue.ts'

/** The filters of a webhook: JSON arrays of event kinds and of projects. */
type WebhookFilters = Pick<WebhookRow, 'events' | 'project_ids'>

/** Both ends are inclusive. */
interface SequenceRange {
  from_sequence: number
  to_sequence: number
}

/** Limits of one step, during which other writers of the workspace wait. */
const QUEUE_BATCH_SIZE = 500
const SCAN_BATCH_SIZE = 2_000

/** Counts the events in a range of the log that match a webhook, up to `most` + 1. */
export async function countWantedEvents(
  tx: ReadTx,
  webhook: WebhookFilters,
  { from_sequence, to_sequence }: SequenceRange,
  most: number,
): Promise<number> {
  const { has, ...wanted } = parseFilters(webhook)
  const limit = most + 1
  // Sequences have no gaps, so all of them need not be counted.
  if (!has.kinds && !has.projects) {
    return Math.min(Math.max(to_sequence - from_sequence + 1, 0), limit)
  }
  const range = { from_sequence, to_sequence }
  return (await tx.one(countMatchingEvents(has), { ...wanted, ...range, limit }))?.count ?? 0
}

/** Counts the replays of a webhook that have events left to queue, up to `limit`. */
export const countOpenReplays = query(
  (db, $: Scoped<Pick<ReplayRow, 'webhook_id'> & { limit: number }>) =>
    db
      .selectFrom(
        db
          .selectFrom('replays')
          .select('id')
          .where('webhook_id', '=', $.webhook_id)
          .limit($.limit)
          .as('open'),
      )
      .select((is) => is.fn.countAll<number>().as('count')),
)

/** The oldest replay that is not completely queued yet. */
export const nextReplay = query((db) =>
  db
    .selectFrom('replays')
    .select(['id', 'webhook_id', 'activation', 'next_sequence', 'to_sequence'])
    .orderBy('id')
    .limit(1),
)

/** Begins a replay: queues the first deliveries and leaves the rest to the dispatcher. */
export async function startReplay(tx: WriteTx, replay: Omit<ReplayRow, 'workspace_id'>) {
  await tx.run(insertReplay, replay)
  await continueReplay(tx, replay)
}

/**
 * Queues one batch of a replay's deliveries, and saves its progress or end. Returns whether there is
 * more. A replay ends if its webhook has been disabled or deleted since.
 */
export async function continueReplay(
  tx: WriteTx,
  { id, webhook_id, activation, next_sequence, to_sequence }: Omit<ReplayRow, 'workspace_id'>,
): Promise<boolean> {
  const webhook = await tx.one(webhookInActivation, { webhook_id, activation })
  if (!webhook) {
    await tx.run(endReplay, { id })
    return false
  }
  const { has, ...wanted } = parseFilters(webhook)
  const last = Math.min(to_sequence, next_sequence + SCAN_BATCH_SIZE - 1)
  const range = { from_sequence: next_sequence, to_sequence: last, limit: QUEUE_BATCH_SIZE }
  const events = await tx.all(matchingEvents(has), { ...wanted, ...range })
  await queueDeliveries(
    tx,
    events.map(({ id: event_id, type: event_type, sequence, subject_id }) => {
      const lane = `${id}.${subject_id}`
      const about = { webhook_id, event_id, event_type, sequence, activation }
      return { ...about, queue: DELIVERY_QUEUES.replay, lane }
    }),
  )
  const lastQueued = events.length === QUEUE_BATCH_SIZE ? events.at(-1) : undefined
  const reached = lastQueued?.sequence ?? last
  if (reached >= to_sequence) {
    await tx.run(endReplay, { id })
    return false
  }
  await tx.run(advanceReplay, { id, next_sequence: reached + 1 })
  return true
}

/** Parses a webhook's filters: which ones it has, and their values. */
function parseFilters({ events, project_ids }: WebhookFilters) {
  const kinds: string[] = JSON.parse(events)
  const projects: string[] = JSON.parse(project_ids ?? '[]')
  return { has: { kinds: !kinds.includes('*'), projects: project_ids !== null }, kinds, projects }
}

type WebhookFilterFlags = ReturnType<typeof parseFilters>['has']
type MatchingEventsParams = Scoped<
  SequenceRange & { kinds: string[]; projects: string[]; limit: number }
>

/** Each filter is counted along its own index, without reading the events' payloads. */
const countMatchingEvents = memoizeByShape((has: WebhookFilterFlags) =>
  query((db, $: MatchingEventsParams, { inList }) => {
    const ranged = () => {
      const events = db
        .selectFrom('events')
        .select('sequence')
        .where('sequence', '>=', $.from_sequence)
        .where('sequence', '<=', $.to_sequence)
      return has.kinds ? events.where(inList('events.type', $.kinds)) : events
    }
    const inside = inList('events.project_id', $.projects)
    const left = ranged()
      .where(inList('events.former_project_id', $.projects))
      .where((is) => is.not(inside))
    const all = has.projects ? ranged().where(inside).unionAll(left) : ranged()
    return db
      .selectFrom(db.selectFrom(all.as('all')).select('sequence').limit($.limit).as('some'))
      .select((is) => is.fn.countAll<number>().as('count'))
  }),
)

const matchingEvents = memoizeByShape((has: WebhookFilterFlags) =>
  query((db, $: MatchingEventsParams, { inList }) => {
    let events = db
      .selectFrom('events')
      .select(['id', 'type', 'sequence', 'subject_id'])
      .where('sequence', '>=', $.from_sequence)
      .where('sequence', '<=', $.to_sequence)
    if (has.kinds) events = events.where(inList('events.type', $.kinds))
    if (has.projects) {
      events = events.where((is) =>
        is.or([
          inList('events.project_id', $.projects),
          inList('events.former_project_id', $.projects),
        ]),
      )
    }
    return events.orderBy('sequence').limit($.limit)
  }),
)

const webhookInActivation = query((db, $: Scoped<Pick<ReplayRow, 'webhook_id' | 'activation'>>) =>
  db
    .selectFrom('webhooks')
    .select(['events', 'project_ids'])
    .where('id', '=', $.webhook_id)
    .where('activation', '=', $.activation)
    .where('is_active', '=', 1),
)

const insertReplay = insertRow(
  'replays',
  'id',
  'webhook_id',
  'activation',
  'next_sequence',
  'to_sequence',
)

const advanceReplay = command((db, $: Scoped<Pick<ReplayRow, 'id' | 'next_sequence'>>) =>
  db.updateTable('replays').set({ next_sequence: $.next_sequence }).where('id', '=', $.id),
)

const endReplay = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('replays').where('id', '=', $.id),
)
