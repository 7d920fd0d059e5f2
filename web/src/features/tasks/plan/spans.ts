import type { ProjectIndex } from '../../../data/project-index.ts'
import { idOfNumber, taskOf } from '../../../data/task-store.ts'
import { isFinished } from '../../../data/task-view.ts'
import { dayOfNumber, formatDay, type PlainDate } from '../../../lib/day.ts'
import { m } from '../../../messages/views.ts'

/** When a task begins and is due; it has one of the two. */
export interface Span {
  start: PlainDate | null
  due: PlainDate | null
}

/** Asks an index for the days of its tasks, too. */
export const WITH_SPANS = { spans: true }

/** In words: "12 Mar to 14 Mar". */
export function wordsOf({ start, due }: Span): string {
  if (start && due) return m.between(formatDay(start), formatDay(due))
  if (start) return m.startsOn(formatDay(start))
  return due ? m.dueOn(formatDay(due)) : m.noDates
}

/** The first and the last day that a span takes: the same where it has only one. */
export const firstOf = ({ start, due }: Span): PlainDate => start ?? due ?? ''
export const lastOf = ({ start, due }: Span): PlainDate => due ?? start ?? ''

/** The days of the tasks of a view, and what waits for what: what the page knows of a task goes before the index. */
export class Spans {
  readonly #project_id: string
  readonly #said = new Map<number, Span>()
  /** What each waits for. */
  readonly #blockers = new Map<number, number[]>()
  /** What waits for each. */
  readonly #waiting = new Map<number, number[]>()

  constructor(project_id: string, { spans = [], blocks = [] }: Partial<ProjectIndex>) {
    this.#project_id = project_id
    const day = (number: number | null) => (number === null ? null : dayOfNumber(number))
    for (const [number, start, due] of spans) {
      this.#said.set(number, { start: day(start), due: day(due) })
    }
    for (const [blocker, blocked] of blocks) {
      push(this.#blockers, blocked, blocker)
      push(this.#waiting, blocker, blocked)
    }
  }

  of(number: number): Span | undefined {
    const task = this.#taskOf(number)
    if (!task) return this.#said.get(number)
    const { start_date: start, due_date: due } = task
    return start || due ? { start, due } : undefined
  }

  /** Pairs of a blocker and what waits for it in which a task stands. */
  linksOf(number: number): [number, number][] {
    return [
      ...(this.#blockers.get(number) ?? []).map((one): [number, number] => [one, number]),
      ...(this.#waiting.get(number) ?? []).map((one): [number, number] => [number, one]),
    ]
  }

  /** What a task waits for and what ends only after it begins; what is finished keeps nobody waiting. */
  lateBlockersOf(number: number): number[] {
    return (this.#blockers.get(number) ?? []).filter((one) => this.isLate(one, number))
  }

  isLate(blocker: number, blocked: number): boolean {
    const [before, after] = [this.of(blocker), this.of(blocked)]
    const task = this.#taskOf(blocker)
    if (!before || !after || (task && isFinished(task))) return false
    return lastOf(before) > firstOf(after)
  }

  #taskOf(number: number) {
    return taskOf(idOfNumber(this.#project_id, number) ?? '')
  }
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}
