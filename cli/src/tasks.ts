import { text as readAll } from 'node:stream/consumers'
import {
  completeTask,
  createComment,
  createTask,
  type Docket,
  getMe,
  getProject,
  getTask,
  isDocketError,
  type List,
  listMembers,
  listProjects,
  listProjectTags,
  listProjectTasks,
  listTaskComments,
  listTasks,
  type Member,
  type Project,
  type StatusCategory,
  type Task,
  type TaskPriority,
  type TaskUpdate,
  updateTask,
} from '../../sdk/src/index.ts'
import {
  type CommandContext,
  type CommandDefinition,
  type CommandInput,
  isTaskReference,
  type OptionDefinition,
} from './command.ts'
import {
  describeDays,
  formatLocalTime,
  formatTimeSpan,
  parseTimeSpan,
  readDay,
  readTimezone,
} from './days.ts'
import { CommandFailure } from './failures.ts'
import { shortIdsOfBranch } from './git.ts'
import { ask, openInBrowser, type TableColumn } from './output.ts'
import { finishWrite } from './undo.ts'

const PRIORITIES: readonly TaskPriority[] = ['none', 'low', 'medium', 'high', 'urgent']
const isPriority = (text: string | undefined): text is TaskPriority =>
  PRIORITIES.some((one) => one === text)

/** Which tasks a list has, by the categories of their statuses. */
const STATES: Record<string, readonly StatusCategory[]> = {
  open: ['backlog', 'unstarted', 'started'],
  done: ['completed'],
  canceled: ['canceled'],
  all: ['backlog', 'unstarted', 'started', 'completed', 'canceled'],
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

/** The argument that is the task of the git branch if it is left out. */
export const TASK_ARGUMENT = {
  name: 'task',
  about: 'Such as ENG-42; default: the task of the git branch',
  isOptional: true,
} as const

/** Options of every list. */
const LIST_OPTIONS: Record<string, OptionDefinition> = {
  limit: { value: 'N', about: `How many, at most ${MAX_LIMIT}; default: ${DEFAULT_LIMIT}` },
  all: { short: 'a', about: 'All of them, page by page' },
  cursor: { value: 'CURSOR', about: 'Go on at next_cursor of a page that --json has printed' },
}

/** Reads a task; undefined if there is none, or if the person cannot see it. */
async function readTaskIfVisible(docket: Docket, reference: string): Promise<Task | undefined> {
  try {
    return await getTask(docket, reference)
  } catch (error) {
    if (isDocketError(error, 'not_found')) return undefined
    throw error
  }
}

/** Reads the task whose short id is in the name of the git branch; undefined if there is none. */
export async function readTaskOfBranch(docket: Docket): Promise<Task | undefined> {
  for (const reference of shortIdsOfBranch()) {
    const task = await readTaskIfVisible(docket, reference)
    if (task) return task
  }
  return undefined
}

/** Reads the task of the argument, or that of the git branch. */
export async function readNamedTask({ input, connect }: CommandContext): Promise<Task> {
  const { docket } = connect()
  const reference = input.argument('task')
  if (reference !== undefined) return readReferencedTask(docket, reference)
  const task = await readTaskOfBranch(docket)
  if (task) return task
  throw input.wrong('Give a task such as ENG-42: the git branch is not that of a task.')
}

/** Reads the task that a word names. No other word is sent: the server might take it for another address. */
async function readReferencedTask(docket: Docket, reference: string): Promise<Task> {
  const task = isTaskReference(reference) && (await readTaskIfVisible(docket, reference))
  if (task) return task
  throw new CommandFailure('not_found', `There is no task “${reference}”, or you cannot see it.`)
}

/** Finds a project by its prefix, its name or its id. */
export async function findProjectNamed(docket: Docket, text: string): Promise<Project> {
  if (text.startsWith('prj_')) return getProject(docket, text)
  const projects = await listProjects(docket, { q: text }).toArray()
  return pick('project', text, projects, ({ prefix, name }) => [prefix, name])
}

/** The one that has a name exactly, or else the only candidate. */
function pick<T>(
  what: string,
  text: string,
  records: readonly T[],
  namesOf: (one: T) => string[],
): T {
  const target = text.toLowerCase()
  const exact = records.filter((one) => namesOf(one).some((name) => name.toLowerCase() === target))
  const [record, ...others] = exact.length > 0 ? exact : records
  if (record && others.length === 0) return record
  const names = records.slice(0, 10).map((one) => namesOf(one)[0])
  const which = names.length === 0 ? '' : ` Several fit: ${names.join(', ')}.`
  throw new CommandFailure('not_found', `There is no single ${what} “${text}”.${which}`)
}

/** Finds people by name, email address or id; `me` is the owner of the key. */
async function findPeople(docket: Docket, names: readonly string[]): Promise<string[]> {
  const find = async (name: string): Promise<string> => {
    if (name.startsWith('usr_')) return name
    if (name === 'me') return (await getMe(docket)).user.id
    const members = await listMembers(docket, { q: name }).toArray()
    return pick('member', name, members, (one) => [one.name, one.email ?? one.name]).id
  }
  return Promise.all(names.map(find))
}

async function findTags(docket: Docket, project_id: string, names: readonly string[]) {
  if (names.length === 0) return []
  const tags = await listProjectTags(docket, project_id).toArray()
  return names.map((name) => {
    const target = name.toLowerCase()
    const tag = tags.find((one) => one.id === name || one.name.toLowerCase() === target)
    if (tag) return tag.id
    const choices = tags.slice(0, 20).map((one) => one.name)
    throw new CommandFailure(
      'not_found',
      `The project has no tag “${name}”, but ${choices.join(', ') || 'none at all'}.`,
    )
  })
}

/** The key of a status by its key or name. */
function findStatus({ name, statuses }: Project, text: string): string {
  const target = text.toLowerCase()
  const status = statuses.find((one) => one.key === target || one.name.toLowerCase() === target)
  if (status) return status.key
  const keys = statuses.map(({ key }) => key).join(', ')
  throw new CommandFailure('not_found', `${name} has no status “${text}”. It has ${keys}.`)
}

/**
 * A text of the command line; `-` stands for standard input. If nothing comes, the program before the pipe has
 * failed, or a file is missing: an empty text would delete what the record has.
 */
export async function readText(
  input: CommandInput,
  value: string | undefined,
): Promise<string | undefined> {
  if (value !== '-') return value
  const text = await readAll(process.stdin)
  if (text.trim() !== '') return text
  throw input.wrong('Nothing came on standard input, so nothing was changed.')
}

/** What a credential may read, or else the fallback: it need not have every scope. */
export async function readIfAllowed<T>(read: Promise<T>, fallback: T): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (isDocketError(error, 'insufficient_scope')) return fallback
    throw error
  }
}

