import { command, query, type Scoped } from '#storage/statement.ts'

/** How far the fan-out has come, and how far there is to go. */
export const fanOutPosition = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['fanned_out_sequence', 'last_sequence'])
    .where('id', '=', $.workspace_id),
)

/** Webhooks that take part in a fan-out. */
export const activeWebhooks = query((db, $: Scoped) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'events', 'project_ids', 'enabled_after_sequence', 'activation'])
    .where('workspace_id', '=', $.workspace_id)
    .where('is_active', '=', 1)
    .orderBy('id'),
)

export const eventsAfter = query((db, $: Scoped<{ after: number; limit: number }>) =>
  db
    .selectFrom('events')
    .select(['id', 'sequence', 'type', 'project_id', 'former_project_id', 'subject_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '>', $.after)
    .orderBy('sequence')
    .limit($.limit),
)

export const fannedOutTo = command((db, $: Scoped<{ sequence: number; unsent: number }>) =>
  db
    .updateTable('workspaces')
    .set({ fanned_out_sequence: $.sequence, has_unsent_events: $.unsent })
    .where('id', '=', $.workspace_id),
)

/** Replays that are not queued whole yet. */
export const replaysOf = query((db, $: Scoped) =>
  db
    .selectFrom('replays')
    .select(['id', 'webhook_id', 'activation', 'next_sequence', 'to_sequence'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id')
    .limit(1),
)
