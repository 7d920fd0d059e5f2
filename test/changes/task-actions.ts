import {
  type HistoryPerson,
  type HistoryReply,
  type HistoryTask,
  type HistoryWorld,
  send,
  write,
} from './history-world.ts'

/** Does something as a person, which the server may refuse. */
export type HistoryAction = (world: HistoryWorld, person: HistoryPerson) => Promise<unknown>

const STATUSES = ['backlog', 'todo', 'in_progress', 'done', 'canceled']
/** Which a project has from time to time. */
export const EXTRA_STATUS = 'verify'
const PRIORITIES = ['none', 'low', 'urgent']

const idOf = (task: HistoryTask | undefined): string => task?.id ?? 'tsk_unknown'

/** Any fields of a task in a project, most of them valid. */
function randomFields({ choices, tasks, tags, people }: HistoryWorld, project_id: string): object {
  const inProject = (all: readonly HistoryTask[]) =>
    all.filter((one) => one.project_id === project_id).map(({ id }) => id)
  const users = [people.owner.id, people.member.id]
  const fields: Record<string, () => unknown> = {
    title: () => `Task ${choices.below(1_000)}`,
    description: () => (choices.chance(0.3) ? null : `Text ${choices.below(1_000)}`),
    status: () => (choices.chance(0.1) ? EXTRA_STATUS : choices.pick(STATUSES)),
    priority: () => choices.pick(PRIORITIES),
    assignee_ids: () => choices.some(users, 2),
    tag_ids: () => choices.some(inProject(tags), 3),
    blocked_by_ids: () => choices.some(inProject(tasks), 2),
    parent_id: () => (choices.chance(0.4) ? null : choices.pick(inProject(tasks))),
    start_date: () => choices.pick([null, '2030-01-10']),
    due_date: () => choices.pick([null, '2030-01-15']),
    due_at: () => choices.pick([null, '2030-01-15T12:00:00.000Z']),
    estimate_seconds: () => choices.below(10_000),
    recurrence: () =>
      choices.chance(0.3) ? null : { rrule: 'FREQ=DAILY', basis: 'completion' as const },
    metadata: () => ({ key: `${choices.below(10)}` }),
  }
  return Object.fromEntries(
    choices.some(Object.keys(fields), 4).map((name) => [name, fields[name]?.()]),
  )
}

function noteTask(world: HistoryWorld, { id, body }: HistoryReply): void {
  const { project_id } = body
  if (id !== '' && typeof project_id === 'string') world.tasks.push({ id, project_id })
}

const createTask: HistoryAction = async (world, person) => {
  const project_id = world.choices.pick(world.projects) ?? ''
  const fields = { title: 'New', ...randomFields(world, project_id), project_id }
  noteTask(world, await write(world, person, 'POST /api/v1/tasks', fields))
}

const updateTask: HistoryAction = async (world, person) => {
  const task = world.choices.pick(world.tasks)
  const fields = randomFields(world, task?.project_id ?? '')
  await write(world, person, `PATCH /api/v1/tasks/${idOf(task)}`, fields)
}

/** Moves a task with its subtasks, comments, time and files to another project. */
const moveTask: HistoryAction = async (world, person) => {
  const task = world.choices.pick(world.tasks)
  const project_id = world.choices.pick(world.projects) ?? ''
  const line = `PATCH /api/v1/tasks/${idOf(task)}`
  const { status } = await write(world, person, line, { project_id })
  if (task && status === 200) task.project_id = project_id
}

const onTask =
  (method: string, action = ''): HistoryAction =>
  async (world, person) => {
    const id = idOf(world.choices.pick(world.tasks))
    const reply = await write(world, person, `${method} /api/v1/tasks/${id}${action}`)
    const project_id = reply.body.project_id
    if (action === '/complete' && typeof project_id === 'string')
      await noteRecurrence(world, project_id)
  }

/** The next task of a recurring one appears in no reply, so the newest of the project is looked up. */
async function noteRecurrence(world: HistoryWorld, project_id: string): Promise<void> {
  const list = `/api/v1/projects/${project_id}/tasks?sort=-created_at&limit=1`
  const { body } = await send(world, world.people.owner, `GET ${list}`)
  const { data = [] } = body as { data?: { id: string }[] }
  const isKnown = world.tasks.some(({ id }) => id === data[0]?.id)
  if (data[0] && !isKnown) world.tasks.push({ id: data[0].id, project_id })
}

