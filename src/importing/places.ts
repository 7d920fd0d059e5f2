import { parse } from 'node:path'
import { openPage } from '#core/page.ts'
import type { WriteTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import type { Plan } from '#resources/imports/plan.ts'
import type { Row } from '#resources/imports/row.ts'
import { MOST_STATUSES, type Status, type StatusCategory } from '#resources/projects/contract.ts'
import { createProject } from '#resources/projects/create.ts'
import { DEFAULT_STATUSES } from '#resources/projects/default-statuses.ts'
import { loadProject } from '#resources/projects/load.ts'
import { create as createTag } from '#resources/tags/operations.ts'
import { tagOfName } from '#resources/tags/store.ts'
import { settingOf } from '#resources/tasks/setting.ts'
import type { Going } from './going.ts'

const MOST_OF_NAME = 100
const NO_PAGE = openPage('', '', {}, '')
/** In this order statuses stand on a board, with the colours of a new project. */
const ORDER: readonly StatusCategory[] = [
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
]

/** The project that a row goes into: the one that was chosen, or one made for it, once. */
export async function projectFor({ tx, found, plan, made }: Going, row: Row): Promise<string> {
  const chosen = plan.projects.find(({ name }) => name === row.project)?.project_id
  if (chosen) return chosen
  const known = made.projects[row.project]
  if (known !== undefined) return known
  const name = [...(row.project.trim() || parse(found.filename).name)]
    .slice(0, MOST_OF_NAME)
    .join('')
  const id = await tx.operation(() =>
    createProject(tx, {
      ...{ name: name.trim() || 'Import', created_by_id: tx.actor.user_id ?? '' },
      ...(plan.statuses.length > 0 && { statuses: statusesOf(plan) }),
    }),
  )
  made.projects[row.project] = id
  return id
}

/** The statuses of a new project are those of the file, as long as they are not too many. */
function statusesOf({ statuses }: Plan): Status[] {
  const has = (category: StatusCategory) => statuses.some((one) => one.category === category)
  const missing = DEFAULT_STATUSES.filter(
    ({ key }) =>
      (key === 'done' && !has('completed')) ||
      (key === 'canceled' && !has('canceled')) ||
      (key === 'todo' && !has('unstarted')),
  )
  const named = statuses.map(({ name, category }) => ({ name: nameOf(name), category }))
  const all = [...distinct(named), ...missing]
  if (all.length > MOST_STATUSES) return [...DEFAULT_STATUSES]
  const keys = new Set<string>()
  return ORDER.flatMap((category) => all.filter((one) => one.category === category)).map(
    ({ name, category }, position) => ({
      ...{ key: keyFor(name, keys), name, category, position },
      color: DEFAULT_STATUSES.find((one) => one.category === category)?.color ?? '#64748b',
    }),
  )
}

const nameOf = (name: string) => [...name.trim()].slice(0, 50).join('').trim() || 'No status'

function distinct<T extends { name: string }>(statuses: readonly T[]): T[] {
  return [...new Map(statuses.map((one) => [fold(one.name), one])).values()]
}

/** A key out of the letters of a name, that no other status has. */
function keyFor(name: string, taken: Set<string>): string {
  const letters = fold(name)
    .normalize('NFD')
    .replace(/^[^a-z]+/, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('_')
  const stem = letters.slice(0, 36) || 'status'
  let key = stem
  for (let figure = 2; taken.has(key); figure += 1) key = `${stem}_${figure}`
  taken.add(key)
  return key
}

/** The key of the status that a row has in its project. */
export async function statusFor(
  { tx, plan }: Going,
  project_id: string,
  { status, completed }: Row,
): Promise<string | undefined> {
  const setting = await settingOf(tx, project_id)
  if (!setting) return undefined
  const statuses = setting.statuses as readonly Status[]
  const first = (category: StatusCategory | undefined) =>
    statuses.find((one) => one.category === category)?.key
  const planned = plan.statuses.find(({ name }) => name === status)?.category
  const isOpen = planned !== 'completed' && planned !== 'canceled'
  if (completed === true && isOpen) return first('completed')
  const wanted = status === null ? '' : fold(nameOf(status))
  const same = statuses.find(({ name, category }) => fold(name) === wanted && category === planned)
  return same?.key ?? first(planned)
}

/** The ids of a row's tags in its project; those that are not there are made. */
export async function tagsFor(
  { tx, made }: Going,
  project_id: string,
  { tags }: Row,
): Promise<string[]> {
  const ids = new Set<string>()
  for (const tag of tags) {
    const name = tag.trim()
    const known = await tx.one(tagOfName, { project_id, name_key: fold(name) })
    const id = known?.id ?? (await newTag(tx, project_id, name))
    if (!known) made.tags.push(id)
    ids.add(id)
  }
  return [...ids].toSorted()
}

async function newTag(tx: WriteTx, project_id: string, name: string): Promise<string> {
  const project = await loadProject(tx, project_id)
  const asked = { params: { id: project_id }, query: undefined, body: { name }, page: NO_PAGE }
  const tag = await tx.operation(() => Promise.resolve(createTag(tx, project, asked)))
  if (typeof tag === 'object' && 'id' in tag) return tag.id
  throw new Error('A tag was made of which nothing is known')
}
