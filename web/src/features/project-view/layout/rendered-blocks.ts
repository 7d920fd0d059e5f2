import type { ListLayout, TaskSection } from './list-layout.ts'

/** The part of a section that is rendered into the DOM. */
export interface RenderedBlock {
  section: TaskSection
  /** Index of its first item; `end` is exclusive. */
  start: number
  end: number
  /** Indexes of the rendered items. */
  rows: readonly number[]
}

/**
 * The indexes of a range, and those that are rendered wherever they are, because they have the focus
 * or what somebody has typed. In order, so that the DOM moves no element, which would lose both.
 */
export function listRenderedIndexes(first: number, end: number, kept: readonly number[]): number[] {
  const range = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset)
  return [...new Set([...range, ...kept])].filter((index) => index >= 0).sort((a, b) => a - b)
}

/** The blocks between two items, and those that contain one of the `kept` items. */
export function toRenderedBlocks(
  layout: ListLayout,
  first: number,
  last: number,
  kept: readonly number[],
): RenderedBlock[] {
  const indexes = listRenderedIndexes(first, last + 1, kept)
  const blocks: RenderedBlock[] = []
  for (const [at, section] of layout.sections.entries()) {
    const start = layout.starts[at] ?? 0
    const end = layout.starts[at + 1] ?? start
    const rows = indexes.filter((index) => index >= start && index < end)
    if (rows.length > 0) blocks.push({ section, start, end, rows })
  }
  return blocks
}

/** The ids of the tasks in the viewport, then those of this many pages below and above. */
export function listIdsAround(
  layout: ListLayout,
  first: number,
  last: number,
  pages: number,
): string[] {
  const margin = Math.ceil((last - first + 1) * pages)
  const ids: string[] = []
  const add = (from: number, to: number) => {
    for (let index = Math.max(0, from); index <= Math.min(layout.size - 1, to); index += 1) {
      const item = layout.itemAt(index)
      if (item?.kind === 'task') ids.push(item.line.id)
    }
  }
  add(first, last)
  add(last + 1, last + margin)
  add(first - margin, first - 1)
  return ids
}
