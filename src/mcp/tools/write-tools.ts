import { cutText } from '#lib/cut-text.ts'
import { bulkComments, createComment } from '#resources/comments/contract.ts'
import { undoOperations } from '#resources/operations/contract.ts'
import { bulkTasks, getTask } from '#resources/tasks/contract.ts'
import { NEW_TASK, TASK_CHANGES, type Task } from '#resources/tasks/fields.ts'
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
import { ADDS, defineTool, READS, type ToolContext } from '../tool.ts'
import { fence, parseListPosition, takeRows } from '../tool-reply.ts'
import { pickToolFields } from '../tool-schemas.ts'

/** So that a reply has room for each of them. */
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
    const count = tasks.reduce((sum, task) => sum + countTasks(task), 0)
    if (count > MAX_ITEMS) throw new ToolError(`tasks: must be at most ${MAX_ITEMS} with subtasks`)
    const rows: string[] = []
    let level: Readonly<Record<string, unknown>>[] = tasks
    for (let depth = 0; level.length > 0; depth += 1) {
      const created = await createLevel(
        context,
        level,
        keyOfLevel(idempotency_key ?? context.idempotencyKey, depth),
      ).catch((error: unknown) => {
        if (rows.length === 0 || !(error instanceof ToolError)) throw error
        const text = `${error.message}\nSubtasks were not created, but these tasks were:`
        throw new ToolError(`${text}\n${fence(rows.join('\n'))}`, error.code)
      })
      rows.push(...created.map(({ row }) => row))
      level = created.flatMap(({ subtasks, task }) =>
        subtasks.map((subtask) => ({ ...subtask, ...placeUnder(context, task) })),
      )
    }
    return `${summarize(context, 'create', 'Created', rows, 'task')}`
  },
})

const keyOfLevel = (key: string | undefined, depth: number): string | undefined =>
  key === undefined || depth === 0 ? key : `${key}.${depth}`

/** A dry run creates no parent, so subtasks are checked as other tasks of the project. */
const placeUnder = ({ isPreview }: ToolContext, { id, project_id }: Task) =>
  isPreview ? { project_id } : { project_id, parent_id: id }

const subtasksOf = ({ subtasks }: Readonly<Record<string, unknown>>): Record<string, unknown>[] =>
  Array.isArray(subtasks) ? subtasks.map((one): Record<string, unknown> => Object(one)) : []

const countTasks = (task: Readonly<Record<string, unknown>>): number =>
  1 + subtasksOf(task).reduce((sum, one) => sum + countTasks(one), 0)

async function createLevel(
  { call, names }: ToolContext,
  level: readonly Readonly<Record<string, unknown>>[],
  idempotencyKey: string | undefined,
) {
  const operations = level.map(async ({ subtasks: _, ...fields }) => ({
    op: 'create' as const,
    data: await names.resolve(fields),
  }))
  const body = { operations: await Promise.all(operations) }
  const { results } = await call(bulkTasks, { body, idempotencyKey })
  return results.flatMap(({ data: task, operation_id }, index) =>
    task
      ? [{ task, row: formatResult(task, operation_id), subtasks: subtasksOf(level[index] ?? {}) }]
      : [],
  )
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

/** Tags are those of the project of a task, which is read only if tags are named. */
async function findProjectOfTags(
  { call }: ToolContext,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const namesTag = ['tag_ids', 'add_tag_ids', 'remove_tag_ids'].some((field) => field in fields)
  if (!namesTag || fields.project_id !== undefined) return undefined
  return (await call(getTask, { params: { id } })).project_id
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
  const rows = results.flatMap(({ data, operation_id }) =>
    data ? [formatResult(data, operation_id)] : [],
  )
  return summarize(context, verb, past, rows, 'task')
}

const comment = defineTool({
  name: 'comment',
  title: 'Comment on a task',
  description: 'Adds a comment in your name. Mentioned people are notified.',
  scopes: ['comments:write'],
  annotations: ADDS,
  input: StrictObject({
    task_id: TaskId,
    ...pickToolFields(createComment.body.properties, ['body', 'parent_id']),
    idempotency_key: IdempotencyKey,
  }),
  async run(context, { task_id, idempotency_key, ...data }) {
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
    idempotency_key: IdempotencyKey,
  }),
  async run(context, { operation_ids, since, idempotency_key }) {
    const { credential_id } = context
    const byIds = operation_ids && { ids: operation_ids }
    const bySince = since !== undefined && credential_id !== null && { since, credential_id }
    const body = byIds || bySince
    if (!body || (byIds && bySince)) throw new ToolError('Send either operation_ids or since.')
    const { undone_count, left_count, left, next_before_id } = await context.call(undoOperations, {
      body,
      idempotencyKey: idempotency_key ?? context.idempotencyKey,
    })
    const verb = context.isPreview ? 'This would take back' : 'Took back'
    const more = next_before_id === null ? '' : ' There is more: call again to go on.'
    const words = `${verb} ${undone_count} ${undone_count === 1 ? 'record' : 'records'}.${more}`
    if (left_count === 0) return words
    const reasons = left.map(({ record_id, field, code, message }) =>
      JSON.stringify({ record_id, field: field ?? undefined, code, message }),
    )
    const { taken, words: shown } = takeRows(
      { rows: reasons, next_cursor: null },
      parseListPosition(undefined),
    )
    return `${words} Left as they are: ${shown}\n${fence(taken.join('\n'))}`
  },
})

const formatIds = (id: string | undefined, operation_id: string | null): string =>
  JSON.stringify({ id, operation_id: operation_id ?? undefined })

function formatResult({ short_id, title, status }: Task, operation_id: string | null): string {
  const shown = cutText(title, MAX_SHOWN_TITLE_LENGTH)
  // Without an operation nothing has changed, as if a task was completed already.
  return JSON.stringify({
    id: short_id,
    title: shown,
    status,
    operation_id: operation_id ?? undefined,
  })
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
  return `${done}\n${fence(rows.join('\n'))}`
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
    if (!tool) throw new ToolError(`There is no tool ${name}.`)
    const { call } = context
    return tool.run(
      {
        ...context,
        isPreview: true,
        call: (endpoint, more) => call(endpoint, { ...more, dryRun: endpoint.method !== 'GET' }),
      },
      input,
    )
  },
})

export const WRITE_TOOLS = [...CHANGES, preview]
