import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback } from 'react'

const TaskPanel = lazy(() => import('./task.ts').then((it) => ({ default: it.TaskPanel })))

interface Props {
  /** Of the task that the address names (`?task=DOC-42`); none: nothing is beside the screen. */
  shortId: string | undefined
  /** Short ids of the list at hand, in its order: `[` and `]` go through them. */
  siblings: readonly string[]
}

/** The task that is open beside a screen; its place is after `main`, in the grid of the shell. */
export function PanelBeside({ shortId, siblings }: Props) {
  const navigate = useNavigate()
  const open = useCallback(
    (task: string | undefined) => {
      // Closing gives the focus back to what opened the task, where that is still there: its row, if it has one.
      const link = document.querySelector<HTMLElement>(`[data-open="${shortId}"]`)
      const back = link?.closest<HTMLElement>('[data-number]') ?? link
      void navigate({ to: '.', search: ({ task: _, ...now }) => (task ? { ...now, task } : now) })
      if (!task) back?.focus()
    },
    [navigate, shortId],
  )
  if (!shortId) return null
  return (
    <Suspense fallback={<aside className="panel paper" />}>
      <TaskPanel
        shortId={shortId}
        siblings={siblings}
        onOpen={open}
        onClose={() => open(undefined)}
      />
    </Suspense>
  )
}
