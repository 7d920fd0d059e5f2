import type { listEvents } from '#resources/events/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { EVENT_KINDS } from '#wire/events.ts'
import { call } from '../../../lib/call.ts'
import { firstSince, type Placed } from './log-search.ts'

const PAGE = 200
const MOST_PAGES = 5

/** How many events of the log a webhook wants from a sequence on; `more`: counting was given up there. */
export interface Counted {
  count: number
  more: boolean
}

/** Counts without sending anything, by reading the log: at most five pages. */
export async function countWanted(
  { events, project_ids }: Pick<Webhook, 'events' | 'project_ids'>,
  from_sequence: number,
  signal: AbortSignal,
): Promise<Counted> {
  const type = events.includes('*') ? [] : EVENT_KINDS.filter((kind) => events.includes(kind))
  let after = from_sequence - 1
  let count = 0
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { after_sequence: after, limit: PAGE, ...(type.length > 0 && { type }) }
    const { data, has_more } = await call<typeof listEvents>(
      'GET /api/v1/events',
      { query },
      { signal },
    )
    count += data.filter(
      ({ project_id }) =>
        project_ids === null || (project_id !== null && project_ids.includes(project_id)),
    ).length
    if (!has_more) return { count, more: false }
    after = data.at(-1)?.sequence ?? after
  }
  return { count, more: true }
}

/** The sequence of the first event kept that is not before an instant (ms); undefined if there is none. */
export async function sequenceSince(
  since: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const read = async (after_sequence?: number): Promise<Placed | undefined> => {
    const query = { limit: 1, ...(after_sequence !== undefined && { after_sequence }) }
    const { data } = await call<typeof listEvents>('GET /api/v1/events', { query }, { signal })
    return data[0]
  }
  return (await firstSince(await read(), since, read))?.sequence
}
