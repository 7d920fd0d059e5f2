import { type ApiCall, type ApiReply, callApi } from '../support/api/call-api.ts'

/** Sends a request. */
export type SendApiCall = (asking: ApiCall) => Promise<ApiReply>

/**
 * Lets clients increment a counter in a task, each `each` times, by reading it and writing it back
 * with If-Match, and retrying after a 412. Returns the actual and the expected counter and version.
 */
export async function incrementConcurrently(
  ask: SendApiCall,
  task: string,
  clients: number,
  each: number,
) {
  const url = `/api/v1/tasks/${task}`
  const before = await read()
  await Promise.all(Array.from({ length: clients }, runClient))
  const after = await read()
  const sum = clients * each
  return {
    actual: { n: after.n - before.n, version: after.version - before.version },
    expected: { n: sum, version: sum },
  }

  async function runClient(): Promise<void> {
    for (let done = 0; done < each; ) {
      const { n, etag } = await read()
      const headers = { 'if-match': etag }
      const body = { custom_fields: { n: n + 1 } }
      const { status } = await ask({ method: 'PATCH', url, body, headers })
      if (status === 200) done += 1
      else if (status !== 412) throw new Error(`${status}`)
    }
  }

  async function read() {
    const { text, headers } = await ask({ method: 'GET', url })
    const task = JSON.parse(text) as { custom_fields: { n?: number }; version: number }
    return { n: task.custom_fields.n ?? 0, version: task.version, etag: headers.etag ?? '' }
  }
}

/** Sends requests to a server with an API key. */
export const callWithKey =
  (server: Parameters<typeof callApi>[0], key: string): SendApiCall =>
  (one) =>
    callApi(server, key, one)

/** Counts how often each outcome occurs. */
export function countOutcomes(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
