import { sql } from 'kysely'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import {
  command,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '#db/core/statement.ts'
import {
  DELIVERY_QUEUES,
  type NewDelivery,
  queueDeliveries,
} from '#db/deliveries/delivery-queue.ts'
import type { DeliveryRow, WebhookRow } from '#db/schema/tables.ts'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import { timestampOf } from '#lib/clock.ts'

/** A dispatcher that has not renewed its lease for this long counts as dead: others take over. */
export const DISPATCHER_LEASE_TTL_MS = 30_000
const RENEW_INTERVAL_MS = 10_000
/** It stops by itself before others may take over. */
const SAFE_TTL_MS = 25_000
/** The largest difference assumed between the clocks of two machines. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000

/** The lease of a dispatcher: its claims are valid as long as it is renewed. */
interface DispatcherLease {
  /** Whether its claims are still valid; after a long sleep they may not be. */
  isValid(): boolean
  /** Releases all its claims. */
  release(): Promise<void>
}

/**
 * Renews the lease of dispatcher `id` at intervals. An embedded database has no other dispatcher: there
 * the lease is taken once, and ends with the next start at the latest.
 */
export async function startLease(
  storage: Storage,
  id: string,
  onError: (error: unknown) => void,
): Promise<DispatcherLease> {
  const isEmbedded = storage.engine === 'sqlite'
  let renewedAt = Number.NEGATIVE_INFINITY

  async function renew(): Promise<void> {
    const at = performance.now()
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      const now = storage.clock.now()
      const end = now + DISPATCHER_LEASE_TTL_MS
      await tx.run(renewLease, { id, alive_until: timestampOf(end) })
      await tx.run(deleteDeadDispatchers, {
        alive_before: timestampOf(isEmbedded ? end : now - DISPATCHER_LEASE_TTL_MS),
        alive_after: timestampOf(isEmbedded ? end : end + MAX_CLOCK_SKEW_MS),
      })
    })
    renewedAt = at
  }

  await renew()
  const timer = isEmbedded
    ? undefined
    : setInterval(() => renew().catch(onError), RENEW_INTERVAL_MS)
  return {
    isValid: () => isEmbedded || performance.now() - renewedAt < SAFE_TTL_MS,
    async release() {
      clearInterval(timer)
      await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(deleteLease, { id }))
    },
  }
}

/**
 * The right to send for one workspace. Only its holder sends. Every write checks the token of the
 * claim, a fencing token, so that a late write by a dispatcher that has lost the claim is dropped.
 */
export class WorkspaceClaim {
  readonly #storage: Storage
  readonly #actor: Actor
  readonly #dispatcher_id: string
  /** Undefined unless the claim is held. */
  #token: number | undefined

  constructor(storage: Storage, actor: Actor, dispatcher_id: string) {
    this.#storage = storage
    this.#actor = actor
    this.#dispatcher_id = dispatcher_id
  }

  /** Whether the given token, the current one of the workspace, belongs to this claim. */
  hasToken(token: number): boolean {
    return this.#token === token
  }

  /** Takes the workspace over, unless another live dispatcher holds it. */
  async acquire(): Promise<boolean> {
    this.#token = await this.#storage.write(this.#actor, async (tx) => {
      const updated = await tx.run(claimWorkspace, {
        dispatcher_id: this.#dispatcher_id,
        now: tx.now,
      })
      return updated === 1 ? (await tx.one(currentClaim, {}))?.dispatch_token : undefined
    })
    return this.#token !== undefined
  }

  /** Writes as the holder of the claim; does nothing and returns undefined when it is lost. */
  async writeAsHolder<T>(work: (tx: WriteTx) => Promise<T>): Promise<T | undefined> {
    const token = this.#token
    const done = await this.#storage.write(this.#actor, async (tx) => {
      const state = await tx.one(currentClaim, {})
      return state?.dispatch_token === token ? { value: await work(tx) } : undefined
    })
    if (!done && this.#token === token) this.#token = undefined
    return done?.value
  }
}

/** Whether there are events to fan out, and whether another live dispatcher holds the claim. */
export const dispatchState = query((db, $: Scoped<{ dispatcher_id: string; now: string }>) =>
  db
    .selectFrom('workspaces')
    .leftJoin('dispatchers', (join) =>
      join
        .onRef('dispatchers.id', '=', 'workspaces.dispatcher_id')
        .on('dispatchers.id', '<>', $.dispatcher_id)
        .on('alive_until', '>', $.now),
    )
    .select(['dispatch_token', 'has_unsent_events', 'dispatchers.id as is_claimed']),
)

/** The token of the current claim. */
const currentClaim = query((db) => db.selectFrom('workspaces').select('dispatch_token'))

/** Claims a workspace that is not deleted and that no other live dispatcher has claimed. */
const claimWorkspace = command((db, $: Scoped<{ dispatcher_id: string; now: string }>) =>
  db
    .updateTable('workspaces')
    .set((is) => ({
      dispatcher_id: $.dispatcher_id,
      dispatch_token: is('dispatch_token', '+', 1),
    }))
    .where('deleted_at', 'is', null)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('dispatchers')
            .select('dispatchers.id')
            .whereRef('dispatchers.id', '=', 'workspaces.dispatcher_id')
            .where('dispatchers.id', '<>', $.dispatcher_id)
            .where('alive_until', '>', $.now),
        ),
      ),
    ),
)

