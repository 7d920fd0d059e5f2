import type { AuditEntry } from '#resources/audit/internal.ts'
import { useMemberNames, useViewerId } from '../../../data/session/boot.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'

/** An entry of the log. User ids are shown by the current names of the members. */
export function AuditTableRow({ entry }: { entry: AuditEntry }) {
  const me = useViewerId()
  const nameOf = useMemberNames()
  const { at, actor_id, action, subject_id, subject_name, details } = entry
  const detailsText = Object.entries(details)
    .map(([name, value]) => `${name}: ${formatDetail(value, nameOf)}`)
    .join(', ')
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

function formatDetail(value: unknown, getName: (id: string) => string): string {
  if (typeof value === 'string') return value.startsWith('usr_') ? getName(value) : value
  if (Array.isArray(value)) return value.map((one) => formatDetail(one, getName)).join(' ')
  return value === null ? '-' : JSON.stringify(value)
}
