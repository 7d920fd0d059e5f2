import type { listNumberedChanges } from '#resources/changes/contract.ts'
import type {
  OpenTaskColumns,
  OpenTasksHead,
  ProjectTasksHead,
  TaskColumns,
} from '#resources/web-app/project-tasks/contract.ts'
import { delay } from '../../lib/browser/delay.ts'
import { fetchOrThrow } from '../../lib/http/fetch-or-throw.ts'
import { getPageSessionHeaders } from '../../lib/http/page-session.ts'
import { ApiResponseError, NetworkError } from '../../lib/http/problem.ts'
import {
  readChangeNumber,
  readErrorResponse,
  requestEndpoint,
} from '../../lib/http/request-endpoint.ts'
import { waitForSessionPause } from '../../lib/http/request-pause.ts'
import { atom } from '../../lib/state/atom.ts'
import {
  type ChangePosition,
  type ReplicaChange,
  type ReplicaDeps,
  type ReplicaScope,
  type ScopeHead,
  ScopeUnavailableError,
} from '../../replica/local-replica.ts'
import { formatPosition, parsePosition } from '../live/feed-position.ts'
import type { FeedChange } from '../live/live-message.ts'
import { bootState } from '../session/boot.ts'
import { getStatusCategory, isTaskFinished, type Task } from './task-patch.ts'

type TakeTasks = Parameters<ReplicaDeps<Task>['load']>[2]

/** All tasks of a project. */
export const projectScope = (project_id: string): ReplicaScope<Task> => ({
  name: project_id,
  project_id,
  includes: (task) => task.project_id === project_id,
})

/** Projects whose open tasks are not held with those of all projects, because there are too many. */
export const omittedProjectIds = atom<readonly string[]>([])

/**
 * The open tasks of all projects. The server leaves out those of archived ones, and resets a project that is
 * unarchived; a project that is archived keeps its tasks here, and the screens leave them out.
 */
export const OPEN_TASKS_SCOPE: ReplicaScope<Task> = {
  name: 'open',
  includes: (task) => !isTaskFinished(task) && !omittedProjectIds.get().includes(task.project_id),
}

/** Reads what has changed in a scope since a position, or all of its tasks. */
export async function loadTasks(
  { project_id }: ReplicaScope<Task>,
  since: ChangePosition | undefined,
  take: TakeTasks,
): Promise<ScopeHead> {
  await waitForSessionPause()
  const changes = since && (await readChangesSince(project_id, since))
  if (!changes) return readAllTasks(project_id, take)
  take(changes.head, changes.steps)
  return changes.head
}

/** With more changes than this many replies have, reading all tasks is less work. */
const MAX_REPLIES = 4
const CHANGES_PER_REPLY = 500

/** What has changed since a position; undefined if the server cannot tell, or it is too much. */
async function readChangesSince(project_id: string | undefined, since: ChangePosition) {
  const steps: ReplicaChange<Task>[] = []
  let after = formatPosition(since)
  for (let replies = 0; replies < MAX_REPLIES; replies += 1) {
    const ofProject = project_id !== undefined && { project_id }
    const query = { after, ...ofProject, types: ['task' as const], limit: CHANGES_PER_REPLY }
    const page = await requestEndpoint<typeof listNumberedChanges>('GET /internal/changes', {
      query,
    }).catch((error) => {
      if (error instanceof ApiResponseError && error.status < 500) return undefined
      throw error
    })
    if (!page || page.data.some(({ op }) => op === 'reset')) return undefined
    steps.push(...toTaskChanges(page.data as FeedChange[]))
    after = page.position
    if (!page.has_more) return { head: { ...parsePosition(after), isWhole: false }, steps }
  }
  return undefined
}

/** The steps of the feed of changes that are about tasks. */
export const toTaskChanges = (changes: readonly FeedChange[]): ReplicaChange<Task>[] =>
  changes.flatMap((change): ReplicaChange<Task>[] => {
    if (change.op === 'reset') return [{ op: 'reset', project_id: change.id }]
    if (change.type !== 'task') return []
    if (change.op === 'put') return [{ op: 'put', record: change.record }]
    return [{ op: 'delete', id: change.id, project_id: change.project_id ?? '' }]
  })

