import type { AuditEntry } from '#resources/audit/internal.ts'
import { useBoot, useMemberNames, useViewerId } from '../../../data/session/boot.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { describeAuditDetails } from './describe-audit-details.ts'

/** An entry of the log. Ids of people and projects are shown by their current names. */
export function AuditTableRow({ entry }: { entry: AuditEntry }) {
  const me = useViewerId()
  const nameOf = useMemberNames()
  const { at, actor_id, action, subject_id, subject_name, details } = entry
  const { projects } = useBoot('projects')
  const detailsText = describeAuditDetails(details, (id) =>
    id.startsWith('usr_') ? nameOf(id) : (projects.find((one) => one.id === id)?.prefix ?? id),
  )
  return (
    <TableRow>
      <TableCell className="gut">
        <FormattedInstant at={at} style="gutter" />
      </TableCell>
      <TableCell>
        {actor_id ? (
          <Avatar name={nameOf(actor_id)} me={actor_id === me} named />
        ) : (
          <span className="quiet">{auditMessages.system}</span>
        )}
      </TableCell>
      <TableCell>{auditMessages.actions[action]}</TableCell>
      <TableCell className="clip" title={subject_id ?? ''}>
        {subject_name ?? <span className="mono quiet">{subject_id}</span>}
      </TableCell>
      <TableCell className="clip quiet" title={detailsText}>
        {detailsText}
      </TableCell>
    </TableRow>
  )
}
