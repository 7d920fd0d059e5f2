import type { WriteTx } from '#core/tx.ts'
import { addMs, nextHourIn } from '#lib/days.ts'
import { newId } from '#lib/id.ts'
import {
  type NotificationKind,
  type NotificationWishes,
  USUAL_WISHES,
} from '#wire/notifications.ts'
import { memberSees } from './seeing.ts'
import { command, query, row, type Scoped } from './statement.ts'
import type { NotificationRow } from './tables.ts'

/** What follows soon goes with the same mail: nobody gets ten for ten comments. */
const SOON_MS = 3 * 60 * 1000

/** What there is to be told; `key` names it, so that nobody is told twice. */
export interface Told {
  kind: NotificationKind
  key: string
  subject_id: string
  task_id: string | null
  detail?: NotificationRow['detail']
}

/** Whom it concerns, and what that person wants: the JSON of its wishes, or null. */
export interface Recipient {
  user_id: string
  timezone: string
  wishes: string | null
}

/** What a person wants to be told: what it has not said is as usual. */
export function wishesOf(json: string | null): NotificationWishes {
  if (json === null) return USUAL_WISHES
  const said = JSON.parse(json) as NotificationWishes
  return { ...said, kinds: { ...USUAL_WISHES.kinds, ...said.kinds } }
}

/** Tells each of some persons, in the inbox, by mail, both or not at all, as each wants it. */
export async function tell(
  tx: WriteTx,
  { detail = null, ...told }: Told,
  recipients: readonly Recipient[],
): Promise<void> {
  const rows = recipients.flatMap(({ user_id, timezone, wishes }) => {
    const { kinds, digest_hour } = wishesOf(wishes)
    const { inbox, mail } = kinds[told.kind]
    // What the clock tells is noted even so, for it would be found again.
    if (!inbox && mail === 'never' && !BY_CLOCK.has(told.kind)) return []
    const soon = addMs(tx.now, SOON_MS)
    const mail_at = mail === 'soon' ? soon : nextHourIn(timezone, tx.now, digest_hour)
    return {
      ...told,
      detail,
      id: newId('ntf', tx.instant),
      user_id,
      actor_id: tx.actor.user_id,
      in_inbox: inbox ? 1 : 0,
      mail_at: mail === 'never' ? null : mail_at,
      created_at: tx.now,
    }
  })
  await tx.each(insertNotification, rows)
  for (const { id, user_id, in_inbox } of rows) {
    if (in_inbox === 1) noteNotification(tx, id, user_id, 'create')
  }
}

const BY_CLOCK: ReadonlySet<NotificationKind> = new Set(['due', 'webhook'])

/** Says to its person, and to nobody else, that a notification has changed. */
export const noteNotification = (
  tx: WriteTx,
  id: string,
  user_id: string,
  op: 'create' | 'update',
) => tx.note({ noun: 'notification', id, op, only_for: user_id })

/** Tells those among some persons who are active, see the project, and have not done it themselves. */
export async function tellAmong(
  tx: WriteTx,
  told: Told & { project_id: string },
  user_ids: readonly string[],
): Promise<void> {
  const others = [...new Set(user_ids)].filter((id) => id !== tx.actor.user_id)
  if (others.length === 0) return
  const { project_id, ...what } = told
  await tell(tx, what, await tx.all(seeingRecipients, { project_id, user_ids: others }))
}

/** Tells owners and admins of a webhook that nothing reaches any more, or that only fails. */
export async function tellOfWebhook(
  tx: WriteTx,
  { id, detail, since }: { id: string; detail: 'disabled' | 'failing'; since: string },
): Promise<void> {
  const key = `webhook ${detail} ${id} ${since}`
  const told = { kind: 'webhook', key, subject_id: id, task_id: null, detail } as const
  const managers = await tx.all(managingRecipients, {})
  await tell(
    tx,
    told,
    managers.filter(({ user_id }) => user_id !== tx.actor.user_id),
  )
}

const seeingRecipients = query(
  (db, $: Scoped<{ project_id: string; user_ids: string[] }>, dialect) =>
    db
      .selectFrom('memberships')
      .innerJoin('projects', 'projects.workspace_id', 'memberships.workspace_id')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .leftJoin('notification_settings as settings', (join) =>
        join
          .onRef('settings.workspace_id', '=', 'memberships.workspace_id')
          .onRef('settings.user_id', '=', 'memberships.user_id'),
      )
      .select(['memberships.user_id', 'users.timezone', 'settings.wishes'])
      .where('memberships.workspace_id', '=', $.workspace_id)
      .where('memberships.removed_at', 'is', null)
      .where(dialect.among('memberships.user_id', $.user_ids))
      .where('projects.id', '=', $.project_id)
      .where(memberSees($)),
)

const managingRecipients = query((db, $: Scoped) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .leftJoin('notification_settings as settings', (join) =>
      join
        .onRef('settings.workspace_id', '=', 'memberships.workspace_id')
        .onRef('settings.user_id', '=', 'memberships.user_id'),
    )
    .select(['memberships.user_id', 'users.timezone', 'settings.wishes'])
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.removed_at', 'is', null)
    .where('memberships.role', 'in', ['owner', 'admin']),
)

type New = Omit<NotificationRow, 'read_at' | 'done_at' | 'snoozed_until' | 'letter_id'>

const insertNotification = command((db, $: Scoped<New>) =>
  db
    .insertInto('notifications')
    .values(
      row(
        $,
        'workspace_id',
        'id',
        'user_id',
        'kind',
        'detail',
        'task_id',
        'subject_id',
        'key',
        'actor_id',
        'in_inbox',
        'mail_at',
        'created_at',
      ),
    )
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id', 'key']).doNothing()),
)
