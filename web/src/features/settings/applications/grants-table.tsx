import type { ReactNode } from 'react'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { describeScopes } from './describe-scopes.ts'

/** The fields of a grant that both the person and the managers of the application see. */
interface GrantItem {
  id: string
  scopes: readonly string[]
  created_at: string
  last_used_at: string | null
}

interface GrantsTableProps<T extends GrantItem> {
  label: string
  columns: readonly string[]
  grants: readonly T[]
  /** The person or the application on the other side of the grant. */
  nameOf: (grant: T) => string
  /** Buttons at the end of a row. */
  actions?: (grant: T) => ReactNode
}

/** A table of grants: when they began, with whom, their scopes and their last use. */
export function GrantsTable<T extends GrantItem>({
  label,
  columns,
  grants,
  nameOf,
  actions,
}: GrantsTableProps<T>) {
  const headers = columns.map((columnLabel) => ({ label: columnLabel }))
  if (actions) headers.push(ACTIONS_COLUMN)
  return (
    <DataTable label={label} className="grants" columns={headers}>
      {grants.map((grant) => (
        <TableRow key={grant.id}>
          <TableCell className="gut">
            <FormattedInstant at={grant.created_at} style="gutter" />
          </TableCell>
          <TableCell>
            <span className="clip" title={nameOf(grant)}>
              {nameOf(grant)}
            </span>
          </TableCell>
          <TableCell>{describeScopes(grant.scopes)}</TableCell>
          <TableCell>
            {grant.last_used_at ? (
              <FormattedInstant at={grant.last_used_at} />
            ) : (
              applicationMessages.neverUsed
            )}
          </TableCell>
          {actions && <TableCell className="end">{actions(grant)}</TableCell>}
        </TableRow>
      ))}
    </DataTable>
  )
}

const ACTIONS_COLUMN = { label: applicationMessages.actionsColumn, hidden: true }
