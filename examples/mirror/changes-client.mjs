// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @typedef {{ project_id?: string, task_id?: string }} CopiedRecord
 * @typedef {{ op: 'put', type: string, id: string, project_id: string | null, record: CopiedRecord }} Put
 * @typedef {Put | { op: 'delete' | 'reset', type: string, id: string }} Change
 * @typedef {{ data: Change[], position: string, has_more: boolean }} ChangeBatch
 */

const REQUEST_TIMEOUT_MS = 120_000
const MAX_ATTEMPTS = 5
const MAX_BACKOFF_MS = 30_000
const MAX_JITTER_MS = 500
/** What a person can do about an error, by its code. */
const HINTS = new Map([
  ['invalid_cursor', 'The copy was made with another key or other scopes. Name another file.'],
  ['invalid_token', 'Check DOCKET_KEY.'],
  ['token_expired', 'Check DOCKET_KEY.'],
])

/**
 * Reads changes, and waits and tries again after a 429, a 5xx or no reply: without end if
 * `isPersistent`.
 *
 * @param {{ url: string, key: string, isPersistent: boolean, stop: AbortSignal }} options
 */
export function createChangesClient({ url, key, isPersistent, stop }) {
  /**
   * Returns undefined if the position has expired.
   *
   * @param {string | undefined} position where the last reply ended; undefined at the beginning
   * @param {number} wait seconds that the server waits if there is nothing new
   * @returns {Promise<ChangeBatch | undefined>}
   */
  async function load(position, wait) {
    const query = new URLSearchParams({ limit: '500', wait: String(wait) })
    if (position) query.set('after', position)
    for (let attempt = 1; ; attempt += 1) {
      const { status, body, message, retryAfterMs } = await get(`/api/v1/changes?${query}`)
      if (status === 200 && Array.isArray(body?.data)) return body
      if (status === 410 && position) return undefined
      const isTemporary = status === 0 || status === 429 || status >= 500
      const isLast = !isPersistent && attempt >= MAX_ATTEMPTS && status !== 429
      if (!isTemporary || isLast) throw new Error(message)
      const backoffMs = Math.min(MAX_BACKOFF_MS, 500 * 2 ** attempt)
      const pauseMs = (retryAfterMs ?? backoffMs) + Math.random() * MAX_JITTER_MS
      console.error(`${message} Trying again in ${Math.ceil(pauseMs / 1000)} s.`)
      await sleep(pauseMs, undefined, { signal: stop })
    }
  }

  /** @param {string} path */
  async function get(path) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])
    try {
      const reply = await fetch(url + path, { headers: { authorization: `Bearer ${key}` }, signal })
      const body = parseJson(await reply.text())
      const retryAfter = reply.headers.get('retry-after')
      const retryAfterMs = retryAfter === null ? undefined : toMilliseconds(retryAfter)
      return { status: reply.status, body, retryAfterMs, message: describe(reply, body?.error) }
    } catch (error) {
      stop.throwIfAborted()
      const { cause, message } = /** @type {Error} */ (error)
      const reason = cause instanceof Error ? cause.message : message
      return { status: 0, message: `No reply from ${url}: ${reason}.` }
    }
  }

  /**
   * @param {Response} reply
   * @param {{ code: string, message: string } | undefined} problem
   */
  function describe({ status }, problem) {
    if (!problem) return `${url} does not reply like Docket (status ${status}).`
    const { code, message } = problem
    return [`${status} ${code}: ${message}`, HINTS.get(code)].filter(Boolean).join(' ')
  }

  return { load }
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    // Of a proxy, for example; the status says what to do.
  }
}

/**
 * The time that a Retry-After header says: seconds or a date (RFC 9110 §10.2.3).
 *
 * @param {string} header
 */
function toMilliseconds(header) {
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000
  return ms >= 0 ? ms : undefined
}
