import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProblemRecord } from './records.ts'

/** An error response that no retry can change. */
export class RequestRejectedError extends Error {
  readonly status: number
  readonly problem: ProblemRecord

  constructor(status: number, problem: ProblemRecord) {
    const details = problem.details.map(({ field, message }) => `${field}: ${message}`)
    super([`${status} ${problem.code}`, problem.message, ...details].join(' — '))
    this.status = status
    this.problem = problem
  }
}

export interface DocketClientOptions {
  url: string
  key: string
  /** Part of every Idempotency-Key: another word makes all requests count as new. */
  keySalt: string
  /** Called before each wait with its length and reason. */
  onWait: (milliseconds: number, why: string) => void
}

interface CursorPage<T> {
  data: T[]
  next_cursor: string | null
}

const REQUEST_TIMEOUT_MS = 60_000
const WINDOW_MS = 60_000
const MAX_TRIES = 8
const MAX_BACKOFF_MS = 30_000
const MAX_JITTER_MS = 1_000

/** A client of Docket's API that waits for rate limits and retries. `fetch` reuses connections. */
export function createDocketClient({ url, key, keySalt, onWait }: DocketClientOptions) {
  /** Shared by all requests, because the rate limit applies to the workspace. */
  let quietUntil = 0
  const counted = { requests: 0, limited: 0 }

  async function get<T>(path: string): Promise<T> {
    return (await call<T>('GET', path, {})).body
  }

  async function* list<T>(path: string): AsyncGenerator<T> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: CursorPage<T> = await get(`${path}?limit=200${from}`)
      yield* page.data
      cursor = page.next_cursor
    }
  }

  /**
   * Derives the idempotency key from the request. The same request, sent again within a day by this
   * or another run, gets the first reply without any effect (`replayed`).
   */
  function post<T>(path: string, body: object): Promise<{ body: T; replayed: boolean }> {
    const text = JSON.stringify(body)
    const hash = createHash('sha256').update(`${keySalt}\n${path}\n${text}`).digest('base64url')
    const headers = { 'content-type': 'application/json', 'idempotency-key': `git-history-${hash}` }
    return call<T>('POST', path, { headers, body: text })
  }

  async function call<T>(method: string, path: string, sent: RequestInit) {
    const headers = { ...sent.headers, authorization: `Bearer ${key}` }
    for (let failures = 0; ; ) {
      if (Date.now() < quietUntil) await sleep(quietUntil - Date.now())
      counted.requests += 1
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
      // After a broken connection or a 503 the outcome is unknown; with the key a retry is safe.
      const reply = await fetch(url + path, { ...sent, method, headers, signal })
        .then(async (reply) => ({ reply, text: await reply.text() }))
        .catch((error: Error) => ({ reply: undefined, text: reasonOf(error) }))
      const status = reply.reply?.status ?? 0
      const headerOf = (name: string) => reply.reply?.headers.get(name)
      if (status === 429) {
        counted.limited += 1
        pause(secondsIn(headerOf('retry-after')) * 1000 || 1_000)
        continue
      }
      // Waiting for the next minute avoids a 429 in this one.
      if (headerOf('x-ratelimit-remaining') === '0') {
        pause(secondsIn(headerOf('x-ratelimit-reset')) * 1000 - Date.now())
      }
      if (reply.reply?.ok) {
        const replayed = headerOf('idempotency-replayed') === 'true'
        return { body: JSON.parse(reply.text) as T, replayed }
      }
      const problem = problemIn(reply.text)
      const isRetryable =
        status === 0 || status >= 500 || problem.code === 'idempotency_in_progress'
      failures += 1
      if (!isRetryable || failures === MAX_TRIES) throw new RequestRejectedError(status, problem)
      const asked = secondsIn(headerOf('retry-after')) * 1000
      const wait = asked + Math.random() * Math.min(MAX_BACKOFF_MS, 250 * 2 ** failures)
      onWait(wait, `${status || 'no reply'}: ${problem.message}`)
      await sleep(wait)
    }
  }

  /** Waits at most a minute, the length of a window, even if the clocks of the machines differ. */
  function pause(milliseconds: number): void {
    const least = Math.min(Math.max(milliseconds, 0), WINDOW_MS)
    if (Date.now() + least <= quietUntil) return
    const wait = least + Math.random() * MAX_JITTER_MS
    quietUntil = Date.now() + wait
    onWait(wait, 'the requests of this minute are used')
  }

  return { get, list, post, counted }
}

export type DocketClient = ReturnType<typeof createDocketClient>

const secondsIn = (header: string | null | undefined) => Number(header) || 0

const reasonOf = (error: Error) =>
  error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message

/** A proxy may answer with something other than Docket's error object. */
function problemIn(text: string): ProblemRecord {
  try {
    const { error } = JSON.parse(text) as { error?: ProblemRecord }
    if (error) return error
  } catch {
    // Not JSON: returned below as the message.
  }
  return { code: 'no_docket_error', message: text.slice(0, 200), details: [] }
}
