import { type MouseEvent, memo, type ReactElement, useEffect, useMemo, useRef } from 'react'
import { type TaskRowLoader, useTaskRowLoader } from '../../../data/cache/task-rows.ts'
import { findTaskIdByNumber } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { ColumnId } from '../../property-definitions.ts'
import { moveTask } from '../drag/move-task.ts'
import { useRowDrag } from '../drag/use-row-drag.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import { listNumbersAround, toRenderedBlocks } from '../layout/rendered-blocks.ts'
import { useRowHeights } from '../layout/row-heights.ts'
import type { RowPositions } from '../layout/row-positions.ts'
import { useVirtualRows } from '../layout/use-virtual-rows.ts'
import { type ProjectPageContext, useProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { TaskListRow, type TaskListRowProps } from '../rows/task-list-row.tsx'
import { findCursorIndex } from '../selection/cursor-focus.ts'
import { useCursor, useCursorGroup } from '../selection/list-selection.ts'
import { ListColumnHeaders } from './list-column-headers.tsx'
import { type ColumnSettings, toGridTracks } from './list-columns.ts'
import { type RenderTaskRow, RowGroup } from './row-group.tsx'

export interface TaskListProps {
  layout: ListLayout
  /** The view that the layout belongs to; the current view may still be loading. */
  shownView: ProjectView
  columns: ColumnSettings
  onColumns: (columns: ColumnSettings) => void
  onFold: (key: string) => void
  /** Called when a cell that can be changed is clicked; `field` is its `data-field`. */
  onField: (number: number, field: string, cell: HTMLElement) => void
}

/** The task list. Only rows near the viewport are rendered, and the scroll bar is exact. */
export const TaskList = memo(function VirtualTaskList({
  layout,
  shownView,
  columns,
  onColumns,
  onFold,
  onField,
}: TaskListProps) {
  const context = useProjectPageContext()
  const { project, selection } = context
  const grid = useRef<HTMLDivElement>(null)
  const scroll = useRef<HTMLDivElement>(null)
  const heights = useRowHeights()
  const rows = useTaskRowLoader(project.id)
  const { measures, first, last, reveal } = useVirtualRows(scroll, layout, heights, shownView)
  useEffect(() => {
    const listAround = (pages: number) => listNumbersAround(layout, first, last, pages)
    rows.request(listAround(1), listAround(1.5))
  }, [rows, layout, first, last])
  const cursor = useCursor(selection)
  const cursorGroup = useCursorGroup(selection)
  const cursorIndex =
    cursor === undefined ? layout.indexOfGroup(cursorGroup) : layout.indexOf(cursor)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the cursor changes, not when rows move
  useEffect(() => {
    const index = findCursorIndex(layout, selection)
    if (index !== undefined) reveal(index)
  }, [cursor, cursorGroup])

  const blocks = toRenderedBlocks(layout, first, last, [cursorIndex ?? -1, layout.addIndex])
  const renderRow = useMemo(
    () => createRowRenderer({ context, layout, measures, columns: columns.shown, rows }),
    [context, layout, measures, columns.shown, rows],
  )
  const tracks = useMemo(() => toGridTracks(columns), [columns])
  const startDrag = useRowDrag({
    layout,
    measures,
    isManualOrder: shownView.sort === 'position',
    list: () => grid.current,
    scroll: () => scroll.current,
    drop: (number, from, to) => moveTask(context, shownView, number, from, to),
  })
  const handleClick = ({ target, shiftKey }: MouseEvent) => {
    if (!(target instanceof Element)) return
    const number = Number(target.closest<HTMLElement>('[data-number]')?.dataset.number)
    if (Number.isNaN(number) || target.matches('.edit')) return
    const cell = target.closest<HTMLElement>('[data-field]')
    if (shiftKey) selection.extend(layout.order, number)
    else if (cell?.dataset.field) onField(number, cell.dataset.field, cell)
    if (target.closest('input, a') === null) selection.moveCursor(number)
  }
  return (
    <div className="scroll" ref={scroll}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: every cell has a keyboard shortcut, listed by "?" */}
      <div
        ref={grid}
        className="list"
        role="treegrid"
        aria-label={projectViewMessages.tasksOf(project.name)}
        aria-rowcount={layout.size + 1}
        aria-colcount={columns.shown.length + 2}
        aria-multiselectable="true"
        // Without a cursor the list itself takes the focus and passes it to the first visible row.
        tabIndex={cursorIndex === undefined ? 0 : -1}
        onFocus={({ target, currentTarget }) => {
          if (target !== currentTarget) return
          const [number] = listNumbersAround(layout, first, last, 0)
          const [section] = layout.sections
          if (number === undefined && section) selection.moveToGroup(section.key)
          else selection.moveCursor(number)
        }}
        style={{ ...tracks, blockSize: measures.total }}
        onClick={handleClick}
        onPointerDown={(event) => {
          selection.cell = undefined
          // Before the row takes the focus, and with it the cursor.
          if (event.shiftKey) selection.beginRange()
          startDrag(event)
        }}
      >
        <ListColumnHeaders columns={columns} onChange={onColumns} />
        {blocks.map((block) => (
          <RowGroup
            key={block.section.key}
            {...{ block, layout, measures, cursor, onFold, renderRow }}
            view={shownView}
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
  rows: TaskRowLoader
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
  rows,
}: RowRendererOptions): RenderTaskRow {
  const { id: project_id } = context.project
  const elements = new Map<number, ReactElement<TaskListRowProps>>()
  return (index, top, key) => {
    const rendered = elements.get(index)
    const isSame = rendered?.key === `${key}`
    if (rendered && isSame && !rows.isMissing(rendered.props.number)) return rendered
    const item = layout.itemAt(index)
    if (item?.kind !== 'task') return null
    const { number, depth } = item.line
    const id = rows.isMissing(number) ? null : findTaskIdByNumber(project_id, number)
    const level = depth + (layout.hasHeaders ? 2 : 1)
    const position = { number, id, depth, level, index, top: measures.startOf(index) - top }
    const row = <TaskListRow key={key} {...{ context, columns }} {...position} />
    // Any reply may bring a task that is not loaded.
    if (id) elements.set(index, row)
    return row
  }
}
