import './task-frame.css'
import { type FocusEvent, type RefObject, useEffect, useMemo, useRef } from 'react'
import { useProject } from '../../data/session/boot.ts'
import { useOpenedTask } from '../../data/tasks/task-queries.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { useFileDrop } from './attachments/use-file-drop.ts'
import { EmptyTaskHeader, TaskHeader } from './header/task-header.tsx'
import { useTaskShortcuts } from './header/use-task-shortcuts.ts'
import { type OpenTask, OpenTaskContext } from './open-task-context.ts'
import { TaskBody } from './task-body.tsx'
import { TaskNotFound } from './task-not-found.tsx'

export interface TaskFrameProps {
  shortId: string
  siblings: readonly string[]
  page?: boolean
  onOpen: (shortId: string, isRedirect?: boolean) => void
  onLeave: (next?: string) => void
}

/** Shows a task by its short id, or its loading, error, deleted or not-found state. */
export function TaskFrame(props: TaskFrameProps) {
  const { shortId, page = false, onOpen, onLeave } = props
  const { task, id, error, retry } = useOpenedTask(shortId)
  const project = useProject(task?.project_id)
  useTitle(page ? `${shortId.toUpperCase()} ${task?.title ?? ''}`.trim() : undefined)
  const callbacks = useRef({ onOpen, onLeave })
  useEffect(() => {
    callbacks.current = { onOpen, onLeave }
  })
  const open = useMemo<OpenTask | undefined>(() => {
    if (!task) return
    const showTask = (other: string) => callbacks.current.onOpen(other)
    return { task, project, page, showTask, leave: (next) => callbacks.current.onLeave(next) }
  }, [task, project, page])
  // A former short id redirects to the current one.
  const currentShortId = task?.short_id
  useEffect(() => {
    if (currentShortId && currentShortId !== shortId.toUpperCase())
      callbacks.current.onOpen(currentShortId, true)
  }, [currentShortId, shortId])
  if (open) {
    return (
      <OpenTaskContext value={open}>
        <LoadedTask {...props} id={open.task.id} />
      </OpenTaskContext>
    )
  }
  const isNotFound = error instanceof ApiResponseError && error.status === 404
  return (
    <>
      <EmptyTaskHeader shortId={shortId} page={page} onLeave={() => onLeave()} />
      <div className="scroll">
        {isNotFound ? (
          <TaskNotFound shortId={shortId} page={page} id={id} onOpen={onOpen} onRestored={retry} />
        ) : error ? (
          <ErrorMessage error={error} onRetry={retry} />
        ) : (
          <Skeleton lines={6} />
        )}
      </div>
    </>
  )
}

function LoadedTask({ siblings, page = false, id }: TaskFrameProps & { id: string }) {
  const frame = useRef<HTMLDivElement>(null)
  useTaskShortcuts(siblings)
  const drop = useFileDrop()
  const focus = useFocusFollowsTask(frame, id)
  return (
    <div
      className="task-frame"
      ref={frame}
      {...drop.handlers}
      {...focus}
      data-drop={drop.over || undefined}
    >
      <TaskHeader siblings={siblings} />
      <TaskBody key={id} page={page} />
    </div>
  )
}

/** Moves the focus to the heading of the next task if the replaced task had the focus. */
function useFocusFollowsTask(frame: RefObject<HTMLElement | null>, id: string) {
  const hasFocus = useRef(false)
  const previousId = useRef(id)
  useEffect(() => {
    if (previousId.current === id) return
    previousId.current = id
    if (!hasFocus.current || frame.current?.contains(document.activeElement)) return
    frame.current?.querySelector<HTMLElement>('[data-heading]')?.focus({ preventScroll: true })
  }, [id, frame])
  return {
    onFocus: () => {
      hasFocus.current = true
    },
    // A removed element blurs without a related target, which must not reset the flag.
    onBlur: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) hasFocus.current = false
    },
  }
}
