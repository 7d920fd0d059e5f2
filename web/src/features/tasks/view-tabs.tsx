import { Link } from '@tanstack/react-router'
import { m } from '../../messages/tasks.ts'
import { useScreen } from './screen.ts'
import type { View } from './view.ts'

/** List or board, each at its own address. */
export function ViewTabs({ view }: { view: View }) {
  const { project, boot } = useScreen()
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const tab = (board: boolean, label: string) => (
    <Link
      to="/w/$workspaceId/p/$prefix"
      params={params}
      search={({ view: _, ...rest }) => (board ? { ...rest, view: 'board' as const } : rest)}
      aria-current={view.board === board ? 'page' : undefined}
      activeProps={{}}
    >
      {label}
    </Link>
  )
  return (
    <nav className="views" aria-label={m.views}>
      {tab(false, m.list)}
      {tab(true, m.board)}
    </nav>
  )
}
