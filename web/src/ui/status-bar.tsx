import type { ReactNode } from 'react'

interface Props {
  /** How many, in the gutter. */
  count: ReactNode
  /** What they are: "tasks, 25 open, 445:10 spent of 472:30 estimated". */
  children: ReactNode
  /** At the end: the live lamp. */
  end?: ReactNode
}

/** The last line of a screen: sums, and whether it is live. */
export const StatusBar = ({ count, children, end }: Props) => (
  <footer className="status">
    <span className="gut">{count}</span>
    <span>{children}</span>
    {end && <span className="end">{end}</span>}
  </footer>
)
