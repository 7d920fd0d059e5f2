import '../../styles/settings.css'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { Project } from '#resources/projects/contract.ts'
import { projectByPrefix, useBoot } from '../../data/boot.ts'
import { agoOf } from '../../lib/instant.ts'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/projects.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { maySettle } from './known.ts'
import { ProjectIcon } from './project-row.tsx'
import { General } from './settings/general.tsx'
import { People } from './settings/people.tsx'
import { Statuses } from './settings/statuses.tsx'
import { Tags } from './settings/tags.tsx'
import { Templates } from './settings/templates.tsx'

const TABS = ['general', 'statuses', 'tags', 'templates', 'people'] as const
type Tab = (typeof TABS)[number]

const ROUTE = '/w/$workspaceId/p/$prefix/settings'

/** `/p/DOC/settings`: what a project is called, its statuses, tags and people. */
export function ProjectSettings() {
  const boot = useBoot()
  const { prefix } = useParams({ from: ROUTE })
  const project = projectByPrefix(boot, prefix)
  if (project) return <Known project={project} />
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <span className="gut">{prefix}</span>
          <h1>{m.unknown(prefix)}</h1>
        </div>
        <div className="line set-intro">
          <span className="gut" />
          <p>
            <Link
              to="/w/$workspaceId/projects"
              params={{ workspaceId: boot.session.workspace.id }}
              search={{}}
            >
              {m.toProjects}
            </Link>
          </p>
        </div>
      </header>
    </main>
  )
}

function Known({ project }: { project: Project }) {
  const boot = useBoot()
  const search = useSearch({ from: ROUTE })
  const tab = TABS.find((one) => one === search.tab) ?? 'general'
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const reason = maySettle(boot, project) ? undefined : m.notAllowed
  useTitle(`${project.name}, ${m.settings}`)
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <Link
            className="gut no"
            to="/w/$workspaceId/p/$prefix"
            params={params}
            search={{}}
            title={m.back(project.name)}
          >
            {project.prefix}
          </Link>
          <h1>
            {project.name} <span className="sr">{m.settings}</span>
          </h1>
          <ProjectIcon project={project} />
          <span className="say">{m.settings}</span>
          <div className="acts">
            <Link className="btn" to="/w/$workspaceId/p/$prefix" params={params} search={{}}>
              {m.toProject}
            </Link>
          </div>
        </div>
        <div className="head-bar">
          <span className="gut" />
          <nav className="views" aria-label={m.sections}>
            {TABS.map((one) => (
              <Link
                key={one}
                to={ROUTE}
                params={params}
                search={{ tab: one }}
                aria-current={tab === one ? 'page' : undefined}
              >
                {m.tabs[one]}
              </Link>
            ))}
          </nav>
        </div>
      </header>
      <div className="scroll">
        {project.archived_at !== null && (
          <div className="line entry">
            <span className="gut" />
            <p>{m.archivedSince(agoOf(project.archived_at))}</p>
          </div>
        )}
        {reason && tab !== 'tags' && tab !== 'templates' && (
          <div className="line entry">
            <span className="gut" />
            <p>{reason}</p>
          </div>
        )}
        <Boundary resetKey={tab}>
          <Section tab={tab} project={project} reason={reason} />
        </Boundary>
      </div>
    </main>
  )
}

interface SectionProps {
  tab: Tab
  project: Project
  reason: string | undefined
}

function Section({ tab, project, reason }: SectionProps) {
  const props = { project, reason }
  switch (tab) {
    case 'general':
      return <General key={project.id} {...props} />
    case 'statuses':
      return <Statuses key={project.id} {...props} />
    case 'tags':
      return <Tags key={project.id} project={project} />
    case 'templates':
      return <Templates key={project.id} project={project} />
    case 'people':
      return <People key={project.id} {...props} />
  }
}
