import { type KeyboardEvent, memo, type PointerEvent, useRef } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import {
  type ColumnId,
  getColumn,
  getColumnClass,
  getPropertyName,
  initialOrder,
} from '../../property-definitions.ts'
import { useProjectView } from '../project-view.ts'
import { type ColumnSettings, getColumnWidth, resizeColumn } from './list-columns.ts'

const STEP_REM = 0.5
interface ColumnHeadersProps {
  columns: ColumnSettings
  onChange: (columns: ColumnSettings) => void
}

/** The column headers. Their edges are dragged, or moved by the arrow keys, to resize a column. */
export const ListColumnHeaders = memo(function ColumnHeads({
  columns,
  onChange,
}: ColumnHeadersProps) {
  return (
    <div className="row cols" role="row" aria-rowindex={1}>
      <div className="gut" role="columnheader">
        {projectViewMessages.properties.no}
      </div>
      <div className="what" role="columnheader">
        {projectViewMessages.properties.task}
      </div>
      {columns.shown.map((id) => (
        <div key={id} className={getColumnClass(id)} role="columnheader">
          <SortButton id={id} />
          <ResizeHandle id={id} columns={columns} onChange={onChange} />
        </div>
      ))}
    </div>
  )
})

function ResizeHandle({ id, columns, onChange }: ColumnHeadersProps & { id: ColumnId }) {
  const dragStart = useRef<{ x: number; width: number }>(undefined)
  const width = getColumnWidth(columns, id)
  const resize = (rem: number) => onChange(resizeColumn(columns, id, rem))
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    dragStart.current = { x: event.clientX, width }
  }
  const drag = ({ clientX }: PointerEvent) => {
    if (!dragStart.current) return
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    // The handle is at the start of the column, so moving it towards the start makes the column
    // wider.
    resize(dragStart.current.width + (dragStart.current.x - clientX) / rem)
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: STEP_REM, ArrowRight: -STEP_REM }[event.key]
    if (by === undefined) return
    event.preventDefault()
    event.stopPropagation()
    resize(width + by)
  }
  return (
    <span
      className="edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={projectViewMessages.resize(getPropertyName(id))}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={startDrag}
      onPointerMove={drag}
      onPointerUp={() => {
        dragStart.current = undefined
      }}
      onKeyDown={handleKeyDown}
    />
  )
}

/** The name of a column. A click sorts by it, and another one in the other direction. */
function SortButton({ id }: { id: ColumnId }) {
  const { view, setView } = useProjectView()
  const name = <span className={id === 'priority' ? 'sr' : undefined}>{getPropertyName(id)}</span>
  const sort = getColumn(id)?.sort
  if (!sort) return name
  const isSorted = view.sort === sort
  const change = () => setView(isSorted ? { descending: !view.descending } : initialOrder(sort))
  return (
    <button
      type="button"
      className="sort"
      tabIndex={-1}
      aria-pressed={isSorted}
      title={projectViewMessages.sortedBy(getPropertyName(id))}
      onClick={change}
    >
      {name}
      {isSorted && <Icon name={view.descending ? 'down' : 'up'} />}
    </button>
  )
}
