import { invalidParameter, notFound } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import { purgeTimeOf } from '#core/trash.ts'
import { fromJson } from '#lib/json.ts'
import type { LoadedTask } from '#resources/tasks/load.ts'
import type { getDeletedTask, listSimilarTasks } from './contract.ts'
import { editDistance, similarNumbers, similarPrefixes } from './similarity.ts'
import { lastDeletion, projectsByPrefixes, tasksByNumbers } from './store.ts'

const MAX_SUGGESTIONS = 5

export const readDeletedTask: Operation<typeof getDeletedTask, LoadedTask> = async (tx, task) => {
  const { id, short_id, title, deleted_at } = fromJson(task.json)
  if (deleted_at === null) throw notFound()
  const purged_at = purgeTimeOf(tx.settings, deleted_at)
  if (purged_at <= tx.now) throw notFound()
  const deletion = await tx.one(lastDeletion, { task_id: id })
  const deleted_by_id = deletion?.actor_id ?? null
  return { id, short_id, title, deleted_at, deleted_by_id, purged_at }
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
