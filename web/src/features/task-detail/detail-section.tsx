import type { ReactNode } from 'react'

interface DetailSectionProps {
  /** Identifies the section in element ids and CSS classes. */
  name: string
  title: string
  gutter?: ReactNode
  end?: ReactNode
  children: ReactNode
}

/** A section of the task detail: a heading with gutter and end content, and the children. */
export const DetailSection = ({ name, title, gutter, end, children }: DetailSectionProps) => (
  <section aria-labelledby={`task-${name}`} className={`part-${name}`}>
    <div className="band">
      <span className="gut">{gutter}</span>
      <h2 id={`task-${name}`}>{title}</h2>
      <span className="end">{end}</span>
    </div>
    {children}
  </section>
)
