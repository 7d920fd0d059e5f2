import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { m } from '../../messages/tasks.ts'
import { useScreen } from './screen.ts'
import type { View } from './view.ts'

interface Props {
  view: View
  look: (change: Partial<View>) => void
}

/** List or board, each at its own address. */
export function ViewTabs({ view, look }: Props) {
  const { project, boot } = useScreen()
  const router = useRouter()
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const tab = (board: boolean, label: string) => {
    const search = board ? { view: 'board' as const } : {}
    const { href } = router.buildLocation({ to: '/w/$workspaceId/p/$prefix', params, search })
    const go = (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      look({ board })
    }
    return (
      <a href={href} aria-current={view.board === board ? 'page' : undefined} onClick={go}>
        {label}
      </a>
    )
  }
  return (
    <nav className="views" aria-label={m.views}>
      {tab(false, m.list)}
      {tab(true, m.board)}
    </nav>
  )
}
