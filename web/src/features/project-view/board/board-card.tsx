import { type MouseEvent, memo, useEffect, useRef } from 'react'
import { isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { isTempId, useTask } from '../../../data/tasks/task-store.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { DueDate } from '../../../ui/marks/due-date.tsx'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { BlockedBadge } from '../blocked-badge.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import { TaskCountBadges } from '../rows/task-badges.tsx'
import { renderTaskAssignees, renderTaskTags } from '../rows/task-cell.tsx'
import { TitleField } from '../rows/title-field.tsx'
import { canTakeFocus } from '../selection/cursor-focus.ts'
import { useRowSelectionState } from '../selection/list-selection.ts'
import { CardMenu } from './card-menu.tsx'

interface CardProps {
  id: string
  /** Key of its column or cell. */
  column: string
}

/** A task as a card on the board. */
export const BoardCard = memo(function Card({ id, column }: CardProps) {
  const { projectOf, selection } = useProjectPageContext()
  const task = useTask(id)
  const { cursor, selected, editing, open } = useRowSelectionState(selection, id)
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!cursor || editing || !canTakeFocus('.board', card.current)) return
    card.current?.focus({ preventScroll: true })
    // The window of a column scrolls to the card by itself; a lane may be outside of the viewport.
    if (card.current?.closest('.lane')) {
      card.current.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    }
  }, [cursor, editing])
  const mark = task && getTaskMark(projectOf(task), task)
  return (
    <article
      ref={card}
      className="card slip"
      tabIndex={cursor ? 0 : -1}
      data-task={id}
      data-number={task?.number}
      data-s={mark}
      data-selected={selected || undefined}
      aria-current={open || undefined}
      onFocus={() => selection.followFocus(id)}
      onPointerDown={() => selection.moveCursor(id)}
    >
      {selected && <span className="sr">{viewMessages.selected}</span>}
      {task ? <CardContent task={task} column={column} editing={editing} /> : <header />}
    </article>
  )
})

function CardContent({ task, column, editing }: { task: Task; column: string; editing: boolean }) {
  const context = useProjectPageContext()
  const { short_id } = task
  const isSaved = !isTempId(task.id)
  const href = isSaved ? context.taskHref(short_id) : undefined
  const openBeside = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    if (isSaved) context.open(short_id)
  }
  const finished = isTaskFinished(task)
  const mark = getTaskMark(context.projectOf(task), task)
  return (
    <>
      <header>
        {finished && <StatusMark mark={mark} />}
        <a className="no" tabIndex={-1} href={href} onClick={openBeside}>
          {isSaved ? <ShortId id={short_id} /> : projectViewMessages.coming}
        </a>
        <BlockedBadge task={task} />
        <CardMenu task={task} column={column} />
        <PriorityMark priority={task.priority} />
      </header>
      <h3>
        {editing ? (
          <TitleField task={task} onEnd={() => context.selection.edit(undefined)} />
        ) : (
          <a tabIndex={-1} href={href} data-open={short_id} onClick={openBeside}>
            {task.title}
          </a>
        )}
      </h3>
      <footer>
        {renderTaskAssignees(task, context)}
        {task.tag_ids.length > 0 && <span className="tags">{renderTaskTags(task, context)}</span>}
        <DueDate date={task.due_date} at={task.due_at} finished={finished} />
        <TaskCountBadges task={task} />
      </footer>
    </>
  )
}
