import type { HTMLAttributes, ReactNode } from 'react'

// Rows are grids of their own, so that columns align without measuring and the gutter runs through;
// elements of a table would lose their roles by that in some browsers, so the roles are said.
const table = (label: string) => ({ role: 'table', 'aria-label': label })
const ROW = { role: 'row' }
const HEADER = { role: 'columnheader' }
const CELL = { role: 'cell' }

interface TableProps {
  label: string
  /** Names the tracks (`--cols`) in the styles. */
  className: string
  /** Heads of the columns, the gutter's first; the last may be only for a screen reader. */
  columns: readonly { label: string; hidden?: boolean; className?: string }[]
  children: ReactNode
}

/** A ruled table with fixed tracks; on phones its rows become slips of several lines. */
export const Table = ({ label, className, columns, children }: TableProps) => (
  <div {...table(label)} className={`table ${className}`}>
    <div {...ROW} className="row cols">
      {columns.map((column, at) => (
        <div key={column.label} {...HEADER} className={at === 0 ? 'gut' : column.className}>
          {column.hidden ? <span className="sr">{column.label}</span> : column.label}
        </div>
      ))}
    </div>
    {children}
  </div>
)

type Rest = HTMLAttributes<HTMLDivElement>

export const Row = ({ className = 'row', ...rest }: Rest) => (
  <div {...rest} {...ROW} className={className} />
)

export const Cell = (rest: Rest) => <div {...rest} {...CELL} />
