import '../../styles/settings.css'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useBoot } from '../../data/boot.ts'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/projects.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Table } from '../../ui/table.tsx'
import { openCreateProject } from './create-project.tsx'
import { listed, SORTS, type Sort } from './listed.ts'
import { useOverdue } from './overdue.ts'
import { ProjectRow } from './project-row.tsx'

const COLUMNS = [...m.columns.map((label) => ({ label })), { label: m.moreColumn, hidden: true }]

/** All projects that the person sees. */
export function Projects() {
  const boot = useBoot()
  const navigate = useNavigate()
  const [show, setShow] = useState<'active' | 'archived'>('active')
  const [sort, setSort] = useState<Sort>('name')
  const [q, setQ] = useState('')
  const overdue = useOverdue()
  useTitle(m.title)
  const all = boot.projects
  const shown = listed(all, { show, sort, q })
  const active = all.filter(({ status }) => status === 'active').length
  const reason = boot.session.user.role === 'guest' ? m.createReason : undefined
  const create = () =>
    openCreateProject(({ prefix }) => {
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
          <h1>{m.title}</h1>
          <span className="say">{m.say(active, all.length - active)}</span>
          <div className="acts">
            <Button kind="primary" icon="plus" reason={reason} onClick={create}>
              {m.create}
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
                {m[one]}
              </button>
            ))}
          </div>
          <div className="acts filters">
            <input
              type="search"
              className="field"
              aria-label={m.search}
              placeholder={m.search}
              value={q}
              onChange={({ target }) => setQ(target.value)}
            />
            <select
              className="field"
              aria-label={m.sort}
              value={sort}
              onChange={({ target }) => setSort(SORTS.find((one) => one === target.value) ?? sort)}
            >
              {SORTS.map((one) => (
                <option key={one} value={one}>
                  {m.sorts[one]}
                </option>
              ))}
            </select>
          </div>
        </div>
      </header>
      <div className="scroll">
        {shown.length > 0 && (
          <Table label={m.title} className="projects" columns={COLUMNS}>
            {shown.map((project) => (
              <ProjectRow
                key={project.id}
                project={project}
                overdue={overdue.get(project.id) ?? 0}
              />
            ))}
          </Table>
        )}
        {shown.length === 0 &&
          (q !== '' ? (
            <Empty text={m.emptySearch(q)}>
              <Button onClick={() => setQ('')}>{m.clearSearch}</Button>
            </Empty>
          ) : (
            <Empty text={show === 'active' ? m.empty : m.emptyArchived}>
              {show === 'active' && (
                <Button reason={reason} onClick={create}>
                  {m.create}
                </Button>
              )}
            </Empty>
          ))}
      </div>
    </main>
  )
}
