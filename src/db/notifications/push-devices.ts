import { sql } from 'kysely'
import { viewerId } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { addMs, nextFullHour, wallTimeOf } from '#lib/days.ts'
import type { NotificationPreferences } from '#wire/notification-preferences.ts'
import { command, pickSlots, query, type Scoped, unscopedCommand } from '../core/statement.ts'
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

type PushRef = { device_id: string; notification_id: string }

/** Enqueues a job for each device of the users; during quiet hours one that waits for their end. */
export async function enqueuePushes(
  tx: WriteTx,
  notifications: readonly InsertedNotification[],
): Promise<void> {
  if (notifications.length === 0) return
  const byId = new Map(notifications.map((one) => [one.id, one]))
  const user_ids = notifications.map(({ user_id }) => user_id)
  const devices = await tx.all(devicesToNotify, { ids: [...byId.keys()], user_ids })
  const jobs = devices.flatMap((ref): NewJob[] => {
    const one = byId.get(ref.notification_id)
    if (!one) return []
    const { device_id, notification_id } = ref
    const prompt: NewJob = {
      kind: 'push',
      key: `${one.user_id} ${device_id} ${notification_id}`,
      payload: { device_id, notification_id },
      run_at: addMs(tx.now, PUSH_DELAY_MS),
    }
    return [heldPush(ref, one, tx.now) ?? prompt]
  })
  await enqueueJobs(tx, jobs)
}

/**
 * During quiet hours, the one job of a device that waits for their end, and is about all that is
 * unread by then.
 */
export function heldPush(
  { device_id, notification_id }: PushRef,
  { user_id, timezone, quiet_hours }: QuietPerson,
  now: string,
): NewJob | undefined {
  const run_at = endOfQuietHours(quiet_hours, timezone, now)
  if (run_at === undefined) return undefined
  return {
    kind: 'push',
    key: `held ${user_id} ${device_id} ${run_at}`,
    payload: { device_id, notification_id, is_held: 'true' },
    run_at,
  }
}

function endOfQuietHours(
  quiet: NotificationPreferences['quiet_hours'],
  timezone: string,
  now: string,
): string | undefined {
  if (!quiet) return undefined
  const { from, to } = quiet
  const hour = Number(wallTimeOf(timezone, now).slice(0, 2))
  const isQuiet = from < to ? hour >= from && hour < to : hour >= from || hour < to
  return isQuiet ? nextFullHour(timezone, now, to) : undefined
}

type InsertedIds = { ids: readonly string[]; user_ids: readonly string[] }

/** Those of the notifications that were inserted, each with each device of its user. */
const devicesToNotify = query((db, $: Scoped<InsertedIds>, { inList }) =>
  db
    .selectFrom('push_devices')
    .innerJoin('notifications', (join) =>
      join
        .onRef('notifications.workspace_id', '=', 'push_devices.workspace_id')
        .onRef('notifications.user_id', '=', 'push_devices.user_id'),
    )
    .innerJoin('sessions', 'sessions.id', 'push_devices.session_id')
    .select(['push_devices.id as device_id', 'notifications.id as notification_id'])
    .where('push_devices.workspace_id', '=', $.workspace_id)
    .where(inList('push_devices.user_id', $.user_ids))
    .where(inList('notifications.id', $.ids)),
)

/** A device with its user, while its session exists, and the user is a member of the workspace. */
export const pushTarget = query((db, $: Scoped<{ device_id: string }>) =>
  db
    .selectFrom('push_devices')
    .innerJoin('sessions', 'sessions.id', 'push_devices.session_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'push_devices.workspace_id')
        .onRef('memberships.user_id', '=', 'push_devices.user_id'),
    )
    .innerJoin('users', 'users.id', 'push_devices.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'push_devices.workspace_id')
    .leftJoin('notification_settings as settings', (join) =>
      join
        .onRef('settings.workspace_id', '=', 'push_devices.workspace_id')
        .onRef('settings.user_id', '=', 'push_devices.user_id'),
    )
    .select(['push_devices.subscription', 'push_devices.user_id'])
    .select(['memberships.role', 'users.locale', 'users.timezone', 'workspaces.name as workspace'])
    .select('settings.wishes')
    .where('push_devices.workspace_id', '=', $.workspace_id)
    .where('push_devices.id', '=', $.device_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null),
)

/** For devices whose push service says that they are gone. */
export const removePushDevice = command((db, $: Scoped<{ device_id: string }>) =>
  db
    .deleteFrom('push_devices')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.device_id),
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

/**
 * Deletes what is about to be pushed to any device of the viewer, except what waits for the end of
 * quiet hours.
 */
export const endWaitingPushes = (tx: WriteTx): Promise<number> => {
  const user_id = viewerId(tx.actor)
  // '!' follows the space, so these are the keys that begin with the user and a space.
  return tx.run(deleteWaitingPushes, { first: `${user_id} `, end: `${user_id}!` })
}

const deleteWaitingPushes = command((db, $: Scoped<{ first: string; end: string }>) =>
  db
    .deleteFrom('jobs')
    .where('workspace_id', '=', $.workspace_id)
    .where('kind', '=', 'push')
    .where('key', '>=', $.first)
    .where('key', '<', $.end)
    .where('key', 'is not', null)
    .where('ended_at', 'is', null)
    .where('status', '=', 'waiting'),
)

/** Identifies a browser's subscription without revealing it. */
type DeviceIdentity = Pick<PushDeviceRow, 'session_id' | 'endpoint_hash'>

/** The device that a session, or a former one of the same browser, has in the workspace. */
export const removeFormerDevices = command((db, $: Scoped<DeviceIdentity>) =>
  db
    .deleteFrom('push_devices')
    .where('workspace_id', '=', $.workspace_id)
    .where((is) =>
      is.or([is('session_id', '=', $.session_id), is('endpoint_hash', '=', $.endpoint_hash)]),
    ),
)

export const insertPushDevice = command((db, $: Scoped<PushDeviceRow>) =>
  db
    .insertInto('push_devices')
    .values(
      pickSlots(
        $,
        ...(['workspace_id', 'id', 'user_id', 'session_id', 'endpoint_hash'] as const),
        ...(['subscription', 'created_at'] as const),
      ),
    ),
)
