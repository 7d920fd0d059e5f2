import type { ProjectIndex } from '../../../data/cache/project-index.ts'
import { isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { findTaskIdByNumber, getCachedTask } from '../../../data/tasks/task-store.ts'
import { formatDay, fromEpochDay, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'

/** The start and due date of a task; at least one of them is set. */
export interface DateSpan {
  start: PlainDate | null
  due: PlainDate | null
}

/** Query parameters that include the dates of the tasks in the index. */
export const SPANS_PARAMS = { spans: true }

/** Formats a span: "12 Mar to 14 Mar". */
export function formatSpan({ start, due }: DateSpan): string {
  if (start && due) return viewMessages.between(formatDay(start), formatDay(due))
  if (start) return viewMessages.startsOn(formatDay(start))
  return due ? viewMessages.dueOn(formatDay(due)) : viewMessages.noDates
}

/** The first and the last day of a span; they are equal if only one date is set. */
export const getSpanFirstDay = ({ start, due }: DateSpan): PlainDate => start ?? due ?? ''
export const getSpanLastDay = ({ start, due }: DateSpan): PlainDate => due ?? start ?? ''

/** The span of each loaded task: the same object each time, so that its row is not rendered again. */
const loadedSpans = new WeakMap<Task, DateSpan>()

/**
 * The dates and dependencies of the tasks of a view. Loaded tasks take precedence over the index.
 */
export class TaskSpans {
  readonly #project_id: string
  readonly #indexedSpans = new Map<number, DateSpan>()
  /** The blockers of each task. */
  readonly #blockers = new Map<number, number[]>()
  /** The tasks that each task blocks. */
  readonly #blockedTasks = new Map<number, number[]>()
  /** The blockers that were finished when the index was read. */
  readonly #finished: ReadonlySet<number>

  constructor(
    project_id: string,
    { spans = [], blocks = [], finished = [] }: Partial<ProjectIndex>,
  ) {
    this.#project_id = project_id
    this.#finished = new Set(finished)
    const day = (number: number | null) => (number === null ? null : fromEpochDay(number))
    for (const [number, start, due] of spans) {
      this.#indexedSpans.set(number, { start: day(start), due: day(due) })
    }
    for (const [blocker, blocked] of blocks) {
      append(this.#blockers, blocked, blocker)
      append(this.#blockedTasks, blocker, blocked)
    }
  }

  get(number: number): DateSpan | undefined {
    const task = this.#taskOf(number)
    if (!task) return this.#indexedSpans.get(number)
    const { start_date: start, due_date: due } = task
    if (!start && !due) return undefined
    const span = loadedSpans.get(task) ?? { start, due }
    loadedSpans.set(task, span)
    return span
  }

  /** The dates of a task in the index, which may know of a change before the task is read again. */
  getIndexed(number: number): DateSpan | undefined {
    return this.#indexedSpans.get(number)
  }

  /** The [blocker, blocked] pairs that contain a task. */
  dependenciesOf(number: number): [number, number][] {
    return [
      ...(this.#blockers.get(number) ?? []).map((one): [number, number] => [one, number]),
      ...(this.#blockedTasks.get(number) ?? []).map((one): [number, number] => [number, one]),
    ]
  }

  /** The unfinished blockers of a task that end only after it starts. */
  lateBlockersOf(number: number): number[] {
    return (this.#blockers.get(number) ?? []).filter((one) => this.isLate(one, number))
  }

  isLate(blocker: number, blocked: number): boolean {
    const [before, after] = [this.get(blocker), this.get(blocked)]
    const task = this.#taskOf(blocker)
    const isFinished = task ? isTaskFinished(task) : this.#finished.has(blocker)
    if (!before || !after || isFinished) return false
    return getSpanLastDay(before) > getSpanFirstDay(after)
  }

  #taskOf(number: number) {
    return getCachedTask(findTaskIdByNumber(this.#project_id, number) ?? '')
  }
}

function append(map: Map<number, number[]>, key: number, value: number): void {
  const values = map.get(key)
  if (values) values.push(value)
  else map.set(key, [value])
}
