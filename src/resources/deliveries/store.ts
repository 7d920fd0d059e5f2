import { type SelectQueryBuilder, sql } from 'kysely'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Tables } from '#db/schema/tables.ts'
import type { Delivery, DeliveryDetails } from './contract.ts'

const DELIVERY_FIELDS = {
  id: 'plain',
  webhook_id: 'plain',
  event_id: 'plain',
  event_type: 'plain',
  sequence: 'plain',
  status: 'plain',
  attempt_count: 'plain',
  next_attempt_at: sql`case when deliveries.status = 'pending' and deliveries.blocked = 0
    then deliveries.due_at end`,
  last_attempt_at: 'plain',
  response_status: 'plain',
  duration_ms: 'plain',
  error: 'plain',
  is_test: 'flag',
  redelivery_of_id: 'plain',
  created_at: 'plain',
  completed_at: 'plain',
} as const

/** The JSON of a delivery. */
const deliveryJson = ({ json }: Dialect) => json<Delivery>('deliveries', DELIVERY_FIELDS)

/**
 * The JSON with the last request and all attempts. Needs events, and the last attempt as `last`.
 */
const deliveryDetailsJson = ({ engine, json }: Dialect, $: Scoped) => {
  const request = json<DeliveryDetails['request'] & object>('last', {
    url: 'plain',
    headers: 'json',
    body: sql`coalesce(deliveries.payload, events.payload)`,
  })
  const attempt = json<DeliveryDetails['attempts'][number]>('made', {
    number: 'whole',
    started_at: 'word',
    duration_ms: 'whole',
    response_status: 'plain',
    response_body: 'plain',
    error: 'plain',
  })
  const requested = sql`case when last.number is null then 'null' else ${request} end`
  const attempts = sql`(select coalesce('[' || string_agg(${attempt}, ',' order by made.number) || ']', '[]')
    from delivery_attempts as made
    where made.workspace_id = ${$.workspace_id} and made.delivery_id = deliveries.id)`
  const asJson = (text: typeof attempts) =>
    engine === 'sqlite' ? sql`json(${text})` : sql`(${text})::json`
  return json<DeliveryDetails>('deliveries', {
    ...DELIVERY_FIELDS,
    request: asJson(requested),
    attempts: asJson(attempts),
  })
}

/** A delivery, with the state of its webhook; none if the webhook has been deleted. */
export const deliveryById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .select([
      'deliveries.id',
      'deliveries.webhook_id',
      'deliveries.event_id',
      'deliveries.event_type',
      'deliveries.sequence',
      'deliveries.payload',
      'deliveries.is_test',
      'webhooks.is_active',
      'webhooks.activation',
      deliveryJson(dialect).as('json'),
    ])
    .where('deliveries.id', '=', $.id),
)

export const deliveryDetailsById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .leftJoin('events', 'events.sequence', 'deliveries.sequence')
    .leftJoin('delivery_attempts as last', (join) =>
      join
        .onRef('last.delivery_id', '=', 'deliveries.id')
        .onRef('last.number', '=', 'deliveries.attempt_count'),
    )
    .select(deliveryDetailsJson(dialect, $).as('json'))
    .where('deliveries.id', '=', $.id),
)

/** The number of pending deliveries of a webhook. */
export const pendingDeliveryCount = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('webhooks').select('pending_count').where('id', '=', $.id),
)

/** The filters of a list of deliveries (docs/spec/api.md#sorting-and-filters). */
interface DeliveryFilters {
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
