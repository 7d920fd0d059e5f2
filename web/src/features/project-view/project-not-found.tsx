import { Link } from '@tanstack/react-router'
import { useBoot } from '../../data/session/boot.ts'
import { emptyListMessages } from '../../messages/tasks/empty-list.ts'

/** Shown when a project does not exist or the user cannot see it; the API does not reveal which. */
export function ProjectNotFound({ prefix }: { prefix: string }) {
  const { session } = useBoot('session')
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <span className="gut">404</span>
          <h1>{emptyListMessages.missing(prefix.toUpperCase())}</h1>
        </div>
      </header>
      <div className="line">
        <span className="gut" />
        <p>
          {emptyListMessages.missingWhy}{' '}
          <Link to="/w/$workspaceId/projects" params={{ workspaceId: session.workspace.id }}>
            {emptyListMessages.toProjects}
          </Link>
        </p>
      </div>
    </main>
  )
}
