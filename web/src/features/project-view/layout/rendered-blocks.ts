import type { ListLayout, TaskSection } from './list-layout.ts'

/** The part of a section that is rendered into the DOM. */
export interface RenderedBlock {
  section: TaskSection
  /** Index of its first item; `end` is exclusive. */
  start: number
  end: number
  /** Indexes of the rendered rows, without the group header. */
  rows: readonly number[]
}

/**
 * The blocks between two items. The row of the cursor is always included, wherever it is, because
 * it has the focus.
 */
export function toRenderedBlocks(
  layout: ListLayout,
  first: number,
  last: number,
  cursor?: number,
): RenderedBlock[] {
  const blocks: RenderedBlock[] = []
  for (const [at, section] of layout.sections.entries()) {
    const start = layout.starts[at] ?? 0
    const end = layout.starts[at + 1] ?? start
    const hasCursor = cursor !== undefined && cursor >= start && cursor < end
    if (!hasCursor && (start > last || end <= first)) continue
    const from = Math.max(first, start + (layout.hasHeaders ? 1 : 0))
    const to = Math.min(last + 1, end)
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
    if (hasCursor && !rows.includes(cursor)) rows.push(cursor)
    blocks.push({ section, start, end, rows })
  }
  return blocks
}

/**
 * The numbers of the tasks to load, most urgent first: the viewport, then one page below and above.
 */
export function listNumbersAround(layout: ListLayout, first: number, last: number): number[] {
  const pageSize = last - first + 1
  const numbers: number[] = []
  const add = (from: number, to: number) => {
    for (let index = Math.max(0, from); index <= Math.min(layout.size - 1, to); index += 1) {
      const item = layout.itemAt(index)
      if (item?.kind === 'task') numbers.push(item.line.number)
    }
  }
  add(first, last)
  add(last + 1, last + pageSize)
  add(first - pageSize, first - 1)
  return numbers
}
