import {
  beyondNewestEvent,
  eventsExpired,
  invalidCursor,
  invalidParameter,
} from '#core/api-error.ts'
import { type PageRequest, readInSlices } from '#core/page-request.ts'
import type { Operation } from '#core/route.ts'
import { readEventLogBounds } from '#db/events/outbox.ts'
import type { getEventPosition, listEvents } from './contract.ts'
import { bindTypes, selectEvents } from './store.ts'

/** An event is up to 1 MiB, so that as many are 28 MB at most. */
const MAX_SLICE = 26

export const list: Operation<typeof listEvents> = async (tx, _, { query, page }) => {
  const { after_sequence, type, project_id } = query
  const startOf = (slice: PageRequest) => Number(slice.after?.[0] ?? after_sequence ?? 0)
  const after = startOf(page)
  const types = bindTypes(type ?? [])
  const shape = { types: type?.length ?? 0, project: project_id !== undefined }
  // Read before the page, so that no event up to it is missing from the page.
  const earlier = await readEventLogBounds(tx)
  const rows = await readInSlices(page, MAX_SLICE, (slice) =>
    tx.all(selectEvents(shape), {
      ...types,
      project_id: project_id ?? '',
      after: startOf(slice),
      limit: slice.limit,
    }),
  )
  // Read after the page, so that events which expire between the two statements are noticed.
  const { start, newest } = await readEventLogBounds(tx)
  if (after > newest) {
    // A cursor can be beyond the end only if the database was restored to an earlier state.
    const why = beyondNewestEvent(newest)
    throw page.after ? invalidCursor(why) : invalidParameter('after_sequence', why)
  }
  if (after_sequence !== undefined && after < start - 1) {
    throw eventsExpired('after_sequence', start)
  }
  // Events of the page may be newer.
  const newest_sequence = Math.max(earlier.newest, rows.at(-1)?.key ?? 0)
  return page.toPage(rows, false, { newest_sequence })
}

export const getPosition: Operation<typeof getEventPosition> = async (tx) => {
  const { oldest, newest } = await readEventLogBounds(tx)
  return { oldest_sequence: oldest, newest_sequence: newest }
}