/** The names of all people, which one request has for most workspaces. Without them ids are shown. */
async function readNames(docket: Docket): Promise<ReadonlyMap<string, string>> {
  const members = await readIfAllowed(listMembers(docket, { status: 'all' }).toArray(), [])
  return new Map(members.map(({ id, name }) => [id, name]))
}

/** A text with the names of the people whom it mentions, which it has as ids. */
const withNames = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replaceAll(/<@(usr_\w+)>/g, (mention, id) => {
    const name = names.get(id)
    return name === undefined ? mention : `@${name}`
  })

function taskColumns(names: ReadonlyMap<string, string>): TableColumn<Task>[] {
  return [
    { title: 'ID', value: (task) => task.short_id, color: () => 'cyan' },
    { title: 'STATUS', value: (task) => task.status },
    { title: 'TITLE', value: (task) => task.title, isFlexible: true },
    {
      title: 'PRIORITY',
      value: ({ priority }) => (priority === 'none' ? '' : priority),
      color: (cell) => (cell === 'urgent' || cell === 'high' ? 'red' : undefined),
      from: 60,
    },
    { title: 'DUE', value: (task) => task.due_date ?? '', from: 80 },
    {
      title: 'ASSIGNEES',
      value: (task) => task.assignee_ids.map((id) => names.get(id) ?? id).join(', '),
      from: 100,
      most: 20,
    },
  ]
}

