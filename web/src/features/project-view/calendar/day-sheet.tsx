import { useRef, useState } from 'react'
import { getCachedTask, isTempId, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { formatDay, type PlainDate } from '../../../lib/dates/plain-date.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Button } from '../../../ui/form/button.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import {
  type ProjectPageContext,
  ProjectPageProvider,
  useProjectPageContext,
} from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { createTypedTask, notifyIfFilteredOut } from '../quick-add/create-typed-task.ts'
import type { NewTaskTarget } from '../quick-add/quick-add-context.ts'
import { useTaskEntry } from '../rows/use-task-entry.ts'
import { buildDatesMenu } from '../schedule/reschedule-task.ts'

interface DaySheetOptions {
  context: ProjectPageContext
  view: ProjectView
  day: PlainDate
  /** The tasks due on the day, in the order of the view. */
  ids: readonly string[]
  /** Whether the dialog was opened in order to add a task. */
  adding?: boolean
  /** The parent of the tasks that are added. */
  parent?: NewTaskTarget['parent']
}

/**
 * Opens a dialog with all tasks of a day, which can be rescheduled there, and a field for new ones.
 */
export const openDaySheet = (options: DaySheetOptions): (() => void) =>
  openDialog({
    title: formatDay(options.day, 'long'),
    body: (close) => (
      <ProjectPageProvider value={options.context}>
        <DaySheet {...options} onClose={close} />
      </ProjectPageProvider>
    ),
  })

const MAX_TASKS = 200

function DaySheet({
  context,
  view,
  day,
  ids,
  parent,
  onClose,
}: DaySheetOptions & { onClose: () => void }) {
  useTasksRevision()
  const { project, locked } = context
  const [addedTitles, setAddedTitles] = useState<readonly string[]>([])
  const shown = ids.slice(0, MAX_TASKS).filter((id) => {
    const task = getCachedTask(id)
    return task?.due_date === day
  })
  const add = (title: string) => {
    if (!project) return
    const chips = [{ kind: 'due', typed: '', date: day } as const]
    const task = createTypedTask({ project, me: context.me, parent }, title, chips)
    void notifyIfFilteredOut(context, view, task)
    setAddedTitles([...addedTitles, title])
  }
  return (
    <div className="day-sheet">
      {shown.length === 0 && addedTitles.length === 0 && (
        <p className="quiet">{viewMessages.nothingDue}</p>
      )}
      <ul>
        {shown.map((id) => (
          <DayTask key={id} id={id} onClose={onClose} />
        ))}
        {addedTitles.map((title, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are only added
          <li key={at} className="line">
            <span className="clip">{title}</span>
          </li>
        ))}
      </ul>
      {ids.length > MAX_TASKS && (
        <p className="quiet">{viewMessages.more(ids.length - MAX_TASKS)}</p>
      )}
      {project && locked === undefined && <NewTaskForm {...{ day, parent }} onAdd={add} />}
      <div className="acts dialog-acts">
        <Button kind="primary" onClick={onClose}>
          {viewMessages.close}
        </Button>
      </div>
    </div>
  )
}

interface NewTaskFormProps extends Pick<DaySheetOptions, 'day' | 'parent'> {
  onAdd: (title: string) => void
}

function NewTaskForm({ day, parent, onAdd }: NewTaskFormProps) {
  const subtaskLabel = parent && projectViewMessages.newUnder(parent.short_id)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const title = String(new FormData(form).get('title') ?? '').trim()
        if (title === '') return
        onAdd(title)
        form.reset()
      }}
    >
      <input
        className="field"
        name="title"
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: a dialog focuses its first field
        autoFocus
        aria-label={subtaskLabel ?? viewMessages.addOn(formatDay(day, 'long'))}
        placeholder={subtaskLabel ?? viewMessages.addHint}
      />
    </form>
  )
}

function DayTask({ id, onClose }: { id: string; onClose: () => void }) {
  const context = useProjectPageContext()
  const { task, short_id, href, openInPanel } = useTaskEntry(id)
  const item = useRef<HTMLLIElement>(null)
  return (
    <li ref={item} className="line acts">
      <a
        className="clip"
        href={href}
        onClick={(event) => {
          if (isPlainClick(event)) onClose()
          openInPanel(event)
        }}
      >
        <span className="no">
          <ShortId id={short_id} />
        </span>{' '}
        {task?.title}
      </a>
      {task && !isTempId(id) && (
        <MenuButton
          icon="dots"
          label={viewMessages.menuOf(short_id)}
          items={buildDatesMenu(context, id, () => item.current, false)}
        />
      )}
    </li>
  )
}
