import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useBoot } from '../../../data/session/boot.ts'

interface TaskLinkProps {
  shortId: string
  className?: string
  title?: string | undefined
  /** Shows the task in place; Ctrl or the middle button open its page in another tab instead. */
  onGo: (shortId: string) => void
  children: ReactNode
}

/** A link to the page of a task; a plain click shows the task in place. */
export function TaskLink({ shortId, className = '', title, onGo, children }: TaskLinkProps) {
  const { session } = useBoot('session')
  return (
    <Link
      to="/w/$workspaceId/t/$shortId"
      params={{ workspaceId: session.workspace.id, shortId }}
      className={className}
      title={title}
      preload={false}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        onGo(shortId)
      }}
    >
      {children}
    </Link>
  )
}
