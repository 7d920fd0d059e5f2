import { type MouseEvent, memo, type ReactElement, useEffect, useMemo, useRef } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { ColumnId } from '../../property-definitions.ts'
import type { RowDragOptions } from '../drag/row-drag.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import { listIdsAround, toRenderedBlocks } from '../layout/rendered-blocks.ts'
import { useRowHeights } from '../layout/row-heights.ts'
import type { RowPositions } from '../layout/row-positions.ts'
import { useVirtualRows } from '../layout/use-virtual-rows.ts'
import { withDeferred } from '../lazy/with-deferred.ts'
import { type ProjectPageContext, useProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { useTagsWidth } from '../rows/tag-widths.ts'
import { TaskListRow, type TaskListRowProps } from '../rows/task-list-row.tsx'
import { findCursorIndex } from '../selection/cursor-focus.ts'
import { useCursor, useCursorGroup } from '../selection/list-selection.ts'
import { ListColumnHeaders } from './list-column-headers.tsx'
import { type ColumnSettings, toGridTracks } from './list-columns.ts'
import { type RenderTaskRow, RowGroup } from './row-group.tsx'

interface TaskListProps {
  layout: ListLayout
  view: ProjectView
  columns: ColumnSettings
  onColumns: (columns: ColumnSettings) => void
  onFold: (key: string) => void
  /** Called when a cell that can be changed is clicked; `field` is its `data-field`. */
  onField: (id: string, field: string, cell: HTMLElement) => void
}

/** The task list. Only rows near the viewport are rendered, and the scroll bar is exact. */
export const TaskList = memo(function VirtualTaskList({
  layout,
  view,
  columns,
  onColumns,
  onFold,
  onField,
}: TaskListProps) {
  const context = useProjectPageContext()
  const { title, selection } = context
  const grid = useRef<HTMLDivElement>(null)
  const scroll = useRef<HTMLDivElement>(null)
  const heights = useRowHeights()
  const { measures, first, last, reveal } = useVirtualRows(scroll, layout, heights, view)
  const cursor = useCursor(selection)
  const cursorGroup = useCursorGroup(selection)
  const cursorIndex =
    cursor === undefined ? layout.indexOfGroup(cursorGroup) : layout.indexOf(cursor)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the cursor changes, not when rows move
  useEffect(() => {
    const index = findCursorIndex(layout, selection)
    // Nothing moves under a pointer that is pressed: the click would be on another row.
    if (index !== undefined && !grid.current?.matches(':active')) reveal(index)
  }, [cursor, cursorGroup])

  const blocks = toRenderedBlocks(layout, first, last, [cursorIndex ?? -1, layout.addIndex])
  const tagsWidth = useTagsWidth(grid, columns.shown)
  const renderRow = useMemo(
    () => createRowRenderer({ context, layout, measures, columns: columns.shown, tagsWidth }),
    [context, layout, measures, columns.shown, tagsWidth],
  )
  const tracks = useMemo(() => toGridTracks(columns), [columns])
  const dragOptions: RowDragOptions = {
    ...{ context, view, layout, measures },
    list: () => grid.current,
    scroll: () => scroll.current,
  }
  const drag = useRef(dragOptions)
  drag.current = dragOptions
  const handleClick = ({ target, shiftKey }: MouseEvent) => {
    if (!(target instanceof Element)) return
    const id = target.closest<HTMLElement>('[data-task]')?.dataset.task
    if (id === undefined || target.matches('.edit')) return
    const cell = target.closest<HTMLElement>('[data-field]')
    if (shiftKey) selection.extend(layout.order, id)
    else if (cell?.dataset.field) onField(id, cell.dataset.field, cell)
    if (target.closest('input, a') === null) selection.moveCursor(id)
  }
  return (
    <div className="scroll" ref={scroll}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: every cell has a keyboard shortcut, listed by "?" */}
      <div
        ref={grid}
        className="list"
        role="treegrid"
        aria-label={projectViewMessages.tasksOf(title)}
        aria-rowcount={layout.size + 1}
        aria-colcount={columns.shown.length + 2}
        aria-multiselectable="true"
        // Without a cursor the list itself takes the focus and passes it to the first visible row.
        tabIndex={cursorIndex === undefined ? 0 : -1}
        onFocus={({ target, currentTarget }) => {
          if (target !== currentTarget) return
          const [id] = listIdsAround(layout, first, last, 0)
          const [section] = layout.sections
          if (id === undefined && section) selection.moveToGroup(section.key)
          else selection.moveCursor(id)
        }}
        style={{ ...tracks, blockSize: measures.total }}
        onClick={handleClick}
        onPointerDown={(event) => {
          selection.cell = undefined
          // Before the row takes the focus, and with it the cursor.
          if (event.shiftKey) selection.beginRange()
          withDeferred(({ startRowDrag }) => startRowDrag(drag, event))
        }}
      >
        <ListColumnHeaders columns={columns} onChange={onColumns} />
        {blocks.map((block) => (
          <RowGroup
            key={block.section.key}
            {...{ block, layout, measures, cursor, onFold, renderRow }}
            view={view}
            columns={columns.shown}
          />
        ))}
      </div>
    </div>
  )
})

interface RowRendererOptions {
  context: ProjectPageContext
  layout: ListLayout
  measures: RowPositions
  columns: readonly ColumnId[]
  tagsWidth: number | undefined
}

/**
 * Renders the rows of tasks. A row that is rendered again is the same element, so that React passes it
 * over while the list scrolls.
 */
function createRowRenderer({
  context,
  layout,
  measures,
  columns,
  tagsWidth,
}: RowRendererOptions): RenderTaskRow {
  const elements = new Map<number, ReactElement<TaskListRowProps>>()
  return (index, top, key) => {
    const rendered = elements.get(index)
    if (rendered?.key === `${key}`) return rendered
    const item = layout.itemAt(index)
    if (item?.kind !== 'task') return null
    const { id, depth } = item.line
    const level = depth + (layout.hasHeaders ? 2 : 1)
    const position = { id, depth, level, index, top: measures.startOf(index) - top }
    const row = <TaskListRow key={key} {...{ context, columns, tagsWidth }} {...position} />
    elements.set(index, row)
    return row
  }
}
