import { type ReactNode, useId } from 'react'
import { viewMessages } from '../../../messages/tasks/views.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import { useQuickAdd } from '../quick-add/quick-add-context.ts'
import { NewTaskLine } from '../quick-add/quick-add-row.tsx'
import { BoardColumnHeader, type BoardColumnHeaderProps } from './board-column-header.tsx'
import { CardList } from './card-list.tsx'

interface BoardColumnProps extends Omit<BoardColumnHeaderProps, 'id'> {
  /** Whether the cards are in lanes below. */
  hasLanes: boolean
  /** Content below the cards. */
  after?: ReactNode
}

/** A column of the board with its header. */
export function BoardColumn({ hasLanes, after, ...head }: BoardColumnProps) {
  const { section } = head
  const id = useId()
  const { key, folded } = section
  return (
    <section className={folded ? 'col folded' : 'col'} aria-labelledby={id} data-column={key}>
      <BoardColumnHeader {...head} id={id} />
      {!folded && !hasLanes && (
        <>
          <NewCard section={section} />
          <CardList section={section} labelledBy={id} />
        </>
      )}
      {!folded && after && <p className="more">{after}</p>}
    </section>
  )
}

/** The card for typing a new task, if one is being typed in this column or cell. */
export function NewCard({ section: { key, label } }: { section: TaskSection }) {
  const { place } = useQuickAdd()
  if (place?.group !== key) return null
  return (
    <div className="card slip add">
      <NewTaskLine label={viewMessages.newTaskIn(label)} place={place} />
    </div>
  )
}
