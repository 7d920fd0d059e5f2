import { invalidParameter } from '#core/api-error.ts'
import type { ListRow } from '#core/page-request.ts'
import type { Operation, OperationInput } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { withoutHtmlComments } from '#lib/html-comments.ts'
import { type Json, toJson } from '#lib/json.ts'
import { createSnippet } from '#lib/snippet.ts'
import { MATCH_FIELDS, type SearchResult, type searchTasks } from './contract.ts'
import { cursorKeyOfHit, findHits, type SearchHit } from './find-hits.ts'
import { matchedComments, matchedTasks } from './store.ts'

export type SearchQuery = OperationInput<typeof searchTasks>['query']

export const findTasks: Operation<typeof searchTasks> = async (tx, _, { query, page }) => {
  const { q } = query
  if (q === undefined) throw invalidParameter('q', 'is required')
  const { words, hits, isTruncated } = await findHits(tx, { ...query, q }, page)
  const rows = await toRows(tx, hits.slice(0, page.limit), words)
  return page.toPage(rows, isTruncated)
}

/** The records of hits, without those that were deleted in the meantime. */
async function toRows(tx: ReadTx, hits: readonly SearchHit[], words: readonly string[]) {
  const comments = hits.flatMap(({ comment_id }) => comment_id ?? [])
  const tasks = await tx.all(matchedTasks, { ids: hits.map(({ id }) => id) })
  const bodies = comments.length > 0 ? await tx.all(matchedComments, { ids: comments }) : []
  const taskById = new Map(tasks.map((task) => [task.id, task]))
  const bodyById = new Map(bodies.map(({ id, body }) => [id, body]))
  return hits.flatMap((hit): ListRow<SearchResult>[] => {
    const { id, rank, comment_id } = hit
    const task = taskById.get(id)
    const texts = [task?.title, task?.title, task?.description, bodyById.get(comment_id ?? '')]
    const text = texts[rank]
    if (!task || text === undefined) return []
    const match = {
      where: MATCH_FIELDS[rank],
      comment_id,
      // The app shows no comments of HTML. A title is no Markdown.
      snippet: createSnippet(rank < 2 ? (text ?? '') : withoutHtmlComments(text ?? ''), words),
    }
    const json = `{"task":${task.json},${toJson(match).slice(1)}` as Json<SearchResult>
    return [{ id, key: cursorKeyOfHit(hit), json }]
  })
}
