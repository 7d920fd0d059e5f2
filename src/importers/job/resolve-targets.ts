import { parse } from 'node:path'
import { viewerId } from '#core/actor.ts'
import { parsePageRequest } from '#core/page-request.ts'
import type { WriteTx } from '#core/transaction.ts'
import { foldCase } from '#lib/fold-case.ts'
import { toOneLine } from '#lib/one-line.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportWarning } from '#resources/imports/internal.ts'
import type { ImportPlan, ProjectDetails } from '#resources/imports/load.ts'
import { MAX_STATUSES, type Status, type StatusCategory } from '#resources/projects/contract.ts'
import { addProject } from '#resources/projects/create-project.ts'
import { loadProject } from '#resources/projects/load.ts'
import { DEFAULT_STATUSES } from '#resources/projects/statuses.ts'
import { create as createTag, MAX_TAGS } from '#resources/tags/operations.ts'
import { countTags, tagByName } from '#resources/tags/store.ts'
import { loadProjectContext } from '#resources/tasks/load.ts'
import { toWarning } from '../mapping/fit-row.ts'
import { guessStatusCategory } from '../mapping/parse-values.ts'
import type { RowBatch } from './order-rows.ts'

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

/**
 * The project of a row: the one chosen in the plan, or a new one for all rows of that name. A chosen
 * one that has been archived or deleted since is replaced by a new one, with a warning.
 */
export async function resolveProject(
  batch: RowBatch,
  row: ImportedTask,
): Promise<{ project_id: string; warnings: ImportWarning[] }> {
  const { tx, plan, made } = batch
  const chosen = plan.projects.find(({ name }) => name === row.project)?.project_id
  const project = chosen ? await loadProjectContext(tx, chosen) : undefined
  if (project && project.archived_at === null)
    return { project_id: project.project_id, warnings: [] }
  const project_id = made.projects.get(row.project) ?? (await createProject(batch, row))
  return { project_id, warnings: chosen ? [toWarning('project_unavailable', 'project')] : [] }
}

async function createProject(
  { tx, record, plan, made, people }: RowBatch,
  row: ImportedTask,
): Promise<string> {
  const chosen = plan.projects.find((one) => one.name === row.project)?.new_name
  const name = [...(chosen ?? (row.project.trim() || parse(record.filename).name))]
    .slice(0, MAX_PROJECT_NAME_LENGTH)
    .join('')
  const details = plan.project_details?.find((one) => one.name === row.project)
  const { name: _, lead, statuses: __, ...fields } = details ?? {}
  const statuses = newProjectStatuses(plan, details)
  const { id } = await tx.runOperation(() =>
    addProject(tx, {
      ...fields,
      name: name.trim() || 'Import',
      created_by_id: viewerId(tx.actor),
      ...(lead !== undefined && { lead_id: people.get(lead) ?? null }),
      ...(statuses.length > 0 && { statuses }),
    }),
  )
  made.projects.set(row.project, id)
  return id
}

/**
 * A new project gets its own statuses if the file tells them, in their order; otherwise those of the
 * file by category. If these are too many, it gets the most frequent ones, and none if there are none.
 */
function newProjectStatuses(plan: ImportPlan, details?: ProjectDetails): Status[] {
  const { statuses } = plan
  const categories = new Map(statuses.map(({ name, category }) => [name, category]))
  const own = details?.statuses?.map(({ name, color, category }) => ({
    name: toStatusName(name),
    color,
    category: categories.get(toOneLine(name)) ?? category ?? guessStatusCategory(name),
  }))
  const named: { name: string; color?: string | undefined; category: StatusCategory }[] =
    own ?? statuses.map(({ name, category }) => ({ name: toStatusName(name), category }))
  if (named.length === 0) return []
  const distinct = distinctByName(named)
  const whole = withNeededStatuses(distinct, plan)
  const fitting =
    whole.length <= MAX_STATUSES
      ? whole
      : withNeededStatuses(mostFrequentStatuses(distinct, plan, MAX_NAMED_STATUSES), plan)
  const all = own
    ? fitting
    : CATEGORY_ORDER.flatMap((category) => fitting.filter((one) => one.category === category))
  const keys = new Set<string>()
  return all.map(({ name, category, color }, position) => ({
    key: uniqueKey(name, keys),
    name,
    category,
    position,
    color: color ?? DEFAULT_STATUSES.find((one) => one.category === category)?.color ?? '#64748b',
  }))
}

/** The statuses with those that a project must have, or a row without a status needs. */
function withNeededStatuses<T extends Pick<Status, 'name' | 'category'>>(
  statuses: readonly T[],
  { has_unnamed_status = false }: ImportPlan,
): (T | Status)[] {
  const has = (category: StatusCategory) => statuses.some((one) => one.category === category)
  const needsTodo = has_unnamed_status ? !statuses.some(isTodo) : !has('unstarted')
  const added = ADDED_STATUSES.filter(({ key, category }) =>
    key === 'todo' ? needsTodo : !has(category),
  )
  const isFirst = ({ key }: Status) => key === 'todo'
  return [...added.filter(isFirst), ...statuses, ...added.filter((one) => !isFirst(one))]
}

