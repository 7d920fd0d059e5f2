import { useMemo, useState } from 'react'
import type { Task } from '#resources/tasks/fields.ts'
import { delay } from '../../lib/browser/delay.ts'
import { fetchOrThrow } from '../../lib/http/fetch-or-throw.ts'
import { orCached } from '../../lib/http/fetch-with-cache.ts'
import { getPageSessionHeaders } from '../../lib/http/page-session.ts'
import { isRetryable } from '../../lib/http/problem.ts'
import { cacheReplies, readCached } from '../../lib/http/reply-cache.ts'
import { readErrorResponse } from '../../lib/http/request-endpoint.ts'
import { waitForRateLimitPause } from '../../lib/http/request-pause.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { waitForSessionMatch } from '../session/current-session.ts'
import { findTaskIdByNumber, getCachedTask, putTasks } from '../tasks/task-store.ts'

const MAX_TASKS_PER_REQUEST = 100
const MAX_PARALLEL_REQUESTS = 2
/** Rows that rush by are gone before they are loaded, and each reply takes part of a frame. */
const MIN_REQUEST_INTERVAL_MS = 100
const RETRY_DELAY_MS = 2_000

/** Fetches at most 100 tasks of a project by number; those that do not exist are left out. */
export async function fetchTaskRows(
  project_id: string,
  numbers: readonly number[],
): Promise<Task[]> {
  await waitForRateLimitPause()
  const loading = loadRows(`/internal/projects/${project_id}/rows?numbers=${numbers.join(',')}`)
  return orCached(loading, () => readCachedRows(project_id, numbers))
}

async function loadRows(address: string): Promise<Task[]> {
  const headers = getPageSessionHeaders()
  const response = await fetchOrThrow(address, { credentials: 'same-origin', headers })
  if (!response.ok) throw await readErrorResponse(response)
  const { data } = (await response.json()) as { data: Task[] }
  cacheTaskRows(data)
  return data
}

/** Undefined if the cache lacks some of them: such tasks may still exist. */
async function readCachedRows(
  project_id: string,
  numbers: readonly number[],
): Promise<Task[] | undefined> {
  const cached = await Promise.all(
    numbers.map((number) => readCached(rowCacheKey(project_id, number))),
  )
  const tasks = cached.flatMap((one) => (one ? (JSON.parse(one.text) as Task) : []))
  if (tasks.length < numbers.length) return undefined
  putTasks(tasks)
  return tasks
}

const rowCacheKey = (project_id: string, number: number) => `row ${project_id} ${number}`

/** Caches the rows of tasks for use without a network. */
export const cacheTaskRows = (tasks: readonly Task[]): void =>
  cacheReplies(
    tasks.map((task) => [rowCacheKey(task.project_id, task.number), JSON.stringify(task)]),
  )

/** Whether the store has a task of that number. */
export const isTaskLoaded = (project_id: string, number: number): boolean =>
  getCachedTask(findTaskIdByNumber(project_id, number) ?? '') !== undefined

/** Loads those tasks that are not in the store yet, e.g. before a bulk change. */
export async function loadMissingTasks(
  project_id: string,
  numbers: readonly number[],
): Promise<void> {
  const missing = numbers.filter((number) => number > 0 && !isTaskLoaded(project_id, number))
  for (let at = 0; at < missing.length; at += MAX_TASKS_PER_REQUEST) {
    putTasks(await fetchTaskRows(project_id, missing.slice(at, at + MAX_TASKS_PER_REQUEST)))
  }
}

/**
 * Loads the rows of a list, 100 per request. The latest request for rows replaces earlier ones, so
 * rows that have scrolled out of view before their turn are not fetched.
 */
export class TaskRowLoader {
  readonly #project_id: string
  readonly #onLoaded: () => void
  readonly #requested = new Set<number>()
  /** Numbers that had no task when they were requested. */
  readonly #missing = new Set<number>()
  #needed: readonly number[] = []
  #wanted: readonly number[] = []
  #running = 0
  #lastRequestAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(project_id: string, onLoaded: () => void) {
    this.#project_id = project_id
    this.#onLoaded = onLoaded
  }

  /**
   * Sets the rows that are needed soon, most urgent first. If one of them is missing, all that may be
   * needed are loaded, so that a list in which a row has moved does not ask for a single one.
   */
  request(needed: readonly number[], all = needed): void {
    this.#needed = needed
    this.#wanted = [...new Set([...needed, ...all])]
    this.#fetchNext()
  }

  /** Whether there is no task of that number. Once a deleted one is restored, the store has it. */
  isMissing(number: number): boolean {
    if (!this.#missing.has(number)) return false
    if (isTaskLoaded(this.#project_id, number)) this.#missing.delete(number)
    return this.#missing.has(number)
  }

  #fetchNext(): void {
    clearTimeout(this.#timer)
    if (this.#running === MAX_PARALLEL_REQUESTS) return
    const wait = this.#lastRequestAt + MIN_REQUEST_INTERVAL_MS - performance.now()
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#fetchNext(), wait)
      return
    }
    const isLacking = (number: number) =>
      number > 0 &&
      !this.#requested.has(number) &&
      !this.isMissing(number) &&
      !isTaskLoaded(this.#project_id, number)
    if (!this.#needed.some(isLacking)) return
    const next = this.#wanted.filter(isLacking).slice(0, MAX_TASKS_PER_REQUEST)
    void this.#fetchRows(next)
    this.#fetchNext()
  }

  async #fetchRows(numbers: readonly number[]): Promise<void> {
    this.#running += 1
    this.#lastRequestAt = performance.now()
    for (const number of numbers) this.#requested.add(number)
    try {
      const tasks = await fetchTaskRows(this.#project_id, numbers)
      const found = new Set(tasks.map(({ number }) => number))
      for (const number of numbers) if (!found.has(number)) this.#missing.add(number)
      putTasks(tasks)
      this.#onLoaded()
      // The store takes no task that it has just removed; asking for it at once would go on and on.
      if (tasks.some(({ number }) => !isTaskLoaded(this.#project_id, number)))
        await delay(RETRY_DELAY_MS)
    } catch (error) {
      if (hasSessionEnded.get()) await waitForSessionMatch()
      else if (isRetryable(error)) await delay(RETRY_DELAY_MS)
      // A rejected request would be rejected again; the project's index shows the reason.
      else for (const number of numbers) this.#missing.add(number)
    } finally {
      for (const number of numbers) this.#requested.delete(number)
      this.#running -= 1
      this.#fetchNext()
    }
  }
}

/** A loader of rows for a component, which renders again whenever some are loaded. */
export function useTaskRowLoader(project_id: string): TaskRowLoader {
  const [, rerender] = useState(0)
  return useMemo(() => new TaskRowLoader(project_id, () => rerender((n) => n + 1)), [project_id])
}
