import { useRouter, useSearch } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { isPlainClick } from '../../../lib/browser/is-plain-click.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { toViewSearch, VIEW_KINDS, type ViewControls, type ViewKind } from '../project-view.ts'

const ROUTE = '/w/$workspaceId/p/$prefix'

/** The tabs for list, board, timeline and calendar, each a link of its own. */
export function ViewTabs({ view, setView }: ViewControls) {
  const { project, boot } = useProjectPageContext()
  const router = useRouter()
  const { saved } = useSearch({ from: ROUTE })
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const renderTab = (shape: ViewKind) => {
    const search = { ...(saved && { saved }), ...toViewSearch({ ...view, kind: shape }) }
    const { href } = router.buildLocation({ to: ROUTE, params, search })
    const switchView = (event: MouseEvent) => {
      if (!isPlainClick(event)) return
      event.preventDefault()
      setView({ kind: shape })
    }
    return (
      <a
        key={shape}
        href={href}
        aria-current={view.kind === shape ? 'page' : undefined}
        onClick={switchView}
      >
        {projectViewMessages[shape]}
      </a>
    )
  }
  return (
    <nav className="views" aria-label={projectViewMessages.views}>
      {VIEW_KINDS.map(renderTab)}
    </nav>
  )
}
