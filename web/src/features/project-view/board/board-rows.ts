import { TaskRowLoader } from '../../../data/cache/task-rows.ts'

/** Loads the tasks of the cards that are visible in any column, in shared requests. */
export class BoardRows {
  readonly #rows: TaskRowLoader
  readonly #columns = new Map<string, { needed: readonly number[]; all: readonly number[] }>()
  #isScheduled = false

  constructor(project_id: string, onLoaded: () => void) {
    this.#rows = new TaskRowLoader(project_id, onLoaded)
  }

  /** Sets the tasks of a column that are needed soon, and all that may be (`TaskRowLoader`). */
  show(column: string, needed: readonly number[], all = needed): void {
    this.#columns.set(column, { needed, all })
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      const columns = [...this.#columns.values()]
      this.#rows.request(
        columns.flatMap((one) => one.needed),
        columns.flatMap((one) => one.all),
      )
    })
  }
}
