import './audit-log.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canManageWorkspace, useBoot } from '../../../data/session/boot.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { AuditExportButton } from './audit-export-button.tsx'
import { AuditFilterBar, EMPTY_AUDIT_FILTERS } from './audit-filter-bar.tsx'
import { auditLogQuery, toAuditFilter } from './audit-queries.ts'
import { AuditTableRow } from './audit-table-row.tsx'
import { AuditVerification } from './audit-verification.tsx'

const COLUMNS = auditMessages.columns.map((label) => ({ label }))

/** The audit log: who did what in the workspace, and whether its hash chain is intact. */
export function AuditLog() {
  const boot = useBoot('session')
  if (canManageWorkspace(boot)) return <AuditLogEntries />
  const role = settingsMessages.roleWords[boot.session.user.role]
  return (
    <SettingsHeader title={settingsMessages.sections.audit}>
      {auditMessages.why} {settingsMessages.needsAdmin(role)}
    </SettingsHeader>
  )
}

function AuditLogEntries() {
  const [values, setValues] = useState(EMPTY_AUDIT_FILTERS)
  const filter = toAuditFilter(values)
  const log = useInfiniteQuery(auditLogQuery(filter))
  const entries = log.data?.pages.flatMap(({ data }) => data)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <SettingsHeader
        title={settingsMessages.sections.audit}
        actions={<AuditExportButton filter={filter} />}
      >
        {auditMessages.why}
      </SettingsHeader>
      <div className="scroll">
        <AuditVerification />
        <AuditFilterBar values={values} onChange={setValues} />
        {log.error && <ErrorMessage error={log.error} onRetry={() => void log.refetch()} />}
        {!entries && !log.error && <Skeleton rows={8} />}
        {entries && entries.length > 0 && (
          <DataTable label={settingsMessages.sections.audit} className="audit" columns={COLUMNS}>
            {entries.map((entry) => (
              <AuditTableRow key={entry.sequence} entry={entry} />
            ))}
          </DataTable>
        )}
        {entries?.length === 0 && (
          <EmptyState text={auditMessages.none}>
            {isFiltered && (
              <Button onClick={() => setValues(EMPTY_AUDIT_FILTERS)}>{auditMessages.clear}</Button>
            )}
          </EmptyState>
        )}
        {log.hasNextPage && (
          <div className="line more-line">
            <span className="gut" />
            <div className="acts">
              <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                {settingsMessages.more}
              </Button>
            </div>
          </div>
        )}
      </div>
    </>
  )
}
