import { cutText } from '#lib/cut-text.ts'
import { hashToEnding } from '#lib/id.ts'
import { bulkComments, createComment } from '#resources/comments/contract.ts'
import { undoOperations } from '#resources/operations/contract.ts'
import { bulkTasks } from '#resources/tasks/contract.ts'
import { NEW_TASK, TASK_CHANGES, type Task } from '#resources/tasks/fields.ts'
import { MAX_SUBTASK_LEVELS } from '#resources/tasks/rules/rules.ts'
import { bulkTimeEntries, createTimeEntry } from '#resources/time-entries/contract.ts'
import type { BulkOperationInput } from '#wire/bulk-endpoint.ts'
import {
  AnyObject,
  Integer,
  List,
  Optional,
  Pattern,
  RequestId,
  SingleLineText,
  StrictObject,
  StringEnum,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'
import { ToolError } from '../call-endpoint.ts'
import { MAX_RECORD_NAME_LENGTH } from '../record-names.ts'
import { describeTask } from '../task-text.ts'
import { ADDS, defineTool, READS, type ToolContext, toPreview } from '../tool.ts'
import { fenceFitting, moreWords } from '../tool-reply.ts'
import { pickToolFields } from '../tool-schemas.ts'

const MAX_ITEMS = 50
const MAX_SHOWN_TITLE_LENGTH = 60

const TaskId = { ...SingleLineText(1, 64), description: 'Such as ENG-42.' }
const IdempotencyKey = Optional(
  Pattern('^[\\x21-\\x7e]{1,200}$', 'of 1 to 200 visible ASCII characters', {
    description: 'Repeat a call with the same key and it has its effect once.',
  }),
)

const FIELDS = [
  'project_id',
  'title',
  'description',
  'status',
  'priority',
  'assignee_ids',
  'tag_ids',
  'start_date',
  'due_date',
  'due_at',
  'parent_id',
  'estimate_seconds',
  'blocked_by_ids',
  'recurrence',
  'custom_fields',
] as const

const createTasks = defineTool({
  name: 'create_tasks',
  title: 'Create tasks',
  description: `Creates up to ${MAX_ITEMS} tasks, subtasks included: all of a level or none.`,
  scopes: ['tasks:write'],
  annotations: ADDS,
  input: StrictObject({
    tasks: List(
      StrictObject({
        ...pickToolFields(NEW_TASK, FIELDS),
        subtasks: Optional(
          List(AnyObject, {
            description: 'New subtasks with the same fields, subtasks of their own among them.',
          }),
        ),
      }),
      { minItems: 1, maxItems: MAX_ITEMS },
    ),
    idempotency_key: IdempotencyKey,
  }),
  async run(context, { tasks, idempotency_key }) {
    assertTree(tasks)
    // What is refused below a task is refused before the task is created.
    if (!context.isPreview && tasks.some((task) => subtasksOf(task).length > 0))
      await createLevels(toPreview(context), tasks, undefined)
    const key = idempotency_key ?? context.idempotencyKey
    return summarize(context, 'create', 'Created', await createLevels(context, tasks, key), 'task')
  },
})

type TaskArguments = Readonly<Record<string, unknown>>

const subtasksOf = ({ subtasks = [] }: TaskArguments): TaskArguments[] =>
  subtasks as TaskArguments[]

/** The endpoint checks the fields of each task, but sees no tree: new subtasks are given their parents. */
function assertTree(tasks: readonly TaskArguments[]): void {
  let count = 0
  const assertLevel = (level: readonly unknown[], path: string, depth: number) => {
    count += level.length
    if (depth > MAX_SUBTASK_LEVELS)
      throw invalidField(path, `would nest tasks more than ${MAX_SUBTASK_LEVELS} levels deep`)
    for (const [at, task] of level.entries()) {
      const where = `${path}[${at}]`
      if (typeof task !== 'object' || task === null || Array.isArray(task))
        throw invalidField(where, 'must be an object')
      for (const field of ['project_id', 'parent_id'])
        if (depth > 1 && field in task)
          throw invalidField(`${where}.${field}`, 'is that of the task around it: leave it out')
      if (!('subtasks' in task)) continue
      const { subtasks } = task
      if (!Array.isArray(subtasks)) throw invalidField(`${where}.subtasks`, 'must be an array')
      assertLevel(subtasks, `${where}.subtasks`, depth + 1)
    }
  }
  assertLevel(tasks, 'tasks', 1)
  if (count > MAX_ITEMS) throw invalidField('tasks', `must be at most ${MAX_ITEMS} with subtasks`)
}

const invalidField = (field: string, message: string) =>
  new ToolError('validation_failed', `${field}: ${message}`)

/** Creates tasks, then their subtasks, and so on. Returns a row for each. */
async function createLevels(
  context: ToolContext,
  tasks: readonly TaskArguments[],
  key: string | undefined,
): Promise<string[]> {
  const rows: string[] = []
  let level: PlacedTask[] = tasks.map((fields, at) => ({ fields, path: `tasks[${at}]` }))
  for (let depth = 0; level.length > 0; depth += 1) {
    const paths = level.map(({ path }) => path)
    const created = await createLevel(context, level, keyOfLevel(key, depth)).catch(
      (error: unknown) => {
        if (!(error instanceof ToolError)) throw error
        const text = error.text.replace(/\bitem (\d+)/g, (item, at) => paths[Number(at)] ?? item)
        const isPart = rows.length > 0 && !context.isPreview
        const known = `\nSubtasks were not created, but these tasks were:\n${fenceFitting(rows)}`
        throw new ToolError(error.code, isPart ? text + known : text)
      },
    )
    rows.push(...created.map(({ row }) => row))
    level = created.flatMap(({ task, of: { fields, path } }) =>
      subtasksOf(fields).map((subtask, at) => ({
        fields: { ...subtask, ...placeUnder(context, task) },
        path: `${path}.subtasks[${at}]`,
      })),
    )
  }
  return rows
}

/** A task to create, and its place in the arguments. */
interface PlacedTask {
  fields: TaskArguments
  path: string
}

/** A key of the client may have the greatest length already. */
const keyOfLevel = (key: string | undefined, depth: number): string | undefined =>
  key === undefined || depth === 0 ? key : `${hashToEnding(key, 32)}.${depth}`

/** A dry run creates no parent, so subtasks are checked as other tasks of the project. */
const placeUnder = ({ isPreview }: ToolContext, { id, project_id }: Task) =>
  isPreview ? { project_id } : { project_id, parent_id: id }

async function createLevel(
  context: ToolContext,
  level: readonly PlacedTask[],
  idempotencyKey: string | undefined,
) {
  const operations = level.map(async ({ fields: { subtasks: _, ...fields } }) => ({
    op: 'create' as const,
    data: await context.names.resolve(fields),
  }))
  const body = { operations: await Promise.all(operations) }
  const { results } = await context.call(bulkTasks, { body, idempotencyKey })
  const created = results.map(async ({ data: task, operation_id }, at) => {
    const of = level[at]
    if (!task || !of) return []
    // The number that it would have is that of the next task until then.
    const shown = context.isPreview ? { ...task, short_id: '' } : task
    return [{ task, of, row: await formatResult(context, shown, operation_id) }]
  })
  return (await Promise.all(created)).flat()
}

const updateTasks = defineTool({
  name: 'update_tasks',
  title: 'Update tasks',
  description: `Changes up to ${MAX_ITEMS} tasks, all or none. Fields that you leave out stay as they are.`,
  scopes: ['tasks:write'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: StrictObject({
    tasks: List(
      StrictObject({
        id: TaskId,
        version: Optional(
          Integer(1, Number.MAX_SAFE_INTEGER, {
            description: 'Refuse if the task has another version.',
          }),
        ),
        ...pickToolFields(TASK_CHANGES, [
          ...FIELDS,
          'add_assignee_ids',
          'remove_assignee_ids',
          'add_tag_ids',
          'remove_tag_ids',
        ]),
      }),
      { minItems: 1, maxItems: MAX_ITEMS },
    ),
    idempotency_key: IdempotencyKey,
  }),
  async run(context, { tasks, idempotency_key }) {
    const operations = tasks.map(async ({ id, version, ...fields }) => ({
      op: 'update' as const,
      id,
      ...(version !== undefined && { version }),
      data: await context.names.resolve(fields, {
        project_id: await findProjectOfTags(context, id, fields),
      }),
    }))
    return runTaskOperations(context, await Promise.all(operations), idempotency_key, [
      'update',
      'Updated',
    ])
  },
})

/** Tags are those of the project of a task, which is looked up only if tags are named. */
async function findProjectOfTags(
  { names }: ToolContext,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const namesTag = ['tag_ids', 'add_tag_ids', 'remove_tag_ids'].some((field) => field in fields)
  if (!namesTag || fields.project_id !== undefined) return undefined
  return names.projectOfTask(id)
}

const completeTasks = defineTool({
  name: 'complete_tasks',
  title: 'Complete tasks',
  description: `Completes up to ${MAX_ITEMS} tasks, all or none. Subtasks stay open. Of a task that repeats, the next one is created.`,
  scopes: ['tasks:write'],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: StrictObject({
    ids: List(TaskId, { minItems: 1, maxItems: MAX_ITEMS }),
    idempotency_key: IdempotencyKey,
  }),
  run: (context, { ids, idempotency_key }) => {
    const operations = ids.map((id) => ({ op: 'complete' as const, id }))
    return runTaskOperations(context, operations, idempotency_key, ['complete', 'Completed'])
  },
})

async function runTaskOperations(
  context: ToolContext,
  operations: BulkOperationInput<'update' | 'complete'>[],
  idempotencyKey: string | undefined,
  [verb, past]: readonly [string, string],
): Promise<string> {
  const { results } = await context.call(bulkTasks, {
    body: { operations },
    idempotencyKey: idempotencyKey ?? context.idempotencyKey,
  })
  const rows = results.map(async ({ data, operation_id }) =>
    data ? [await formatResult(context, data, operation_id)] : [],
  )
  return summarize(context, verb, past, (await Promise.all(rows)).flat(), 'task')
}

const comment = defineTool({
  name: 'comment',
  title: 'Comment on a task',
  description: 'Adds a comment in your name.',
  scopes: ['comments:write'],
  annotations: ADDS,
  input: StrictObject({
    task_id: TaskId,
    ...pickToolFields(createComment.body.properties, ['body', 'parent_id']),
    mention: Optional(
      UniqueList(SingleLineText(1, MAX_RECORD_NAME_LENGTH), MAX_ITEMS, {
        description: 'People to notify, named before the text. By name or id.',
      }),
    ),
    idempotency_key: IdempotencyKey,
  }),
  async run(context, { task_id, mention = [], idempotency_key, ...fields }) {
    const people = await Promise.all(mention.map(context.names.findPerson))
    const text = [...people.map((id) => `<@${id}>`), fields.body].join(' ')
    const data = { ...fields, body: text }
    const body = { operations: [{ op: 'create' as const, task_id, data }] }
    const idempotencyKey = idempotency_key ?? context.idempotencyKey
    const { results } = await context.call(bulkComments, { body, idempotencyKey })
    const rows = results.map((one) => formatIds(one.data?.id, one.operation_id))
    return summarize(context, 'add', 'Added', rows, 'comment')
  },
})

const logTime = defineTool({
  name: 'log_time',
  title: 'Log time',
  description:
    'Logs time that was spent on a task, or starts a timer, which stops the one that runs.',
  scopes: ['time_entries:write'],
  annotations: ADDS,
  input: StrictObject({
    task_id: TaskId,
    ...pickToolFields(createTimeEntry.body.properties, [
      'duration_seconds',
      'started_at',
      'ended_at',
      'spent_on',
      'note',
      'billable',
      'running',
      'user_id',
    ]),
    idempotency_key: IdempotencyKey,
  }),
  async run(context, { task_id, idempotency_key, ...fields }) {
    const data = await context.names.resolve(fields)
    const body = { operations: [{ op: 'create' as const, task_id, data }] }
    const idempotencyKey = idempotency_key ?? context.idempotencyKey
    const { results } = await context.call(bulkTimeEntries, { body, idempotencyKey })
    const rows = results.map((one) => formatIds(one.data?.id, one.operation_id))
    return summarize(context, 'add', 'Added', rows, 'time entry')
  },
})

const undo = defineTool({
  name: 'undo',
  title: 'Undo changes',
  description:
    'Takes back operations that replies named, or all that this credential did since a time, the newest first. What somebody has changed since stays as it is.',
  scopes: ['tasks:write'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: StrictObject({
    operation_ids: Optional(
      UniqueList(RequestId('opr'), MAX_ITEMS, {
        minItems: 1,
        description: 'Each operation_id of a reply.',
      }),
    ),
    since: Optional(Timestamp({ description: 'In place of operation_ids.' })),
    cursor: Optional(
      RequestId('opr', { description: 'The cursor of the previous reply, with the same since.' }),
    ),
    idempotency_key: IdempotencyKey,
  }),
  async run(context, { operation_ids, since, cursor, idempotency_key }) {
    const { credential_id } = context
    const byIds = operation_ids && { ids: operation_ids }
    const bySince = since !== undefined &&
      credential_id !== null && { since, credential_id, ...(cursor && { before_id: cursor }) }
    const body = byIds || bySince
    if (!body || (byIds && bySince))
      throw new ToolError('validation_failed', 'Send either operation_ids or since.')
    const { undone_count, left_count, left, next_before_id } = await context.call(undoOperations, {
      body,
      idempotencyKey: idempotency_key ?? context.idempotencyKey,
    })
    const verb = context.isPreview ? 'This would take back' : 'Took back'
    const more = moreWords(next_before_id ?? undefined)
    const words = `${verb} ${undone_count} ${undone_count === 1 ? 'record' : 'records'}.${more}`
    if (left_count === 0) return words
    const reasons = left.map(({ record_id, field, code, message }) =>
      JSON.stringify({ record_id, field: field ?? undefined, code, message }),
    )
    return `${words} ${left_count} left as they are:\n${fenceFitting(reasons)}`
  },
})

const formatIds = (id: string | undefined, operation_id: string | null): string =>
  JSON.stringify({ id, operation_id: operation_id ?? undefined })

/** What became of a task; in a preview with all that a list shows, but no operation, as there is none. */
async function formatResult(
  { names, isPreview }: ToolContext,
  task: Task,
  operation_id: string | null,
): Promise<string> {
  if (isPreview) return JSON.stringify(await describeTask(names, task))
  const { short_id, title, status } = task
  const shown = cutText(title, MAX_SHOWN_TITLE_LENGTH)
  // Without an operation nothing has changed, as if a task was completed already.
  const operation = operation_id ?? undefined
  return JSON.stringify({ id: short_id, title: shown, status, operation_id: operation })
}

function summarize(
  { isPreview }: ToolContext,
  verb: string,
  past: string,
  rows: readonly string[],
  noun: string,
): string {
  const nouns = rows.length === 1 ? noun : noun.replace(/y$/, 'ie').concat('s')
  const done = isPreview
    ? `This would ${verb} ${rows.length} ${nouns}. Nothing was changed.`
    : `${past} ${rows.length} ${nouns}.`
  return `${done}\n${fenceFitting(rows)}`
}

const CHANGES = [createTasks, updateTasks, completeTasks, comment, logTime, undo]

const preview = defineTool({
  name: 'preview',
  title: 'Preview a change',
  description:
    'Tries a change without making it: returns what it would change and how much, or its error.',
  scopes: CHANGES.flatMap(({ scopes }) => scopes),
  annotations: READS,
  input: StrictObject({
    tool: StringEnum(
      CHANGES.map(({ name }) => name),
      { description: 'The tool to try.' },
    ),
    arguments: { ...AnyObject, description: 'The arguments of that tool.' },
  }),
  async run(context, { tool: name, arguments: input }) {
    const tool = CHANGES.find((one) => one.name === name)
    if (!tool) throw new ToolError('not_found', `There is no tool ${name}.`)
    return tool.run(toPreview(context), input)
  },
})

export const WRITE_TOOLS = [...CHANGES, preview]
