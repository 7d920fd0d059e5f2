import type { Line } from './placement.ts'

/** A group as it is shown. */
export interface Section {
  key: string
  label: string
  count: number
  estimate: number
  spent: number
  lines: readonly Line[]
  folded: boolean
  /** A row to type a new task stands at its end. */
  adding: boolean
}

export type Item =
  | { kind: 'head'; section: Section }
  | { kind: 'task'; section: Section; line: Line }
  | { kind: 'add'; section: Section }

/** Where each row of a list stands, reckoned and not measured: the scroll bar is exact. */
export class Layout {
  readonly sections: readonly Section[]
  readonly size: number
  /** Whether groups have heads. */
  readonly headed: boolean
  /** How many sections on the one below another is: of a board with lanes, as many as there are columns. */
  readonly below: number
  /** Index of the first item of each section; one more for the end. */
  readonly starts: readonly number[]
  #places: Map<number, number> | undefined
  #order: number[] | undefined

  constructor(sections: readonly Section[], headed: boolean, below = 1) {
    this.sections = sections
    this.headed = headed
    this.below = below
    const starts = [0]
    for (const section of sections) starts.push((starts.at(-1) ?? 0) + this.#lengthOf(section))
    this.starts = starts
    this.size = starts.at(-1) ?? 0
  }

  /** The section in which an item stands. */
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

  at(index: number): Item | undefined {
    const place = this.sectionAt(index)
    const section = this.sections[place]
    if (!section || index >= this.size) return undefined
    const within = index - (this.starts[place] ?? 0) - (this.headed ? 1 : 0)
    if (within < 0) return { kind: 'head', section }
    const line = section.folded ? undefined : section.lines[within]
    return line ? { kind: 'task', section, line } : { kind: 'add', section }
  }

  /** The first place of a task; it has several where it is in several groups. */
  indexOf(number: number): number | undefined {
    if (!this.#places) {
      this.#places = new Map()
      for (const [at, section] of this.sections.entries()) {
        if (section.folded) continue
        const start = (this.starts[at] ?? 0) + (this.headed ? 1 : 0)
        for (const [offset, line] of section.lines.entries()) {
          if (!this.#places.has(line.number)) this.#places.set(line.number, start + offset)
        }
      }
    }
    return this.#places.get(number)
  }

  /** The numbers of the tasks that are not folded away, in order. */
  get order(): readonly number[] {
    this.#order ??= numbersOf(this.sections.filter(({ folded }) => !folded))
    return this.#order
  }

  /** The numbers of all tasks of the view, folded away or not. */
  get everything(): readonly number[] {
    return numbersOf(this.sections)
  }

  #lengthOf({ folded, lines, adding }: Section): number {
    return (this.headed ? 1 : 0) + (folded ? 0 : lines.length) + (adding ? 1 : 0)
  }
}

const numbersOf = (sections: readonly Section[]): number[] => [
  ...new Set(sections.flatMap(({ lines }) => lines.map(({ number }) => number))),
]
