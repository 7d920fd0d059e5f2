import { TaskRowLoader } from '../../../data/cache/task-rows.ts'

/** Loads the tasks of the cards that are visible in any column, in shared requests. */
export class BoardRows {
  readonly #rows: TaskRowLoader
  readonly #visible = new Map<string, readonly number[]>()
  #isScheduled = false

  constructor(project_id: string, onLoaded: () => void) {
    this.#rows = new TaskRowLoader(project_id, onLoaded)
  }

  /** Sets the visible tasks of a column. */
  show(column: string, numbers: readonly number[]): void {
    this.#visible.set(column, numbers)
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#rows.request([...this.#visible.values()].flat())
    })
  }
}
