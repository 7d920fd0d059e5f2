import type { WriteTx } from '#core/tx.ts'
import { type NewDelivery, QUEUES, queueDeliveries } from '#storage/deliveries.ts'
import { activeWebhooks, eventsAfter, fannedOutTo, fanOutPosition } from './fan-out-store.ts'

/** How many deliveries one step makes, about: it holds up the requests beside it. */
export const FANNED_OUT = { many: 1_000, few: 150 } as const
const EVENTS_AT_ONCE = 200

/**
 * Makes deliveries of the next events of the workspace, one for each webhook that wants the event.
 * Tells whether there are more. Doing it twice does no harm: the position moves with the deliveries.
 */
export async function fanOut(tx: WriteTx, most: number = FANNED_OUT.many): Promise<boolean> {
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
  // What lies before the first of them was enabled is nobody's.
  const after = Math.max(state.fanned_out_sequence, Math.min(...starts, state.last_sequence))
  const limit = Math.min(EVENTS_AT_ONCE, Math.ceil(most / (webhooks.length || 1)))
  const events = await tx.all(eventsAfter, { after, limit })
  const wanted: NewDelivery[] = events.flatMap(({ id, sequence, type, subject_id, ...of }) => {
    const concerned = [of.project_id, of.former_project_id]
    return webhooks
      .filter(
        ({ kinds, projects, enabled_after_sequence }) =>
          sequence > enabled_after_sequence &&
          (kinds.has(type) || kinds.has('*')) &&
          (!projects || concerned.some((project) => project !== null && projects.has(project))),
      )
      .map((webhook) => ({
        webhook_id: webhook.id,
        event_id: id,
        event_type: type,
        sequence,
        queue: QUEUES.live,
        lane: `${webhook.activation}.${subject_id}`,
        activation: webhook.activation,
      }))
  })
  await queueDeliveries(tx, wanted)
  const sequence = events.at(-1)?.sequence ?? state.last_sequence
  const unsent = sequence < state.last_sequence ? 1 : 0
  await tx.run(fannedOutTo, { sequence, unsent })
  return unsent === 1
}
