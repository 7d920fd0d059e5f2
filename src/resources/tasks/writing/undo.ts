import { sql } from 'kysely'
import { may } from '#core/actor.ts'
import type { FieldChanges, ReadTx } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { fromJson } from '#lib/json.ts'
import { incrementCount } from '#lib/recurrence.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import type { FieldError } from '#wire/field-error.ts'
import { MAX_ASSIGNEES, MAX_TASK_TAGS, type Task, type TaskFields } from '../fields.ts'
import { checkParent, findTagsWithSameNames } from '../rules/rules.ts'
import { lastMove, movesAt, projectTagsByIds, takenPositions } from '../statements/related.ts'
import type { TaskProjectContext } from './change-task.ts'

/** The next occurrence to delete, and the rule that the completed task gets back. */
interface UndoneCompletion {
  next_id: string
  recurrence: NonNullable<Task['recurrence']>
}

type OccurrenceParams = Scoped<{ id: string; project_id: string; completed_at: string }>

/**
 * The next occurrence of a task, if it is as its completion created it: without a new version,
 * comments, files, subtasks, time entries and tasks that wait for it. It has the time of the
 * completion, by which an index finds it. A timer that runs on it changes no column of it.
 */
const untouchedOccurrence = query((db, $: OccurrenceParams) =>
  db
    .selectFrom('tasks')
    .select(['id', 'created_by_id', sql<string | null>`recurrence`.as('recurrence')])
    .where('updated_at', '=', $.completed_at)
    .where('recurred_from_id', '=', $.id)
    .where('project_id', '=', $.project_id)
    .where('version', '=', sql.lit(1))
    .where('deleted_at', 'is', null)
    .where('blocking_ids', '=', sql.lit('[]'))
    .where(sql<number>`comment_count + attachment_count + subtask_count`, '=', sql.lit(0))
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('time_entries')
            .select(sql.lit(1).as('one'))
            .whereRef('time_entries.task_id', '=', 'tasks.id'),
        ),
      ),
    ),
)

/**
 * What a change of status undoes if it reopens a recurring task; undefined if somebody has changed
 * the next occurrence, or the actor may not delete it: then it keeps the rule.
 */
export async function loadUndoneCompletion(
  tx: ReadTx,
  { statuses }: TaskProjectContext,
  { id, project_id, completed_at, due_date, recurrence }: Task,
  status: string | undefined,
): Promise<UndoneCompletion | undefined> {
  const category = statuses.find(({ key }) => key === status)?.category ?? 'completed'
  if (category === 'completed' || completed_at === null || recurrence !== null) return undefined
  if (!tx.actor.scopes.has('tasks:delete')) return undefined
  const next = await tx.one(untouchedOccurrence, { id, project_id, completed_at })
  if (!next?.recurrence) return undefined
  if (!may(tx.actor, 'shape_projects') && next.created_by_id !== tx.actor.user_id) return undefined
  const rule = JSON.parse(next.recurrence) as UndoneCompletion['recurrence']
  if (rule.basis === 'due_date' && due_date === null) return undefined
  return { next_id: next.id, recurrence: { ...rule, rrule: incrementCount(rule.rrule) } }
}

/** What a move changed in each of its tasks, by task id. */
type UndoneMove = ReadonlyMap<string, FieldChanges>

export const NO_MOVE: UndoneMove = new Map()

/**
 * What the last move of a task changed in it and in its subtasks, if it came from that project by
 * it; otherwise nothing.
 */
export async function loadUndoneMove(
  tx: ReadTx,
  task: Task,
  project_id: string,
  subtaskIds: readonly string[],
): Promise<UndoneMove> {
  const move = await tx.one(lastMove, { task_id: task.id })
  if (!move) return NO_MOVE
  const changes = fromJson(move.changes)
  const { from, to } = changes.project_id ?? {}
  if (from !== project_id || to !== task.project_id) return NO_MOVE
  const { created_at } = move
  const rows = await tx.all(movesAt, { task_ids: subtaskIds, created_at })
  const all = new Map(rows.map((row) => [row.task_id, fromJson(row.changes)]))
  for (const [id, taken] of all) if (!isTakenAlong(taken, changes)) all.delete(id)
  return all.set(task.id, changes)
}

