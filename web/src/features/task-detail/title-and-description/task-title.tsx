import './task-title.css'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import {
  announceEditing,
  useEditingAnnounced,
  useTaskEditors,
} from '../../../data/live/task-editors.ts'
import { useMemberNames } from '../../../data/session/boot.ts'
import { changeTitle } from '../../../data/tasks/change-title.ts'
import { getStatusName, type Task } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { focusIfLost } from '../../../ui/keyboard/focus-if-lost.ts'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { FieldConflict } from '../conflicts/field-conflict.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'

/** The status symbol and the title, which is edited in place. */
export function TaskTitle() {
  const { task, project, page } = useOpenTask()
  const { write } = useBlockReasons()
  // The task when editing started: changes that others make after it are conflicts.
  const [base, setBase] = useState<Task>()
  const heading = useRef<HTMLHeadingElement>(null)
  const Heading = page ? 'h1' : 'h2'
  const line = useRef<HTMLDivElement>(null)
  const isOutOfSight = useOutOfSight(line)
  const stopEditing = (focus: boolean) => {
    setBase(undefined)
    if (focus) focusIfLost(() => heading.current)
  }
  return (
    <>
      <div className="title-bar" aria-hidden data-shown={isOutOfSight || undefined}>
        <p className="clip">{task.title}</p>
      </div>
      <div className="line task-title" ref={line}>
        <div className="gut">
          <StatusMark
            big
            mark={getTaskMark(project, task)}
            label={getStatusName(project, task.status)}
          />
        </div>
        <div>
          {base ? (
            <TitleEditor base={base} onEnd={stopEditing} />
          ) : (
            <Heading
              className="h"
              ref={heading}
              tabIndex={-1}
              data-heading
              dir="auto"
              onDoubleClick={() => write === undefined && setBase(task)}
            >
              {task.title}
              <button
                type="button"
                className="sr"
                data-does="title"
                disabled={write !== undefined}
                title={write}
                onClick={() => setBase(task)}
              >
                {projectViewMessages.editTitle}
              </button>
            </Heading>
          )}
          <TaskEditors id={task.id} />
          <FieldConflict fields={['title']} />
        </div>
      </div>
    </>
  )
}

/** Who else has the title or the description open for editing. */
function TaskEditors({ id }: { id: string }) {
  const nameOf = useMemberNames()
  const names = useTaskEditors(id).map(nameOf)
  return (
    <div className="hint" role="status">
      {names.length > 0 && taskDetailMessages.editors(names)}
    </div>
  )
}

/** Whether an element has been scrolled out of sight. */
function useOutOfSight(element: RefObject<HTMLElement | null>): boolean {
  const [isOutOfSight, setOutOfSight] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(([entry]) =>
      setOutOfSight(entry?.isIntersecting === false),
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isOutOfSight
}

interface TitleEditorProps {
  base: Task
  onEnd: (focus: boolean) => void
}

/** Saves on Enter and on leaving the field or its screen, not on Esc; pasted line breaks become spaces. */
function TitleEditor({ base, onEnd }: TitleEditorProps) {
  const [typed, setTyped] = useState(base.title)
  const isDone = useRef(false)
  useEditingAnnounced(base.id)
  const save = () => {
    if (isDone.current) return
    isDone.current = true
    changeTitle(base, typed)
  }
  // Going back takes the field away without a blur.
  const saveAtUnmount = useEffectEvent(save)
  useEffect(() => () => saveAtUnmount(), [])
  return (
    <textarea
      className="h title-field"
      dir="auto"
      // biome-ignore lint/a11y/noAutofocus: the user opened it by a shortcut or a double click
      autoFocus
      rows={1}
      aria-label={taskDetailMessages.title}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value)
        announceEditing(base.id)
      }}
      onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
      onBlur={() => {
        save()
        onEnd(false)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          isDone.current = true
          onEnd(true)
        } else if (event.key === 'Enter') {
          event.preventDefault()
          event.stopPropagation()
          save()
          onEnd(true)
        }
      }}
    />
  )
}
