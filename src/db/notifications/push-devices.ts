import { sql } from 'kysely'
import { viewerId } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { addMs, nextFullHour, wallTimeOf } from '#lib/days.ts'
import { newId } from '#lib/id.ts'
import type { NotificationPreferences } from '#wire/notification-preferences.ts'
import {
  command,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import { enqueueJobs, type NewJob } from '../jobs/jobs.ts'
import type { PushDeviceRow } from '../schema/tables.ts'

/** The installation's values with the keys that push services know it by. */
export const PUSH_PUBLIC_KEY = 'push_public_key'
export const PUSH_PRIVATE_KEY = 'push_private_key'

/** The keys are made anew at the next start, for another secret does not decrypt the private one. */
export const removePushKeys = unscopedCommand((db) =>
  db.deleteFrom('installation').where('name', 'in', [PUSH_PUBLIC_KEY, PUSH_PRIVATE_KEY]),
)

/** A page that is in sight takes note of a notification within this time; then none is pushed. */
const PUSH_DELAY_MS = 5_000

/** When a person must not be disturbed. */
interface QuietPerson {
  user_id: string
  timezone: string
  quiet_hours: NotificationPreferences['quiet_hours']
}

/** A notification that was inserted, if it was new. */
type InsertedNotification = QuietPerson & { id: string }

/**
 * Makes the one job of each device of the users due, which sends what is new by then: after a moment,
 * but neither in quiet hours nor before a device may be tried again.
 */
export async function enqueuePushes(
  tx: WriteTx,
  notifications: readonly InsertedNotification[],
): Promise<void> {
  if (notifications.length === 0) return
  const byUser = new Map(notifications.map((one) => [one.user_id, one]))
  const ids = notifications.map(({ id }) => id)
  const devices = await tx.all(devicesToNotify, { ids, user_ids: [...byUser.keys()] })
  const jobs = devices.flatMap(({ device_id, user_id, rests_until }): NewJob[] => {
    const person = byUser.get(user_id)
    if (!person) return []
    const soon = addMs(tx.now, PUSH_DELAY_MS)
    const times = [soon, endOfQuietHours(person, tx.now), rests_until ?? '']
    const run_at = times.toSorted().at(-1) ?? soon
    return [{ kind: 'push', key: `${user_id} ${device_id}`, payload: { device_id }, run_at }]
  })
  await enqueueJobs(tx, jobs)
}

/** When a notification may be pushed first, after a page in sight has had the time to show it. */
export const pushableAt = (created_at: string): string => addMs(created_at, PUSH_DELAY_MS)

/** When the quiet hours end in which a person is now; otherwise an empty text. */
export function endOfQuietHours(
  { timezone, quiet_hours }: Pick<QuietPerson, 'timezone' | 'quiet_hours'>,
  now: string,
): string {
  if (!quiet_hours) return ''
  const { from, to } = quiet_hours
  const hour = Number(wallTimeOf(timezone, now).slice(0, 2))
  const isQuiet = from < to ? hour >= from && hour < to : hour >= from || hour < to
  return isQuiet ? nextFullHour(timezone, now, to) : ''
}

type InsertedIds = { ids: readonly string[]; user_ids: readonly string[] }

/** The devices of the users for whom one of the notifications was inserted. */
const devicesToNotify = query((db, $: Scoped<InsertedIds>, { inList }) =>
  db
    .selectFrom('push_devices')
    .innerJoin('sessions', 'sessions.id', 'push_devices.session_id')
    .select(['push_devices.id as device_id', 'push_devices.user_id', 'push_devices.rests_until'])
    .where(inList('push_devices.user_id', $.user_ids))
    .where((is) =>
      is.exists(
        is
          .selectFrom('notifications')
          .select('notifications.id')
          .whereRef('notifications.user_id', '=', 'push_devices.user_id')
          .where(inList('notifications.id', $.ids)),
      ),
    ),
)

/** A device with its user, while the user is a member of the workspace. */
export const pushTarget = query((db, $: Scoped<{ device_id: string }>) =>
  db
    .selectFrom('push_devices')
    .innerJoin('memberships', 'memberships.user_id', 'push_devices.user_id')
    .innerJoin('users', 'users.id', 'push_devices.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'push_devices.workspace_id')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'push_devices.user_id')
    .select(['push_devices.subscription', 'push_devices.user_id', 'push_devices.session_id'])
    .select(['push_devices.pushed_to', 'push_devices.created_at', 'push_devices.rests_until'])
    .select(['push_devices.failures', 'push_devices.failing_since'])
    .select(['memberships.role', 'users.locale', 'users.timezone', 'workspaces.name as workspace'])
    .select(['settings.wishes', 'workspaces.requires_second_factor'])
    .where('push_devices.id', '=', $.device_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null),
)

/** A message has reached the push service. */
export const recordPush = command((db, $: Scoped<PushRecord>) =>
  db
    .updateTable('push_devices')
    .set((is) => ({
      // A page in sight may have shown more meanwhile.
      pushed_to: sql<string>`case when pushed_to > ${$.pushed_to} then pushed_to else ${$.pushed_to} end`,
      last_used_at: $.now,
      failures: is.lit(0),
      failing_since: is.lit(null),
      rests_until: is.lit(null),
    }))
    .where('id', '=', $.device_id),
)

type PushRecord = { device_id: string; pushed_to: string; now: string }

type PushFailure = { device_id: string; failures: number; failing_since: string; until: string }

/** Nothing is sent to the device until a time. */
export const recordPushFailure = command((db, $: Scoped<PushFailure>) =>
  db
    .updateTable('push_devices')
    .set({ ...pickSlots($, 'failures', 'failing_since'), rests_until: $.until })
    .where('id', '=', $.device_id),
)

/** For devices whose push service says that they are gone. */
export const removePushDevice = command((db, $: Scoped<{ device_id: string }>) =>
  db.deleteFrom('push_devices').where('id', '=', $.device_id),
)

type ValidSession = { now: string; used_since: string }

/** The devices of a user in all workspaces, of sessions that have not ended. */
export const pushDevicesOfUser = unscopedQuery(
  (db, $: ValidSession & { user_id: string; limit: number }) =>
    db
      .selectFrom('memberships')
      .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
      .innerJoin('push_devices', (join) =>
        join
          .onRef('push_devices.workspace_id', '=', 'memberships.workspace_id')
          .onRef('push_devices.user_id', '=', 'memberships.user_id'),
      )
      .innerJoin('sessions', 'sessions.id', 'push_devices.session_id')
      .select(['push_devices.id', 'push_devices.created_at', 'push_devices.last_used_at'])
      .select(['sessions.user_agent as name', 'workspaces.id as in_workspace'])
      .select('workspaces.name as workspace_name')
      .where('memberships.user_id', '=', $.user_id)
      .where('memberships.removed_at', 'is', null)
      .where('sessions.expires_at', '>', $.now)
      .where('sessions.last_used_at', '>', $.used_since)
      .orderBy('push_devices.created_at', 'desc')
      .limit($.limit),
)

/** The devices of a session belong to the session that continues it. */
export const moveDevicesToSession = unscopedCommand(
  (db, $: { from_session: string; to_session: string; user_id: string }) =>
    db
      .updateTable('push_devices')
      .set({ session_id: $.to_session })
      .where('session_id', '=', $.from_session)
      .where('user_id', '=', $.user_id),
)

/** Devices whose session has ended. */
export const removeOrphanedDevices = unscopedCommand((db, $: { limit: number }) =>
  db.deleteFrom('push_devices').where(
    sql<boolean>`(workspace_id, id) in (select workspace_id, id from push_devices
        where not exists (select 1 from sessions where sessions.id = push_devices.session_id)
        limit ${$.limit})`,
  ),
)

/** Nothing that the viewer has been notified of until now is pushed to any of their devices. */
export async function endWaitingPushes(tx: WriteTx): Promise<void> {
  const user_id = viewerId(tx.actor)
  await tx.run(markAllPushed, { pushed_to: newId('ntf', tx.nowMs) })
  // '!' follows the space, so these are the keys that begin with the user and a space.
  await tx.run(deleteWaitingPushes, { first: `${user_id} `, end: `${user_id}!` })
}

const markAllPushed = command((db, $: Scoped<{ pushed_to: string }>) =>
  db.updateTable('push_devices').set({ pushed_to: $.pushed_to }).where('user_id', '=', $.viewer_id),
)

const deleteWaitingPushes = command((db, $: Scoped<{ first: string; end: string }>) =>
  db
    .deleteFrom('jobs')
    .where('kind', '=', 'push')
    .where('key', '>=', $.first)
    .where('key', '<', $.end)
    .where('key', 'is not', null)
    .where('ended_at', 'is', null)
    .where('status', '=', 'waiting'),
)

/** Identifies a browser's subscription without revealing it. */
type DeviceIdentity = Pick<PushDeviceRow, 'session_id' | 'endpoint_hash'>

type PushDeviceInsert = Pick<
  PushDeviceRow,
  'id' | 'user_id' | 'session_id' | 'endpoint_hash' | 'subscription' | 'created_at' | 'pushed_to'
>

/** The device that a session, or a former one of the same browser, has in the workspace. */
export const removeFormerDevices = command((db, $: Scoped<DeviceIdentity>) =>
  db
    .deleteFrom('push_devices')
    .where((is) =>
      is.or([is('session_id', '=', $.session_id), is('endpoint_hash', '=', $.endpoint_hash)]),
    ),
)

export const insertPushDevice = command((db, $: Scoped<PushDeviceInsert>) =>
  db
    .insertInto('push_devices')
    .values(
      pickSlots(
        $,
        ...(['workspace_id', 'id', 'user_id', 'session_id', 'endpoint_hash'] as const),
        ...(['subscription', 'created_at', 'pushed_to'] as const),
      ),
    ),
)