const bulk: HistoryAction = async (world, person) => {
  const { choices, tasks } = world
  const operations = Array.from({ length: 1 + choices.below(5) }, () => {
    const task = choices.pick(tasks)
    const op = task
      ? (choices.pick(['create', 'update', 'update', 'complete', 'delete', 'restore']) ?? 'create')
      : 'create'
    const project_id = choices.pick(world.projects) ?? ''
    if (op === 'create')
      return { op, data: { title: 'In bulk', ...randomFields(world, project_id), project_id } }
    const data = choices.chance(0.3)
      ? { project_id }
      : randomFields(world, task?.project_id ?? project_id)
    return { op, id: idOf(task), ...(op === 'update' && { data }) }
  })
  const body = { operations, atomic: choices.chance(0.3) }
  const reply = await write(world, person, 'POST /api/v1/tasks/bulk', body)
  const { results = [] } = reply.body as {
    results?: { data: { id: string; project_id: string } | null }[]
  }
  for (const { data } of results) {
    if (!data) continue
    const { id, project_id } = data
    const task = tasks.find((one) => one.id === id)
    if (task) task.project_id = project_id
    else tasks.push({ id, project_id })
  }
}

/** Adds something to a task, and remembers its id. */
const addTo =
  (
    path: string,
    ids: (world: HistoryWorld) => string[],
    body: (world: HistoryWorld) => object,
  ): HistoryAction =>
  async (world, person) => {
    const task = idOf(world.choices.pick(world.tasks))
    const line = `POST /api/v1/tasks/${task}/${path}`
    const { id } = await write(world, person, line, body(world))
    if (id !== '') ids(world).push(id)
  }

const onRecord =
  (
    method: string,
    path: string,
    ids: (world: HistoryWorld) => readonly string[],
    body?: (world: HistoryWorld) => object,
  ): HistoryAction =>
  async (world, person) => {
    const id = world.choices.pick(ids(world)) ?? 'none'
    await write(world, person, `${method} /api/v1/${path}/${id}`, body?.(world))
  }

const commentIds = ({ comments }: HistoryWorld) => comments
const timeEntryIds = ({ timeEntries }: HistoryWorld) => timeEntries
const attachmentIds = ({ attachments }: HistoryWorld) => attachments
const tagIds = ({ tags }: HistoryWorld) => tags.map(({ id }) => id)

const commentBody = ({ choices, comments, people }: HistoryWorld) => ({
  body: `Comment ${choices.below(1_000)} <@${people.member.id}>`,
  ...(choices.chance(0.3) && { parent_id: choices.pick(comments) ?? null }),
})

const createTag: HistoryAction = async (world, person) => {
  const project_id = world.choices.pick(world.projects) ?? ''
  const body = { name: `Tag ${world.choices.below(50)}` }
  const { id } = await write(world, person, `POST /api/v1/projects/${project_id}/tags`, body)
  if (id !== '') world.tags.push({ id, project_id })
}

/** Operations of the API, each with how often it is chosen. */
export const API_ACTIONS: readonly (readonly [weight: number, action: HistoryAction])[] = [
  [14, createTask],
  [14, updateTask],
  [5, moveTask],
  [5, onTask('POST', '/complete')],
  [5, onTask('DELETE')],
  [4, onTask('POST', '/restore')],
  [8, bulk],
  [6, createTag],
  [2, onRecord('PATCH', 'tags', tagIds, ({ choices }) => ({ name: `T ${choices.below(99)}` }))],
  [3, onRecord('DELETE', 'tags', tagIds)],
  [7, addTo('comments', commentIds, commentBody)],
  [2, onRecord('PATCH', 'comments', commentIds, () => ({ body: 'Changed' }))],
  [2, onRecord('DELETE', 'comments', commentIds)],
  [4, addTo('time-entries', timeEntryIds, () => ({ duration_seconds: 60 }))],
  [3, addTo('time-entries', timeEntryIds, () => ({ running: true }))],
  [2, onRecord('PATCH', 'time-entries', timeEntryIds, () => ({ note: 'Noted' }))],
  [1, onRecord('PATCH', 'time-entries', timeEntryIds, () => ({ running: false }))],
  [2, onRecord('DELETE', 'time-entries', timeEntryIds)],
  [4, addTo('attachments?filename=a.txt', attachmentIds, () => Buffer.from('A file'))],
  [2, onRecord('DELETE', 'attachments', attachmentIds)],
]

/** Creates records that the first actions of a history can change. */
export const FIRST_ACTIONS: readonly HistoryAction[] = [
  createTag,
  createTag,
  createTask,
  createTask,
  createTask,
  createTask,
  addTo('comments', commentIds, commentBody),
  addTo('time-entries', timeEntryIds, () => ({ duration_seconds: 60 })),
]
