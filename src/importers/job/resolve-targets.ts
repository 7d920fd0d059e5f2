import { parse } from 'node:path'
import { viewerId } from '#core/actor.ts'
import { parsePageRequest } from '#core/page-request.ts'
import type { WriteTx } from '#core/transaction.ts'
import { foldCase } from '#lib/fold-case.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportPlan } from '#resources/imports/plan.ts'
import { MAX_STATUSES, type Status, type StatusCategory } from '#resources/projects/contract.ts'
import { addProject } from '#resources/projects/create-project.ts'
import { DEFAULT_STATUSES } from '#resources/projects/default-statuses.ts'
import { loadProject } from '#resources/projects/load.ts'
import { create as createTag } from '#resources/tags/operations.ts'
import { tagByName } from '#resources/tags/store.ts'
import { loadProjectContext } from '#resources/tasks/project-context.ts'
import { FORBIDDEN_IN_NAME } from '../mapping/validate-row.ts'
import type { RowBatch } from './row-batch.ts'

const MAX_PROJECT_NAME_LENGTH = 100
const UNUSED_PAGE = parsePageRequest('', '', {}, '')
/** The order of statuses on a board. */
const CATEGORY_ORDER: readonly StatusCategory[] = [
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
]

/** The project of a row: the one chosen in the plan, or a new one for all rows of that name. */
export async function resolveProject(
  { tx, record, plan, made }: RowBatch,
  row: ImportedTask,
): Promise<string> {
  const chosen = plan.projects.find(({ name }) => name === row.project)?.project_id
  if (chosen) return chosen
  const earlier = made.projects.get(row.project)
  if (earlier !== undefined) return earlier
  const name = [...(row.project.trim() || parse(record.filename).name)]
    .slice(0, MAX_PROJECT_NAME_LENGTH)
    .join('')
  const { id } = await tx.runOperation(() =>
    addProject(tx, {
      ...{ name: name.trim() || 'Import', created_by_id: viewerId(tx.actor) },
      ...(plan.statuses.length > 0 && { statuses: newProjectStatuses(plan) }),
    }),
  )
  made.projects.set(row.project, id)
  return id
}

/** A new project gets the statuses of the file, or the default ones if these are too many. */
function newProjectStatuses({ statuses }: ImportPlan): Status[] {
  const has = (category: StatusCategory) => statuses.some((one) => one.category === category)
  const missing = DEFAULT_STATUSES.filter(
    ({ key }) =>
      (key === 'done' && !has('completed')) ||
      (key === 'canceled' && !has('canceled')) ||
      (key === 'todo' && !has('unstarted')),
  )
  const named = statuses.map(({ name, category }) => ({ name: toStatusName(name), category }))
  const all = [...distinctByName(named), ...missing]
  if (all.length > MAX_STATUSES) return [...DEFAULT_STATUSES]
  const keys = new Set<string>()
  return CATEGORY_ORDER.flatMap((category) => all.filter((one) => one.category === category)).map(
    ({ name, category }, position) => ({
      ...{ key: uniqueKey(name, keys), name, category, position },
      color: DEFAULT_STATUSES.find((one) => one.category === category)?.color ?? '#64748b',
    }),
  )
}

const FORBIDDEN_CHARACTERS = new RegExp(FORBIDDEN_IN_NAME, 'gu')

/** A name that the API allows. A plan of the previous release may hold names of rejected rows. */
const toStatusName = (name: string) =>
  [...name.replace(FORBIDDEN_CHARACTERS, ' ').trim()].slice(0, 50).join('').trim() || 'No status'

function distinctByName<T extends { name: string }>(statuses: readonly T[]): T[] {
  return [...new Map(statuses.map((one) => [foldCase(one.name), one])).values()]
}

/** Makes a key from the letters of a name, with a number if another status has it. */
function uniqueKey(name: string, taken: Set<string>): string {
  const letters = foldCase(name)
    .normalize('NFD')
    .replace(/^[^a-z]+/, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('_')
  const stem = letters.slice(0, 36) || 'status'
  let key = stem
  for (let suffix = 2; taken.has(key); suffix += 1) key = `${stem}_${suffix}`
  taken.add(key)
  return key
}

/** The key of the status that the task of a row gets in its project. */
export async function resolveStatus(
  { tx, plan }: RowBatch,
  project_id: string,
  { status, completed }: ImportedTask,
): Promise<string | undefined> {
  const project = await loadProjectContext(tx, project_id)
  if (!project) return undefined
  const statuses = project.statuses as readonly Status[]
  const firstKeyOf = (category: StatusCategory | undefined) =>
    statuses.find((one) => one.category === category)?.key
  const planned = plan.statuses.find(({ name }) => name === status)?.category
  const isOpen = planned !== 'completed' && planned !== 'canceled'
  if (completed === true && isOpen) return firstKeyOf('completed')
  const foldedName = status === null ? '' : foldCase(toStatusName(status))
  const same = statuses.find(
    ({ name, category }) => foldCase(name) === foldedName && category === planned,
  )
  return same?.key ?? firstKeyOf(planned)
}

/** The ids of the tags of a row in its project. Missing tags are created. */
export async function resolveTags(
  { tx, made }: RowBatch,
  project_id: string,
  { tags }: ImportedTask,
): Promise<string[]> {
  const ids = new Set<string>()
  for (const tag of tags) {
    const name = tag.trim()
    const existing = await tx.one(tagByName, { project_id, name_key: foldCase(name) })
    const id = existing?.id ?? (await createMissingTag(tx, project_id, name))
    if (!existing) made.tags.push(id)
    ids.add(id)
  }
  return [...ids].toSorted()
}

async function createMissingTag(tx: WriteTx, project_id: string, name: string): Promise<string> {
  const project = await loadProject(tx, project_id)
  const input = { params: { id: project_id }, query: undefined, body: { name }, page: UNUSED_PAGE }
  const tag = await tx.runOperation(() => Promise.resolve(createTag(tx, project, input)))
  if (typeof tag === 'object' && 'id' in tag) return tag.id
  throw new Error('A tag was made of which nothing is known')
}
