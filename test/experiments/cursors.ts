import type { FastifyInstance } from 'fastify'
import type { ReadTx, Storage } from '#core/tx.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { Home } from '../support/home.ts'
import { made } from './world/call.ts'

/** Gives the ids of the page after a position, and the next position; undefined at the end. */
export type Pages = (after: string | undefined) => Promise<{ ids: string[]; next?: string }>

/** The pages of a list as a client reads them. */
export const pagesOf =
  (server: FastifyInstance, key: string, url: string): Pages =>
  async (after) => {
    const cursor = after === undefined ? '' : `&cursor=${after}`
    const joint = url.includes('?') ? '&' : '?'
    const page = await made<{
      data: { id: string }[]
      next_cursor: string | null
      has_more: boolean
    }>(server, key, { method: 'GET', url: `${url}${joint}limit=7${cursor}` })
    if (page.has_more !== (page.next_cursor !== null)) throw new Error('has_more and cursor differ')
    const ids = page.data.map(({ id }) => id)
    return page.next_cursor === null ? { ids } : { ids, next: page.next_cursor }
  }

/** The usual mistake: pages by counting rows. */
export const pagesByOffset =
  (storage: Storage, actor: ReadTx['actor'], project_id: string): Pages =>
  async (after = '0') => {
    const rows = await storage.read(actor, (tx) =>
      tx.all(tasksFrom, { project_id, skipped: Number(after) }),
    )
    const ids = rows.map(({ id }) => id)
    return ids.length < 7 ? { ids } : { ids, next: String(Number(after) + 7) }
  }

const tasksFrom = query((db, $: Scoped<{ project_id: string; skipped: number }>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(7)
    .offset($.skipped),
)

/** Walks a list to its end, with something happening between the pages; gives all ids as they came. */
export async function walk(pages: Pages, between: (ids: string[]) => Promise<void>) {
  const seen: string[] = []
  let after: string | undefined
  do {
    const { ids, next } = await pages(after)
    seen.push(...ids)
    after = next
    await between(ids)
  } while (after !== undefined)
  return seen
}

/** What was there throughout and was not seen exactly once, in the order in which it stands (C7). */
export function faultsOfWalk(seen: readonly string[], stable: readonly string[]): string[] {
  const kept = new Set(stable)
  const found = seen.filter((id) => kept.has(id))
  const times = new Map<string, number>()
  for (const id of found) times.set(id, (times.get(id) ?? 0) + 1)
  const wrong = stable.filter((id) => times.get(id) !== 1)
  if (wrong.length > 0) return wrong.map((id) => `${id} came ${times.get(id) ?? 0} times`)
  return found.every((id, at) => id === stable[at]) ? [] : ['out of order']
}

/** Makes and unmakes records that the walk is not about, and among them those just seen. */
export function churn(
  server: FastifyInstance,
  home: Home,
  ours: Set<string>,
  url: string,
  body: object,
) {
  const { owner: key } = home.keys
  const remove = url.includes('/tags') ? '/api/v1/tags' : removal(url)
  let at = 0
  return async (ids: string[]): Promise<void> => {
    const last = ids.findLast((id) => ours.has(id))
    if (last !== undefined) await forget(last)
    await grow()
    const [first] = ours
    if (at % 3 !== 0 || first === undefined) return
    await forget(first)
    await grow()
  }

  async function forget(id: string): Promise<void> {
    ours.delete(id)
    await made(server, key, { method: 'DELETE', url: `${remove}/${id}` })
  }

  async function grow(): Promise<void> {
    at += 1
    ours.add((await made(server, key, { method: 'POST', url, body: { ...body, ...varied() } })).id)
  }

  function varied(): object {
    if ('title' in body)
      return { due_date: at % 3 ? `2026-03-${10 + (at % 20)}` : null, title: `C ${at}` }
    return 'name' in body ? { name: `c ${at} ${Math.random()}` } : {}
  }
}

const removal = (url: string): string =>
  url.includes('/comments')
    ? '/api/v1/comments'
    : url.includes('/time-entries')
      ? '/api/v1/time-entries'
      : '/api/v1/tasks'
