import { command, query, type Scoped } from '#db/core/statement.ts'

/** The last sequence that was fanned out, and the last that there is. */
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

export const eventsToFanOut = query((db, $: Scoped<{ after: number; limit: number }>) =>
  db
    .selectFrom('events')
    .select(['id', 'sequence', 'type', 'project_id', 'former_project_id', 'subject_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '>', $.after)
    .orderBy('sequence')
    .limit($.limit),
)

export const setFanOutPosition = command((db, $: Scoped<{ sequence: number; unsent: number }>) =>
  db
    .updateTable('workspaces')
    .set({ fanned_out_sequence: $.sequence, has_unsent_events: $.unsent })
    .where('id', '=', $.workspace_id),
)

/** The oldest replay that is not completely queued yet. */
export const nextReplay = query((db, $: Scoped) =>
  db
    .selectFrom('replays')
    .select(['id', 'webhook_id', 'activation', 'next_sequence', 'to_sequence'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id')
    .limit(1),
)