async function printTasks(
  { input, output, connect }: CommandContext,
  source: (page: { limit?: number; cursor?: string }) => List<Task>,
  total?: number,
) {
  const isAll = input.flag('all')
  const cursor = input.text('cursor')
  const limit = input.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT
  const needsNames = !output.isJson && (!output.isTerminal || output.width >= 100)
  const names = needsNames ? await readNames(connect().docket) : new Map<string, string>()
  await output.list(source({ ...(!isAll && { limit }), ...(cursor && { cursor }) }), {
    columns: taskColumns(names),
    isAll,
    total,
    none: 'No tasks.',
  })
}

/** The people whose tasks are listed, as the filter of the API takes them. */
async function findAssignees(docket: Docket, input: CommandInput): Promise<string[] | undefined> {
  if (input.flag('mine')) return ['me']
  const names = input.texts('assignee')
  if (names.length === 0) return undefined
  const isFilter = (name: string) => name === 'me' || name === 'none'
  const people = await findPeople(
    docket,
    names.filter((name) => !isFilter(name)),
  )
  return [...names.filter(isFilter), ...people]
}

async function listCommand(context: CommandContext) {
  const { input, connect } = context
  const { docket } = connect()
  const project = input.text('project')
  const status = input.text('status')
  const tags = input.texts('tag')
  const priority = input.text('priority')
  const dueBefore = input.text('due-before')
  if (project === undefined && tags.length > 0) {
    throw input.wrong('Tags are those of a project: give --project, too.')
  }
  const target = project === undefined ? undefined : await findProjectNamed(docket, project)
  const categories = STATES[input.text('state') ?? 'open'] ?? []
  const filters = {
    status_category: status === undefined ? categories : undefined,
    status: target && status !== undefined ? findStatus(target, status) : status,
    assignee_id: await findAssignees(docket, input),
    tag_id: target && tags.length > 0 ? await findTags(docket, target.id, tags) : undefined,
    priority: isPriority(priority) ? priority : undefined,
    due_before: dueBefore === undefined ? undefined : await readDay(docket, dueBefore, 'next'),
  }
  if (!target) {
    const sort = '-updated_at'
    return printTasks(context, (page) => listTasks(docket, { ...filters, sort, ...page }))
  }
  // The project has been read anyway, and knows how many tasks each category has.
  const { status_category, ...others } = filters
  const isCounted = status_category && Object.values(others).every((value) => value === undefined)
  const count = categories.reduce((sum, one) => sum + target.task_counts[one], 0)
  return printTasks(
    context,
    (page) => listProjectTasks(docket, target.id, { ...filters, ...page }),
    isCounted ? count : undefined,
  )
}

async function search(context: CommandContext) {
  const q = context.input.requiredArgument('words')
  const { docket } = context.connect()
  await printTasks(context, (page) => listTasks(docket, { q, sort: '-updated_at', ...page }))
}

const DEFAULT_COMMENT_LIMIT = 20

