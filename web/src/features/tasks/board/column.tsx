import { type ReactNode, useId } from 'react'
import { m } from '../../../messages/tasks.ts'
import { useAdding } from '../adding.ts'
import type { Section } from '../layout.ts'
import { NewLine } from '../new-line.tsx'
import type { BoardRows } from './board-rows.ts'
import { Cards } from './cards.tsx'
import { ColumnHead, type HeadProps } from './column-head.tsx'

interface Props extends Omit<HeadProps, 'id'> {
  /** None: its slips are in the lanes below. */
  rows: BoardRows | undefined
  /** What stands under the cards. */
  after?: ReactNode
}

/** One column with its head. */
export function Column({ rows, after, ...head }: Props) {
  const { section } = head
  const id = useId()
  const { key, folded } = section
  return (
    <section className={folded ? 'col folded' : 'col'} aria-labelledby={id} data-column={key}>
      <ColumnHead {...head} id={id} />
      {!folded && rows && (
        <>
          <NewCard section={section} />
          <Cards section={section} rows={rows} labelledBy={id} />
        </>
      )}
      {!folded && after && <p className="more">{after}</p>}
    </section>
  )
}

/** The slip on which a task is typed, where one is. */
export function NewCard({ section: { key, label } }: { section: Section }) {
  const { place } = useAdding()
  if (place?.group !== key) return null
  return (
    <div className="card slip add">
      <NewLine label={m.newTaskIn(label)} place={place} />
    </div>
  )
}
