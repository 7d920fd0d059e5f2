import './task-frame.css'
import { useSearch } from '@tanstack/react-router'
import {
  type ClipboardEvent,
  type DragEvent,
  type FocusEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { attachFiles } from '../../data/resources/attachments.ts'
import { useBoot, useProject } from '../../data/session/boot.ts'
import { useOpenedTask } from '../../data/tasks/task-queries.ts'
import { getPastedFiles } from '../../lib/browser/pasted-files.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { getSteppingOrder } from '../../lib/state/stepping-order.ts'
import { taskDetailMessages } from '../../messages/tasks/task-detail.ts'
import { ErrorMessage } from '../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { preloadMarkdown } from '../../ui/markdown/markdown.tsx'
import { AttachmentsSection } from './attachments/attachments-section.tsx'
import { EmptyTaskHeader, TaskHeader } from './header/task-header.tsx'
import { useTaskShortcuts } from './header/use-task-shortcuts.ts'
import { type OpenTask, OpenTaskContext, useOpenTask } from './open-task-context.ts'
import { TaskProperties } from './properties/task-properties.tsx'
import { SubtasksSection } from './subtasks/subtasks-section.tsx'
import { TaskNotFound } from './task-not-found.tsx'
import { CommentComposer } from './thread/comment-composer.tsx'
import { ThreadSection } from './thread/thread-section.tsx'
import { TimeSection } from './time/time-section.tsx'
import { TaskDescription } from './title-and-description/task-description.tsx'
import { TaskTitle } from './title-and-description/task-title.tsx'
import { useBlockReasons } from './use-block-reasons.ts'

interface TaskFrameProps {
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

function LoadedTask({ page = false, id, ...props }: TaskFrameProps & { id: string }) {
  const frame = useRef<HTMLDivElement>(null)
  const siblings = useSteppingOrder(props.siblings)
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

/** The order in which one steps on: that of the list, with the open task at its place. */
function useSteppingOrder(siblings: readonly string[]): readonly string[] {
  const { short_id } = useOpenTask().task
  // Another filter, group or order begins anew.
  const view = useSearch({ strict: false, select: ({ task: _, ...rest }) => JSON.stringify(rest) })
  const key = `${short_id} ${view}`
  const previous = useRef({ key, siblings, order: siblings })
  const known = previous.current
  let order = siblings
  if (known.key === key)
    order =
      known.siblings === siblings ? known.order : getSteppingOrder(known.order, siblings, short_id)
  useEffect(() => {
    previous.current = { key, siblings, order }
  })
  return order
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

preloadMarkdown()

/** The content of a task: one column in the panel, on a page with the properties beside it. */
function TaskBody({ page }: { page: boolean }) {
  const { task } = useOpenTask()
  const sections = (
    <>
      <TaskDescription />
      <SubtasksSection />
      <AttachmentsSection />
      <TimeSection />
      <ThreadSection />
    </>
  )
  return (
    <>
      <section
        className="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be keyboard accessible
        tabIndex={0}
        aria-label={taskDetailMessages.region(task.short_id)}
      >
        <TaskTitle />
        {page ? (
          <div className="page-cols">
            <div>{sections}</div>
            <aside aria-label={taskDetailMessages.properties}>
              <TaskProperties />
            </aside>
          </div>
        ) : (
          <>
            <TaskProperties />
            {sections}
          </>
        )}
      </section>
      <CommentComposer />
    </>
  )
}

/** Attaches files that are dropped on the task or pasted outside its fields. */
function useFileDrop() {
  const { task } = useOpenTask()
  const { settings } = useBoot('settings')
  const { write } = useBlockReasons()
  const [isOver, setIsOver] = useState(false)
  // Entering a child fires dragleave on its parent, so enter and leave events are counted.
  const depth = useRef(0)
  const acceptsFiles = (event: DragEvent) =>
    write === undefined && event.dataTransfer.types.includes('Files')
  const handlers = {
    onDragEnter(event: DragEvent) {
      if (!acceptsFiles(event)) return
      depth.current += 1
      setIsOver(true)
    },
    onDragLeave(event: DragEvent) {
      if (!acceptsFiles(event)) return
      depth.current -= 1
      if (depth.current <= 0) setIsOver(false)
    },
    onDragOver(event: DragEvent) {
      if (acceptsFiles(event)) event.preventDefault()
    },
    onDrop(event: DragEvent) {
      depth.current = 0
      setIsOver(false)
      if (!acceptsFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      void attachFiles(task.id, [...event.dataTransfer.files], settings.max_attachment_bytes)
    },
    onPaste(event: ClipboardEvent) {
      const files = getPastedFiles(event.clipboardData)
      if (files.length === 0 || event.defaultPrevented || write !== undefined) return
      event.preventDefault()
      void attachFiles(task.id, files, settings.max_attachment_bytes)
    },
  }
  return { over: isOver, handlers }
}
