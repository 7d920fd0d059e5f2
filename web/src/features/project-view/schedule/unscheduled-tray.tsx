import { type PointerEvent, useState } from 'react'
import { isTempId } from '../../../data/tasks/task-store.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Button } from '../../../ui/form/button.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { DateButton } from '../../../ui/overlays/picker-button.tsx'
import { dragWithPreview } from '../../../ui/pointer/pointer-drag.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useTaskEntry } from '../rows/use-task-entry.ts'
import { setPickedDate } from './reschedule-task.ts'

const PAGE_SIZE = 50

interface UnscheduledTrayProps {
  ids: readonly string[]
  label: string
  readOnly: boolean
  /** The day on which a task is dropped; undefined outside of any day. */
  dayAt: (under: Element | null, x: number) => string | undefined
}

/** The tasks without dates. They are dragged onto a day, or given one by the date picker. */
export function UnscheduledTray({ ids, label, readOnly, dayAt }: UnscheduledTrayProps) {
  const [open, setOpen] = useState(false)
  const [limit, setLimit] = useState(PAGE_SIZE)
  const shown = open ? ids.slice(0, limit) : []
  if (ids.length === 0) return null
  return (
    <section className="tray" aria-label={label}>
      <Button
        kind="plain"
        icon={open ? 'down' : 'right'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {label}
      </Button>
      {open && (
        <ul>
          {shown.map((id) => (
            <UnscheduledTask key={id} {...{ id, readOnly, dayAt }} />
          ))}
          {ids.length > limit && (
            <li>
              <Button kind="plain" onClick={() => setLimit(limit + PAGE_SIZE)}>
                {viewMessages.moreTasks(Math.min(PAGE_SIZE, ids.length - limit))}
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

function UnscheduledTask({
  id,
  readOnly,
  dayAt,
}: Pick<UnscheduledTrayProps, 'readOnly' | 'dayAt'> & { id: string }) {
  const context = useProjectPageContext()
  const { task, short_id, href, openInPanel } = useTaskEntry(id)
  if (!task) return <li className="plan-slip">{short_id}</li>
  const setDue = (due: string | null | undefined) => {
    if (due) setPickedDate(context, task, 'due', due)
  }
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    if (readOnly || context.locked !== undefined || isTempId(id)) return
    dragWithPreview(
      event,
      event.currentTarget,
      (target, { x }, drop) => drop && setDue(dayAt(target, x)),
    )
  }
  return (
    <li className="plan-slip" onPointerDown={startDrag}>
      <a href={href} data-open={short_id} draggable={false} onClick={openInPanel}>
        <span className="no">
          <ShortId id={task.short_id} />
        </span>{' '}
        {task.title}
      </a>
      {!readOnly && (
        <DateButton
          icon="day"
          label={viewMessages.dueOf(task.short_id)}
          reason={context.locked}
          pick={{ date: task.due_date, onPick: ({ date }) => setDue(date) }}
        />
      )}
    </li>
  )
}
