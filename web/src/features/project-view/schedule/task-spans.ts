import { isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { findTaskIdByNumber, getCachedTask } from '../../../data/tasks/task-store.ts'
import { formatDay, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'

/** The start and due date of a task; at least one of them is set. */
export interface DateSpan {
  start: PlainDate | null
  due: PlainDate | null
}

/** Formats a span: "12 Mar to 14 Mar". */
export function formatSpan({ start, due }: DateSpan): string {
  if (start && due) return viewMessages.between(formatDay(start), formatDay(due))
  if (start) return viewMessages.startsOn(formatDay(start))
  return due ? viewMessages.dueOn(formatDay(due)) : viewMessages.noDates
}

/** The first and the last day of a span; they are equal if only one date is set. */
export const getSpanFirstDay = ({ start, due }: DateSpan): PlainDate => start ?? due ?? ''
export const getSpanLastDay = ({ start, due }: DateSpan): PlainDate => due ?? start ?? ''

/** The span of each task: the same object each time, so that its row is not rendered again. */
const spanOfTask = new WeakMap<Task, DateSpan>()

/** What spans need of the tasks of a project. */
export interface SpannedTasks {
  findByNumber: (number: number) => Task | undefined
  findById: (id: string) => Task | undefined
}

/** The dates and dependencies of the tasks of a view, as the page has them at any time. */
export class TaskSpans {
  readonly #tasks: SpannedTasks
  /** The tasks that each task blocks. */
  readonly #blockedNumbers = new Map<number, number[]>()

  constructor(tasks: SpannedTasks, numbers: Iterable<number>) {
    this.#tasks = tasks
    for (const number of new Set(numbers)) {
      for (const blocker of this.#blockersOf(number)) {
        const blocked = this.#blockedNumbers.get(blocker)
        if (blocked) blocked.push(number)
        else this.#blockedNumbers.set(blocker, [number])
      }
    }
  }

  get(number: number): DateSpan | undefined {
    const task = this.#tasks.findByNumber(number)
    if (!task) return undefined
    const { start_date: start, due_date: due } = task
    if (!start && !due) return undefined
    const span = spanOfTask.get(task) ?? { start, due }
    spanOfTask.set(task, span)
    return span
  }

  /** The [blocker, blocked] pairs that contain a task. */
  dependenciesOf(number: number): [number, number][] {
    return [
      ...this.#blockersOf(number).map((one): [number, number] => [one, number]),
      ...(this.#blockedNumbers.get(number) ?? []).map((one): [number, number] => [number, one]),
    ]
  }

  /** The unfinished blockers of a task that end only after it starts. */
  lateBlockersOf(number: number): number[] {
    return this.#blockersOf(number).filter((one) => this.isLate(one, number))
  }

  isLate(blocker: number, blocked: number): boolean {
    const [before, after] = [this.get(blocker), this.get(blocked)]
    const task = this.#tasks.findByNumber(blocker)
    if (!before || !after || !task || isTaskFinished(task)) return false
    return getSpanLastDay(before) > getSpanFirstDay(after)
  }

  /** The blockers of a task that are in the same project. */
  #blockersOf(number: number): number[] {
    const task = this.#tasks.findByNumber(number)
    if (!task || task.blocked_by_ids.length === 0) return []
    const blockers = task.blocked_by_ids.map((id) => this.#tasks.findById(id))
    return blockers.flatMap((one) => (one?.project_id === task.project_id ? one.number : []))
  }
}

/** Those of a project that the page holds. */
export const spannedTasksOf = (project_id: string): SpannedTasks => ({
  findByNumber: (number) => getCachedTask(findTaskIdByNumber(project_id, number) ?? ''),
  findById: getCachedTask,
})
