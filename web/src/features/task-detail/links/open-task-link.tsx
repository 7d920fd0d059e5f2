import { useNavigate, useSearch } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import { getTaskPath } from '../../../data/tasks/task-path.ts'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'

/** A link that opens a task in the side panel, and its page in another tab. */
export function OpenTaskLink({
  shortId,
  className,
  onOpen,
  children,
}: {
  shortId: string
  className: string
  onOpen?: () => void
  children: ReactNode
}) {
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const isOpen = useSearch({
    strict: false,
    select: ({ task }) => task?.toUpperCase() === shortId,
  })
  const handleClick = (event: MouseEvent) => {
    onOpen?.()
    if (!isPlainClick(event)) return
    event.preventDefault()
    // Stays on the current screen.
    const search = (current: object) => ({ ...current, task: shortId })
    void navigate({ to: '.', search })
  }
  return (
    // A link of the router would compute its address again whenever its row shows another task.
    <a
      href={getTaskPath(session.workspace.id, shortId)}
      className={className}
      data-open={shortId}
      aria-current={isOpen || undefined}
      onClick={handleClick}
    >
      {children}
    </a>
  )
}
