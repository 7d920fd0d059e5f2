import { Link } from '@tanstack/react-router'
import { useBoot } from '../../data/boot.ts'
import { m } from '../../messages/tasks.ts'

/** An address whose project is not there, or not for this person: the API does not tell which. */
export function NoProject({ prefix }: { prefix: string }) {
  const { session } = useBoot()
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <span className="gut">404</span>
          <h1>{m.missing(prefix.toUpperCase())}</h1>
        </div>
      </header>
      <div className="line">
        <span className="gut" />
        <p>
          <Link to="/w/$workspaceId/projects" params={{ workspaceId: session.workspace.id }}>
            {m.toProjects}
          </Link>
        </p>
      </div>
    </main>
  )
}
