import { defineMessages } from '../define-messages.ts'

/**
 * Why the server has refused something, by the code of the error, after the name of a field where it means
 * something else there. `#` is the first number of the server's own message, which is shown where there is
 * nothing here.
 */
export const refusals = defineMessages('refusals', {
  not_found: 'It was deleted, or you no longer have access to it.',
  already_decided: 'Somebody has decided this already, or it has expired.',
  credential_inactive: 'This API key or application is stopped or revoked.',
  invalid_reference: 'It was deleted, or you no longer have access to it.',
  not_a_member:
    'This person has no access to the project. Its lead, owners and admins can add them.',
  storage_full:
    'The workspace has no storage left. Delete attachments, tasks and comments, and wait until the trash is emptied.',
  'tag_ids.not_in_project': 'This tag belongs to another project.',
  too_deep: 'Subtasks cannot be nested more than # levels deep.',
  'blocked_by_ids.cycle': 'These tasks would wait for each other.',
  'parent_id.not_in_project': 'A parent task has to be in the same project.',
  'parent_id.cycle': 'A task cannot be a subtask of its own subtask.',
  'status.invalid_value': 'The project no longer has this status.',
  'start_date.invalid_range': 'The start would be after the due date.',
  'due_date.invalid_range': 'The due date would be before the start.',
} as Readonly<Record<string, string>>)
