import { useRef, useState } from 'react'
import type { Task } from '../../data/task-view.ts'
import { changeTask } from '../../data/task-writes.ts'
import { m } from '../../messages/task.ts'
import { PickButton } from '../../ui/pick.tsx'
import { refocus } from '../../ui/refocus.ts'
import { stampOf } from '../../ui/stamp.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { FieldConflict } from './field-conflict.tsx'
import { useOpenTask } from './open-task.ts'
import { useRights } from './rights.ts'
import { pickStatus, statusName } from './status-pick.tsx'

/** The stamp and the title, which is edited in its place. */
export function TaskTitle() {
  const { task, project, page } = useOpenTask()
  const { write } = useRights()
  // The task as it was when editing began: what others change meanwhile is a conflict.
  const [from, setFrom] = useState<Task>()
  const heading = useRef<HTMLHeadingElement>(null)
  const Heading = page ? 'h1' : 'h2'
  const name = statusName(task, project)
  const end = (focus: boolean) => {
    setFrom(undefined)
    if (focus) refocus(() => heading.current)
  }
  return (
    <div className="line task-title">
      <div className="gut">
        <PickButton
          className="stamp"
          label={m.changeStatus(name, task.short_id)}
          reason={write}
          pick={pickStatus(task, project)}
        >
          <StatusMark big mark={stampOf(project?.statuses, task.status, task.status_category)} />
        </PickButton>
      </div>
      <div>
        {from ? (
          <TitleField task={task} from={from} onEnd={end} />
        ) : (
          <Heading
            className="h"
            ref={heading}
            tabIndex={-1}
            data-heading
            onDoubleClick={() => write === undefined && setFrom(task)}
          >
            {task.title}
            <button
              type="button"
              className="sr"
              data-does="title"
              disabled={write !== undefined}
              title={write}
              onClick={() => setFrom(task)}
            >
              {m.editTitle}
            </button>
          </Heading>
        )}
        <FieldConflict fields={['title']} />
      </div>
    </div>
  )
}

interface FieldProps {
  task: Task
  from: Task
  onEnd: (focus: boolean) => void
}

/** Enter and leaving it save, Esc does not; a title is one line, however it was pasted. */
function TitleField({ task, from, onEnd }: FieldProps) {
  const [typed, setTyped] = useState(from.title)
  const done = useRef(false)
  const save = (focus: boolean) => {
    if (done.current) return
    done.current = true
    const title = typed.replace(/\s+/g, ' ').trim()
    if (title !== '' && title !== from.title) {
      changeTask(task.id, { title }, { label: m.titleSet(task.short_id), from })
    }
    onEnd(focus)
  }
  return (
    <textarea
      className="h title-field"
      // biome-ignore lint/a11y/noAutofocus: it was asked for by a key or a double click
      autoFocus
      rows={1}
      maxLength={500}
      aria-label={m.title}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
      onBlur={() => save(false)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Escape') {
          event.stopPropagation()
          done.current = true
          onEnd(true)
        } else if (event.key === 'Enter') {
          event.preventDefault()
          event.stopPropagation()
          save(true)
        }
      }}
    />
  )
}
