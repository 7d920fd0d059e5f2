import type { FastifyInstance } from 'fastify'
import { callApiForJson } from '../support/api/call-api.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'

/** Reads the ids of the page after a position. `next` is missing on the last page. */
export type ReadPage = (after: string | undefined) => Promise<{ ids: string[]; next?: string }>

/** Reads pages by cursor, as a client does. */
export const readPagesByCursor =
  (server: FastifyInstance, key: string, url: string): ReadPage =>
  async (after) => {
    const cursor = after === undefined ? '' : `&cursor=${after}`
    const joint = url.includes('?') ? '&' : '?'
    const page = await callApiForJson<{
      data: { id: string }[]
      next_cursor: string | null
      has_more: boolean
    }>(server, key, { method: 'GET', url: `${url}${joint}limit=7${cursor}` })
    if (page.has_more !== (page.next_cursor !== null)) throw new Error('has_more and cursor differ')
    const ids = page.data.map(({ id }) => id)
    return page.next_cursor === null ? { ids } : { ids, next: page.next_cursor }
  }

/** Reads a list to its end, with changes between the pages, and returns all ids in their order. */
export async function walkPages(pages: ReadPage, between: (ids: string[]) => Promise<void>) {
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

/** Finds records that existed all the time but were not read exactly once, or not in order. */
export function findWalkFaults(seen: readonly string[], stable: readonly string[]): string[] {
  const stableIds = new Set(stable)
  const readStable = seen.filter((id) => stableIds.has(id))
  const times = new Map<string, number>()
  for (const id of readStable) times.set(id, (times.get(id) ?? 0) + 1)
  const wrong = stable.filter((id) => times.get(id) !== 1)
  if (wrong.length > 0) return wrong.map((id) => `${id} came ${times.get(id) ?? 0} times`)
  return readStable.every((id, at) => id === stable[at]) ? [] : ['out of order']
}

/** Creates and deletes other records between pages, among them some that were just read. */
export function createChurn(
  server: FastifyInstance,
  team: TestWorkspace,
  temporary: Set<string>,
  url: string,
  body: object,
) {
  const { owner: key } = team.keys
  const remove = url.includes('/tags') ? '/api/v1/tags' : deletionPathOf(url)
  let at = 0
  return async (ids: string[]): Promise<void> => {
    const last = ids.findLast((id) => temporary.has(id))
    if (last !== undefined) await deleteRecord(last)
    await createRecord()
    const [first] = temporary
    if (at % 3 !== 0 || first === undefined) return
    await deleteRecord(first)
    await createRecord()
  }

  async function deleteRecord(id: string): Promise<void> {
    temporary.delete(id)
    await callApiForJson(server, key, { method: 'DELETE', url: `${remove}/${id}` })
  }

  async function createRecord(): Promise<void> {
    at += 1
    temporary.add(
      (
        await callApiForJson(server, key, {
          method: 'POST',
          url,
          body: { ...body, ...varyFields() },
        })
      ).id,
    )
  }

  function varyFields(): object {
    if ('title' in body)
      return { due_date: at % 3 ? `2026-03-${10 + (at % 20)}` : null, title: `C ${at}` }
    return 'name' in body ? { name: `c ${at} ${Math.random()}` } : {}
  }
}

const deletionPathOf = (url: string): string =>
  url.includes('/comments')
    ? '/api/v1/comments'
    : url.includes('/time-entries')
      ? '/api/v1/time-entries'
      : '/api/v1/tasks'