/**
 * Whether a task was moved below its topmost task. Operations of one request have the same time, and
 * a task that was moved by itself has lost its parent.
 */
const isTakenAlong = ({ project_id, parent_id }: FieldChanges, top: FieldChanges): boolean =>
  project_id?.from === top.project_id?.from &&
  project_id?.to === top.project_id?.to &&
  parent_id === undefined

/** What a task gets back. Without a position it goes to the end of the project. */
interface GivenBack {
  fields: TaskFields
  position: string | undefined
}

/**
 * Returns a function that gives a task back what a move has taken from it: its status and position,
 * and the tags and assignees that the move dropped. What somebody has changed since stays, and what
 * the project no longer has stays away. A position is given only once.
 */
export async function createGiveBack(
  tx: ReadTx,
  { project_id, statuses }: TaskProjectContext,
  move: UndoneMove,
): Promise<(task: Task, mapped: TaskFields) => GivenBack> {
  if (move.size === 0) return (_, fields) => ({ fields, position: undefined })
  const all = [...move.values()]
  const idsIn = (pick: (changes: FieldChanges) => readonly string[]) => [
    ...new Set(all.flatMap(pick)),
  ]
  const tags = await tx.all(projectTagsByIds, {
    project_id,
    ids: idsIn(({ tag_ids }) => toIds(tag_ids?.from)),
  })
  const existingTags = new Set(tags.map(({ id }) => id))
  const namesakes = await findTagsWithSameNames(
    tx,
    project_id,
    idsIn(({ tag_ids }) => toIds(tag_ids?.to)),
  )
  const keptTags = new Set(namesakes.values())
  const withAccess = await findMembersWithAccess(
    tx,
    project_id,
    idsIn(({ assignee_ids }) => toIds(assignee_ids?.from)),
  )
  const positions = idsIn(({ position }) => toTexts(position?.from))
  const taken = await tx.all(takenPositions, { project_id, positions })
  const takenSet = new Set(taken.map(({ position }) => position))
  const takeIfFree = (rank: string) => {
    const isFree = !takenSet.has(rank)
    takenSet.add(rank)
    return isFree
  }

  return (task, mapped) => {
    const { status, tag_ids, assignee_ids, position } = move.get(task.id) ?? {}
    const isStatusKept = status !== undefined && task.status === status.to
    const former = isStatusKept && statuses.find(({ key }) => key === status.from)
    const droppedTags = toIds(tag_ids?.from).filter(
      (id) => existingTags.has(id) && !keptTags.has(id),
    )
    const stillAssigned = new Set(toIds(assignee_ids?.to))
    const droppedPeople = toIds(assignee_ids?.from).filter(
      (id) => withAccess.has(id) && !stillAssigned.has(id),
    )
    return {
      fields: {
        ...mapped,
        ...(former && { status: former.key }),
        tag_ids: addWithin(MAX_TASK_TAGS, mapped.tag_ids, droppedTags),
        assignee_ids: addWithin(MAX_ASSIGNEES, mapped.assignee_ids, droppedPeople),
      },
      position: toTexts(position?.from).find(takeIfFree),
    }
  }
}

/** The parent that the move took from its topmost task, if the task may be below it again. */
export async function findFormerParent(
  tx: ReadTx,
  task: Task,
  project_id: string,
  move: UndoneMove,
): Promise<string | null> {
  const [parent_id] = toTexts(move.get(task.id)?.parent_id?.from)
  if (parent_id === undefined || task.parent_id !== null) return null
  const errors: FieldError[] = []
  await checkParent(tx, task.id, project_id, parent_id, errors)
  return errors.length === 0 ? parent_id : null
}

const toTexts = (side: unknown): string[] => (typeof side === 'string' ? [side] : [])
const toIds = (side: unknown): string[] => (Array.isArray(side) ? side.flatMap(toTexts) : [])

/** Adds ids to a set, unless it would then have too many. */
function addWithin(max: number, ids: readonly string[], added: readonly string[]): string[] {
  const all = new Set([...ids, ...added])
  return all.size > max ? [...ids] : [...all].toSorted()
}
