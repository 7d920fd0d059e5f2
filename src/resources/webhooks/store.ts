import { type Selectable, sql } from 'kysely'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  insertRow,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
} from '#db/core/statement.ts'
import type { WebhookRow } from '#db/schema/tables.ts'
import type { Webhook } from './contract.ts'

/** The columns that operations set. The delivery worker updates the others. */
const CONFIGURATION_COLUMNS = [
  'url',
  'description',
  'events',
  'project_ids',
  'is_active',
  'disabled_reason',
  'failure_count',
  'failing_since',
  'sealed_secret',
  'secret_hint',
  'sealed_previous_secret',
  'previous_secret_expires_at',
  'enabled_after_sequence',
  'updated_at',
] as const

export type WebhookConfiguration = Pick<
  Selectable<WebhookRow>,
  (typeof CONFIGURATION_COLUMNS)[number]
>

type WebhookParams = Scoped<{ now: string }>

/** The JSON of a webhook, which never holds its secret. */
const webhookJson = ({ json }: Dialect, $: WebhookParams) =>
  json<Webhook>('webhooks', {
    id: 'plain',
    url: 'plain',
    description: 'plain',
    events: 'json',
    project_ids: 'json',
    is_active: 'flag',
    status: sql`case when webhooks.is_active = 0 then 'disabled'
      when webhooks.failure_count > 0 then 'failing' else 'active' end`,
    disabled_reason: 'plain',
    failure_count: 'plain',
    last_delivery_at: 'plain',
    last_success_at: 'plain',
    last_failure_at: 'plain',
    secret_hint: 'plain',
    previous_secret_expires_at: sql`case when webhooks.previous_secret_expires_at > ${$.now}
      then webhooks.previous_secret_expires_at end`,
    created_by_id: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  })

export const webhookById = query((db, $: WebhookParams & { id: string }, dialect) =>
  db
    .selectFrom('webhooks')
    .select([
      ...CONFIGURATION_COLUMNS,
      'id',
      'activation',
      'updated_at as revision',
      webhookJson(dialect, $).as('json'),
    ])
    .where('id', '=', $.id),
)

export const selectWebhooks = memoizeByShape(
  ({ order, is_active }: { order: ListOrder; is_active: boolean }) =>
    query((db, $: WebhookParams & PageWindow & { is_active: number }, dialect) => {
      const rows = db.selectFrom('webhooks').select(['id', webhookJson(dialect, $).as('json')])
      const filtered = is_active ? rows.where('is_active', '=', $.is_active) : rows
      return paginate(filtered, $, 'webhooks.id', order)
    }),
)

export const countWebhooks = query((db) =>
  db.selectFrom('webhooks').select((is) => is.fn.countAll<number>().as('count')),
)

/** Which of these ids are projects of the workspace. */
export const projectsByIds = query((db, $: Scoped<{ ids: string[] }>, { inList }) =>
  db.selectFrom('projects').select('id').where(inList('projects.id', $.ids)),
)

/** The sequence of the newest event of the workspace. */
export const lastEventSequence = query((db) => db.selectFrom('workspaces').select('last_sequence'))

export const insertWebhook = insertRow(
  'webhooks',
  'id',
  'created_by_id',
  'created_at',
  ...CONFIGURATION_COLUMNS,
)

export const changeWebhook = command((db, $: Scoped<WebhookConfiguration & { id: string }>) =>
  db
    .updateTable('webhooks')
    .set(pickSlots($, ...CONFIGURATION_COLUMNS))
    .where('id', '=', $.id),
)

export const removeWebhook = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('webhooks').where('id', '=', $.id),
)

/** Schedules the removal of the log of a deleted webhook, which happens in batches. */
export const insertRemovedWebhook = insertRow('removed_webhooks', 'webhook_id')
