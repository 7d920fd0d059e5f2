import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

const TASKS = { one: '# task', other: '# tasks' }

/** Texts of task templates and of copying tasks. */
export const templateMessages = defineMessages('templates', {
  copyTitle: (id: string) => `Duplicate ${id}`,
  withSubtasks: (n: number) =>
    plural(n, { one: 'Include its subtask', other: 'Include its # subtasks' }),
  deeper: 'Also copies their subtasks.',
  keepStatus: 'Keep statuses',
  keepStatusHint: 'Otherwise copies get the status of new tasks.',
  leftOut: 'Comments, time entries, attachments and recurrence are not copied.',
  copy: 'Duplicate',
  copied: (id: string, n: number) =>
    n === 1 ? `Duplicated ${id}` : `Duplicated ${id}: ${plural(n, TASKS)}`,
  saveTitle: (id: string) => `Save ${id} as template`,
  name: 'Name',
  daysHint:
    'Dates are saved as days after the start date of the task, or after its creation if it has none.',
  saved: (name: string) => `Saved template “${name}”`,
  guest: 'Guests cannot change templates.',
  archived: 'This project is archived.',
  tab: 'Templates',
  none: 'No templates yet. Open the menu of a task to save it as one.',
  noneAnywhere: 'No templates yet. Open the menu of a task to save it as one.',
  columns: ['', 'Template', 'Tasks', 'Actions'],
  use: 'Use',
  namedUse: (name: string) => `Use ${name}`,
  edit: (name: string) => `Edit ${name}`,
  remove: (name: string) => `Delete ${name}`,
  removed: (name: string) => `Deleted template ${name}`,
  fromTemplate: 'New task from template',
  template: 'Template',
  title: 'Title',
  titleHint: 'Leave empty to use the title of the template.',
  on: 'Start date',
  make: 'Create tasks',
  made: (id: string, n: number) =>
    n === 1 ? `Created ${id}` : `Created ${id}: ${plural(n, TASKS)}`,
  editTitle: 'Edit template',
  starts: 'Starts after (days)',
  due: 'Due after (days)',
  drop: (title: string) => `Remove ${title}`,
  change: 'Save',
  changed: (name: string) => `Updated template “${name}”`,
  changedMeanwhile:
    'Someone else changed this template in the meantime. Saving again replaces what you both changed.',
  counted: (n: number) => plural(n, TASKS),
})