async function show(context: CommandContext) {
  const { input, output, connect } = context
  const { docket } = connect()
  const task = await readNamedTask(context)
  const isAll = input.flag('all')
  const page = isAll ? {} : { limit: DEFAULT_COMMENT_LIMIT }
  const newest = listTaskComments(docket, task.id, { sort: '-created_at', ...page })
  const first = async () => (await newest.pages().next()).value?.data ?? []
  const comments = await readIfAllowed(isAll ? newest.toArray() : first(), [])
  comments.reverse()
  if (output.isJson) return output.result({ ...task, comments }, '')
  const shortIdOf = async (id: string) => (await readTaskIfVisible(docket, id))?.short_id ?? id
  const [project, names, timezone, parent, blockers, tags] = await Promise.all([
    getProject(docket, task.project_id),
    readNames(docket),
    readTimezone(docket),
    task.parent_id === null ? '' : shortIdOf(task.parent_id),
    Promise.all(task.blocked_by_ids.map(shortIdOf)),
    task.tag_ids.length > 0
      ? readIfAllowed(listProjectTags(docket, task.project_id).toArray(), [])
      : [],
  ])
  const status = project.statuses.find(({ key }) => key === task.status)?.name ?? task.status
  const fields: [string, string][] = [
    ['Project', project.name],
    ['Status', status],
    ['Priority', task.priority === 'none' ? '' : task.priority],
    ['Assignees', task.assignee_ids.map((id) => names.get(id) ?? id).join(', ')],
    [
      'Tags',
      tags
        .filter(({ id }) => task.tag_ids.includes(id))
        .map(({ name }) => name)
        .join(', '),
    ],
    ['Start', task.start_date ?? ''],
    ['Due', task.due_at ? formatLocalTime(task.due_at, timezone) : (task.due_date ?? '')],
    ['Estimate', task.estimate_seconds === null ? '' : formatTimeSpan(task.estimate_seconds)],
    ['Spent', task.time_spent_seconds === 0 ? '' : formatTimeSpan(task.time_spent_seconds)],
    ['Parent', parent],
    ['Blocked by', blockers.join(', ')],
    ['Link', task.url],
  ]
  const rows = fields.filter(([, value]) => value !== '')
  const head = comments.map(({ author, created_at, body }) => {
    const line = `${author.name}, ${formatLocalTime(created_at, timezone)}`
    return `\n${output.paint('dim', line)}\n${withNames(body, names)}`
  })
  const hiddenCount = task.comment_count - comments.length
  const more =
    hiddenCount > 0
      ? [`\n${comments.length} of ${task.comment_count} comments, more with --all`]
      : []
  const title = output.wrap(`${task.short_id}  ${task.title}`)
  const text = [
    ...title.split('\n').map((line) => output.paint('bold', line)),
    '',
    ...rows.map(([name, value]) => `${output.paint('dim', name.padEnd(11))}${value}`),
    ...(task.description ? ['', withNames(task.description, names)] : []),
    ...head,
    ...more,
  ]
  await output.print(text.join('\n'))
}

/** Options for the fields of a task, new or changed. */
const FIELD_OPTIONS: Record<string, OptionDefinition> = {
  description: {
    short: 'd',
    value: 'TEXT',
    about: 'Details in Markdown; - reads standard input',
  },
  status: { short: 's', value: 'STATUS', about: 'Key or name of a status of the project' },
  priority: { short: 'p', values: PRIORITIES, about: 'How urgent it is' },
  due: { value: 'DAY', about: `${describeDays('next')}; none clears it` },
  estimate: { value: 'TIME', about: 'Such as 2h or 1h30m; none clears it' },
  parent: { value: 'TASK', about: 'Makes it a subtask; none moves it to the top level' },
}

/** The fields that the options of a command name. */
async function readFields(docket: Docket, input: CommandInput, project: Project) {
  const [status, priority, due, estimate, parent] = [
    input.text('status'),
    input.text('priority'),
    input.text('due'),
    input.text('estimate'),
    input.text('parent'),
  ]
  const description = await readText(input, input.text('description'))
  const seconds = estimate === undefined || estimate === 'none' ? null : parseTimeSpan(estimate)
  if (seconds === undefined) throw input.wrong('--estimate must be a time such as 1h30m.')
  return {
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(status !== undefined && { status: findStatus(project, status) }),
    ...(isPriority(priority) && { priority }),
    ...(due !== undefined && {
      due_date: due === 'none' ? null : await readDay(docket, due, 'next'),
    }),
    ...(estimate !== undefined && { estimate_seconds: seconds }),
    ...(parent !== undefined && {
      parent_id: parent === 'none' ? null : (await readReferencedTask(docket, parent)).id,
    }),
  }
}

/** The project of a new task: named, that of the git branch, or the only one. */
async function chooseProject(docket: Docket, input: CommandInput): Promise<Project> {
  const name = input.text('project')
  if (name !== undefined) return findProjectNamed(docket, name)
  for (const id of shortIdsOfBranch()) {
    const prefix = id.replace(/-\d+$/, '')
    const candidates = await listProjects(docket, { q: prefix }).toArray()
    const project = candidates.find((one) => one.prefix === prefix)
    if (project) return project
  }
  const projects = await listProjects(docket, { status: 'active' }).toArray()
  const [only, ...others] = projects
  if (only && others.length === 0) return only
  const prefixes = projects.map(({ prefix }) => prefix).join(', ')
  return findProjectNamed(docket, await ask(`Which project (${prefixes})?`, '--project'))
}

