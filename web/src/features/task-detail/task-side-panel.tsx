import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback } from 'react'
import { uiMessages } from '../../messages/app/ui.ts'
import { IconButton } from '../../ui/form/button.tsx'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { lazyScreen } from '../lazy-screen.tsx'
import type { TaskPanelProps } from './task-panel.tsx'

const TaskPanel = lazyScreen(async () => (await import('./task-detail.ts')).TaskPanel, EmptyPanel)

/** In place of a panel that cannot be loaded: it closes like that. */
function EmptyPanel({ shortId, onClose, children }: TaskPanelProps & { children: ReactNode }) {
  const close = () => onClose()
  const { close: label } = uiMessages
  useShortcuts('panel', shortId, [{ keys: 'escape', label, run: close, hidden: true }])
  return (
    <aside className="panel paper" aria-label={shortId}>
      <div className="acts end">
        <IconButton icon="x" label={label} onClick={close} />
      </div>
      {children}
    </aside>
  )
}

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
      const opener = link?.closest<HTMLElement>('[data-task][tabindex]') ?? link
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