export const renewLease = unscopedCommand((db, $: { id: string; alive_until: string }) =>
  db
    .insertInto('dispatchers')
    .values(pickSlots($, 'id', 'alive_until'))
    .onConflict((on) => on.column('id').doUpdateSet({ alive_until: $.alive_until })),
)

const deleteLease = unscopedCommand((db, $: { id: string }) =>
  db.deleteFrom('dispatchers').where('id', '=', $.id),
)

/**
 * Deletes dispatchers that must be dead: their lease ended some time ago, or ends further in the
 * future than possible, because the clock was set back since.
 */
const deleteDeadDispatchers = unscopedCommand(
  (db, $: { alive_before: string; alive_after: string }) =>
    db
      .deleteFrom('dispatchers')
      .where((is) =>
        is.or([is('alive_until', '<', $.alive_before), is('alive_until', '>', $.alive_after)]),
      ),
)

/** The columns of a webhook that sending needs. */
const TARGET_COLUMNS = [
  'id',
  'url',
  'sealed_secret',
  'sealed_previous_secret',
  'previous_secret_expires_at',
  'is_active',
  'failure_count',
] as const

export type DueWebhook = Pick<WebhookRow, (typeof TARGET_COLUMNS)[number]> & {
  activation: number
  has_stale: number
}

export const dueWebhooks = query((db, $: Scoped<{ now: string }>) =>
  db
    .selectFrom('webhooks')
    .select([...TARGET_COLUMNS, 'activation', 'has_stale'])
    .where('next_due_at', '<=', $.now)
    .orderBy('id'),
)

/** A delivery that is ready to be sent. */
export type ReadyDelivery = Pick<
  DeliveryRow,
  'id' | 'event_id' | 'event_type' | 'attempt_count' | 'lane' | 'queue' | 'is_test' | 'created_at'
> & { body: string | null }

/** `busy` are the ids of deliveries in flight. */
type ReadyDeliveryParams = Scoped<{
  webhook_id: string
  activation: number
  now: string
  busy: string[]
  limit: number
}>

/** The next deliveries of a webhook, up to the limit of each of its queues. */
export const readyDeliveries = query((db, $: ReadyDeliveryParams, { inList }) => {
  const next = (queue: DeliveryRow['queue']) =>
    db
      .selectFrom('deliveries')
      .leftJoin('events', 'events.sequence', 'deliveries.sequence')
      .select([
        'deliveries.id',
        'deliveries.event_id',
        'deliveries.event_type',
        'deliveries.attempt_count',
        'deliveries.lane',
        'deliveries.queue',
        'deliveries.is_test',
        'deliveries.created_at',
        sql<string | null>`coalesce(deliveries.payload, events.payload)`.as('body'),
      ])
      .where('deliveries.webhook_id', '=', $.webhook_id)
      .where('deliveries.activation', '=', $.activation)
      .where('deliveries.queue', '=', sql.lit(queue))
      .where('deliveries.status', '=', sql.lit('pending'))
      .where('deliveries.blocked', '=', sql.lit(0))
      .where('deliveries.due_at', '<=', $.now)
      .where((is) => is.not(inList('deliveries.id', $.busy)))
      .orderBy('deliveries.due_at')
      .orderBy('deliveries.id')
      .limit($.limit)
      .as('next')
  const { direct, live, replay } = DELIVERY_QUEUES
  return db
    .selectFrom(next(direct))
    .selectAll()
    .unionAll(db.selectFrom(next(live)).selectAll())
    .unionAll(db.selectFrom(next(replay)).selectAll())
})

/** Webhooks, or workspaces, of which one poll tells; others are found when these are done. */
const MAX_PENDING = 5_000

/**
 * The workspaces with something to send, except those claimed by another live dispatcher, and the
 * milliseconds until the next webhook is due, by one statement.
 */
export async function findPendingWorkspaces(storage: Storage, dispatcher_id: string) {
  const now = timestampOf(storage.clock.now())
  const rows = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(pendingWorkspaces, { now, dispatcher_id }),
  )
  const workspaces = new Set<string>()
  let nextInMs: number | undefined
  for (const { workspace_id, next_due_at } of rows) {
    if (workspace_id !== null) workspaces.add(workspace_id)
    if (next_due_at !== null) nextInMs = Date.parse(next_due_at) - storage.clock.now()
  }
  return { workspaces, nextInMs }
}

/**
 * Workspaces with due deliveries, the longest waiting first, with events that are not fanned out yet,
 * or with a replay that is not completely queued; and one row with when the next webhook is due.
 */
