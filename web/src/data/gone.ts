import type { getNear, getTrashed, Trashed } from '#resources/lost/contract.ts'
import { call } from '../lib/call.ts'
import { Problem } from '../lib/problem.ts'

/** What the bin has of a task, by id or short id; undefined if it is not there. */
export async function readTrashed(id: string): Promise<Trashed | undefined> {
  try {
    return await call<typeof getTrashed>('GET /internal/tasks/:id/trash', { params: { id } })
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  }
}

/** Tasks with a short id like one that there is not. */
export async function readNear(short_id: string): Promise<{ short_id: string; title: string }[]> {
  if (!/^[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]*$/.test(short_id)) return []
  return (await call<typeof getNear>('GET /internal/near', { query: { short_id } })).data
}
