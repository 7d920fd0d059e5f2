import { plural } from './plural.ts'
import { say } from './say.ts'

const TASKS = { one: '# task', other: '# tasks' }

/** Texts of copies and templates of tasks. */
export const m = say('templates', {
  copyTitle: (id: string) => `Duplicate ${id}`,
  withSubtasks: (n: number) => plural(n, { one: 'With its subtask', other: 'With its # subtasks' }),
  deeper: 'And with what is below them.',
  keepStatus: 'Keep the statuses',
  keepStatusHint: 'Else the copies begin where new tasks do.',
  leftOut: 'Comments, time, files and recurrence are not copied.',
  copy: 'Duplicate',
  copied: (id: string, n: number) =>
    n === 1 ? `Copy of ${id} made` : `Copy of ${id} made: ${plural(n, TASKS)}`,
  save: 'Save as template',
  saveTitle: (id: string) => `Save ${id} as template`,
  name: 'Name',
  daysHint: 'Days count from the start of the task, or else from the day on which it was made.',
  saved: (name: string) => `Template “${name}” saved`,
  guest: 'Guests cannot change templates.',
  archived: 'The project is archived.',
  tab: 'Templates',
  none: 'There is no template. Save one from the menu of a task.',
  noneAnywhere: 'There is no template yet. Save one from the menu of a task.',
  columns: ['', 'Template', 'Tasks', 'Actions'],
  use: 'Use',
  namedUse: (name: string) => `Use ${name}`,
  edit: (name: string) => `Edit ${name}`,
  remove: (name: string) => `Delete ${name}`,
  removed: (name: string) => `Deleted the template ${name}`,
  fromTemplate: 'New task from a template',
  template: 'Template',
  title: 'Title',
  titleHint: 'Empty: as in the template.',
  on: 'Days count from',
  make: 'Make tasks',
  made: (id: string, n: number) => (n === 1 ? `${id} made` : `${id} made: ${plural(n, TASKS)}`),
  editTitle: 'Edit template',
  starts: 'Starts after days',
  due: 'Due after days',
  drop: (title: string) => `Leave out ${title}`,
  change: 'Save',
  changed: (name: string) => `Template “${name}” changed`,
  counted: (n: number) => plural(n, TASKS),
})
