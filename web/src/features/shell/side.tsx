import { Link } from '@tanstack/react-router'
import { useBoot } from '../../data/boot.ts'
import { m } from '../../messages/shell.ts'

/** Where to go: my work, projects, settings. */
export function Side() {
  const { session, projects } = useBoot()
  const params = { workspaceId: session.workspace.id }
  const active = projects.filter(({ status }) => status === 'active')
  return (
    <nav className="side" aria-label={m.main}>
      <Link className="brand" to="/w/$workspaceId/projects" params={params}>
        <span className="lbl">{session.workspace.name}</span>
      </Link>
      <Link to="/w/$workspaceId/my" params={params}>
        <span className="lbl">{m.myWork}</span>
      </Link>
      <h2>{m.projects}</h2>
      {active.map((project) => (
        <Link
          key={project.id}
          to="/w/$workspaceId/p/$prefix"
          params={{ ...params, prefix: project.prefix }}
        >
          <span className="pre">{project.prefix}</span>
          <span className="lbl">{project.name}</span>
        </Link>
      ))}
      <div className="foot">
        <Link
          to="/w/$workspaceId/settings/$section"
          params={{ ...params, section: 'profile' }}
        >
          <span className="lbl">{m.settings}</span>
        </Link>
      </div>
    </nav>
  )
}
