import { useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { taskDetailMessages } from '../../messages/tasks/task-detail.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { TaskFrame } from './task-frame.tsx'

/** After this time the user may be somewhere else, and the focus is left alone. */
const HEADING_TIMEOUT_MS = 3_000
/** Of a held key, the panel shows the last row: a browser allows some 20 addresses a second. */
const HELD_KEY_MS = 60

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
  const isFollowing = useFollowedRow(shortId)
  // The focus that goes to a row as the panel closes does not open it again.
  const close = (next?: string) => {
    isFollowing.current = false
    onClose(next)
    isFollowing.current = true
  }
  return (
    <aside
      className="panel paper"
      id="task"
      aria-label={taskDetailMessages.region(shortId)}
      ref={panel}
    >
      <ErrorBoundary resetKey={shortId}>
        <TaskFrame shortId={shortId} siblings={siblings} onOpen={onOpen} onLeave={close} />
      </ErrorBoundary>
    </aside>
  )
}

/**
 * Shows the task of the row that gets the focus beside the panel: what is highlighted, what has the
 * focus and what a key changes are one task. Returns whether it does so now.
 */
function useFollowedRow(shortId: string): RefObject<boolean> {
  const navigate = useNavigate()
  const isFollowing = useRef(true)
  const lastFollowed = useRef(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // A person who stays with an unsaved form is not asked again when its question returns the focus.
    let requested: string | undefined
    const follow = (focus: Element | null) => {
      clearTimeout(timer)
      const task = findTaskOfRow(focus)
      if (!isFollowing.current || task === undefined || task === requested) return
      requested = task
      if (task === shortId) return
      const show = () =>
        void navigate({
          to: '.',
          search: (current) => ({ ...current, task }),
          replace: true,
          // The list has just scrolled to the row; the router would take it back.
          resetScroll: false,
        })
      const isHeld = Date.now() - lastFollowed.current < HELD_KEY_MS
      lastFollowed.current = Date.now()
      if (isHeld) timer = setTimeout(show, HELD_KEY_MS)
      else show()
    }
    const listening = new AbortController()
    const { signal } = listening
    // A pressed row has the focus, and shows its task once it is released: its link may open it.
    const followFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && !document.querySelector('main:active')) follow(target)
    }
    const followRelease = () => {
      clearTimeout(timer)
      timer = setTimeout(() => follow(document.activeElement))
    }
    const leaveToLink = ({ defaultPrevented }: MouseEvent) => {
      if (!defaultPrevented) return
      clearTimeout(timer)
      requested = findTaskOfRow(document.activeElement)
    }
    document.addEventListener('focusin', followFocus, { signal })
    document.addEventListener('pointerup', followRelease, { signal })
    document.addEventListener('click', leaveToLink, { signal })
    return () => {
      clearTimeout(timer)
      listening.abort()
    }
  }, [shortId, navigate])
  return isFollowing
}

const findTaskOfRow = (element: Element | null): string | undefined =>
  element?.closest('main :is([data-row], [data-task])')?.querySelector<HTMLElement>('[data-open]')
    ?.dataset.open

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
