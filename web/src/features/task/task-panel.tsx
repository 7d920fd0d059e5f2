import { useEffect, useRef } from 'react'
import { m } from '../../messages/task.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { TaskFrame } from './task-frame.tsx'

export interface TaskPanelProps {
  shortId: string
  /** Short ids of the list beside it, in its order. */
  siblings?: readonly string[]
  /** Shows another task in its place. */
  onOpen: (shortId: string) => void
  onClose: () => void
}

/** A task beside a list: the same as its page, in a narrower place. */
export function TaskPanel({ shortId, siblings = [], onOpen, onClose }: TaskPanelProps) {
  const panel = useRef<HTMLElement>(null)
  // The focus comes along only when the panel was opened by keyboard: a click leaves it in the list.
  useEffect(() => {
    const opener = document.activeElement
    if (opener?.matches(':focus-visible:not([data-peek])') && !panel.current?.contains(opener)) {
      focusHeading(panel.current)
    }
  }, [])
  return (
    <aside className="panel paper" id="task" aria-label={m.region(shortId)} ref={panel}>
      <Boundary resetKey={shortId}>
        <TaskFrame shortId={shortId} siblings={siblings} onOpen={onOpen} onLeave={onClose} />
      </Boundary>
    </aside>
  )
}

/** The heading may come later than the panel, with the task. */
function focusHeading(panel: HTMLElement | null): void {
  const heading = () => panel?.querySelector<HTMLElement>('[data-heading]')
  const found = heading()
  if (found) found.focus({ preventScroll: true })
  else if (panel) {
    const watch = new MutationObserver(() => {
      const late = heading()
      if (!late) return
      watch.disconnect()
      late.focus({ preventScroll: true })
    })
    watch.observe(panel, { childList: true, subtree: true })
    setTimeout(() => watch.disconnect(), 3_000)
  }
}
