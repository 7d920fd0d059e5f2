import { type ReactElement, useRef } from 'react'
import { useRowSlots } from '../../../ui/layout/row-slots.ts'
import type { ColumnId } from '../../property-definitions.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import type { RenderedBlock } from '../layout/rendered-blocks.ts'
import type { RowPositions } from '../layout/row-positions.ts'
import type { ProjectView } from '../project-view.ts'
import { QuickAddRow } from '../quick-add/quick-add-row.tsx'
import { focusedRow } from '../selection/cursor-focus.ts'
import { GroupHeader } from './group-header.tsx'

/** Renders the row of a task by its index; `top` is the start of its group in px. */
export type RenderTaskRow = (index: number, top: number, key: number) => ReactElement | null

interface RowGroupProps {
  block: RenderedBlock
  layout: ListLayout
  view: ProjectView
  measures: RowPositions
  columns: readonly ColumnId[]
  cursor: string | undefined
  onFold: (key: string) => void
  renderRow: RenderTaskRow
}

/** A group of the list: its header, those of its rows that are near the viewport, and the line for a new task. */
export function RowGroup({
  block: { section, start, end, rows: indexes },
  layout,
  view,
  measures,
  columns,
  cursor,
  onFold,
  renderRow,
}: RowGroupProps) {
  const indexById = new Map<string, number>()
  let addIndex: number | undefined
  for (const index of indexes) {
    const item = layout.itemAt(index)
    if (item?.kind === 'task') indexById.set(item.line.id, index)
    else if (item?.kind === 'add') addIndex = index
  }
  const group = useRef<HTMLDivElement>(null)
  const slots = useRowSlots({
    group,
    layout,
    view,
    rows: [...indexById.keys()],
    mayReuse: (id) => id !== cursor && focusedRow()?.dataset.task !== id,
  })
  const top = measures.startOf(start)
  return (
    <div
      ref={group}
      className="block"
      role="rowgroup"
      aria-label={section.label}
      style={{ insetBlockStart: top, blockSize: measures.startOf(end) - top }}
    >
      {layout.hasHeaders && (
        <GroupHeader section={section} index={start} columns={columns} onFold={onFold} />
      )}
      {[...slots].map(([id, slot]) => renderRow(indexById.get(id) ?? -1, top, slot))}
      {addIndex !== undefined && (
        <QuickAddRow
          key="add"
          section={section}
          index={addIndex}
          top={measures.startOf(addIndex) - top}
        />
      )}
    </div>
  )
}
