import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Import } from '#resources/imports/internal.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { formatDay, isPlainDate } from '../../../lib/dates/plain-date.ts'
import { formatList, plural } from '../../../messages/plural.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import { SectionHeader } from '../settings-header.tsx'
import { explainFailure, ImportMessages } from './import-messages.tsx'
import { runImportCommand } from './import-queries.ts'

const { steps } = transferMessages
const COLUMNS = transferMessages.sampleColumns.map((label) => ({ label }))

/** The first tasks as they will be, what will be otherwise than in the file, and the start. */
export function ImportPreview({ item }: { item: Import }) {
  const { id, status, row_count, failed_count, sample } = item
  const count = row_count - failed_count
  const readingReason = status === 'reading' ? { reason: transferMessages.reading(row_count) } : {}
  return (
    <section aria-label={steps.preview}>
      <SectionHeader count={item.kind === 'csv' ? 5 : 4} title={steps.preview} />
      <DataTable label={steps.preview} className="imported" columns={COLUMNS}>
        {sample.map((row) => (
          <SampleRow key={row.number} item={item} row={row} />
        ))}
      </DataTable>
      <div className="sheet-form set-form">
        <FormLine>
          <p role="status">
            {count === 0
              ? transferMessages.nothing
              : transferMessages.found(count, failed_count, item.warned_count)}
          </p>
          <NotTakenOver item={item} />
          <div className="acts set-note">
            {count > 0 && (
              <Button
                kind="primary"
                {...readingReason}
                onClick={() => void runImportCommand(id, 'start')}
              >
                {transferMessages.start(count)}
              </Button>
            )}
            <Button kind="plain" onClick={() => void runImportCommand(id, 'cancel')}>
              {transferMessages.cancel}
            </Button>
          </div>
        </FormLine>
      </div>
      <RowMessages item={item} />
    </section>
  )
}

function SampleRow({ item, row }: { item: Import; row: Import['sample'][number] }) {
  const { members } = useBoot('members')
  const category = item.statuses.find(({ name }) => name === row.status)?.category
  const chosen = item.priorities.find(({ name }) => name === row.priority)?.priority
  const priority = chosen ?? PRIORITIES.find((name) => name === row.priority) ?? 'none'
  const memberOf = (name: string) => {
    const user_id = item.people.find((person) => person.name === name)?.user_id
    return members.find(({ id }) => id === user_id)?.name
  }
  return (
    <TableRow>
      <TableCell className="gut">{row.number}</TableCell>
      <TableCell>
        {priority !== 'none' && <PriorityMark priority={priority} />}
        <span className="clip">{row.title}</span>
      </TableCell>
      <TableCell className="stated">
        {row.status !== null && (
          <>
            <StatusMark mark={getStatusMark(undefined, '', category)} />
            <span className="clip">{row.status}</span>
          </>
        )}
      </TableCell>
      <TableCell>
        {row.due_date !== null &&
          (isPlainDate(row.due_date) ? formatDay(row.due_date) : row.due_date)}
      </TableCell>
      <TableCell>{row.assignees.flatMap((name) => memberOf(name) ?? []).join(', ')}</TableCell>
      <TableCell>{row.tags.join(', ')}</TableCell>
    </TableRow>
  )
}

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const

/** An import that runs or has ended: how far it is, what has become of it, and what can be done. */
export function ImportResult({ item }: { item: Import }) {
  const { id, status } = item
  const heading = useRef<HTMLElement>(null)
  // The button that started it is gone, and with it the focus.
  useEffect(() => {
    if (status === 'running' && document.activeElement === document.body) heading.current?.focus()
  }, [status])
  const run = (name: Parameters<typeof runImportCommand>[1]) => () =>
    void runImportCommand(id, name)
  const isEnded = status === 'done' || status === 'canceled' || status === 'failed'
  return (
    <section aria-label={item.filename} ref={heading} tabIndex={-1}>
      <SectionHeader title={item.filename} />
      <div className="sheet-form set-form">
        <FormLine>
          <p role="status">{describeRun(item)}</p>
          {isEnded && <NotTakenOver item={item} />}
          {(status === 'running' || status === 'paused') && (
            <progress aria-label={item.filename} value={item.done_count} max={item.row_count} />
          )}
          <div className="acts set-note">
            {status === 'done' && <ProjectLinks ids={item.project_ids} />}
            {status === 'running' && (
              <Button onClick={run('pause')}>{transferMessages.pause}</Button>
            )}
            {status === 'paused' && (
              <Button kind="primary" onClick={run('start')}>
                {transferMessages.resume}
              </Button>
            )}
            {(status === 'reading' || status === 'running' || status === 'paused') && (
              <Button kind="plain" onClick={run('cancel')}>
                {transferMessages.cancel}
              </Button>
            )}
            {isEnded && item.made_count > 0 && (
              <Button onClick={run('undo')}>{transferMessages.undo}</Button>
            )}
          </div>
        </FormLine>
      </div>
      <RowMessages item={item} />
    </section>
  )
}

const MAX_LINKS = 3

function ProjectLinks({ ids }: { ids: readonly string[] }) {
  const { session, projects } = useBoot('session', 'projects')
  const found = projects.filter(({ id }) => ids.includes(id)).slice(0, MAX_LINKS)
  return found.map(({ id, name, prefix }, at) => (
    <Link
      key={id}
      className={at === 0 ? 'btn primary' : 'btn'}
      to="/w/$workspaceId/p/$prefix"
      params={{ workspaceId: session.workspace.id, prefix }}
      search={{}}
    >
      {transferMessages.openProject(name)}
    </Link>
  ))
}

function RowMessages({ item }: { item: Import }) {
  const { status, failed_count, warned_count } = item
  if (status === 'reading') return null
  return (
    <>
      {failed_count > 0 && <ImportMessages item={item} list="faults" count={failed_count} />}
      {warned_count > 0 && <ImportMessages item={item} list="warnings" count={warned_count} />}
    </>
  )
}

/** What the file holds and no task gets, before the import and after it. */
function NotTakenOver({ item: { status, not_taken_over, headers, columns } }: { item: Import }) {
  const parts = not_taken_over.map(({ what, count }) => {
    const [one, other] = transferMessages.omissions[what]
    return plural(count, { one: `# ${one}`, other: `# ${other}` })
  })
  const unused = headers.filter((header) => columns.every(({ column }) => column !== header))
  if (unused.length > 0)
    parts.push(transferMessages.unusedColumns(formatList(unused), unused.length))
  if (parts.length === 0 || status === 'failed') return null
  return <p className="hint">{transferMessages.notTakenOver(parts.join(', '))}</p>
}

/** The state of an import, as a sentence. */
function describeRun(item: Import): string {
  const { status, row_count: rows, done_count: done } = item
  switch (status) {
    case 'reading':
    case 'ready':
      return transferMessages.reading(rows)
    case 'running':
    case 'paused':
      return transferMessages[status](done, rows)
    case 'undoing':
      return transferMessages.undoing(item.made_count)
    case 'done':
      return transferMessages.done(item.made_count, item.failed_count)
    case 'canceled':
      return transferMessages.canceled(item.made_count)
    case 'undone':
      return item.made_count === 0
        ? transferMessages.undone
        : transferMessages.undoneBut(item.made_count)
    case 'failed':
      return explainFailure(item)
  }
}