const ADDED_STATUSES = DEFAULT_STATUSES.filter(({ key }) =>
  ['todo', 'done', 'canceled'].includes(key),
)
const MAX_NAMED_STATUSES = MAX_STATUSES - ADDED_STATUSES.length

/** Whether a status is the one of tasks that nobody has given one. */
const isTodo = ({ name, category }: Pick<Status, 'name' | 'category'>): boolean =>
  category === 'unstarted' && /^to[ -]?do$/.test(foldCase(name))

/** As many statuses as there is room for, in their order: those that most rows of the file have. */
export function mostFrequentStatuses<T extends { name: string }>(
  statuses: readonly T[],
  { statuses: counted }: Pick<ImportPlan, 'statuses'>,
  max: number,
): T[] {
  if (statuses.length <= max) return [...statuses]
  const counts = new Map<string, number>()
  for (const { name, count } of counted) {
    const key = foldCase(toStatusName(name))
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  const countOf = ({ name }: T) => counts.get(foldCase(toStatusName(name))) ?? 0
  const kept = new Set(statuses.toSorted((a, b) => countOf(b) - countOf(a)).slice(0, max))
  return statuses.filter((status) => kept.has(status))
}

/** A name that the API allows. */
const toStatusName = (name: string) =>
  [...toOneLine(name)].slice(0, 50).join('').trim() || 'No status'

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

/** The status that the task of a row gets in its project. */
interface ResolvedStatus {
  /** Undefined for the default one. */
  key: string | undefined
  /** The name in the file, if the task is completed in place of it. */
  replaced?: string
  /** The name in the file, if the new project has no room for it. */
  missing?: string
}

export async function resolveStatus(
  { tx, plan, made }: RowBatch,
  project_id: string,
  { project: projectName, status, completed }: ImportedTask,
): Promise<ResolvedStatus> {
  const project = await loadProjectContext(tx, project_id)
  if (!project) return { key: undefined }
  const statuses = project.statuses as readonly Status[]
  const firstKeyOf = (category: StatusCategory | undefined) =>
    statuses.find((one) => one.category === category)?.key
  const planned = plan.statuses.find(({ name }) => name === status)?.category
  const isOpen = planned !== 'completed' && planned !== 'canceled'
  if (completed === true && isOpen)
    return { key: firstKeyOf('completed'), ...(status !== null && { replaced: status }) }
  const isNew = made.projects.get(projectName) === project_id
  if (status === null) return { key: isNew ? statuses.find(isTodo)?.key : undefined }
  const foldedName = foldCase(toStatusName(status))
  const named = statuses.filter(({ name }) => foldCase(name) === foldedName)
  const same = named.find(({ category }) => category === planned)
  return {
    key: same?.key ?? firstKeyOf(planned),
    ...(isNew && named.length === 0 && { missing: status }),
  }
}

export interface ResolvedTags {
  ids: string[]
  /** Names for which the project has no room. */
  missing: string[]
}

/** The tags of a row in its project. Missing ones are created. */
export async function resolveTags(
  { tx }: RowBatch,
  project_id: string,
  { tags, tag_colors = {} }: ImportedTask,
): Promise<ResolvedTags> {
  const ids = new Set<string>()
  const missing: string[] = []
  for (const tag of tags) {
    const name = tag.trim()
    const existing = await tx.one(tagByName, { project_id, name_key: foldCase(name) })
    const color = Object.hasOwn(tag_colors, tag) ? tag_colors[tag] : undefined
    const id = existing?.id ?? (await createMissingTag(tx, project_id, name, color))
    if (id === undefined) missing.push(name)
    else ids.add(id)
  }
  return { ids: [...ids].toSorted(), missing }
}

/** Returns undefined if the project has as many tags as it can have. */
async function createMissingTag(
  tx: WriteTx,
  project_id: string,
  name: string,
  color: string | undefined,
): Promise<string | undefined> {
  const project = await loadProject(tx, project_id)
  const { count } = (await tx.one(countTags, { project_id })) ?? { count: 0 }
  if (count >= MAX_TAGS) return undefined
  const body = { name, ...(color !== undefined && { color }) }
  const input = { params: { id: project_id }, query: undefined, body, page: UNUSED_PAGE }
  const tag = await tx.runOperation(() => Promise.resolve(createTag(tx, project, input)))
  if (typeof tag === 'object' && 'id' in tag) return tag.id
  throw new Error('A tag was made of which nothing is known')
}
