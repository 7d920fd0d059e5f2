import './data-table.css'
import type { HTMLAttributes, ReactNode } from 'react'

// Each row is a CSS grid of its own, so that columns align without measuring. `display: grid` makes
// some browsers drop the roles of table elements, so these are divs with explicit roles.
const tableRole = (label: string) => ({ role: 'table', 'aria-label': label })
const ROW_ROLE = { role: 'row' }
const HEADER_ROLE = { role: 'columnheader' }
const CELL_ROLE = { role: 'cell' }

interface TableProps {
  label: string
  /** The CSS class that sets the column tracks (`--cols`). */
  className: string
  /** The column headers, the gutter first; `hidden` ones are for screen readers only. */
  columns: readonly { label: string; hidden?: boolean; className?: string }[]
  children: ReactNode
}

/** The headers of the columns after the second for the CSS, which repeats them on phones. */
function toHeaderTexts(columns: TableProps['columns']): object {
  const [, , ...texts] = columns.map(({ label, hidden }) =>
    hidden ? undefined : JSON.stringify(label),
  )
  return { '--of-3': texts[0], '--of-4': texts[1], '--of-5': texts[2], '--of-6': texts[3] }
}

/** A table with fixed column tracks; on phones each row becomes a card of several lines. */
export const DataTable = ({ label, className, columns, children }: TableProps) => (
  <div {...tableRole(label)} className={`table ${className}`} style={toHeaderTexts(columns)}>
    <div {...ROW_ROLE} className="row cols">
      {columns.map((column, at) => (
        <div key={column.label} {...HEADER_ROLE} className={at === 0 ? 'gut' : column.className}>
          {column.hidden ? <span className="sr">{column.label}</span> : column.label}
        </div>
      ))}
    </div>
    {children}
  </div>
)

type TablePartProps = HTMLAttributes<HTMLDivElement>

export const TableRow = ({ className = 'row', ...rest }: TablePartProps) => (
  <div {...rest} {...ROW_ROLE} className={className} />
)

export const TableCell = (rest: TablePartProps) => <div {...rest} {...CELL_ROLE} />
