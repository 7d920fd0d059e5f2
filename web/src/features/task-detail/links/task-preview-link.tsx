import './task-links.css'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useMemberNames, useProject } from '../../../data/session/boot.ts'
import { getStatusName, isTaskFinished } from '../../../data/tasks/task-patch.ts'
import { useTaskByShortId } from '../../../data/tasks/task-queries.ts'
import { formatList } from '../../../messages/plural.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { DueDate } from '../../../ui/marks/due-date.tsx'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { TaskLink } from './task-link.tsx'

/** Delay until the card opens, so that a pointer that only passes over the link opens none. */
const OPEN_DELAY_MS = 350
/** Delay until the card closes, so that the pointer can move from the link to the card. */
const CLOSE_DELAY_MS = 150

interface TaskPreviewLinkProps {
  shortId: string
  onGo: (shortId: string) => void
}

/**
 * The short id of another task within a text. On hover or keyboard focus it shows a card with that
 * task, which stays open while the pointer is on it and closes with `Esc` (WCAG 1.4.13).
 */
export function TaskPreviewLink({ shortId, onGo }: TaskPreviewLinkProps) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const anchor = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const scheduleOpen = (open: boolean, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setIsOpen(open), ms)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only the link is pressed; this tracks hover and focus
    <span
      ref={anchor}
      aria-describedby={isOpen ? id : undefined}
      onPointerEnter={({ pointerType }) =>
        pointerType === 'mouse' && scheduleOpen(true, OPEN_DELAY_MS)
      }
      onPointerLeave={() => scheduleOpen(false, CLOSE_DELAY_MS)}
      onFocus={({ target }) =>
        target.matches(':focus-visible') && scheduleOpen(true, OPEN_DELAY_MS)
      }
      onBlur={() => scheduleOpen(false, 0)}
    >
      <TaskLink shortId={shortId} onGo={onGo}>
        {shortId}
      </TaskLink>
      {isOpen && (
        <PreviewCard id={id} anchor={anchor.current} onEscape={() => scheduleOpen(false, 0)}>
          <TaskSummary shortId={shortId} />
        </PreviewCard>
      )}
    </span>
  )
}

interface PreviewCardProps {
  id: string
  anchor: Element | null
  onEscape: () => void
  children: ReactNode
}

/** A popover below its anchor, or above it if there is no room. */
function PreviewCard({ id, anchor, onEscape, children }: PreviewCardProps) {
  const card = useRef<HTMLSpanElement>(null)
  useShortcuts('preview', taskDetailMessages.keys, [
    { keys: 'escape', label: taskDetailMessages.close, run: onEscape, hidden: true },
  ])
  useEffect(() => {
    const { current } = card
    if (!current || !anchor) return
    current.showPopover()
    const [anchorRect, cardRect] = [anchor.getBoundingClientRect(), current.getBoundingClientRect()]
    const fitsBelow = anchorRect.bottom + cardRect.height <= innerHeight
    current.style.left = `${Math.max(8, Math.min(anchorRect.left, innerWidth - cardRect.width - 8))}px`
    current.style.top = `${fitsBelow ? anchorRect.bottom : anchorRect.top - cardRect.height}px`
  }, [anchor])
  return (
    <span ref={card} id={id} role="tooltip" popover="manual" className="peek">
      {children}
    </span>
  )
}

function TaskSummary({ shortId }: { shortId: string }) {
  const nameOf = useMemberNames()
  const { task, error } = useTaskByShortId(shortId)
  const project = useProject(task?.project_id)
  if (!task) return <span className="quiet">{error ? taskDetailMessages.hidden : shortId}</span>
  const mark = getTaskMark(project, task)
  const status = getStatusName(project, task.status)
  return (
    <>
      <span className="peek-head">
        <StatusMark mark={mark} />
        <span>
          <ShortId id={task.short_id} />
        </span>
        <span className="quiet">{status}</span>
        <PriorityMark priority={task.priority} />
      </span>
      <strong>{task.title}</strong>
      <span className="quiet">
        {formatList(task.assignee_ids.map(nameOf))}{' '}
        <DueDate date={task.due_date} at={task.due_at} finished={isTaskFinished(task)} />
      </span>
    </>
  )
}
