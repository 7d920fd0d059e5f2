import type { ListRow } from '#core/page.ts'
import { invalidParameter } from '#core/refusal.ts'
import type { Asked, Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { type Json, toJson } from '#lib/json.ts'
import { snippetOf } from '#lib/snippet.ts'
import { FOUND_IN, type FoundTask, type searchTasks } from './contract.ts'
import { findHits, type Hit, keyOf } from './hits.ts'
import { bodiesFound, tasksFound } from './store.ts'

export type Query = Asked<typeof searchTasks>['query']

export const search: Operation<typeof searchTasks> = async (tx, _, { query, page }) => {
  const { q } = query
  if (q === undefined) throw invalidParameter('q', 'q is required.')
  const { words, hits, isCut } = await findHits(tx, { ...query, q }, page)
  const shown = await rowsOf(tx, hits.slice(0, page.limit), words)
  return page.cut(shown, isCut)
}

/** Hits as they are shown; what was deleted in the meantime is left out. */
async function rowsOf(tx: ReadTx, hits: readonly Hit[], words: readonly string[]) {
  const comments = hits.flatMap(({ comment_id }) => comment_id ?? [])
  const tasks = await tx.all(tasksFound, { ids: hits.map(({ id }) => id) })
  const bodies = comments.length > 0 ? await tx.all(bodiesFound, { ids: comments }) : []
  const taskBy = new Map(tasks.map((task) => [task.id, task]))
  const bodyBy = new Map(bodies.map(({ id, body }) => [id, body]))
  return hits.flatMap((hit): ListRow<FoundTask>[] => {
    const { id, rank, comment_id } = hit
    const task = taskBy.get(id)
    const texts = [task?.title, task?.title, task?.description, bodyBy.get(comment_id ?? '')]
    const text = texts[rank]
    if (!task || text === undefined) return []
    const rest = { where: FOUND_IN[rank], comment_id, snippet: snippetOf(text ?? '', words) }
    const json = `{"task":${task.json},${toJson(rest).slice(1)}` as Json<FoundTask>
    return [{ id, key: keyOf(hit), json }]
  })
}
