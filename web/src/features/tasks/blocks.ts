import type { Layout, Section } from './layout.ts'

/** The part of a section that is in the document. */
export interface Block {
  section: Section
  /** Index of its first item, and of the one after its last. */
  start: number
  end: number
  /** Indexes of the rows that are rendered, without the head. */
  rows: readonly number[]
}

/** What of each section stands between two items, and the row of the cursor wherever that is, for it has the focus. */
export function blocksOf(layout: Layout, first: number, last: number, cursor?: number): Block[] {
  const blocks: Block[] = []
  for (const [at, section] of layout.sections.entries()) {
    const start = layout.starts[at] ?? 0
    const end = layout.starts[at + 1] ?? start
    const held = cursor !== undefined && cursor >= start && cursor < end
    if (!held && (start > last || end <= first)) continue
    const from = Math.max(first, start + (layout.headed ? 1 : 0))
    const to = Math.min(last + 1, end)
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
    if (held && !rows.includes(cursor)) rows.push(cursor)
    blocks.push({ section, start, end, rows })
  }
  return blocks
}

/** The tasks of the viewport, then of a screen below and above it: what is to be read, the most wanted first. */
export function wantedAround(layout: Layout, first: number, last: number): number[] {
  const screen = last - first + 1
  const numbers: number[] = []
  const add = (from: number, to: number) => {
    for (let index = Math.max(0, from); index <= Math.min(layout.size - 1, to); index += 1) {
      const item = layout.at(index)
      if (item?.kind === 'task') numbers.push(item.line.number)
    }
  }
  add(first, last)
  add(last + 1, last + screen)
  add(first - screen, first - 1)
  return numbers
}
