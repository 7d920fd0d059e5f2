import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useBoot } from '../../data/boot.ts'

interface Props {
  shortId: string
  className?: string
  title?: string | undefined
  /** Shows it in the same place; with Ctrl or the middle button its page opens in another tab. */
  onGo: (shortId: string) => void
  children: ReactNode
}

/** A link to a task: its address is that of its page, a plain click opens it where this one is. */
export function TaskLink({ shortId, className = '', title, onGo, children }: Props) {
  const { session } = useBoot()
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
