import { type KeyboardEvent, memo, type PointerEvent, useRef } from 'react'
import { m } from '../../messages/tasks.ts'
import { type ColumnId, type Columns, widened, widthOf } from './columns.ts'

const STEP_REM = 0.5
const CLASS: Partial<Record<ColumnId, string>> = {
  due: 'when',
  priority: 'prio',
  who: 'people',
  estimate: 'time',
}

/** The class of a column's cells. */
export const classOf = (id: ColumnId): string => CLASS[id] ?? id

interface Props {
  columns: Columns
  onChange: (columns: Columns) => void
}

/** The heads of the columns; their edges are drawn, or moved by arrow keys, to make them wider. */
export const ColumnHeads = memo(function ColumnHeads({ columns, onChange }: Props) {
  return (
    <div className="row cols" role="row" aria-rowindex={1}>
      <div className="gut" role="columnheader">
        {m.columns.no}
      </div>
      <div className="what" role="columnheader">
        {m.columns.task}
      </div>
      {columns.shown.map((id) => (
        <div key={id} className={classOf(id)} role="columnheader">
          <span className={id === 'priority' ? 'sr' : undefined}>{m.columns[id]}</span>
          <Edge id={id} columns={columns} onChange={onChange} />
        </div>
      ))}
    </div>
  )
})

function Edge({ id, columns, onChange }: Props & { id: ColumnId }) {
  const from = useRef<{ x: number; width: number }>(undefined)
  const width = widthOf(columns, id)
  const widen = (rem: number) => onChange(widened(columns, id, rem))
  const grasp = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    from.current = { x: event.clientX, width }
  }
  const drag = ({ clientX }: PointerEvent) => {
    if (!from.current) return
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    // The edge is at the start of the column: to the start is wider.
    widen(from.current.width + (from.current.x - clientX) / rem)
  }
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: STEP_REM, ArrowRight: -STEP_REM }[event.key]
    if (by === undefined) return
    event.preventDefault()
    event.stopPropagation()
    widen(width + by)
  }
  return (
    <span
      className="edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={m.resize(m.columns[id])}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={grasp}
      onPointerMove={drag}
      onPointerUp={() => {
        from.current = undefined
      }}
      onKeyDown={press}
    />
  )
}
