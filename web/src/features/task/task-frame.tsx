import '../../styles/task.css'
import { type FocusEvent, type RefObject, useEffect, useMemo, useRef } from 'react'
import { useProject } from '../../data/boot.ts'
import { useShownTask } from '../../data/one-task.ts'
import { Problem } from '../../lib/problem.ts'
import { useTitle } from '../../lib/title.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { Gone } from './gone.tsx'
import { type OpenTask, OpenTaskContext } from './open-task.ts'
import { TaskBody } from './task-body.tsx'
import { TaskHead, TaskHeadEmpty } from './task-head.tsx'
import { useTaskKeys } from './task-keys.ts'
import { useDrop } from './use-drop.ts'

export interface TaskFrameProps {
  shortId: string
  siblings: readonly string[]
  page?: boolean
  onOpen: (shortId: string) => void
  onLeave: () => void
}

/** A task by its short id, whether it is there, deleted, unknown, or not read yet. */
export function TaskFrame(props: TaskFrameProps) {
  const { shortId, page = false, onOpen, onLeave } = props
  const { task, id, error, retry } = useShownTask(shortId)
  const project = useProject(task?.project_id)
  useTitle(page ? `${shortId.toUpperCase()} ${task?.title ?? ''}`.trim() : undefined)
  const latest = useRef({ onOpen, onLeave })
  useEffect(() => {
    latest.current = { onOpen, onLeave }
  })
  const open = useMemo<OpenTask | undefined>(() => {
    if (!task) return
    const go = (other: string) => latest.current.onOpen(other)
    return { task, project, page, go, leave: () => latest.current.onLeave() }
  }, [task, project, page])
  // A former short id leads to the one that the task has now.
  const now = task?.short_id
  useEffect(() => {
    if (now && now !== shortId.toUpperCase()) latest.current.onOpen(now)
  }, [now, shortId])
  if (open) {
    return (
      <OpenTaskContext value={open}>
        <Open {...props} id={open.task.id} />
      </OpenTaskContext>
    )
  }
  const missing = error instanceof Problem && error.status === 404
  return (
    <>
      <TaskHeadEmpty shortId={shortId} page={page} onLeave={onLeave} />
      <div className="scroll">
        {missing ? (
          <Gone shortId={shortId} page={page} id={id} onOpen={onOpen} onRestored={retry} />
        ) : error ? (
          <Trouble error={error} onRetry={retry} />
        ) : (
          <Skeleton lines={6} />
        )}
      </div>
    </>
  )
}

function Open({ siblings, page = false, id }: TaskFrameProps & { id: string }) {
  const frame = useRef<HTMLDivElement>(null)
  useTaskKeys(frame, siblings)
  const drop = useDrop()
  const focus = useFocusAlong(frame, id)
  return (
    <div
      className="task-frame"
      ref={frame}
      {...drop.handlers}
      {...focus}
      data-drop={drop.over || undefined}
    >
      <TaskHead siblings={siblings} />
      <TaskBody key={id} page={page} />
    </div>
  )
}

/** Another task in the same place takes the focus to its heading, if it was in what went. */
function useFocusAlong(frame: RefObject<HTMLElement | null>, id: string) {
  const inside = useRef(false)
  const before = useRef(id)
  useEffect(() => {
    if (before.current === id) return
    before.current = id
    if (!inside.current || frame.current?.contains(document.activeElement)) return
    frame.current?.querySelector<HTMLElement>('[data-heading]')?.focus({ preventScroll: true })
  }, [id, frame])
  return {
    onFocus: () => {
      inside.current = true
    },
    // What goes from the page loses the focus to nothing.
    onBlur: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) inside.current = false
    },
  }
}
