import { Link } from '@tanstack/react-router'
import type { Project } from '#resources/projects/contract.ts'
import { getMemberName, useBoot } from '../../data/session/boot.ts'
import { formatDay } from '../../lib/dates/plain-date.ts'
import { useToday } from '../../lib/dates/use-clock.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { TableCell, TableRow } from '../../ui/layout/data-table.tsx'
import { Avatar } from '../../ui/marks/avatar.tsx'
import { Icon } from '../../ui/marks/icon.tsx'
import { ProjectIcon } from '../../ui/marks/project-icon.tsx'

/** A project in the list, with its lead, progress and target date. */
export function ProjectListRow({ project, overdue }: { project: Project; overdue: number }) {
  const boot = useBoot('session', 'members', 'former')
  const { name, prefix, lead_id, visibility } = project
  const params = { workspaceId: boot.session.workspace.id, prefix }
  return (
    <TableRow>
      <TableCell className="gut">{prefix}</TableCell>
      <TableCell>
        <ProjectIcon project={project} />
        <Link className="title clip" to="/w/$workspaceId/p/$prefix" params={params} search={{}}>
          {name}
        </Link>
        {visibility === 'private' && <Icon name="lock" label={shellMessages.private} />}
      </TableCell>
      <TableCell>
        {lead_id === null ? (
          <span className="quiet">{projectMessages.noLead}</span>
        ) : (
          <Avatar name={getMemberName(boot, lead_id)} me={lead_id === boot.session.user.id} named />
        )}
      </TableCell>
      <TableCell>
        <Progress project={project} overdue={overdue} />
      </TableCell>
      <TableCell>
        <TargetDate project={project} />
      </TableCell>
      <TableCell className="end">
        <Link
          className="btn plain"
          to="/w/$workspaceId/p/$prefix/settings"
          params={params}
          search={{}}
          aria-label={projectMessages.settingsOf(name)}
          title={projectMessages.settingsOf(name)}
        >
          <Icon name="gear" />
        </Link>
      </TableCell>
    </TableRow>
  )
}

const SEGMENTS = ['completed', 'started'] as const

function Progress({ project: { task_counts }, overdue }: { project: Project; overdue: number }) {
  const { total, completed, canceled } = task_counts
  const relevant = total - canceled
  return (
    <span className="progress" title={projectMessages.progressLong(task_counts)}>
      <span className="progress-bar" aria-hidden="true">
        {SEGMENTS.map((category) => (
          <i
            key={category}
            data-c={category}
            style={{
              inlineSize: `${relevant === 0 ? 0 : (task_counts[category] / relevant) * 100}%`,
            }}
          />
        ))}
      </span>
      <span>{projectMessages.progress(completed, relevant)}</span>
      {overdue > 0 && <span className="bad">{projectMessages.overdue(overdue)}</span>}
    </span>
  )
}

function TargetDate({ project: { target_date, status, task_counts } }: { project: Project }) {
  const day = useToday()
  if (target_date === null) return <span className="quiet">{projectMessages.noTarget}</span>
  const { total, completed, canceled } = task_counts
  const isLate = target_date < day && status === 'active' && completed + canceled < total
  return (
    <span className={isLate ? 'bad' : undefined}>
      {isLate ? projectMessages.late(formatDay(target_date)) : formatDay(target_date)}
    </span>
  )
}
