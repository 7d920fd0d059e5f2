import './audit-log.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { AuditEntry } from '#resources/audit/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import {
  bootState,
  useBoot,
  useMemberNames,
  useRight,
  useViewerId,
} from '../../../data/session/boot.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import {
  type AuditFilter,
  type AuditFilterValues,
  auditLogQuery,
  fetchAuditPage,
  toAuditFilter,
} from './audit-queries.ts'
import { describeAuditDetails } from './describe-audit-details.ts'

const COLUMNS = auditMessages.columns.map((label) => ({ label }))

/** The audit log: who did what in the workspace. */
export function AuditLog() {
  const { role } = useBoot('session').session.user
  if (useRight('manage_workspace')) return <AuditLogEntries />
  return (
    <SettingsHeader title={settingsMessages.sections.audit}>
      {auditMessages.why} {settingsMessages.needsAdmin(roleMessages[role].inSentence)}
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

/** An entry of the log. Ids of people and projects are shown by their current names. */
function AuditTableRow({ entry }: { entry: AuditEntry }) {
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

const EMPTY_AUDIT_FILTERS: AuditFilterValues = { action: '', user_id: '' }

interface AuditFilterBarProps {
  values: AuditFilterValues
  onChange: (values: AuditFilterValues) => void
}

/** Filters the log by action and by person, former members included. */
function AuditFilterBar({ values, onChange }: AuditFilterBarProps) {
  const { members, former } = useBoot('members', 'former')
  const id = useId()
  const choices = [
    {
      name: 'action',
      label: auditMessages.filterAction,
      options: Object.entries(auditMessages.actions),
    },
    {
      name: 'user_id',
      label: auditMessages.filterPerson,
      options: [...members, ...former].map((one) => [one.id, one.name] as const),
    },
  ] as const
  return (
    <div className="line log-filters">
      <span className="gut" />
      <div className="acts">
        {choices.map(({ name, label, options }) => (
          <span key={name} className="narrowed">
            <label htmlFor={`${id}-${name}`}>{label}</label>
            <select
              id={`${id}-${name}`}
              className="field"
              value={values[name]}
              onChange={({ target }) => onChange({ ...values, [name]: target.value })}
            >
              <option value="">{auditMessages.any}</option>
              {options.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </span>
        ))}
      </div>
    </div>
  )
}

const PAGE_SIZE = 200

/** Downloads the filtered entries as JSON Lines, for archives and other tools. */
function AuditExportButton({ filter }: { filter: AuditFilter }) {
  const [readCount, setReadCount] = useState<number>()
  const save = async () => {
    setReadCount(0)
    try {
      // Each page becomes a Blob at once: browsers can move large Blobs from memory to the disk.
      const parts: Blob[] = []
      let count = 0
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Awaited<ReturnType<typeof fetchAuditPage>> = await fetchAuditPage({
          ...filter,
          limit: PAGE_SIZE,
          ...(cursor && { cursor }),
        })
        parts.push(new Blob(page.data.map((entry) => `${JSON.stringify(entry)}\n`)))
        count += page.data.length
        cursor = page.next_cursor
        setReadCount(count)
      }
      downloadBlob(new Blob(parts, { type: 'application/jsonl' }))
      showToast({ text: auditMessages.saved(count) })
    } catch (error) {
      showErrorToast(error)
    }
    setReadCount(undefined)
  }
  return (
    <Button busy={readCount !== undefined} onClick={() => void save()}>
      {readCount ? auditMessages.saving(readCount) : auditMessages.save}
    </Button>
  )
}

function downloadBlob(blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `audit-${bootState.get()?.session.workspace.id}.jsonl`
  link.click()
  URL.revokeObjectURL(link.href)
}
