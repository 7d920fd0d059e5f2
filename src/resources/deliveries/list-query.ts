import { type SelectQueryBuilder, sql } from 'kysely'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Tables } from '#db/schema/tables.ts'
import { deliveryJson } from './store.ts'

/** The filters of a list of deliveries (docs/spec/api.md#sorting-and-filters). */
export interface DeliveryFilters {
  status?: string[] | undefined
  event_type?: string[] | undefined
  event_id?: string | undefined
}

type FilterColumn = 'status' | 'event_type' | 'event_id'

interface DeliveryQueryShape {
  order: ListOrder
  /** The filter whose index the list is read from, and the number of its values. */
  indexedFilter: FilterColumn | null
  values: number
  /** The statuses of that filter: in the statement, so that PostgreSQL knows which of them are rare. */
  statuses: readonly string[]
  status: boolean
  event_type: boolean
}

type DeliveryQueryValues = {
  webhook_id: string
  status: string[]
  event_type: string[]
} & ValueSlots
/** One slot for each value of the indexed filter: `value_0`, `value_1` … */
type ValueSlots = Record<`value_${number}`, string>
type DeliverySelection<O> = SelectQueryBuilder<Tables, 'deliveries', O>

/**
 * The statement of a list, and the values that it binds. With one value of the indexed filter the
 * list is an index scan. With several, a page of each value is read and the result is merged:
 * sorting all matching deliveries would take longer the more there are.
 */
export function buildDeliveryListQuery(
  webhook_id: string,
  order: ListOrder,
  filters: DeliveryFilters,
) {
  const { status = [], event_type = [], event_id } = filters
  const [indexedFilter, values] = chooseIndexedFilter(status, event_type, event_id)
  const slots: ValueSlots = Object.fromEntries(
    values.map((value, index) => [`value_${index}`, value]),
  )
  const queryShape = {
    // An event has few deliveries.
    order: indexedFilter === 'event_id' ? { ...order, sorted: true } : order,
    indexedFilter,
    values: values.length,
    statuses: indexedFilter === 'status' ? values : [],
    status: status.length > 0 && indexedFilter !== 'status',
    event_type: event_type.length > 0 && indexedFilter !== 'event_type',
  }
  return {
    statement: deliveriesWhere(queryShape),
    values: { webhook_id, status, event_type, ...slots },
  }
}

/** Most deliveries succeed, so every other status is more selective than an event type. */
function chooseIndexedFilter(
  status: string[],
  event_type: string[],
  event_id: string | undefined,
): [FilterColumn | null, string[]] {
  if (event_id !== undefined) return ['event_id', [event_id]]
  const isSelective = status.length > 0 && !status.includes('succeeded')
  if (isSelective || (status.length > 0 && event_type.length === 0)) return ['status', status]
  return event_type.length > 0 ? ['event_type', event_type] : [null, []]
}

const deliveriesWhere = memoizeByShape(
  ({ order, indexedFilter, values, statuses, ...has }: DeliveryQueryShape) =>
    query((db, $: Scoped<PageWindow & DeliveryQueryValues>, dialect) => {
      const { inList } = dialect
      const ofWorkspace = () => db.selectFrom('deliveries').select('deliveries.id')
      const pageOfValue = (index: number): DeliverySelection<{ id: string }> => {
        let rows = ofWorkspace().where('webhook_id', '=', $.webhook_id)
        const status = statuses[index]
        const value = status === undefined ? $[`value_${index}`] : sql.lit(status)
        if (indexedFilter)
          rows = rows.where(sql<boolean>`${sql.ref(`deliveries.${indexedFilter}`)} = ${value}`)
        if (has.status) rows = rows.where(inList('deliveries.status', $.status))
        if (has.event_type) rows = rows.where(inList('deliveries.event_type', $.event_type))
        return paginate(rows, $, 'deliveries.id', order)
      }
      if (values <= 1) return pageOfValue(0).select(deliveryJson(dialect).as('json'))
      const pages = Array.from({ length: values }, (_, index) =>
        db.selectFrom(pageOfValue(index).as('part')).select('id'),
      )
      const ids = pages.reduce((one, other) => one.unionAll(other))
      const page = ofWorkspace()
        .select(deliveryJson(dialect).as('json'))
        .where('deliveries.id', 'in', ids)
      return paginate(page, $, 'deliveries.id', order)
    }),
)
