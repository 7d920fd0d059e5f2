import { type Asking, call, type Replied } from './world/call.ts'

/** Sends a request: a server's own way, or one that does something wrong. */
export type Ask = (asking: Asking) => Promise<Replied>

/**
 * Clients add one to a counter kept in a task, each `each` times, by reading it and writing it back
 * under If-Match, again when it was changed meanwhile. Gives what the counter and the version should
 * be, and are.
 */
export async function count(ask: Ask, task: string, clients: number, each: number) {
  const url = `/api/v1/tasks/${task}`
  const before = await read()
  await Promise.all(Array.from({ length: clients }, client))
  const after = await read()
  const sum = clients * each
  return {
    is: { n: after.n - before.n, version: after.version - before.version },
    ought: { n: sum, version: sum },
  }

  async function client(): Promise<void> {
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

/** Compares If-Match before the write has its turn, and then writes without it. */
export const comparingOutside =
  (ask: Ask): Ask =>
  async (asking) => {
    const { 'if-match': wanted, ...headers } = asking.headers ?? {}
    if (wanted === undefined) return ask(asking)
    const { headers: now } = await ask({ method: 'GET', url: asking.url })
    if (now.etag !== wanted) return { status: 412, headers: {}, text: '' }
    return ask({ ...asking, headers })
  }

/** The usual way to ask: a server, with a key. */
export const asking =
  (server: Parameters<typeof call>[0], key: string): Ask =>
  (one) =>
    call(server, key, one)

/** How often each outcome came. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
