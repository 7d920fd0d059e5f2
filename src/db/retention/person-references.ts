import type { WriteTx } from '#core/transaction.ts'
import { command, type Scoped } from '../core/statement.ts'

/**
 * Every column that holds the id of a person, and what becomes of it when the person is removed from
 * the workspace:
 *
 * - `ends`: it gives access or would tell the person something, so it goes with the membership.
 *   Otherwise somebody who is invited again would get it back without being given it.
 * - `stays`: it says who has made, changed or been assigned something, and gives no access.
 * - `account`: it belongs to the account, which may be a member of other workspaces.
 *
 * The erasure of a person removes more (src/jobs/redact-erased-people.ts).
 */
export const PERSON_REFERENCES: Readonly<Record<string, 'ends' | 'stays' | 'account'>> = {
  'api_keys.user_id': 'ends',
  'grants.user_id': 'ends',
  'sessions.user_id': 'ends',
  'project_people.user_id': 'ends',
  'projects.lead_id': 'ends',
  'view_pins.user_id': 'ends',
  'notifications.user_id': 'ends',
  'invitations.invited_by_id': 'ends',

  // The removed membership keeps the id, the name and the work of the person together.
  'memberships.user_id': 'stays',
  'task_assignees.user_id': 'stays',
  'tasks.assignee_ids': 'stays',
  'tasks.created_by_id': 'stays',
  'tasks.completed_by_id': 'stays',
  'time_entries.user_id': 'stays',
  'time_entries.created_by_id': 'stays',
  'comments.author_id': 'stays',
  'comments.mentions': 'stays',
  'activity.actor_id': 'stays',
  'attachments.created_by_id': 'stays',
  'projects.created_by_id': 'stays',
  'tags.created_by_id': 'stays',
  'templates.created_by_id': 'stays',
  'views.created_by_id': 'stays',
  // A view shows only tasks that its viewer sees.
  'views.only_for': 'stays',
  // Webhooks and applications belong to the workspace.
  'webhooks.created_by_id': 'stays',
  'applications.created_by_id': 'stays',
  'imports.created_by_id': 'stays',
  'exports.created_by_id': 'stays',
  'audit_entries.actor_id': 'stays',
  'notifications.actor_id': 'stays',
  'notification_settings.user_id': 'stays',
  // It notifies only of tasks that its user sees.
  'task_watches.user_id': 'stays',
  // Readers of the feed of changes who are invited again learn from it what to forget.
  'tombstones.user_id': 'stays',
  // Stored replies are sent only to the credential that has asked, and last a day.
  'replies.user_id': 'stays',

  'password_resets.user_id': 'account',
  'second_factors.user_id': 'account',
  'recovery_codes.user_id': 'account',
  'passkeys.user_id': 'account',
  'company_links.user_id': 'account',
  'sign_in_steps.user_id': 'account',
}

/**
 * Ends what a removed member would get back with a new membership, except credentials and
 * invitations, which src/resources/members/membership.ts ends.
 */
export async function endPersonReferences(tx: WriteTx, user_id: string): Promise<void> {
  await tx.run(clearLead, { user_id, now: tx.now })
  for (const remove of ROW_DELETIONS) await tx.run(remove, { user_id })
}

type PersonParams = Scoped<{ user_id: string }>

const ROW_DELETIONS = (['project_people', 'view_pins', 'notifications'] as const).map((table) =>
  command((db, $: PersonParams) =>
    db
      .deleteFrom(table)
      .where('workspace_id', '=', $.workspace_id)
      .where('user_id', '=', $.user_id),
  ),
)

const clearLead = command((db, $: Scoped<{ user_id: string; now: string }>) =>
  db
    .updateTable('projects')
    .set({ lead_id: null, updated_at: $.now })
    .where('workspace_id', '=', $.workspace_id)
    .where('lead_id', '=', $.user_id),
)
