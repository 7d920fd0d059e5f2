import './status-bar.css'
import type { ReactNode } from 'react'

interface StatusBarProps {
  /** The count in the gutter. */
  count: ReactNode
  /** Describes the counted items: "tasks, 25 open, 445:10 spent of 472:30 estimated". */
  children: ReactNode
  /** Content at the end: the live indicator. */
  end?: ReactNode
}

/** The last line of a screen: totals and the live indicator. */
export const StatusBar = ({ count, children, end }: StatusBarProps) => (
  <footer className="status">
    <span className="gut">{count}</span>
    <span>{children}</span>
    {end && <span className="end">{end}</span>}
  </footer>
)
