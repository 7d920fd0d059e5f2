import type { WriteTx } from '#core/transaction.ts'
import { command, query, type Scoped } from '#db/core/statement.ts'
import {
  DELIVERY_QUEUES,
  type NewDelivery,
  queueDeliveries,
} from '#db/deliveries/delivery-queue.ts'

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
