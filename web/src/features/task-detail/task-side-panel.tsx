import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback } from 'react'

const TaskPanel = lazy(() =>
  import('./task-detail.ts').then((module) => ({ default: module.TaskPanel })),
)

interface TaskSidePanelProps {
  /** The task in the address (`?task=DOC-42`); undefined closes the panel. */
  shortId: string | undefined
  /** Short ids of the list in its order, for the shortcuts `[` and `]`. */
  siblings: readonly string[]
}

/** The task panel beside a screen, rendered after `main` in the grid of the shell. */
export function TaskSidePanel({ shortId, siblings }: TaskSidePanelProps) {
  const navigate = useNavigate()
  const open = useCallback(
    (task: string | undefined, focused = shortId, isRedirect = false) => {
      // Closing returns the focus to the row or link that opened the task, if it still exists.
      const link = document.querySelector<HTMLElement>(`[data-open="${focused}"]`)
      const opener = link?.closest<HTMLElement>('[data-number][tabindex]') ?? link
      void navigate({
        to: '.',
        search: ({ task: _, ...otherParams }) => (task ? { ...otherParams, task } : otherParams),
        replace: isRedirect,
        ignoreBlocker: isRedirect,
      })
      if (!task) opener?.focus()
    },
    [navigate, shortId],
  )
  if (!shortId) return null
  return (
    <Suspense fallback={<aside className="panel paper" aria-label={shortId} />}>
      <TaskPanel
        shortId={shortId}
        siblings={siblings}
        onOpen={(task, isRedirect) => open(task, shortId, isRedirect)}
        onClose={(next) => open(undefined, next)}
      />
    </Suspense>
  )
}
