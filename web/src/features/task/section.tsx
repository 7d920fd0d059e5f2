import type { ReactNode } from 'react'

interface Props {
  /** What its heading is found by. */
  name: string
  title: string
  gutter?: ReactNode
  end?: ReactNode
  children: ReactNode
}

/** A part of the task under a band: a number in the gutter, its name, what stands at its end. */
export const Section = ({ name, title, gutter, end, children }: Props) => (
  <section aria-labelledby={`task-${name}`} className={`part-${name}`}>
    <div className="band">
      <span className="gut">{gutter}</span>
      <h2 id={`task-${name}`}>{title}</h2>
      <span className="end">{end}</span>
    </div>
    {children}
  </section>
)
