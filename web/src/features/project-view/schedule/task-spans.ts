import { isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
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

/** The dates and dependencies of the tasks of a view, as the page has them at any time. */
export class TaskSpans {
  readonly #findTask: (id: string) => Task | undefined
  /** The tasks that each task blocks. */
  readonly #blockedIds = new Map<string, string[]>()

  constructor(findTask: (id: string) => Task | undefined, ids: Iterable<string>) {
    this.#findTask = findTask
    for (const id of new Set(ids)) {
      for (const blocker of this.#blockersOf(id)) {
        const blocked = this.#blockedIds.get(blocker)
        if (blocked) blocked.push(id)
        else this.#blockedIds.set(blocker, [id])
      }
    }
  }

  get(id: string): DateSpan | undefined {
    const task = this.#findTask(id)
    if (!task) return undefined
    const { start_date: start, due_date: due } = task
    if (!start && !due) return undefined
    const span = spanOfTask.get(task) ?? { start, due }
    spanOfTask.set(task, span)
    return span
  }

  /** The [blocker, blocked] pairs that contain a task. */
  dependenciesOf(id: string): [string, string][] {
    return [
      ...this.#blockersOf(id).map((one): [string, string] => [one, id]),
      ...(this.#blockedIds.get(id) ?? []).map((one): [string, string] => [id, one]),
    ]
  }

  /** The unfinished blockers of a task that end only after it starts. */
  lateBlockersOf(id: string): readonly string[] {
    return this.#blockersOf(id).filter((one) => this.isLate(one, id))
  }

  isLate(blocker: string, blocked: string): boolean {
    const [before, after] = [this.get(blocker), this.get(blocked)]
    const task = this.#findTask(blocker)
    if (!before || !after || !task || isTaskFinished(task)) return false
    return getSpanLastDay(before) > getSpanFirstDay(after)
  }

  /** The blockers of a task that the page holds. */
  #blockersOf(id: string): readonly string[] {
    return this.#findTask(id)?.blocked_by_ids.filter((one) => this.#findTask(one)) ?? []
  }
}
