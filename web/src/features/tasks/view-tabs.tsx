import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { m } from '../../messages/tasks.ts'
import { useScreen } from './screen.ts'
import { SHAPES, type Shape, type View } from './view.ts'

interface Props {
  view: View
  look: (change: Partial<View>) => void
}

/** List, board, timeline or calendar, each at its own address. */
export function ViewTabs({ view, look }: Props) {
  const { project, boot } = useScreen()
  const router = useRouter()
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const tab = (shape: Shape) => {
    const search = shape === 'list' ? {} : { view: shape }
    const { href } = router.buildLocation({ to: '/w/$workspaceId/p/$prefix', params, search })
    const go = (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      look({ shape })
    }
    return (
      <a
        key={shape}
        href={href}
        aria-current={view.shape === shape ? 'page' : undefined}
        onClick={go}
      >
        {m[shape]}
      </a>
    )
  }
  return (
    <nav className="views" aria-label={m.views}>
      {SHAPES.map(tab)}
    </nav>
  )
}
