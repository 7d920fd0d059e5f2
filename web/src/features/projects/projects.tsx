import './projects.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import { useBoot, useRight } from '../../data/session/boot.ts'
import { hasRight } from '../../data/session/rights.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { Button } from '../../ui/form/button.tsx'
import { DataTable } from '../../ui/layout/data-table.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { openCreateProjectDialog } from './create-project-dialog.tsx'
import { filterProjects, PROJECT_SORTS, type ProjectSort } from './project-list.ts'
import { ProjectListRow } from './project-list-row.tsx'

const COLUMNS = [
  ...projectMessages.columns.map((label) => ({ label })),
  { label: projectMessages.moreColumn, hidden: true },
]

/** The list of all projects that the user may see. */
export function Projects() {
  const boot = useBoot('session', 'projects')
  const navigate = useNavigate()
  const [show, setShow] = useState<'active' | 'archived'>('active')
  const [sort, setSort] = useState<ProjectSort>('name')
  const [q, setQ] = useState('')
  const overdue = useOverdueCounts()
  const noProjectsText = useNoProjectsText()
  useTitle(projectMessages.title)
  const all = boot.projects
  const filtered = filterProjects(all, { show, sort, q })
  const active = all.filter(({ status }) => status === 'active').length
  const reason = useRight('shape_projects') ? undefined : projectMessages.createReason
  const create = () =>
    openCreateProjectDialog(({ prefix }) => {
      const params = { workspaceId: boot.session.workspace.id, prefix }
      void navigate({ to: '/w/$workspaceId/p/$prefix', params, search: {} })
    })
  return (
    <main className="paper projects-page" id="work">
      <header className="head">
        <div className="head-top">
          <span className="gut">
            <b>{all.length}</b>
          </span>
          <h1>{projectMessages.title}</h1>
          <span className="say">{projectMessages.say(active, all.length - active)}</span>
          <div className="acts">
            <Button kind="primary" icon="plus" reason={reason} onClick={create}>
              {projectMessages.create}
            </Button>
          </div>
        </div>
        <div className="head-bar">
          <span className="gut" />
          <div className="views">
            {(['active', 'archived'] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-current={show === one || undefined}
                onClick={() => setShow(one)}
              >
                {projectMessages[one]}
              </button>
            ))}
          </div>
          <div className="acts filters">
            <input
              type="search"
              className="field"
              aria-label={projectMessages.search}
              placeholder={projectMessages.searchHint}
              value={q}
              onChange={({ target }) => setQ(target.value)}
            />
            <select
              className="field"
              aria-label={projectMessages.sort}
              value={sort}
              onChange={({ target }) =>
                setSort(PROJECT_SORTS.find((one) => one === target.value) ?? sort)
              }
            >
              {PROJECT_SORTS.map((one) => (
                <option key={one} value={one}>
                  {projectMessages.sorts[one]}
                </option>
              ))}
            </select>
          </div>
        </div>
      </header>
      <div className="scroll">
        {filtered.length > 0 && (
          <DataTable label={projectMessages.title} className="projects" columns={COLUMNS}>
            {filtered.map((project) => (
              <ProjectListRow
                key={project.id}
                project={project}
                overdue={overdue.get(project.id) ?? 0}
              />
            ))}
          </DataTable>
        )}
        {filtered.length === 0 &&
          (q !== '' ? (
            <EmptyState text={projectMessages.emptySearch(q)}>
              <Button onClick={() => setQ('')}>{projectMessages.clearSearch}</Button>
            </EmptyState>
          ) : (
            <EmptyState
              text={
                show === 'active'
                  ? (noProjectsText ?? projectMessages.empty)
                  : projectMessages.emptyArchived
              }
            >
              {show === 'active' && !noProjectsText && (
                <Button reason={reason} onClick={create}>
                  {projectMessages.create}
                </Button>
              )}
            </EmptyState>
          ))}
      </div>
    </main>
  )
}

const MAX_NAMED_ADMINS = 3

/** Who can add the person to a project, if they see none and may not create one. */
export function useNoProjectsText(): string | undefined {
  const { projects, members } = useBoot('projects', 'members')
  const canCreate = useRight('shape_projects')
  if (canCreate || projects.length > 0) return
  const admins = members.filter((member) => hasRight(member, 'manage_workspace'))
  return projectMessages.emptyGuest(admins.slice(0, MAX_NAMED_ADMINS).map(({ name }) => name))
}

const PAGE_LIMIT = 200
const NO_COUNTS: ReadonlyMap<string, number> = new Map()

/**
 * The number of overdue tasks by project, from one request. If a page does not hold all of them,
 * the result is empty, because partial counts would be wrong for any project.
 */
function useOverdueCounts(): ReadonlyMap<string, number> {
  const day = useToday()
  const { data } = useQuery({
    queryKey: ['tasks', 'overdue', day],
    queryFn: async ({ signal }) => {
      const query = {
        due_before: day,
        status_category: ['backlog', 'unstarted', 'started'] as (
          | 'backlog'
          | 'unstarted'
          | 'started'
        )[],
        limit: PAGE_LIMIT,
      }
      const page = await requestEndpoint<typeof listTasks>(
        'GET /api/v1/tasks',
        { query },
        { signal },
      )
      const counts = new Map<string, number>()
      if (page.has_more) return counts
      for (const { project_id } of page.data) {
        counts.set(project_id, (counts.get(project_id) ?? 0) + 1)
      }
      return counts
    },
  })
  return data ?? NO_COUNTS
}
