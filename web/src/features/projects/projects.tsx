import './projects.css'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useBoot } from '../../data/session/boot.ts'
import { useTitle } from '../../lib/browser/use-title.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { Button } from '../../ui/form/button.tsx'
import { DataTable } from '../../ui/layout/data-table.tsx'
import { EmptyState } from '../../ui/layout/empty-state.tsx'
import { openCreateProjectDialog } from './create-project-dialog.tsx'
import { filterProjects, PROJECT_SORTS, type ProjectSort } from './project-list.ts'
import { ProjectListRow } from './project-list-row.tsx'
import { useOverdueCounts } from './use-overdue-counts.ts'

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
  useTitle(projectMessages.title)
  const all = boot.projects
  const filtered = filterProjects(all, { show, sort, q })
  const active = all.filter(({ status }) => status === 'active').length
  const reason = boot.session.user.role === 'guest' ? projectMessages.createReason : undefined
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
              text={show === 'active' ? projectMessages.empty : projectMessages.emptyArchived}
            >
              {show === 'active' && (
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
