import { Attachment } from '#resources/attachments/contract.ts'
import { Comment } from '#resources/comments/contract.ts'
import { EventEnvelope, WebhookTestEvent } from '#resources/events/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { Project } from '#resources/projects/contract.ts'
import { Task } from '#resources/tasks/fields.ts'

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
    'attachment.created': [Attachment, 'A file was attached to a task.'],
    'project.updated': [Project, 'A project was changed or archived.'],
    'member.added': [Member, 'Somebody joined the workspace.'],
    'member.removed': [Member, 'Somebody left the workspace, or was removed.'],
  },
} as const
