import type { NestedTask } from '../grouping/nest-subtasks.ts'

/** A group of tasks as a view shows it. */
export interface TaskSection {
  key: string
  label: string
  count: number
  estimate: number
  /** What is left of the estimates, in seconds. */
  remaining: number
  spent: number
  lines: readonly NestedTask[]
  folded: boolean
  /** Whether a row for typing a new task is shown at its end. */
  adding: boolean
}

export type LayoutItem =
  | { kind: 'head'; section: TaskSection }
  | { kind: 'task'; section: TaskSection; line: NestedTask }
  | { kind: 'add'; section: TaskSection }

/** The order of all rows of a list. It is computed and not measured, so the scroll bar is exact. */
export class ListLayout {
  readonly sections: readonly TaskSection[]
  readonly size: number
  /** Whether groups have header rows. */
  readonly hasHeaders: boolean
  /**
   * The distance from a section to the one below it: the number of columns of a board with lanes,
   * else 1.
   */
  readonly sectionsPerRow: number
  /** Index of the first item of each section, and of the end of the list. */
  readonly starts: readonly number[]
  #indexes: Map<string, number> | undefined
  #visibleOrder: string[] | undefined

  constructor(sections: readonly TaskSection[], headed: boolean, below = 1) {
    this.sections = sections
    this.hasHeaders = headed
    this.sectionsPerRow = below
    const starts = [0]
    for (const section of sections) starts.push((starts.at(-1) ?? 0) + this.#countItems(section))
    this.starts = starts
    this.size = starts.at(-1) ?? 0
  }

  /** Index of the section that contains an item. */
  sectionAt(index: number): number {
    let low = 0
    let high = this.sections.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return low
  }

  itemAt(index: number): LayoutItem | undefined {
    const sectionIndex = this.sectionAt(index)
    const section = this.sections[sectionIndex]
    if (!section || index >= this.size) return undefined
    const within = index - (this.starts[sectionIndex] ?? 0) - (this.hasHeaders ? 1 : 0)
    if (within < 0) return { kind: 'head', section }
    const line = section.folded ? undefined : section.lines[within]
    return line ? { kind: 'task', section, line } : { kind: 'add', section }
  }

  /** The first index of a task, which may be in several groups. */
  indexOf(id: string): number | undefined {
    if (!this.#indexes) {
      this.#indexes = new Map()
      for (const [at, section] of this.sections.entries()) {
        if (section.folded) continue
        const start = (this.starts[at] ?? 0) + (this.hasHeaders ? 1 : 0)
        for (const [offset, line] of section.lines.entries()) {
          if (!this.#indexes.has(line.id)) this.#indexes.set(line.id, start + offset)
        }
      }
    }
    return this.#indexes.get(id)
  }

  /** The index of the header of a group. */
  indexOfGroup(key: string | undefined): number | undefined {
    const at = this.sections.findIndex((section) => section.key === key)
    return this.hasHeaders && at >= 0 ? this.starts[at] : undefined
  }

  /** The index of the row for typing a new task, or -1. */
  get addIndex(): number {
    return (this.starts[this.sections.findIndex(({ adding }) => adding) + 1] ?? 0) - 1
  }

  /** The ids of the tasks in expanded groups, in order. */
  get order(): readonly string[] {
    this.#visibleOrder ??= listIds(this.sections.filter(({ folded }) => !folded))
    return this.#visibleOrder
  }

  /** The ids of all tasks of the view, including those in folded groups. */
  get allIds(): readonly string[] {
    return listIds(this.sections)
  }

  #countItems({ folded, lines, adding }: TaskSection): number {
    return (this.hasHeaders ? 1 : 0) + (folded ? 0 : lines.length) + (adding ? 1 : 0)
  }
}

const listIds = (sections: readonly TaskSection[]): string[] => [
  ...new Set(sections.flatMap(({ lines }) => lines.map(({ id }) => id))),
]