async function create(context: CommandContext) {
  const { input, connect, isDryRun: dryRun } = context
  const { docket } = connect()
  const project = await chooseProject(docket, input)
  const body = {
    project_id: project.id,
    title: input.requiredArgument('title'),
    ...(await readFields(docket, input, project)),
    assignee_ids: await findPeople(docket, input.texts('assignee')),
    tag_ids: await findTags(docket, project.id, input.texts('tag')),
  }
  const task = await createTask(docket, body, { dryRun })
  await finishWrite(context, {
    data: task,
    text: dryRun
      ? `${task.title} can be created in ${project.name}.`
      : `${task.short_id} created: ${task.title}\n${task.url}`,
  })
}

/** Changes a task as it was read. */
export const applyTaskUpdate = (
  docket: Docket,
  task: Task,
  change: TaskUpdate,
  dryRun: boolean,
): Promise<Task> => updateTask(docket, task.id, change, { dryRun, ifMatch: task })

async function edit(context: CommandContext) {
  const { input, connect, isDryRun } = context
  const { docket } = connect()
  const hasFields = [...Object.keys(FIELD_OPTIONS), 'title'].some(
    (name) => input.text(name) !== undefined,
  )
  const [assign, unassign] = [input.texts('assign'), input.texts('unassign')]
  const [tag, untag] = [input.texts('tag'), input.texts('untag')]
  if (!hasFields && [assign, unassign, tag, untag].every((names) => names.length === 0)) {
    throw input.wrong('Nothing to change: give an option such as --title or --due.')
  }
  const task = await readNamedTask(context)
  const project = await getProject(docket, task.project_id)
  const title = input.text('title')
  const change: TaskUpdate = {
    ...(title !== undefined && { title }),
    ...(await readFields(docket, input, project)),
    ...(assign.length > 0 && { add_assignee_ids: await findPeople(docket, assign) }),
    ...(unassign.length > 0 && { remove_assignee_ids: await findPeople(docket, unassign) }),
    ...(tag.length > 0 && { add_tag_ids: await findTags(docket, project.id, tag) }),
    ...(untag.length > 0 && { remove_tag_ids: await findTags(docket, project.id, untag) }),
  }
  await finishChange(
    context,
    task,
    await applyTaskUpdate(docket, task, change, isDryRun),
    'changed',
  )
}

/** Prints a changed task, or that it was so before. */
async function finishChange(context: CommandContext, task: Task, changed: Task, what: string) {
  const id = changed.short_id
  if (changed.version === task.version) {
    const more = context.isDryRun ? { dry_run: true } : {}
    return context.output.result(changed, `${id}: nothing to change.`, more)
  }
  const text = `${id} ${what}: ${changed.title}`
  const moved = `${task.short_id} is now ${id}: ${changed.title}`
  await finishWrite(context, { data: changed, text: id === task.short_id ? text : moved })
}

async function done(context: CommandContext) {
  const { connect, isDryRun: dryRun } = context
  const { docket } = connect()
  const task = await readNamedTask(context)
  const changed = await completeTask(docket, task.id, { dryRun, ifMatch: task })
  await finishChange(context, task, changed, 'done')
}

async function move(context: CommandContext) {
  const { input, connect, isDryRun } = context
  const { docket } = connect()
  const [status, to] = [input.argument('status'), input.text('to')]
  if (status === undefined && to === undefined) {
    throw input.wrong('Give a status, or a project as --to.')
  }
  const task = await readNamedTask(context)
  const project = await (to === undefined
    ? getProject(docket, task.project_id)
    : findProjectNamed(docket, to))
  const change: TaskUpdate = {
    ...(to !== undefined && { project_id: project.id }),
    ...(status !== undefined && { status: findStatus(project, status) }),
  }
  const result = await applyTaskUpdate(docket, task, change, isDryRun)
  const key = result.status
  const name = project.statuses.find((one) => one.key === key)?.name ?? key
  await finishChange(context, task, result, `moved to ${name}`)
}

async function comment(context: CommandContext) {
  const { input, connect, isDryRun: dryRun } = context
  const { docket } = connect()
  const body = await readText(input, input.argument('text'))
  if (body === undefined) throw input.wrong('Give a text, or - to read it from standard input.')
  const task = await readNamedTask(context)
  const record = await createComment(docket, task.id, { body }, { dryRun })
  await finishWrite(context, {
    data: record,
    text: `Commented on ${task.short_id}: ${task.title}`,
  })
}

