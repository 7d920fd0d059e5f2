import type { Task } from '#resources/tasks/fields.ts'
import { refusalOf } from '../lib/call.ts'
import { keepReplies, recall } from '../lib/kept-replies.ts'
import { pauseOver } from '../lib/pause.ts'
import { isPassing, Unreachable } from '../lib/problem.ts'
import { reach } from '../lib/reach.ts'
import { idOfNumber, putTasks, taskOf } from './task-store.ts'

const AT_ONCE = 100
const PARALLEL = 2
const RETRY_MS = 2_000

/** Asks for tasks of a project by their numbers, at most 100; those that are gone are left out. */
export async function loadRows(project_id: string, numbers: readonly number[]): Promise<Task[]> {
  await pauseOver()
  const address = `/internal/projects/${project_id}/rows?numbers=${numbers.join(',')}`
  const response = await reach(address, { credentials: 'same-origin' }).catch(async (error) => {
    if (!(error instanceof Unreachable)) throw error
    const kept = await Promise.all(numbers.map((number) => recall(rowName(project_id, number))))
    const tasks = kept.flatMap((one) => (one ? (JSON.parse(one.text) as Task) : []))
    putTasks(tasks)
    // What is not kept is not gone.
    if (tasks.length < numbers.length) throw error
    return tasks
  })
  if (Array.isArray(response)) return response
  if (!response.ok) throw await refusalOf(response)
  const { data } = (await response.json()) as { data: Task[] }
  keepRows(data)
  return data
}

const rowName = (project_id: string, number: number) => `row ${project_id} ${number}`

/** Keeps tasks as lists show them, to be read without a network. */
export const keepRows = (tasks: readonly Task[]): void =>
  keepReplies(tasks.map((task) => [rowName(task.project_id, task.number), JSON.stringify(task)]))

/** Whether a task of that number is known here. */
const isKnown = (project_id: string, number: number): boolean =>
  taskOf(idOfNumber(project_id, number) ?? '') !== undefined

/** Reads all of those that are not known yet; for what is done to many at once. */
export async function readAll(project_id: string, numbers: readonly number[]): Promise<void> {
  const unknown = numbers.filter((number) => number > 0 && !isKnown(project_id, number))
  for (let at = 0; at < unknown.length; at += AT_ONCE) {
    putTasks(await loadRows(project_id, unknown.slice(at, at + AT_ONCE)))
  }
}

/**
 * Fills the rows of a list: what is wanted last is read first, a hundred a request, and what has scrolled by
 * before its turn is not read at all.
 */
export class Rows {
  readonly #project_id: string
  readonly #arrived: () => void
  readonly #asked = new Set<number>()
  /** Numbers that have no task any more. */
  readonly gone = new Set<number>()
  #wanted: readonly number[] = []
  #running = 0

  constructor(project_id: string, arrived: () => void) {
    this.#project_id = project_id
    this.#arrived = arrived
  }

  /** The rows of the viewport and a screen around it, the most wanted first. */
  want(numbers: readonly number[]): void {
    this.#wanted = [...new Set(numbers)]
    this.#pump()
  }

  #pump(): void {
    while (this.#running < PARALLEL) {
      const next = this.#wanted
        .filter((number) => number > 0 && !this.#asked.has(number) && !this.gone.has(number))
        .filter((number) => !isKnown(this.#project_id, number))
        .slice(0, AT_ONCE)
      if (next.length === 0) return
      void this.#read(next)
    }
  }

  async #read(numbers: readonly number[]): Promise<void> {
    this.#running += 1
    for (const number of numbers) this.#asked.add(number)
    try {
      const tasks = await loadRows(this.#project_id, numbers)
      const found = new Set(tasks.map(({ number }) => number))
      for (const number of numbers) if (!found.has(number)) this.gone.add(number)
      putTasks(tasks)
      this.#arrived()
    } catch (error) {
      // What is refused would be refused again; the index of the same project tells why.
      if (!isPassing(error)) for (const number of numbers) this.gone.add(number)
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    } finally {
      for (const number of numbers) this.#asked.delete(number)
      this.#running -= 1
      this.#pump()
    }
  }
}
