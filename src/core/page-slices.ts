import { andThen, type MaybePromise } from '#lib/maybe-promise.ts'
import { idOf, type ListRow, MAX_PAGE_BYTES, type PageRequest, positionOf } from './page-request.ts'

/**
 * Reads the rows of a page in slices, and none after those that fill a reply: 200 events of the
 * largest comments are 160 MB, of which a reply holds 8. Each slice has at most `size` rows, because
 * the weight of the rows before says nothing about those to come.
 *
 * On PostgreSQL a row that is changed between two slices can be read again, as between two pages;
 * one page never has it twice.
 */
export function readInSlices<R extends ListRow<unknown>>(
  page: PageRequest,
  size: number,
  read: (slice: PageRequest) => MaybePromise<readonly R[]>,
): MaybePromise<readonly R[]> {
  if (page.limit <= size) return read(page)
  return readOn([], page.after)

  function readOn(rows: readonly R[], after: PageRequest['after']): MaybePromise<readonly R[]> {
    const limit = Math.min(size, page.limit - rows.length)
    return andThen(read({ ...page, limit, after }), (more) => {
      const ids = new Set(rows.map(idOf))
      const all = [...rows, ...more.filter((row) => !ids.has(idOf(row)))]
      const last = more.at(-1)
      if (!last || more.length < limit || all.length >= page.limit || fillsReply(all)) return all
      // A slice of rows that the page already has would come again after any other position.
      return readOn(all, positionOf(last))
    })
  }
}

/** Whether a reply has no room for all of the rows. A code unit takes at least a byte. */
const fillsReply = (rows: readonly ListRow<unknown>[]): boolean =>
  rows.reduce((units, { json }) => units + json.length, 0) > MAX_PAGE_BYTES