const pendingWorkspaces = unscopedQuery((db, $: { dispatcher_id: string; now: string }) => {
  const unclaimed = (column: string) => sql<boolean>`not exists (
    select 1 from workspaces as theirs
    join dispatchers on dispatchers.id = theirs.dispatcher_id
    where theirs.id = ${sql.ref(column)} and dispatchers.id <> ${$.dispatcher_id}
      and dispatchers.alive_until > ${$.now})`
  const isNotDeleted = (column: `${string}.workspace_id`) =>
    sql<boolean>`not ${isDeletedWorkspace(column)}`
  const due = db
    .selectFrom('webhooks')
    .select('workspace_id')
    .where('next_due_at', '<=', $.now)
    .where(isNotDeleted('webhooks.workspace_id'))
    .where(unclaimed('webhooks.workspace_id'))
    .orderBy('next_due_at')
    .limit(sql.lit(MAX_PENDING))
  const unsent = db
    .selectFrom('workspaces')
    .select('id as workspace_id')
    .where('has_unsent_events', '=', sql.lit(1))
    .where('deleted_at', 'is', null)
    .where(unclaimed('workspaces.id'))
    .limit(sql.lit(MAX_PENDING))
  const replaying = db
    .selectFrom('replays')
    .select('workspace_id')
    .distinct()
    .where(isNotDeleted('replays.workspace_id'))
    .limit(sql.lit(MAX_PENDING))
  const next = db
    .selectFrom('webhooks')
    .select('next_due_at')
    .where('next_due_at', '>', $.now)
    .orderBy('next_due_at')
    .limit(sql.lit(1))
  const never = sql<string | null>`null`.as('next_due_at')
  const nobody = sql<string | null>`null`.as('workspace_id')
  return db
    .selectFrom(next.as('next'))
    .select([nobody, 'next_due_at'])
    .unionAll(db.selectFrom(due.as('due')).select(['workspace_id', never]).distinct())
    .unionAll(db.selectFrom(unsent.as('unsent')).select(['workspace_id', never]))
    .unionAll(db.selectFrom(replaying.as('replaying')).select(['workspace_id', never]))
})

/** About how many deliveries one step makes: it holds up requests. */
const MAX_DELIVERIES = 200

/**
 * Makes deliveries of the next events of the workspace, one for each webhook subscribed to the
 * event. Returns whether there are more. Repeating it is harmless: the position moves in the same
 * transaction.
 */
export async function fanOut(tx: WriteTx): Promise<boolean> {
  const state = await tx.one(fanOutPosition, {})
  if (!state) return false
  const webhooks = (await tx.all(activeWebhooks, {})).map(
    ({ events, project_ids, ...webhook }) => ({
      ...webhook,
      kinds: new Set<string>(JSON.parse(events)),
      projects: project_ids === null ? undefined : new Set<string>(JSON.parse(project_ids)),
    }),
  )
  const starts = webhooks.map(({ enabled_after_sequence }) => enabled_after_sequence)
  // No webhook receives events from before the first of them was enabled.
  const after = Math.max(state.fanned_out_sequence, Math.min(...starts, state.last_sequence))
  const limit = Math.ceil(MAX_DELIVERIES / (webhooks.length || 1))
  const events = await tx.all(eventsToFanOut, { after, limit })
  const deliveries: NewDelivery[] = events.flatMap(
    ({ id, sequence, type, subject_id, ...event }) => {
      const projectIds = [event.project_id, event.former_project_id]
      return webhooks
        .filter(
          ({ kinds, projects, enabled_after_sequence }) =>
            sequence > enabled_after_sequence &&
            (kinds.has(type) || kinds.has('*')) &&
            (!projects || projectIds.some((project) => project !== null && projects.has(project))),
        )
        .map((webhook) => ({
          webhook_id: webhook.id,
          event_id: id,
          event_type: type,
          sequence,
          queue: DELIVERY_QUEUES.live,
          lane: `${webhook.activation}.${subject_id}`,
          activation: webhook.activation,
        }))
    },
  )
  await queueDeliveries(tx, deliveries)
  const sequence = events.at(-1)?.sequence ?? state.last_sequence
  const unsent = sequence < state.last_sequence ? 1 : 0
  await tx.run(setFanOutPosition, { sequence, unsent })
  return unsent === 1
}

/** The last sequence that was fanned out, and the last that there is. */
const fanOutPosition = query((db) =>
  db.selectFrom('workspaces').select(['fanned_out_sequence', 'last_sequence']),
)

/** Webhooks that take part in a fan-out. */
const activeWebhooks = query((db) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'events', 'project_ids', 'enabled_after_sequence', 'activation'])
    .where('is_active', '=', 1)
    .orderBy('id'),
)

const eventsToFanOut = query((db, $: Scoped<{ after: number; limit: number }>) =>
  db
    .selectFrom('events')
    .select(['id', 'sequence', 'type', 'project_id', 'former_project_id', 'subject_id'])
    .where('sequence', '>', $.after)
    .orderBy('sequence')
    .limit($.limit),
)

const setFanOutPosition = command((db, $: Scoped<{ sequence: number; unsent: number }>) =>
  db
    .updateTable('workspaces')
    .set({ fanned_out_sequence: $.sequence, has_unsent_events: $.unsent }),
)
