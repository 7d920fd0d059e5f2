import { type SelectQueryBuilder, sql } from 'kysely'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { Tables } from '#storage/tables.ts'
import { shown } from './store.ts'

/** What a list of deliveries can be asked for (contract 3.3). */
export interface Filters {
  status?: string[] | undefined
  event_type?: string[] | undefined
  event_id?: string | undefined
}

type Column = 'status' | 'event_type' | 'event_id'

interface Shape {
  order: Order
  /** The filter along whose index the list is read, and how many values it has. */
  along: Column | null
  values: number
  status: boolean
  event_type: boolean
}

type Values = { webhook_id: string; status: string[]; event_type: string[] } & Named
/** Each value of the filter along which the list is read has a slot: `value_0`. */
type Named = Record<`value_${number}`, string>
type Selection<O> = SelectQueryBuilder<Tables, 'deliveries', O>

/**
 * The statement of a list and what it binds. A list of one value is a walk along an index; of several
 * values the page is cut out of a page of each, for to sort them all would take the longer the more
 * there are.
 */
export function deliveriesOf(webhook_id: string, order: Order, filters: Filters) {
  const { status = [], event_type = [], event_id } = filters
  const [along, values] = wayOf(status, event_type, event_id)
  const named: Named = Object.fromEntries(values.map((value, at) => [`value_${at}`, value]))
  const shape = {
    // An event has few deliveries.
    order: along === 'event_id' ? { ...order, sorted: true } : order,
    along,
    values: values.length,
    status: status.length > 0 && along !== 'status',
    event_type: event_type.length > 0 && along !== 'event_type',
  }
  return { statement: deliveriesWhere(shape), values: { webhook_id, status, event_type, ...named } }
}

/** Most deliveries succeed: by other statuses fewer are found than by kinds. */
function wayOf(
  status: string[],
  event_type: string[],
  event_id: string | undefined,
): [Column | null, string[]] {
  if (event_id !== undefined) return ['event_id', [event_id]]
  const few = status.length > 0 && !status.includes('succeeded')
  if (few || (status.length > 0 && event_type.length === 0)) return ['status', status]
  return event_type.length > 0 ? ['event_type', event_type] : [null, []]
}

const deliveriesWhere = shaped(({ order, along, values, ...has }: Shape) =>
  query((db, $: Scoped<Window & Values>, dialect) => {
    const { among } = dialect
    const rows = () => {
      const found = db.selectFrom('deliveries').where('workspace_id', '=', $.workspace_id)
      return found.select('deliveries.id')
    }
    const part = (value: `value_${number}`): Selection<{ id: string }> => {
      let found = rows().where('webhook_id', '=', $.webhook_id)
      if (along) found = found.where(sql<boolean>`${sql.ref(`deliveries.${along}`)} = ${$[value]}`)
      if (has.status) found = found.where(among('deliveries.status', $.status))
      if (has.event_type) found = found.where(among('deliveries.event_type', $.event_type))
      return paged(found, $, 'deliveries.id', order)
    }
    if (values <= 1) return part('value_0').select(shown(dialect).as('json'))
    const parts = Array.from({ length: values }, (_, at) =>
      db.selectFrom(part(`value_${at}`).as('part')).select('id'),
    )
    const all = parts.reduce((one, other) => one.unionAll(other))
    const chosen = rows().select(shown(dialect).as('json')).where('deliveries.id', 'in', all)
    return paged(chosen, $, 'deliveries.id', order)
  }),
)
