import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Json } from '#lib/json.ts'
import { Refusal } from './refusal.ts'

const DEFAULT_LIMIT = 50
/** A reply stays under 8 MiB, of which the frame around the records takes some. */
const MAX_BYTES = 8 * 1024 * 1024 - 2_048

/** A position in the order of a list: the sort key of the last record, and its id (contract 3.2). */
export type Position = [key: string | number | null, id: string]

interface PageOf<T> {
  data: T[]
  next_cursor: string | null
  has_more: boolean
}

/** A row of a list: `key` is what it is sorted by, where that is not the id. */
export interface ListRow<T> {
  id: string
  key?: string | number | null
  json: Json<T>
}

/** The page that is asked for. */
export interface Page {
  sort: string
  descending: boolean
  after: Position | undefined
  /** One row more than asked for tells whether there is a further page. */
  limit: number
  /** `isCut`: beyond the rows there are others, to which no cursor leads. */
  cut<T>(rows: readonly ListRow<T>[], isCut?: boolean): Json<PageOf<T>>
}

/**
 * Opens a page of a list. A cursor is a position with a seal over the list it belongs to (workspace,
 * path, filters, order), so one from another list, or made up, is refused. `fallback` is the sort key
 * used when none is asked for.
 */
export function openPage(
  secret: string,
  list: string,
  query: { limit?: number; cursor?: string; sort?: string },
  fallback: string,
): Page {
  const size = query.limit ?? DEFAULT_LIMIT
  const order = query.sort ?? fallback
  const sealed = (text: string) => `${text}.${seal(secret, `${list}\n${order}\n${text}`)}`
  return {
    sort: order.replace('-', ''),
    descending: order.startsWith('-'),
    after: query.cursor === undefined ? undefined : positionIn(query.cursor, sealed),
    limit: size + 1,
    cut(rows, isCut = false) {
      const data = fitting(rows.slice(0, size))
      const last = data.at(-1)
      const goes_on = last !== undefined && rows.length > data.length
      const has_more = goes_on || isCut
      const position: Position | undefined = last && [last.key ?? null, last.id]
      const next_cursor = goes_on
        ? `"${sealed(Buffer.from(JSON.stringify(position)).toString('base64url'))}"`
        : null
      const records = data.map(({ json }) => json).join(',')
      return `{"data":[${records}],"next_cursor":${next_cursor},"has_more":${has_more}}` as never
    },
  }
}

/** As many rows as fit into a reply; at least one. */
function fitting<T>(rows: readonly ListRow<T>[]): readonly ListRow<T>[] {
  let bytes = 0
  const end = rows.findIndex(({ json }, index) => {
    bytes += Buffer.byteLength(json) + 1
    return bytes > MAX_BYTES && index > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

const seal = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest().subarray(0, 16).toString('base64url')

function positionIn(cursor: string, sealed: (text: string) => string): Position {
  const [text = ''] = cursor.split('.')
  const [is, ought] = [Buffer.from(cursor), Buffer.from(sealed(text))]
  if (is.length !== ought.length || !timingSafeEqual(is, ought)) {
    throw new Refusal(400, 'invalid_cursor', 'This cursor does not belong to this list.', {
      details: [
        { field: 'cursor', code: 'invalid_value', message: 'Begin again without a cursor.' },
      ],
    })
  }
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Position
}
