import type { FieldChanges, ReadTx } from '#core/transaction.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { MAX_TASK_TAGS } from '#resources/tags/contract.ts'
import type { FieldError } from '#wire/field-error.ts'
import { MAX_ASSIGNEES, type Task, type TaskFields } from '../fields.ts'
import { checkParent, findTagsWithSameNames } from '../rules/rules.ts'
import { projectTagsByIds, takenPositions } from '../statements/related.ts'
import type { TaskProjectContext } from './change-task.ts'

/** What a move changed in each of its tasks, by task id. */
export type UndoneMove = ReadonlyMap<string, FieldChanges>

export const NO_MOVE: UndoneMove = new Map()

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
