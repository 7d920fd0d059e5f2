import { defineMessages } from '../define-messages.ts'
import { formatChoice, formatList, plural } from '../plural.ts'

/** A member who will not see a project any more, with the open tasks that they have in it. */
export interface LosingMember {
  name: string
  tasks: number
}

const toLoss = ({ name, tasks }: LosingMember): string =>
  tasks === 0 ? name : `${name} (${plural(tasks, { one: '# open task', other: '# open tasks' })})`

/** Texts of the list of projects and of their settings. */
export const projectMessages = defineMessages('projects', {
  title: 'Projects',
  say: (active: number, archived: number) =>
    [
      plural(active, { one: '# active', other: '# active' }),
      plural(archived, { one: '# archived', other: '# archived' }),
    ].join(', '),
  create: 'New project',
  createReason: 'Guests cannot create projects.',
  search: 'Search projects',
  searchHint: 'Search',
  active: 'Active',
  archived: 'Archived',
  sort: 'Sort by',
  sorts: { name: 'Name', target: 'Target date', progress: 'Progress' },
  columns: ['Prefix', 'Name', 'Lead', 'Progress', 'Target date'],
  moreColumn: 'Settings',
  settingsOf: (name: string) => `Settings for ${name}`,
  noLead: 'No lead',
  progress: (done: number, all: number) => (all === 0 ? 'No tasks' : `${done} of ${all}`),
  progressLong: (counts: Readonly<Record<string, number>>) =>
    [
      `${counts.completed ?? 0} done`,
      `${counts.started ?? 0} in progress`,
      `${counts.unstarted ?? 0} to do`,
      `${counts.backlog ?? 0} in the backlog`,
      `${counts.canceled ?? 0} canceled`,
    ].join(', '),
  overdue: (n: number) => plural(n, { one: '# overdue', other: '# overdue' }),
  late: (words: string) => `${words} overdue`,
  noTarget: 'No target date',
  empty: 'No projects yet. Create one to start adding tasks.',
  emptyGuest: (names: readonly string[]) =>
    `You have not been added to a project yet. Ask ${formatChoice(names)} to add you.`,
  emptyArchived: 'No archived projects.',
  emptySearch: (q: string) => `No projects match “${q}”.`,
  clearSearch: 'Clear search',

  dialogTitle: 'New project',
  fields: {
    name: 'Name',
    prefix: 'Prefix',
    icon: 'Icon',
    color: 'Color',
    description: 'Description',
    lead: 'Lead',
    start: 'Start date',
    target: 'Target date',
    visibility: 'Visible to',
    template: 'Statuses',
  },
  prefixHint: (prefix: string) => `Task IDs look like ${prefix}-1, ${prefix}-2 …`,
  prefixMade: 'Leave it empty to get one from the name.',
  iconHint: 'An emoji. Optional.',
  visibilities: {
    workspace: 'Everyone in the workspace',
    private: 'Only project members',
  },
  visibilityHint: {
    workspace: 'Guests see it only if you add them to the project.',
    private: 'Owners and admins see every project.',
  },
  templates: {
    usual: 'Backlog, To do, In progress, In review, Done',
    simple: 'To do, Done',
    support: 'New, Waiting, In progress, Solved',
    writing: 'Ideas, Drafting, Editing, Published',
  },
  createDo: 'Create project',
  created: (name: string) => `Created ${name}`,
  cancel: 'Cancel',

  settings: 'Project settings',
  back: (name: string) => `Back to ${name}`,
  sections: 'Project settings sections',
  tabs: {
    general: 'General',
    statuses: 'Statuses',
    tags: 'Tags',
    templates: 'Templates',
    people: 'People',
  },
  notAllowed: 'Only owners, admins and the project lead can change this.',
  toProject: 'Go to project',
  unknown: (prefix: string) => `Project ${prefix} not found.`,
  toProjects: 'All projects',

  save: 'Save',
  saved: 'Saved',
  changedMeanwhile: 'Someone else changed this in the meantime. Save again to replace it.',
  nobody: 'No one',
  prefixChange: (old: string, now: string) =>
    `Task IDs change to ${now}-1 and so on. Links and searches with ${old}-1 keep working.`,
  privateChange: (losing: readonly LosingMember[] = []) =>
    [
      'Only project members, its lead, owners and admins will see it.',
      ...(losing.length > 0 ? [`It will be hidden from ${formatList(losing.map(toLoss))}.`] : []),
    ].join(' '),
  archive: 'Archive',
  archiveWhy:
    'The project becomes read-only and running timers stop. You can unarchive it at any time.',
  archiveDo: 'Archive project',
  unarchiveDo: 'Unarchive project',
  archivedSince: (when: string) => `Archived ${when}. This project is read-only.`,
  archivedDone: (name: string) => `Archived ${name}`,
  unarchivedDone: (name: string) => `Unarchived ${name}`,

  statusesWhy:
    'Lists and boards use this order. New tasks get the first “To do” status; completing a task moves it to the first “Done” status.',
  categories: {
    backlog: 'Backlog',
    unstarted: 'To do',
    started: 'In progress',
    completed: 'Done',
    canceled: 'Canceled',
  },
  categoryOf: (name: string) => `Category of ${name}`,
  nameOf: (name: string) => `Name of ${name}`,
  colourOf: (name: string) => `Color of ${name}`,
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  dragStatus: (name: string) => `${name}: drag, or press Alt and an arrow key`,
  movedTo: (name: string, place: number, of: number) => `${name} is now ${place} of ${of}`,
  removeStatus: (name: string) => `Remove ${name}`,
  addStatus: 'Add status',
  newStatus: 'New status',
  statusCount: (n: number) => plural(n, { one: '# task', other: '# tasks' }),
  unsaved: 'Not saved yet',
  discard: 'Discard',
  oneDone: 'You need at least one status in Done, and one in Backlog, To do or In progress.',
  whereTo: (name: string) => `Move tasks out of ${name}?`,
  whereToWhy: (name: string) =>
    `${name} still has tasks. They are moved to the status you choose, then ${name} is removed.`,
  moveInto: 'Move to',
  moveAndRemove: 'Move and remove',
  moving: (done: number, all: number) => `Moving ${done} of ${all} …`,
  notMoved: (n: number) =>
    plural(n, { one: '# task was not moved', other: '# tasks were not moved' }),
  inUse:
    'You cannot change the category of a status that has tasks. Move the tasks first, or add another status.',

  tagsWhy: 'Tags belong to this project only.',
  tagColumns: ['Tasks', 'Tag', 'Color', 'Actions'],
  newTag: 'New tag',
  addTag: 'Add tag',
  tagCount: (n: number) => plural(n, { one: '# task', other: '# tasks' }),
  renameTag: (name: string) => `Rename ${name}`,
  deleteTag: (name: string) => `Delete ${name}`,
  colour: 'Color',
  hues: {
    25: 'Red',
    45: 'Orange',
    70: 'Amber',
    95: 'Yellow',
    130: 'Green',
    163: 'Bottle green',
    195: 'Teal',
    225: 'Cyan',
    255: 'Blue',
    282: 'Indigo',
    310: 'Violet',
    345: 'Pink',
  },
  tagExists: (name: string) => `A tag named ${name} already exists.`,
  merge: (from: string, into: string) => `Merge ${from} into ${into}`,
  mergeDo: (n: number) => plural(n, { one: 'Merge # task', other: 'Merge # tasks' }),
  mergeWith: (name: string) => `Merge ${name} with another tag`,
  mergeTitle: (name: string) => `Merge ${name} into`,
  mergeWhy: 'Its tasks get the other tag, then this tag is deleted. This cannot be undone.',
  merged: (from: string, into: string) => `Merged ${from} into ${into}`,
  noTags: 'No tags yet. Add one to group the tasks of this project.',
  guestTags: 'Guests cannot change tags.',
  archivedReason: 'This project is archived.',

  peopleWhy: {
    workspace:
      'Everyone in the workspace can see this project. Guests can see it only if you add them here.',
    private:
      'Only the people listed here, the project lead, owners and admins can see this project.',
  },
  peopleColumns: ['Joined', 'Name', 'Role', 'Actions'],
  remove: 'Remove',
  addPerson: 'Add people',
  removePerson: (name: string) => `Remove ${name}`,
  noPeople: 'No one has been added yet.',
  addedPerson: (name: string) => `Added ${name}`,
  removedPerson: (name: string) => `Removed ${name}`,
  everybodyListed: 'Everyone has been added.',
})
