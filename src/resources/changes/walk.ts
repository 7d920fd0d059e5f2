import type { ReadTx } from '#core/transaction.ts'
import type { ChangeType } from './contract.ts'
import { AFTER_ALL_KEYS, type Walk } from './position.ts'
import {
  type ChildType,
  childrenAfter,
  commentsOfAuthorAfter,
  membersToWalk,
  nextProject,
  tagsAfter,
  tasksAfter,
  type WalkedRow,
} from './walk-store.ts'

/** A record of a snapshot, and where the walk stands after it. */
export interface WalkedRecord {
  type: ChangeType
  id: string
  project_id: string | null
  /** Null if the record is deleted. */
  json: string | null
  next: Walk
}

export interface WalkStep {
  records: readonly WalkedRecord[]
  /** Where the walk goes on after these records; undefined at its end. */
  next: Walk | undefined
}

const CHILD_STAGES: readonly ChildType[] = ['comment', 'time_entry', 'attachment']
const ALL_STAGES: readonly string[] = CHILD_STAGES

/**
 * Reads the next records of a walk with one statement. What changes meanwhile is in the numbered
 * changes afterwards, so its steps need not be of one moment.
 */
export async function walkOn(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  switch (walk.stage) {
    case 'author':
      return walkAuthor(tx, walk, types, limit)
    case 'member':
      return walkMembers(tx, walk, types, limit)
    case 'project':
      return walkToProject(tx, walk, types, limit)
    case 'tag':
      return walkTags(tx, walk, types, limit)
    case 'task':
      return walkTasks(tx, walk, types, limit)
    default:
      return walkChildren(tx, walk.stage, walk, types, limit)
  }
}

const toParams = ({ of, project, task, to, id }: Walk, limit: number) => ({
  author_id: of,
  project_id: project,
  task,
  to,
  id,
  limit,
})

const toRecords = (
  type: ChangeType,
  rows: readonly WalkedRow[],
  walk: Walk,
  nextOf: (row: WalkedRow) => Partial<Walk> = ({ id }) => ({ id }),
): WalkedRecord[] =>
  rows.map((row) => ({
    type,
    id: row.id,
    json: row.json,
    project_id: type === 'member' ? null : (row.project_id ?? walk.project),
    next: { ...walk, ...nextOf(row) },
  }))

/** Lists the comments of a person, which show another name or picture now. */
async function walkAuthor(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const hasComments = types.has('comment')
  const rows = hasComments ? await tx.all(commentsOfAuthorAfter, toParams(walk, limit)) : []
  const records = toRecords('comment', rows, walk)
  return { records, next: rows.length === limit ? records.at(-1)?.next : undefined }
}

async function walkMembers(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const rows = types.has('member') ? await tx.all(membersToWalk, toParams(walk, limit)) : []
  const records = toRecords('member', rows, walk)
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  return { records, next: walk.of === 'all' ? { ...walk, stage: 'project', id: '' } : undefined }
}

async function walkToProject(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const isOne = walk.of !== 'all'
  const [row] = await tx.all(nextProject(isOne), toParams(walk, limit))
  if (!row) return { records: [], next: undefined }
  const next: Walk = { ...walk, project: row.id, stage: 'tag', from: 0, to: 0, task: 0, id: '' }
  const records = types.has('project') ? toRecords('project', [row], next, () => ({})) : []
  return { records, next }
}

async function walkTags(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const rows = types.has('tag') ? await tx.all(tagsAfter, toParams(walk, limit)) : []
  const records = toRecords('tag', rows, walk)
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  const hasTasks = types.has('task') || CHILD_STAGES.some((type) => types.has(type))
  return { records, next: hasTasks ? { ...walk, stage: 'task', id: '' } : afterProject(walk) }
}

async function walkTasks(
  tx: ReadTx,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const from = walk.to
  const rows = await tx.all(tasksAfter, toParams({ ...walk, task: from }, limit))
  if (rows.length === 0) return { records: [], next: afterProject(walk) }
  // If the reply ends within these tasks, those before are the slice whose children come next.
  const sliceTo = (to: number) => nextStage({ ...walk, stage: 'task', from, to }, types)
  const records = toRecords('task', types.has('task') ? rows : [], walk, ({ task }) =>
    sliceTo(task),
  )
  return { records, next: sliceTo(rows.at(-1)?.task ?? from) }
}

async function walkChildren(
  tx: ReadTx,
  type: ChildType,
  walk: Walk,
  types: ReadonlySet<ChangeType>,
  limit: number,
): Promise<WalkStep> {
  const rows = await tx.all(childrenAfter(type), toParams(walk, limit))
  const records = toRecords(type, rows, walk, ({ task, id }) => ({ task, id }))
  if (rows.length === limit) return { records, next: records.at(-1)?.next }
  return { records, next: nextStage(walk, types) }
}

/** The next type of record that belongs to the slice of tasks, or the next tasks. */
function nextStage(walk: Walk, types: ReadonlySet<ChangeType>): Walk {
  const at = ALL_STAGES.indexOf(walk.stage)
  const stage = CHILD_STAGES.slice(at + 1).find((type) => types.has(type)) ?? 'task'
  return { ...walk, stage, task: walk.from, id: AFTER_ALL_KEYS }
}

const afterProject = (walk: Walk): Walk | undefined =>
  walk.of === 'all' ? { ...walk, stage: 'project', id: '' } : undefined
