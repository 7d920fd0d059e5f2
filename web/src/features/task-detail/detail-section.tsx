import type { ReactNode } from 'react'

interface DetailSectionProps {
  /** Identifies the section in element ids and CSS classes. */
  name: string
  title: string
  gutter?: ReactNode
  end?: ReactNode
  /** Whether there is nothing in it yet: then only the line is shown that begins it. */
  empty?: boolean
  children: ReactNode
}

/** A section of the task detail: a heading with gutter and end content, and the children. */
export const DetailSection = (props: DetailSectionProps) => (
  <section aria-label={props.title} className={`part-${props.name}`}>
    {!props.empty && (
      <div className="band">
        <span className="gut">{props.gutter}</span>
        <h2>{props.title}</h2>
        <span className="end">{props.end}</span>
      </div>
    )}
    {props.children}
  </section>
)
