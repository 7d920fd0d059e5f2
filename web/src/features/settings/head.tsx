import type { ReactNode } from 'react'
import { useTitle } from '../../lib/title.ts'

interface Props {
  title: string
  /** How many there are, in the gutter. */
  count?: number | undefined
  /** Buttons at the end. */
  acts?: ReactNode
  /** One or two sentences under it. */
  children?: ReactNode
}

/** The head of a settings screen. */
export function Head({ title, count, acts, children }: Props) {
  useTitle(title)
  return (
    <header className="head">
      <div className="head-top">
        <span className="gut">{count !== undefined && <b>{count}</b>}</span>
        <h1>{title}</h1>
        {acts && <div className="acts">{acts}</div>}
      </div>
      {children !== undefined && (
        <div className="line set-intro">
          <span className="gut" />
          <p>{children}</p>
        </div>
      )}
    </header>
  )
}

/** A heading within a screen, its count in the gutter and its buttons at the end. */
export const Band = ({ title, count, acts }: Omit<Props, 'children'>) => (
  <div className="band">
    <span className="gut">{count}</span>
    <h2>{title}</h2>
    {acts && <span className="end acts">{acts}</span>}
  </div>
)