async function readAllTasks(project_id: string | undefined, take: TakeTasks): Promise<ScopeHead> {
  const path = project_id === undefined ? 'open-tasks' : `projects/${project_id}/tasks`
  const reply = await fetchOrThrow(`/internal/${path}`, {
    credentials: 'same-origin',
    headers: getPageSessionHeaders(),
  })
  if (!reply.ok) {
    const error = await readErrorResponse(reply)
    const n = readChangeNumber(reply)
    const isUnavailable = error instanceof ApiResponseError && error.status === 404
    throw isUnavailable && n !== undefined ? new ScopeUnavailableError(n) : error
  }
  let head: ScopeHead | undefined
  let hasEnded = false
  for await (const line of readLines(reply)) {
    const content:
      | ProjectTasksHead
      | OpenTasksHead
      | TaskColumns
      | OpenTaskColumns
      | { end: true } = JSON.parse(line)
    if ('change_number' in content) {
      head = { history: content.history, n: content.change_number, isWhole: true }
      if ('omitted_project_ids' in content) omittedProjectIds.set(content.omitted_project_ids)
    } else if ('end' in content) hasEnded = true
    else if (head) {
      take(
        head,
        toTasks(content, project_id).map((record) => ({ op: 'put', record })),
      )
      // Several lines may have arrived: the first rows are painted before the next one is read. A
      // hidden page paints nothing, and its timers take seconds.
      if (!document.hidden) await delay(0)
    }
  }
  // A reply that breaks off lacks tasks.
  if (!head || !hasEnded) throw new NetworkError()
  return head
}

/** The lines of a reply, each as soon as it has arrived whole. */
async function* readLines({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  let rest = ''
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    throw new NetworkError(error)
  }
}

const NONE: string[] = []
const NO_FIELDS: Task['custom_fields'] = {}

/** Tasks from columns of their fields. Those of several projects have a column for the project. */
function toTasks(columns: TaskColumns | OpenTaskColumns, ofProject = ''): Task[] {
  const projects = new Map(bootState.get()?.projects.map((project) => [project.id, project]))
  // Equal texts, empty lists and empty objects are the same in memory.
  const texts = new Map<string, string>()
  const share = (text = ''): string => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
  }
  const shareEmpty = (all = NONE) => (all.length === 0 ? NONE : all)
  const shareEmptyFields = (all = NO_FIELDS) => (Object.keys(all).length === 0 ? NO_FIELDS : all)
  return columns.id.map((id, at) => {
    const status = columns.status[at] ?? ''
    const number = columns.number[at] ?? 0
    const project_id = ('project_id' in columns && columns.project_id[at]) || ofProject
    const project = projects.get(project_id)
    return {
      id,
      number,
      project_id: share(project_id),
      short_id: `${project?.prefix ?? ''}-${number}`,
      title: columns.title[at] ?? '',
      status,
      status_category: getStatusCategory(project, status) ?? 'unstarted',
      priority: columns.priority[at] ?? 'none',
      assignee_ids: shareEmpty(columns.assignee_ids[at]),
      tag_ids: shareEmpty(columns.tag_ids[at]),
      recurrence: columns.recurrence[at] ?? null,
      recurred_from_id: columns.recurred_from_id[at] ?? null,
      start_date: columns.start_date[at] ?? null,
      due_date: columns.due_date[at] ?? null,
      due_at: columns.due_at[at] ?? null,
      parent_id: columns.parent_id[at] ?? null,
      position: columns.position[at] ?? '',
      estimate_seconds: columns.estimate_seconds[at] ?? null,
      time_spent_seconds: columns.time_spent_seconds[at] ?? 0,
      blocked_by_ids: shareEmpty(columns.blocked_by_ids[at]),
      comment_count: columns.comment_count[at] ?? 0,
      subtask_count: columns.subtask_count[at] ?? 0,
      completed_subtask_count: columns.completed_subtask_count[at] ?? 0,
      created_by_id: share(columns.created_by_id[at]),
      created_at: share(columns.created_at[at]),
      updated_at: share(columns.updated_at[at]),
      completed_at: columns.completed_at[at] ?? null,
      canceled_at: columns.canceled_at[at] ?? null,
      custom_fields: shareEmptyFields(columns.custom_fields[at]),
      version: columns.version[at] ?? 0,
    }
  })
}
