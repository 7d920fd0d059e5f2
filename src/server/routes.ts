import { accountActions } from '#accounts/index.ts'
import { consentActions } from '#accounts/oauth-consent/consent-actions.ts'
import type { Route } from '#core/route.ts'
import type { SessionAction } from '#core/session-action.ts'
import { activity } from '#resources/activity/index.ts'
import { apiKeys } from '#resources/api-keys/index.ts'
import { grants } from '#resources/applications/grants/index.ts'
import { applications } from '#resources/applications/index.ts'
import { Attachment } from '#resources/attachments/contract.ts'
import { attachments } from '#resources/attachments/index.ts'
import { audit } from '#resources/audit/index.ts'
import { changes } from '#resources/changes/index.ts'
import { Comment } from '#resources/comments/contract.ts'
import { comments } from '#resources/comments/index.ts'
import { deliveries } from '#resources/deliveries/index.ts'
import { EventEnvelope, WebhookTestEvent } from '#resources/events/contract.ts'
import { events } from '#resources/events/index.ts'
import { exports } from '#resources/exports/index.ts'
import { imports } from '#resources/imports/index.ts'
import { invitations } from '#resources/invitations/index.ts'
import { me } from '#resources/me/index.ts'
import { Member } from '#resources/members/contract.ts'
import { members } from '#resources/members/index.ts'
import { notifications } from '#resources/notifications/index.ts'
import { offboarding } from '#resources/offboarding/index.ts'
import { Project } from '#resources/projects/contract.ts'
import { projects } from '#resources/projects/index.ts'
import { pushDevices } from '#resources/push-devices/index.ts'
import { sessions } from '#resources/sessions/index.ts'
import { Tag } from '#resources/tags/contract.ts'
import { tags } from '#resources/tags/index.ts'
import { Task } from '#resources/tasks/fields.ts'
import { tasks } from '#resources/tasks/index.ts'
import { templates } from '#resources/templates/index.ts'
import { TimeEntry } from '#resources/time-entries/contract.ts'
import { timeEntries } from '#resources/time-entries/index.ts'
import { boot } from '#resources/web-app/boot/index.ts'
import { projectTasks } from '#resources/web-app/project-tasks/index.ts'
import { reports } from '#resources/web-app/reports/index.ts'
import { search } from '#resources/web-app/search/index.ts'
import { suggestions } from '#resources/web-app/suggestions/index.ts'
import { views } from '#resources/web-app/views/index.ts'
import { webhooks } from '#resources/webhooks/index.ts'
import { workspace } from '#resources/workspace/index.ts'

/** All routes. A new resource needs a line here. */
export const routes: readonly Route[] = [
  ...projects,
  ...members,
  ...webhooks,
  ...deliveries,
  ...events,
  ...changes,
  ...me,
  ...sessions,
  ...boot,
  ...projectTasks,
  ...views,
  ...search,
  ...reports,
  ...tags,
  ...tasks,
  ...templates,
  ...activity,
  ...suggestions,
  ...notifications,
  ...pushDevices,
  ...comments,
  ...timeEntries,
  ...attachments,
  ...offboarding,
  ...workspace,
  ...audit,
  ...apiKeys,
  ...applications,
  ...grants,
  ...invitations,
  ...imports,
  ...exports,
]

/** Endpoints that need more than one transaction: sign-in, accounts and consent. */
export const sessionActions: readonly SessionAction[] = [...accountActions, ...consentActions]

/** The public API under /api/v1; the other routes only serve the web app (docs/spec/api.md#internal-api-of-the-web-app). */
export const publicRoutes = routes.filter(({ endpoint }) => endpoint.scope !== 'session')

/** What events contain, by kind: the record in `data`, and when the event is sent. */
export const EVENT_SCHEMAS = {
  envelope: EventEnvelope,
  test: WebhookTestEvent,
  kinds: {
    'task.created': [Task, 'A task was created.'],
    'task.updated': [Task, 'A task was changed, other than by completing or assigning it.'],
    'task.completed': [Task, 'A task was completed.'],
    'task.deleted': [Task, 'A task was deleted.'],
    'task.assigned': [Task, 'A task got an assignee.'],
    'comment.created': [Comment, 'Somebody commented on a task.'],
    'comment.updated': [Comment, 'The text of a comment was changed.'],
    'comment.deleted': [Comment, 'A comment was deleted, other than with its task.'],
    'attachment.created': [Attachment, 'A file was attached to a task.'],
    'attachment.deleted': [Attachment, 'An attachment was deleted, other than with its task.'],
    'time_entry.created': [TimeEntry, 'Time was logged, or a timer was started.'],
    'time_entry.updated': [TimeEntry, 'A time entry was changed, or a timer was stopped.'],
    'time_entry.deleted': [TimeEntry, 'A time entry was deleted, other than with its task.'],
    'tag.created': [Tag, 'A tag was created.'],
    'tag.updated': [Tag, 'A tag got another name or color.'],
    'tag.deleted': [Tag, 'A tag was deleted, or merged into another one.'],
    'project.created': [Project, 'A project was created.'],
    'project.updated': [Project, 'A project was changed or archived.'],
    'member.added': [Member, 'Somebody joined the workspace.'],
    'member.updated': [Member, 'A member got another role, name, email address or picture.'],
    'member.removed': [Member, 'Somebody left the workspace, or was removed.'],
  },
} as const
