import { sql } from 'kysely'
import { command, query, type Scoped } from '#db/core/statement.ts'

/** The devices of the viewer whose session is valid, newest first. */
export const devicesOfViewer = query((db, $: Scoped<{ now: string; used_since: string }>) =>
  db
    .selectFrom('push_devices')
    .innerJoin('sessions', 'sessions.id', 'push_devices.session_id')
    .select(['push_devices.id', 'push_devices.session_id', 'push_devices.created_at'])
    .select(['push_devices.last_used_at', 'sessions.user_agent'])
    .where('push_devices.user_id', '=', $.viewer_id)
    .where('sessions.expires_at', '>', $.now)
    .where('sessions.last_used_at', '>', $.used_since)
    .orderBy('push_devices.id', 'desc'),
)

/** What decides on the quiet hours of the viewer. */
export const quietPersonOfViewer = query((db, $: Scoped) =>
  db
    .selectFrom('users')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'users.id')
    .select(['users.timezone', 'settings.wishes'])
    .where('users.id', '=', $.viewer_id),
)

export const removeDeviceOfViewer = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('push_devices').where('user_id', '=', $.viewer_id).where('id', '=', $.id),
)

export const removeDeviceAtEndpoint = command((db, $: Scoped<{ endpoint_hash: string }>) =>
  db
    .deleteFrom('push_devices')
    .where('user_id', '=', $.viewer_id)
    .where('endpoint_hash', '=', $.endpoint_hash),
)

/** Deletes the devices of the viewer but the newest ones. */
export const removeOldestDevices = command((db, $: Scoped<{ kept: number }>) =>
  db
    .deleteFrom('push_devices')
    .where('user_id', '=', $.viewer_id)
    .where(
      sql<boolean>`id not in (select id from push_devices
        where workspace_id = ${$.workspace_id} and user_id = ${$.viewer_id}
        order by id desc limit ${$.kept})`,
    ),
)
