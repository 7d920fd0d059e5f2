import { useEffect, useRef } from 'react'
import { taskDetailMessages } from '../../messages/tasks/task-detail.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { TaskFrame } from './task-frame.tsx'

/** After this time the user may be somewhere else, and the focus is left alone. */
const HEADING_TIMEOUT_MS = 3_000

export interface TaskPanelProps {
  shortId: string
  /** Short ids of the list beside it, in its order. */
  siblings?: readonly string[]
  /** Shows another task in the panel. */
  onOpen: (shortId: string, isRedirect?: boolean) => void
  /** Closes the panel and gives the focus back, to the row of another task if this one vanishes. */
  onClose: (next?: string) => void
}

/** A task in a panel beside a list. */
export function TaskPanel({ shortId, siblings = [], onOpen, onClose }: TaskPanelProps) {
  const panel = useRef<HTMLElement>(null)
  // Opening by keyboard moves the focus into the panel; a click leaves it in the list.
  useEffect(() => {
    const opener = document.activeElement
    if (opener?.matches(':focus-visible:not([data-peek])') && !panel.current?.contains(opener))
      return focusHeading(panel.current)
  }, [])
  return (
    <aside
      className="panel paper"
      id="task"
      aria-label={taskDetailMessages.region(shortId)}
      ref={panel}
    >
      <ErrorBoundary resetKey={shortId}>
        <TaskFrame shortId={shortId} siblings={siblings} onOpen={onOpen} onLeave={onClose} />
      </ErrorBoundary>
    </aside>
  )
}

/** Focuses the heading, which may only appear after the task is loaded. Returns how to give up. */
function focusHeading(panel: HTMLElement | null): (() => void) | undefined {
  const findHeading = () => panel?.querySelector<HTMLElement>('[data-heading]')
  const heading = findHeading()
  if (heading) heading.focus({ preventScroll: true })
  if (heading || !panel) return undefined
  const observer = new MutationObserver(() => {
    const lateHeading = findHeading()
    if (!lateHeading) return
    giveUp()
    lateHeading.focus({ preventScroll: true })
  })
  const timer = setTimeout(() => observer.disconnect(), HEADING_TIMEOUT_MS)
  const giveUp = () => {
    clearTimeout(timer)
    observer.disconnect()
  }
  observer.observe(panel, { childList: true, subtree: true })
  return giveUp
}
