import { createHmac, timingSafeEqual } from 'node:crypto'
import { encodeTexts, type Json, type JsonBytes } from '#lib/json.ts'
import { andThen, type MaybePromise } from '#lib/maybe-promise.ts'
import { invalidCursor } from './api-error.ts'

const DEFAULT_LIMIT = 50
/** Keeps a reply under 8 MiB, with room for the JSON around the records. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024 - 2_048

/** The position of a cursor: sort key and id of the last record (docs/spec/api.md#cursors). */
export type CursorPosition = [key: string | number | null, id: string]

interface PageBody<T> {
  data: T[]
  next_cursor: string | null
  has_more: boolean
}

/**
 * A row of a list; `key` is its sort key, if the list is not sorted by id. Rows without `id` have it as
 * the first field of their JSON: each column of a page of 50 costs 5 µs, and only the last id is used.
 */
export interface ListRow<T> {
  id?: string
  key?: string | number | null
  /** Empty for a record that was deleted since the list was read: it has a place, but is not in the page. */
  json: Json<T> | ''
}

/** The page that a client requests. */
export interface PageRequest {
  sort: string
  descending: boolean
  after: CursorPosition | undefined
  /** One more than the client's limit: the extra row shows that there is a next page. */
  limit: number
  /**
   * Builds the reply; `isCut` means that more rows exist which no cursor can reach. `numbers` are further
   * members of the body.
   */
  toPage<T, N extends Record<string, number> = Record<never, number>>(
    rows: readonly ListRow<T>[],
    isCut?: boolean,
    numbers?: N,
  ): JsonBytes<PageBody<T> & N>
}

/**
 * Reads the paging parameters of a list. A cursor is a position with a signature over its list
 * (workspace, path, filters, order), so that a forged cursor or one of another list is rejected.
 * `defaultSort` applies without a `sort` parameter.
 */
export function parsePageRequest(
  secret: string,
  list: string,
  query: { limit?: number; cursor?: string; sort?: string },
  defaultSort: string,
): PageRequest {
  const size = query.limit ?? DEFAULT_LIMIT
  const order = query.sort ?? defaultSort
  const sign = (text: string) => `${text}.${createSignature(secret, `${list}\n${order}\n${text}`)}`
  return {
    sort: order.replace('-', ''),
    descending: order.startsWith('-'),
    after: query.cursor === undefined ? undefined : parseCursor(query.cursor, sign),
    limit: size + 1,
    toPage(rows, isCut = false, numbers) {
      const data = takeFitting(rows.slice(0, size))
      const last = data.at(-1)
      const hasNextPage = last !== undefined && rows.length > data.length
      const has_more = hasNextPage || isCut
      const next_cursor = hasNextPage
        ? `"${sign(Buffer.from(JSON.stringify(positionOf(last))).toString('base64url'))}"`
        : null
      const texts = ['{"data":[']
      for (const { json } of data) if (json !== '') texts.push(json, ',')
      if (texts.length > 1) texts.pop()
      const more = Object.entries(numbers ?? {}).map(([name, value]) => `,"${name}":${value}`)
      texts.push(`],"next_cursor":${next_cursor},"has_more":${has_more}`, ...more, '}')
      return encodeTexts(texts) as JsonBytes<never>
    },
  }
}

/** The position of a row in its list. */
const positionOf = (row: ListRow<unknown>): CursorPosition => [row.key ?? null, idOf(row)]

/** The id of a row; in its JSON it needs no escaping: `{"id":"tsk_…`. */
const idOf = ({ id, json }: ListRow<unknown>): string => id ?? json.split('"', 4)[3] ?? ''

/** In UTF-8 a code unit takes at most three bytes. */
const MAX_BYTES_PER_UNIT = 3

/** The rows that fit into a reply; at least one. */
function takeFitting<T>(rows: readonly ListRow<T>[]): readonly ListRow<T>[] {
  const units = rows.reduce((sum, { json }) => sum + json.length + 1, 0)
  if (units * MAX_BYTES_PER_UNIT <= MAX_PAGE_BYTES) return rows
  let bytes = 0
  const end = rows.findIndex(({ json }, index) => {
    bytes += Buffer.byteLength(json) + 1
    return bytes > MAX_PAGE_BYTES && index > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

const createSignature = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest().subarray(0, 16).toString('base64url')

function parseCursor(cursor: string, sign: (text: string) => string): CursorPosition {
  const [text = ''] = cursor.split('.')
  const [actual, expected] = [Buffer.from(cursor), Buffer.from(sign(text))]
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) {
    throw invalidCursor('is not valid for this list; start again without a cursor')
  }
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as CursorPosition
}

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
