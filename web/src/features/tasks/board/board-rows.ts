import { Rows } from '../../../data/task-rows.ts'

/** Reads the cards that the columns show, all of them together. */
export class BoardRows {
  readonly #rows: Rows
  readonly #shown = new Map<string, readonly number[]>()
  #asking = false

  constructor(project_id: string, arrived: () => void) {
    this.#rows = new Rows(project_id, arrived)
  }

  isGone(number: number): boolean {
    return this.#rows.gone.has(number)
  }

  /** A column shows these now. */
  show(column: string, numbers: readonly number[]): void {
    this.#shown.set(column, numbers)
    if (this.#asking) return
    this.#asking = true
    queueMicrotask(() => {
      this.#asking = false
      this.#rows.want([...this.#shown.values()].flat())
    })
  }
}
