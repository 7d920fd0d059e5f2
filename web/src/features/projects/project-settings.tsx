import '../../styles/settings-form.css'
import './project-settings.css'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { findProjectByPrefix, useBoot } from '../../data/session/boot.ts'
import { canEditProjectSettings } from '../../data/session/rights.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { formatRelative } from '../../lib/dates/instant.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { ProjectIcon } from '../../ui/marks/project-icon.tsx'
import { GeneralSettings } from './settings/general-settings.tsx'
import { PeopleSettings } from './settings/people-settings.tsx'
import { StatusSettings } from './settings/status-settings.tsx'
import { TagSettings } from './settings/tag-settings.tsx'
import { TemplateSettings } from './settings/template-settings.tsx'

const TABS = ['general', 'statuses', 'tags', 'templates', 'people'] as const
type ProjectSettingsTab = (typeof TABS)[number]

const ROUTE = '/w/$workspaceId/p/$prefix/settings'

/**
 * The settings of a project at `/p/DOC/settings`: general, statuses, tags, templates and people.
 */
export function ProjectSettings() {
  const boot = useBoot('session', 'projects')
  const { prefix } = useParams({ from: ROUTE })
  const found = findProjectByPrefix(boot, prefix)
  const shown = useRef({ prefix, id: found?.id })
  if (found) shown.current = { prefix, id: found.id }
  // Somebody may have changed the prefix, under which the form with its edits stays until it is left.
  const renamed =
    shown.current.prefix === prefix && boot.projects.find(({ id }) => id === shown.current.id)
  const project = found ?? renamed
  if (project) return <SettingsTabs project={project} />
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <span className="gut">{prefix}</span>
          <h1>{projectMessages.unknown(prefix)}</h1>
        </div>
        <div className="line set-intro">
          <span className="gut" />
          <p>
            <Link
              to="/w/$workspaceId/projects"
              params={{ workspaceId: boot.session.workspace.id }}
              search={{}}
            >
              {projectMessages.toProjects}
            </Link>
          </p>
        </div>
      </header>
    </main>
  )
}

function SettingsTabs({ project }: { project: Project }) {
  const boot = useBoot('session')
  const search = useSearch({ from: ROUTE })
  const tab = TABS.find((one) => one === search.tab) ?? 'general'
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const reason = canEditProjectSettings(boot.session.user, project)
    ? undefined
    : projectMessages.notAllowed
  useTitle(`${project.name}, ${projectMessages.settings}`)
  return (
    <main className="paper" id="work">
      <header className="head">
        <div className="head-top">
          <Link
            className="gut no"
            to="/w/$workspaceId/p/$prefix"
            params={params}
            search={{}}
            title={projectMessages.back(project.name)}
          >
            {project.prefix}
          </Link>
          <h1>
            {project.name} <span className="sr">{projectMessages.settings}</span>
          </h1>
          <ProjectIcon project={project} />
          <span className="say">{projectMessages.settings}</span>
          <div className="acts">
            <Link className="btn" to="/w/$workspaceId/p/$prefix" params={params} search={{}}>
              {projectMessages.toProject}
            </Link>
          </div>
        </div>
        <div className="head-bar">
          <span className="gut" />
          <nav className="views" aria-label={projectMessages.sections}>
            {TABS.map((one) => (
              <Link
                key={one}
                to={ROUTE}
                params={params}
                search={{ tab: one === 'general' ? undefined : one }}
                // Otherwise the address of another tab counts as one of the first, too.
                activeOptions={{ explicitUndefined: true }}
                aria-current={tab === one ? 'page' : undefined}
              >
                {projectMessages.tabs[one]}
              </Link>
            ))}
          </nav>
        </div>
      </header>
      <div className="scroll">
        {project.archived_at !== null && (
          <div className="line entry">
            <span className="gut" />
            <p>{projectMessages.archivedSince(formatRelative(project.archived_at))}</p>
          </div>
        )}
        {reason && tab !== 'tags' && tab !== 'templates' && (
          <div className="line entry">
            <span className="gut" />
            <p>{reason}</p>
          </div>
        )}
        <ErrorBoundary resetKey={tab}>
          <TabContent tab={tab} project={project} reason={reason} />
        </ErrorBoundary>
      </div>
    </main>
  )
}

interface TabContentProps {
  tab: ProjectSettingsTab
  project: Project
  reason: string | undefined
}

function TabContent({ tab, project, reason }: TabContentProps) {
  const props = { project, reason }
  switch (tab) {
    case 'general':
      return <GeneralSettings key={project.id} {...props} />
    case 'statuses':
      return <StatusSettings key={project.id} {...props} />
    case 'tags':
      return <TagSettings key={project.id} project={project} />
    case 'templates':
      return <TemplateSettings key={project.id} project={project} />
    case 'people':
      return <PeopleSettings key={project.id} {...props} />
  }
}
