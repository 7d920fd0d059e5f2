import type { getEventPosition, listEvents } from '#resources/events/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { requestEndpoint } from '../../../../lib/http/request-endpoint.ts'
import { findFirstSequenceSince } from './event-search.ts'

const PAGE_SIZE = 200
const MAX_PAGES = 5

/** The number of events since a sequence that match a webhook. */
export interface EventCount {
  count: number
  /** Whether the count stopped at `MAX_PAGES`: there may be more events. */
  hasMore: boolean
}

/** Counts the matching events by reading the event log, without sending anything. */
export async function countSubscribedEvents(
  { events, project_ids }: Pick<Webhook, 'events' | 'project_ids'>,
  from_sequence: number,
  signal: AbortSignal,
): Promise<EventCount> {
  const type = events.includes('*') ? [] : EVENT_KINDS.filter((kind) => events.includes(kind))
  let after = from_sequence - 1
  let count = 0
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { after_sequence: after, limit: PAGE_SIZE, ...(type.length > 0 && { type }) }
    const { data, has_more } = await requestEndpoint<typeof listEvents>(
      'GET /api/v1/events',
      { query },
      { signal },
    )
    count += data.filter(
      ({ project_id }) =>
        project_ids === null || (project_id !== null && project_ids.includes(project_id)),
    ).length
    if (!has_more) return { count, hasMore: false }
    after = data.at(-1)?.sequence ?? after
  }
  return { count, hasMore: true }
}

/** The sequence of the first stored event at or after an instant (ms), if there is one. */
export async function findSequenceSince(
  since: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const position = await requestEndpoint<typeof getEventPosition>(
    'GET /api/v1/events/position',
    {},
    { signal },
  )
  return findFirstSequenceSince(position, since, async (sequence) => {
    const query = { after_sequence: sequence - 1, limit: 1 }
    const { data } = await requestEndpoint<typeof listEvents>(
      'GET /api/v1/events',
      { query },
      { signal },
    )
    return data[0]?.timestamp
  })
}
