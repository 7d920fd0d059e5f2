import type { ReadTx, WriteTx } from '#core/tx.ts'
import { QUEUES, queueDeliveries } from './deliveries.ts'
import { command, query, row, type Scoped, shaped } from './statement.ts'
import type { ReplayRow, WebhookRow } from './tables.ts'

/** What of a webhook tells which events it wants: JSON arrays of kinds and of projects. */
type Wanting = Pick<WebhookRow, 'events' | 'project_ids'>

/** Both ends are of the range. */
interface Range {
  from_sequence: number
  to_sequence: number
}

/** So many deliveries one step queues, and so many events it looks at: it holds up what is beside it. */
const QUEUED_AT_ONCE = 500
const LOOKED_AT_ONCE = 2_000

/** How many events in a range of the log a webhook wants; when there are more, `most` and one. */
export async function countWanted(
  tx: ReadTx,
  webhook: Wanting,
  { from_sequence, to_sequence }: Range,
  most: number,
): Promise<number> {
  const { has, ...wanted } = filtersOf(webhook)
  const limit = most + 1
  // Sequences have no gaps, so all of them need not be counted.
  if (!has.kinds && !has.projects) {
    return Math.min(Math.max(to_sequence - from_sequence + 1, 0), limit)
  }
  const range = { from_sequence, to_sequence }
  return (await tx.one(countMatching(has), { ...wanted, ...range, limit }))?.count ?? 0
}

/** Begins a replay: queues the first deliveries, and notes what is left for the dispatcher. */
export async function startReplay(tx: WriteTx, replay: Omit<ReplayRow, 'workspace_id'>) {
  await tx.run(insertReplay, replay)
  await continueReplay(tx, replay)
}

/**
 * Queues the next deliveries of a replay, as many as one step may; its end is noted with them. Tells
 * whether there is more. One whose webhook was disabled or deleted since ends.
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
  const { has, ...wanted } = filtersOf(webhook)
  const last = Math.min(to_sequence, next_sequence + LOOKED_AT_ONCE - 1)
  const range = { from_sequence: next_sequence, to_sequence: last, limit: QUEUED_AT_ONCE }
  const found = await tx.all(matching(has), { ...wanted, ...range })
  await queueDeliveries(
    tx,
    found.map(({ id: event_id, type: event_type, sequence, subject_id }) => {
      const lane = `${id}.${subject_id}`
      const about = { webhook_id, event_id, event_type, sequence, activation }
      return { ...about, queue: QUEUES.replay, lane }
    }),
  )
  const full = found.length === QUEUED_AT_ONCE ? found.at(-1) : undefined
  const reached = full?.sequence ?? last
  if (reached >= to_sequence) {
    await tx.run(endReplay, { id })
    return false
  }
  await tx.run(advanceReplay, { id, next_sequence: reached + 1 })
  return true
}

/** Which filters a webhook has, and their values. */
function filtersOf({ events, project_ids }: Wanting) {
  const kinds: string[] = JSON.parse(events)
  const projects: string[] = JSON.parse(project_ids ?? '[]')
  return { has: { kinds: !kinds.includes('*'), projects: project_ids !== null }, kinds, projects }
}

type Has = ReturnType<typeof filtersOf>['has']
type Wanted = Scoped<Range & { kinds: string[]; projects: string[]; limit: number }>

/** Each filter is counted along an index of its own; none of it reads an event's payload. */
const countMatching = shaped((has: Has) =>
  query((db, $: Wanted, { among }) => {
    const ranged = () => {
      const found = db
        .selectFrom('events')
        .select('sequence')
        .where('workspace_id', '=', $.workspace_id)
        .where('sequence', '>=', $.from_sequence)
        .where('sequence', '<=', $.to_sequence)
      return has.kinds ? found.where(among('events.type', $.kinds)) : found
    }
    const inside = among('events.project_id', $.projects)
    const left = ranged()
      .where(among('events.former_project_id', $.projects))
      .where((is) => is.not(inside))
    const all = has.projects ? ranged().where(inside).unionAll(left) : ranged()
    return db
      .selectFrom(db.selectFrom(all.as('all')).select('sequence').limit($.limit).as('some'))
      .select((is) => is.fn.countAll<number>().as('count'))
  }),
)

const matching = shaped((has: Has) =>
  query((db, $: Wanted, { among }) => {
    let found = db
      .selectFrom('events')
      .select(['id', 'type', 'sequence', 'subject_id'])
      .where('workspace_id', '=', $.workspace_id)
      .where('sequence', '>=', $.from_sequence)
      .where('sequence', '<=', $.to_sequence)
    if (has.kinds) found = found.where(among('events.type', $.kinds))
    if (has.projects) {
      found = found.where((is) =>
        is.or([
          among('events.project_id', $.projects),
          among('events.former_project_id', $.projects),
        ]),
      )
    }
    return found.orderBy('sequence').limit($.limit)
  }),
)

const webhookInActivation = query((db, $: Scoped<Pick<ReplayRow, 'webhook_id' | 'activation'>>) =>
  db
    .selectFrom('webhooks')
    .select(['events', 'project_ids'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.webhook_id)
    .where('activation', '=', $.activation)
    .where('is_active', '=', 1),
)

const insertReplay = command((db, $: Scoped<ReplayRow>) =>
  db
    .insertInto('replays')
    .values(
      row($, 'workspace_id', 'id', 'webhook_id', 'activation', 'next_sequence', 'to_sequence'),
    ),
)

const advanceReplay = command((db, $: Scoped<Pick<ReplayRow, 'id' | 'next_sequence'>>) =>
  db
    .updateTable('replays')
    .set({ next_sequence: $.next_sequence })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

const endReplay = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('replays').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
