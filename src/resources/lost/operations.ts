import { invalidParameter, notFound } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import { timestampOf } from '#lib/clock.ts'
import { fromJson } from '#lib/json.ts'
import type { FoundTask } from '#resources/tasks/load.ts'
import type { getNear, getTrashed } from './contract.ts'
import { numbersLike, slipsBetween } from './likeness.ts'
import { lastDeletion, prefixesSeen, tasksNumbered } from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MOST_NEAR = 5

export const trashed: Operation<typeof getTrashed, FoundTask> = async (tx, task) => {
  const { id, short_id, title, deleted_at } = fromJson(task.json)
  if (deleted_at === null) throw notFound()
  const purged_at = timestampOf(Date.parse(deleted_at) + tx.settings.trashDays * DAY_MS)
  if (purged_at <= tx.now) throw notFound()
  const deletion = await tx.one(lastDeletion, { task_id: id })
  const deleted_by_id = deletion?.actor_id ?? null
  return { id, short_id, title, deleted_at, deleted_by_id, purged_at }
}

/** The same prefix before others like it, and of each the numbers that are nearest. */
export const near: Operation<typeof getNear> = async (tx, _, { query }) => {
  const { short_id } = query
  if (short_id === undefined) throw invalidParameter('short_id', 'short_id is required.')
  const [prefix = '', digits = ''] = short_id.toUpperCase().split('-')
  const number = Number(digits)
  const projects = (await tx.all(prefixesSeen, {}))
    .map((project) => ({ ...project, slips: slipsBetween(prefix, project.known_as) }))
    .filter(({ slips }) => slips < 2)
    .toSorted((a, b) => a.slips - b.slips)
  const numbers = Number.isSafeInteger(number) ? numbersLike(number) : []
  const project_ids = [...new Set(projects.map(({ id }) => id))]
  const found = await tx.all(tasksNumbered, { project_ids, numbers })
  const ranked = found.map(({ project_id, ...task }) => {
    const of = projects.find(({ id }) => id === project_id)
    const slips = (of?.slips ?? 2) + slipsBetween(digits, String(task.number))
    return { ...task, short_id: `${of?.prefix}-${task.number}`, slips }
  })
  const far = (task: { number: number }) => Math.abs(task.number - number)
  ranked.sort((a, b) => a.slips - b.slips || far(a) - far(b) || (a.id < b.id ? -1 : 1))
  return {
    data: ranked.slice(0, MOST_NEAR).map(({ id, short_id, title }) => ({ id, short_id, title })),
  }
}