async function open(context: CommandContext) {
  const { input, output } = context
  const task = await readNamedTask(context)
  if (output.isTerminal && !output.isJson && !input.flag('print')) openInBrowser(task.url)
  await output.result({ url: task.url }, task.url)
}

/** A member as programs and people name one. */
export const describeMember = ({ name, email, role, id }: Member): string =>
  `${name}${email ? ` <${email}>` : ''} (${role}, ${id})`

const ASSIGNEE = { value: 'WHO', isList: true, about: 'A name, an email address or me' } as const
const TAG = { value: 'TAG', isList: true, about: 'Name of a tag of the project' } as const
const PROJECT = { short: 'P', value: 'PROJECT', about: 'Prefix or name of the project' } as const

/** Commands for tasks. */
export const TASK_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'list',
    summary: 'List tasks, those that are open unless you say otherwise',
    details:
      'In a project they come in its order, otherwise the last changed first. Without a terminal each line is a task with its columns between tabs: short id, status, title, priority, due day, assignees.',
    options: {
      project: PROJECT,
      mine: { short: 'm', about: 'Only those assigned to you' },
      assignee: { ...ASSIGNEE, about: 'A name, an email address, me or none' },
      state: { values: Object.keys(STATES), about: 'Which ones; default: open' },
      status: { short: 's', value: 'STATUS', about: 'Only in this status' },
      tag: TAG,
      priority: { short: 'p', values: PRIORITIES, about: 'Only of this priority' },
      'due-before': {
        value: 'DAY',
        about: `Only those due before this day: ${describeDays('next')}`,
      },
      ...LIST_OPTIONS,
    },
    isLong: true,
    run: listCommand,
  },
  {
    name: 'search',
    summary: 'Search titles and descriptions of all tasks',
    args: [{ name: 'words', about: 'Each is the beginning of a word', isRest: true }],
    options: LIST_OPTIONS,
    isLong: true,
    run: search,
  },
  {
    name: 'show',
    summary: 'Show a task with its comments',
    args: [TASK_ARGUMENT],
    options: {
      all: { short: 'a', about: `All comments, not only the last ${DEFAULT_COMMENT_LIMIT}` },
    },
    isLong: true,
    run: show,
  },
  {
    name: 'create',
    summary: 'Create a task',
    details: 'Without --project it is in the project of the git branch, or in the only one.',
    args: [{ name: 'title', about: 'What is to be done, in one line', isRest: true }],
    options: { project: PROJECT, ...FIELD_OPTIONS, assignee: ASSIGNEE, tag: TAG },
    isWrite: true,
    run: create,
  },
  {
    name: 'edit',
    summary: 'Change fields of a task',
    details: "-d '' clears the description. An empty standard input does not: it is refused.",
    args: [TASK_ARGUMENT],
    options: {
      title: { short: 't', value: 'TEXT', about: 'What is to be done, in one line' },
      ...FIELD_OPTIONS,
      assign: ASSIGNEE,
      unassign: ASSIGNEE,
      tag: { ...TAG, about: 'Tag to add' },
      untag: { ...TAG, about: 'Tag to remove' },
    },
    isWrite: true,
    run: edit,
  },
  { name: 'done', summary: 'Complete a task', args: [TASK_ARGUMENT], isWrite: true, run: done },
  {
    name: 'move',
    summary: 'Move a task to another status or project',
    args: [
      TASK_ARGUMENT,
      { name: 'status', about: 'Key or name of a status', isOptional: true, isRest: true },
    ],
    options: { to: { value: 'PROJECT', about: 'Prefix or name of the other project' } },
    isWrite: true,
    run: move,
  },
  {
    name: 'comment',
    summary: 'Comment on a task',
    args: [
      TASK_ARGUMENT,
      {
        name: 'text',
        about: 'In Markdown; - reads standard input',
        isOptional: true,
        isRest: true,
      },
    ],
    isWrite: true,
    run: comment,
  },
  {
    name: 'open',
    summary: 'Open a task in the browser, and print its address',
    args: [TASK_ARGUMENT],
    options: { print: { about: 'Only print the address' } },
    run: open,
  },
]
