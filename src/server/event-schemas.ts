import { Attachment } from '#resources/attachments/contract.ts'
import { Comment } from '#resources/comments/contract.ts'
import { EventEnvelope, WebhookTestEvent } from '#resources/events/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { Project } from '#resources/projects/contract.ts'
import { Tag } from '#resources/tags/contract.ts'
import { Task } from '#resources/tasks/fields.ts'
import { TimeEntry } from '#resources/time-entries/contract.ts'

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
