import { type MouseEvent, memo, useEffect, useRef } from 'react'
import { useTask } from '../../../data/task-store.ts'
import { isFinished, type Task } from '../../../data/task-view.ts'
import { m } from '../../../messages/tasks.ts'
import { Due } from '../../../ui/due.tsx'
import { PriorityMark } from '../../../ui/priority-mark.tsx'
import { ShortId } from '../../../ui/short-id.tsx'
import { stampOf } from '../../../ui/stamp.ts'
import { StatusMark } from '../../../ui/status-mark.tsx'
import { PeopleOf, TagsOf } from '../cells.tsx'
import { useMarked } from '../marks.ts'
import { Blocked, Counts } from '../minis.tsx'
import { useScreen } from '../screen.ts'
import { TitleField } from '../title-field.tsx'
import { CardMenu } from './card-menu.tsx'

interface Props {
  number: number
  /** Undefined while it is not read yet. */
  id: string | undefined
  /** Key of its column. */
  column: string
}

/** A task as a slip on the board. */
export const Card = memo(function Card({ number, id, column }: Props) {
  const { project, marks } = useScreen()
  const task = useTask(id)
  const { cursor, selected, editing } = useMarked(marks, number)
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!cursor || editing || !isFree(card.current)) return
    card.current?.focus({ preventScroll: true })
    // A column scrolls by itself; a lane may be out of sight.
    if (card.current?.closest('.lane')) {
      card.current.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    }
  }, [cursor, editing])
  const mark = task && stampOf(project.statuses, task.status, task.status_category)
  return (
    <article
      ref={card}
      className="card slip"
      tabIndex={cursor ? 0 : -1}
      data-number={number}
      data-s={mark}
      data-selected={selected || undefined}
      onFocus={() => marks.cursor !== number && marks.moveTo(number)}
      onPointerDown={() => marks.moveTo(number)}
    >
      {task ? (
        <Face task={task} column={column} editing={editing} />
      ) : (
        <header>
          <span className="no">
            <ShortId id={`${project.prefix}-${number}`} />
          </span>
        </header>
      )}
    </article>
  )
})

function Face({ task, column, editing }: { task: Task; column: string; editing: boolean }) {
  const screen = useScreen()
  const { short_id, number } = task
  const href = number > 0 ? screen.pageOf(short_id) : undefined
  const go = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    if (number > 0) screen.open(short_id)
  }
  const finished = isFinished(task)
  const mark = stampOf(screen.project.statuses, task.status, task.status_category)
  return (
    <>
      <header>
        {finished && <StatusMark mark={mark} />}
        <a className="no" tabIndex={-1} href={href} onClick={go}>
          {number > 0 ? <ShortId id={short_id} /> : m.coming}
        </a>
        <Blocked task={task} />
        <CardMenu task={task} column={column} />
        <PriorityMark priority={task.priority} />
      </header>
      <h3>
        {editing ? (
          <TitleField task={task} />
        ) : (
          <a tabIndex={-1} href={href} data-open={short_id} onClick={go}>
            {task.title}
          </a>
        )}
      </h3>
      <footer>
        {task.tag_ids.length > 0 && (
          <span className="tags">
            <TagsOf task={task} screen={screen} />
          </span>
        )}
        <Due date={task.due_date} at={task.due_at} finished={finished} />
        <Counts task={task} />
        <PeopleOf task={task} screen={screen} />
      </footer>
    </>
  )
}

/** Whether nothing outside of the board would lose the focus. */
function isFree(card: HTMLElement | null): boolean {
  const { activeElement, body } = document
  if (!activeElement || activeElement === body) return true
  return activeElement.closest('.board') !== null && !card?.contains(activeElement)
}
