import { sql } from 'kysely'
import { command, query, type Scoped } from '#db/core/statement.ts'

/** The devices of the viewer whose session has not ended, newest first. */
export const devicesOfViewer = query((db, $: Scoped) =>
  db
    .selectFrom('push_devices')
    .innerJoin('sessions', 'sessions.id', 'push_devices.session_id')
    .select(['push_devices.id', 'push_devices.session_id', 'push_devices.created_at'])
    .select('sessions.user_agent')
    .where('push_devices.workspace_id', '=', $.workspace_id)
    .where('push_devices.user_id', '=', $.viewer_id)
    .orderBy('push_devices.id', 'desc'),
)

export const removeDeviceOfViewer = command((db, $: Scoped<{ id: string }>) =>
  db
    .deleteFrom('push_devices')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.viewer_id)
    .where('id', '=', $.id),
)

export const removeDeviceAtEndpoint = command((db, $: Scoped<{ endpoint_hash: string }>) =>
  db
    .deleteFrom('push_devices')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.viewer_id)
    .where('endpoint_hash', '=', $.endpoint_hash),
)

/** Deletes the devices of the viewer but the newest ones. */
export const removeOldestDevices = command((db, $: Scoped<{ kept: number }>) =>
  db
    .deleteFrom('push_devices')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.viewer_id)
    .where(
      sql<boolean>`id not in (select id from push_devices
        where workspace_id = ${$.workspace_id} and user_id = ${$.viewer_id}
        order by id desc limit ${$.kept})`,
    ),
)
