import { type Selectable, sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, row, type Scoped, shaped } from '#storage/statement.ts'
import type { WebhookRow } from '#storage/tables.ts'
import type { Webhook } from './contract.ts'

/** What operations set. The rest is counted by the deliveries. */
const CONFIGURATION = [
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

export type Configuration = Pick<Selectable<WebhookRow>, (typeof CONFIGURATION)[number]>

type AtNow = Scoped<{ now: string }>

/** A webhook as it is shown, never with its secret: the one place that says so. */
const shown = ({ json }: Dialect, $: AtNow) =>
  json<Omit<Webhook, 'secret'>>('webhooks', {
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

export const webhookById = query((db, $: AtNow & { id: string }, dialect) =>
  db
    .selectFrom('webhooks')
    .select([
      ...CONFIGURATION,
      'id',
      'activation',
      'updated_at as revision',
      shown(dialect, $).as('json'),
    ])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const webhooksWhere = shaped(({ order, is_active }: { order: Order; is_active: boolean }) =>
  query((db, $: AtNow & Window & { is_active: number }, dialect) => {
    const found = db
      .selectFrom('webhooks')
      .select(['id', shown(dialect, $).as('json')])
      .where('workspace_id', '=', $.workspace_id)
    const filtered = is_active ? found.where('is_active', '=', $.is_active) : found
    return paged(filtered, $, 'webhooks.id', order)
  }),
)

/** The webhooks that bear exactly this description. */
export const webhooksDescribed = query((db, $: Scoped<{ description: string }>) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'url'])
    .where('workspace_id', '=', $.workspace_id)
    .where('description', '=', $.description),
)

export const countWebhooks = query((db, $: Scoped) =>
  db
    .selectFrom('webhooks')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id),
)

/** Which of some ids are projects of the workspace. */
export const projectsAmong = query((db, $: Scoped<{ ids: string[] }>, { among }) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where(among('projects.id', $.ids)),
)

/** The sequence of the newest event. */
export const lastSequence = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('last_sequence').where('id', '=', $.workspace_id),
)

type NewRow = Configuration & Pick<WebhookRow, 'id' | 'created_by_id' | 'created_at'>
export const insertWebhook = command((db, $: Scoped<NewRow>) =>
  db
    .insertInto('webhooks')
    .values(row($, 'workspace_id', 'id', 'created_by_id', 'created_at', ...CONFIGURATION)),
)

export const changeWebhook = command((db, $: Scoped<Configuration & { id: string }>) =>
  db
    .updateTable('webhooks')
    .set(row($, ...CONFIGURATION))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const removeWebhook = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('webhooks').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

/** Its log is removed bit by bit, later. */
export const noteRemoved = command((db, $: Scoped<{ webhook_id: string }>) =>
  db.insertInto('removed_webhooks').values(row($, 'workspace_id', 'webhook_id')),
)
