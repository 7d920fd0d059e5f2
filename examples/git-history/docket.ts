import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Problem } from './records.ts'

/** A reply that no repetition will change. */
export class Refused extends Error {
  readonly status: number
  readonly problem: Problem

  constructor(status: number, problem: Problem) {
    const details = problem.details.map(({ field, message }) => `${field}: ${message}`)
    super([`${status} ${problem.code}`, problem.message, ...details].join(' — '))
    this.status = status
    this.problem = problem
  }
}

export interface Settings {
  url: string
  key: string
  /** Part of every Idempotency-Key: with another word nothing that was done counts as done. */
  word: string
  /** Told of each wait: how long and why. */
  onWait: (milliseconds: number, why: string) => void
}

interface Page<T> {
  data: T[]
  next_cursor: string | null
}

const TIMEOUT = 60_000
const MINUTE = 60_000
const TRIES = 8
const LONGEST_WAIT = 30_000
const JITTER = 1_000

/** Docket's API with the patience that its contract asks of clients. `fetch` keeps connections. */
export function docket({ url, key, word, onWait }: Settings) {
  /** Shared by all requests under way: the limit is the workspace's, not a request's. */
  let quietUntil = 0
  const counted = { requests: 0, limited: 0 }

  async function get<T>(path: string): Promise<T> {
    return (await call<T>('GET', path, {})).body
  }

  async function* list<T>(path: string): AsyncGenerator<T> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: Page<T> = await get(`${path}?limit=200${from}`)
      yield* page.data
      cursor = page.next_cursor
    }
  }

  /**
   * The key is made of what is sent: the same request, sent again by this run or by another one
   * within a day, is answered by the reply of the first and does nothing (`replayed`).
   */
  function post<T>(path: string, body: object): Promise<{ body: T; replayed: boolean }> {
    const text = JSON.stringify(body)
    const hash = createHash('sha256').update(`${word}\n${path}\n${text}`).digest('base64url')
    const headers = { 'content-type': 'application/json', 'idempotency-key': `git-history-${hash}` }
    return call<T>('POST', path, { headers, body: text })
  }

  async function call<T>(method: string, path: string, sent: RequestInit) {
    const headers = { ...sent.headers, authorization: `Bearer ${key}` }
    for (let failures = 0; ; ) {
      if (Date.now() < quietUntil) await sleep(quietUntil - Date.now())
      counted.requests += 1
      const signal = AbortSignal.timeout(TIMEOUT)
      // A connection that breaks leaves the outcome unknown, as a 503 does; the key settles it.
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
      // Waiting for the next minute costs less than being refused in this one.
      if (headerOf('x-ratelimit-remaining') === '0') {
        pause(secondsIn(headerOf('x-ratelimit-reset')) * 1000 - Date.now())
      }
      if (reply.reply?.ok) {
        const replayed = headerOf('idempotency-replayed') === 'true'
        return { body: JSON.parse(reply.text) as T, replayed }
      }
      const problem = problemIn(reply.text)
      const passing = status === 0 || status >= 500 || problem.code === 'idempotency_in_progress'
      failures += 1
      if (!passing || failures === TRIES) throw new Refused(status, problem)
      const asked = secondsIn(headerOf('retry-after')) * 1000
      const wait = asked + Math.random() * Math.min(LONGEST_WAIT, 250 * 2 ** failures)
      onWait(wait, `${status || 'no reply'}: ${problem.message}`)
      await sleep(wait)
    }
  }

  /** The clocks of two machines may differ, but a window never lasts longer than a minute. */
  function pause(milliseconds: number): void {
    const least = Math.min(Math.max(milliseconds, 0), MINUTE)
    if (Date.now() + least <= quietUntil) return
    const wait = least + Math.random() * JITTER
    quietUntil = Date.now() + wait
    onWait(wait, 'the requests of this minute are used')
  }

  return { get, list, post, counted }
}

export type Docket = ReturnType<typeof docket>

const secondsIn = (header: string | null | undefined) => Number(header) || 0

const reasonOf = (error: Error) =>
  error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message

/** A proxy in between may answer with something else than Docket's errors. */
function problemIn(text: string): Problem {
  try {
    const { error } = JSON.parse(text) as { error?: Problem }
    if (error) return error
  } catch {
    // Not JSON: told below as it came.
  }
  return { code: 'no_docket_error', message: text.slice(0, 200), details: [] }
}
