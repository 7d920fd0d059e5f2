import { invalidParameter, notFound } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import { purgeTimeOf, trashSince } from '#core/trash.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { fromJson, toJson } from '#lib/json.ts'
import { type LoadedTask, MAX_TASK_NUMBER } from '#resources/tasks/load.ts'
import type {
  getDeletedTask,
  ListedDeletedTask,
  listDeletedTasks,
  listSimilarTasks,
} from './contract.ts'
import { lastDeletion, projectsByPrefixes, selectDeletedTasks, tasksByNumbers } from './store.ts'

/**
 * The Damerau-Levenshtein distance of two texts, capped at 2: the number of characters that were
 * inserted, deleted or replaced, and of neighbors that were transposed.
 */
export function editDistance(a: string, b: string): 0 | 1 | 2 {
  if (a === b) return 0
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [x, y] = [a.slice(start), b.slice(start)]
  if (x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1)) return 1
  const isTransposed = x.length > 1 && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
  return isTransposed ? 1 : 2
}

/** The text and all texts of these characters at distance 1 from it. */
function similarTexts(text: string, characters: string): string[] {
  const candidates = new Set([text])
  for (let index = 0; index <= text.length; index += 1) {
    const [before, after] = [text.slice(0, index), text.slice(index)]
    candidates.add(before + after.slice(1))
    if (after.length > 1) candidates.add(before + after[1] + after[0] + after.slice(2))
    for (const character of characters) {
      candidates.add(before + character + after)
      candidates.add(before + character + after.slice(1))
    }
  }
  return [...candidates]
}

/** The prefixes at distance 0 or 1 from a prefix: some hundred, however many projects there are. */
export const similarPrefixes = (prefix: string): string[] =>
  similarTexts(prefix, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')

/** The numbers at distance 0 or 1 from a number, within the range of task numbers. */
export function similarNumbers(number: number): number[] {
  const similar = similarTexts(String(number), '0123456789').map(Number)
  const candidates = new Set([number - 1, number + 1, ...similar])
  return [...candidates].filter((one) => one >= 1 && one <= MAX_TASK_NUMBER)
}

const MAX_SUGGESTIONS = 5

export const readDeletedTask: Operation<typeof getDeletedTask, LoadedTask> = async (tx, task) => {
  const { id, short_id, title, project_id, created_by_id, deleted_at } = fromJson(task.json)
  if (deleted_at === null) throw notFound()
  const purged_at = purgeTimeOf(deleted_at)
  if (purged_at <= tx.now) throw notFound()
  const deletion = await tx.one(lastDeletion, { task_id: id })
  const deleted_by_id = deletion?.actor_id ?? null
  return { id, short_id, title, project_id, created_by_id, deleted_at, deleted_by_id, purged_at }
}

export const readTrash: Operation<typeof listDeletedTasks> = async (tx, _, { page }) => {
  const rows = await tx.all(selectDeletedTasks(toListOrder(page, 'tasks.deleted_at')), {
    ...toPageWindow(page),
    trash_since: trashSince(tx.nowMs),
  })
  return page.toPage(
    rows.map(({ prefix, number, ...row }) => {
      const deleted_at = row.deleted_at ?? ''
      const short_id = `${prefix}-${number}`
      const purged_at = purgeTimeOf(deleted_at)
      const json = toJson<ListedDeletedTask>({ ...row, deleted_at, short_id, purged_at })
      return { id: row.id, key: deleted_at, json }
    }),
  )
}

/** Sorts by the distance of prefix and number, then by how far apart the numbers are. */
export const findSimilarTasks: Operation<typeof listSimilarTasks> = async (tx, _, { query }) => {
  const { short_id } = query
  if (short_id === undefined) throw invalidParameter('short_id', 'is required')
  const [prefix = '', digits = ''] = short_id.toUpperCase().split('-')
  const number = Number(digits)
  const projects = (await tx.all(projectsByPrefixes, { prefixes: similarPrefixes(prefix) }))
    .map((project) => ({ ...project, distance: editDistance(prefix, project.known_as) }))
    .toSorted((a, b) => a.distance - b.distance)
  const numbers = Number.isSafeInteger(number) ? similarNumbers(number) : []
  const project_ids = [...new Set(projects.map(({ id }) => id))]
  const matches = await tx.all(tasksByNumbers, { project_ids, numbers })
  const ranked = matches.map(({ project_id, ...task }) => {
    const project = projects.find(({ id }) => id === project_id)
    const distance = (project?.distance ?? 2) + editDistance(digits, String(task.number))
    return { ...task, short_id: `${project?.prefix}-${task.number}`, distance }
  })
  const numberDistance = (task: { number: number }) => Math.abs(task.number - number)
  ranked.sort(
    (a, b) =>
      a.distance - b.distance || numberDistance(a) - numberDistance(b) || (a.id < b.id ? -1 : 1),
  )
  return {
    data: ranked
      .slice(0, MAX_SUGGESTIONS)
      .map(({ id, short_id, title }) => ({ id, short_id, title })),
  }
}
