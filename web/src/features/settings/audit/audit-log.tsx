import './audit-log.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canManageWorkspace, useBoot } from '../../../data/session/boot.ts'
import { formatDayTime } from '../../../lib/dates/instant.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage, InlineError } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { AuditExportButton } from './audit-export-button.tsx'
import { AuditFilterBar, EMPTY_AUDIT_FILTERS } from './audit-filter-bar.tsx'
import { auditChecksQuery, auditLogQuery, toAuditFilter } from './audit-queries.ts'
import { AuditTableRow } from './audit-table-row.tsx'

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

/** Verifies the hash chain of the log from its end, and shows how far back it is intact. */
function AuditVerification() {
  const checks = useInfiniteQuery(auditChecksQuery)
  const pages = checks.data?.pages
  const last = pages?.at(-1)
  const newest = pages?.[0]?.to ?? 0
  // Pages overlap by one entry, so the count is taken from the sequences and not summed up.
  const checkedCount = last ? newest - (last.from ?? newest + 1) + 1 : 0
  const since = last?.from_at
  return (
    <div className="line set-note">
      <span className="gut" />
      <div className="acts">
        <span role="status">
          {!pages && !checks.error && auditMessages.checking}
          {last?.fault && <b className="bad">{auditMessages.broken(last.fault.message)}</b>}
          {last && !last.fault && !last.has_more && auditMessages.all(checkedCount)}
          {last &&
            !last.fault &&
            last.has_more &&
            since &&
            auditMessages.checked(checkedCount, formatDayTime(since))}
        </span>
        {checks.error && <InlineError error={checks.error} />}
        {checks.hasNextPage && (
          <Button busy={checks.isFetchingNextPage} onClick={() => void checks.fetchNextPage()}>
            {auditMessages.checkMore}
          </Button>
        )}
      </div>
    </div>
  )
}
