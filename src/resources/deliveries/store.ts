import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import { LANE_BLOCKING_ATTEMPTS } from '#db/deliveries/delivery-queue.ts'
import type { Tables } from '#db/schema/tables.ts'
import type { Delivery, DeliveryDetails, ExplainedDelivery } from './contract.ts'

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
const deliveryDetailsJson = (dialect: Dialect, $: Scoped) => {
  const { engine, json } = dialect
  const request = json<DeliveryDetails['request'] & object>('last', {
    url: 'plain',
    headers: 'json',
    body: sql`coalesce(deliveries.payload, events.payload)`,
  })
  const requested = sql`case when last.number is null then 'null' else ${request} end`
  return json<DeliveryDetails>('deliveries', {
    ...DELIVERY_FIELDS,
    request: asJson(engine, requested),
    attempts: attemptsJson(dialect, $),
  })
}

/** The JSON of all attempts of a delivery. */
const attemptsJson = ({ engine, json }: Dialect, $: Scoped) => {
  const attempt = json<DeliveryDetails['attempts'][number]>('made', {
    number: 'whole',
    started_at: 'word',
    duration_ms: 'whole',
    response_status: 'plain',
    response_body: 'plain',
    error: 'plain',
  })
  return asJson(
    engine,
    sql`(select coalesce('[' || string_agg(${attempt}, ',' order by made.number) || ']', '[]')
      from delivery_attempts as made
      where made.workspace_id = ${$.workspace_id} and made.delivery_id = deliveries.id)`,
  )
}

const asJson = (engine: Dialect['engine'], text: RawBuilder<unknown>) =>
  engine === 'sqlite' ? sql`json(${text})` : sql`(${text})::json`

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

/** The newest deliveries of an event to a webhook, with their attempts and what decides when they are sent. */
export const deliveriesOfEvent = query(
  (db, $: Scoped<{ webhook_id: string; event_id: string; limit: number }>, dialect) =>
    db
      .selectFrom('deliveries')
      .select([
        'status',
        'blocked',
        'lane',
        'due_at',
        'activation',
        dialect
          .json<Omit<ExplainedDelivery, 'waits_for'>>('deliveries', {
            ...DELIVERY_FIELDS,
            attempts: attemptsJson(dialect, $),
          })
          .as('json'),
      ])
      .where('webhook_id', '=', $.webhook_id)
      .where('event_id', '=', $.event_id)
      .orderBy('id', 'desc')
      .limit($.limit),
)

/** The delivery that the others in its lane wait for. */
export const firstInLane = query((db, $: Scoped<{ webhook_id: string; lane: string }>) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'due_at'])
    .where('webhook_id', '=', $.webhook_id)
    .where('lane', '=', $.lane)
    .where('status', '=', sql.lit('pending'))
    .where('blocked', '=', sql.lit(0))
    .where('attempt_count', '<', sql.lit(LANE_BLOCKING_ATTEMPTS))
    .orderBy('sequence')
    .limit(1),
)

/**
 * An event of the log. Events have no index of their ids, but those of an operation are neighbours, and its id has the
 * time of the event.
 */
export const eventById = query(
  (db, $: Scoped<{ id: string; from_operation_id: string; to_operation_id: string }>) =>
    db
      .selectFrom('operations')
      .innerJoin('events', (join) =>
        join
          .onRef('events.sequence', '>=', 'operations.first_sequence')
          .onRef('events.sequence', '<=', 'operations.last_sequence'),
      )
      .select(['events.sequence', 'events.type', 'events.project_id', 'events.former_project_id'])
      .where('operations.id', '>=', $.from_operation_id)
      .where('operations.id', '<', $.to_operation_id)
      .where('events.id', '=', $.id)
      .limit(1),
)

/** How far the events of the workspace have become deliveries. */
export const fannedOutSequence = query((db) =>
  db.selectFrom('workspaces').select('fanned_out_sequence'),
)

/** A replay of the webhook that has not come to an event yet. */
export const replayBefore = query(
  (db, $: Scoped<{ webhook_id: string; activation: number; sequence: number }>) =>
    db
      .selectFrom('replays')
      .select('id')
      .where('webhook_id', '=', $.webhook_id)
      .where('activation', '=', $.activation)
      .where('next_sequence', '<=', $.sequence)
      .where('to_sequence', '>=', $.sequence)
      .limit(1),
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
