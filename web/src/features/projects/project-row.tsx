import { Link } from '@tanstack/react-router'
import type { Project } from '#resources/projects/contract.ts'
import { nameOf, useBoot } from '../../data/boot.ts'
import { formatDay, today } from '../../lib/day.ts'
import { hueOf } from '../../lib/hue.ts'
import { m } from '../../messages/projects.ts'
import { Icon } from '../../ui/icon.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Person } from '../../ui/person.tsx'
import { Cell, Row } from '../../ui/table.tsx'

/** One project: who leads it, how far it is, when it shall be done. */
export function ProjectRow({ project, overdue }: { project: Project; overdue: number }) {
  const boot = useBoot()
  const { name, prefix, lead_id, visibility } = project
  const params = { workspaceId: boot.session.workspace.id, prefix }
  return (
    <Row>
      <Cell className="gut">{prefix}</Cell>
      <Cell>
        <ProjectIcon project={project} />
        <Link className="title clip" to="/w/$workspaceId/p/$prefix" params={params} search={{}}>
          {name}
        </Link>
        {visibility === 'private' && <Icon name="lock" label={m.private} />}
      </Cell>
      <Cell>
        {lead_id === null ? (
          <span className="quiet">{m.noLead}</span>
        ) : (
          <Person name={nameOf(boot, lead_id)} me={lead_id === boot.session.user.id} named />
        )}
      </Cell>
      <Cell>
        <Progress project={project} overdue={overdue} />
      </Cell>
      <Cell>
        <Target project={project} />
      </Cell>
      <Cell>
        <Moment at={project.updated_at} />
      </Cell>
      <Cell className="end">
        <Link
          className="btn plain"
          to="/w/$workspaceId/p/$prefix/settings"
          params={params}
          search={{}}
          aria-label={m.settingsOf(name)}
          title={m.settingsOf(name)}
        >
          <Icon name="gear" />
        </Link>
      </Cell>
    </Row>
  )
}

/** Its emoji, or a square in its colour. */
export const ProjectIcon = ({ project: { icon, color } }: { project: Project }) =>
  icon !== null && /\p{Extended_Pictographic}/u.test(icon) ? (
    <span className="project-icon" aria-hidden="true">
      {icon}
    </span>
  ) : (
    <span className="project-icon square" data-h={hueOf(color)} aria-hidden="true" />
  )

const SEGMENTS = ['completed', 'started'] as const

function Progress({ project: { task_counts }, overdue }: { project: Project; overdue: number }) {
  const { total, completed, canceled } = task_counts
  const all = total - canceled
  return (
    <span className="progress" title={m.progressLong(task_counts)}>
      <span className="progress-bar" aria-hidden="true">
        {SEGMENTS.map((category) => (
          <i
            key={category}
            data-c={category}
            style={{ inlineSize: `${all === 0 ? 0 : (task_counts[category] / all) * 100}%` }}
          />
        ))}
      </span>
      <span>{m.progress(completed, all)}</span>
      {overdue > 0 && <span className="bad">{m.overdue(overdue)}</span>}
    </span>
  )
}

function Target({ project: { target_date, status, task_counts } }: { project: Project }) {
  if (target_date === null) return <span className="quiet">{m.noTarget}</span>
  const { total, completed, canceled } = task_counts
  const isLate = target_date < today() && status === 'active' && completed + canceled < total
  return (
    <span className={isLate ? 'bad' : undefined}>
      {isLate ? m.late(formatDay(target_date)) : formatDay(target_date)}
    </span>
  )
}
