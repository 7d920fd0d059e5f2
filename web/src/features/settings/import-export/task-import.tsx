import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Import as Imported } from '#resources/imports/internal.ts'
import { uploadFile } from '../../../lib/http/upload.ts'
import { plural } from '../../../messages/plural.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { showErrorToast } from '../show-error-toast.ts'
import { ImportMapping } from './import-mapping.tsx'
import { ImportMessages } from './import-messages.tsx'
import { cacheImport, importsQuery, runImportCommand } from './import-queries.ts'

/** Imports a file of another tool: upload, mapping, run and undo. */
export function TaskImport() {
  const { data, error, refetch } = useQuery(importsQuery)
  const latest = data?.[0]
  return (
    <section aria-label={transferMessages.import}>
      <SectionHeader title={transferMessages.import} />
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && (!latest || !BLOCKING_STATUSES.has(latest.status)) && <ImportUpload />}
      {latest && <LatestImport item={latest} />}
    </section>
  )
}

/** The states of an import in which no other file can be uploaded. */
const BLOCKING_STATUSES = new Set<Imported['status']>(['reading', 'running', 'paused', 'undoing'])

function ImportUpload() {
  const [progress, setProgress] = useState<number>()
  const send = async (file: File | undefined) => {
    if (!file) return
    setProgress(0)
    try {
      const url = `/internal/imports?filename=${encodeURIComponent(file.name)}`
      const { signal } = new AbortController()
      const idempotencyKey = crypto.randomUUID()
      cacheImport(
        (await uploadFile<Imported>(url, file, { onProgress: setProgress, signal, idempotencyKey }))
          .body,
      )
    } catch (error) {
      showErrorToast(error)
    }
    setProgress(undefined)
  }
  return (
    <div className="sheet-form set-form">
      <FormLine>
        <p>{transferMessages.importWhy}</p>
        <p className="set-note">
          <label>
            <span className="sr">{transferMessages.choose}</span>
            <input
              type="file"
              className="field"
              disabled={progress !== undefined}
              onChange={({ target }) => {
                void send(target.files?.[0])
                // Otherwise choosing the same file again would not fire a change event.
                target.value = ''
              }}
            />
            {progress !== undefined && (
              <output>{transferMessages.sending(formatPercent(progress))}</output>
            )}
          </label>
        </p>
      </FormLine>
    </div>
  )
}

const formatPercent = (ratio: number) => `${Math.round(ratio * 100)} %`

function LatestImport({ item }: { item: Imported }) {
  const { id, status } = item
  return (
    <section aria-label={item.filename}>
      <div className="sheet-form set-form">
        <FormLine gutter={transferMessages.file}>
          <p>
            <b>{item.filename}</b>
          </p>
          <p role="status">{describeStatus(item)}</p>
          <NotTakenOver item={item} />
          {(status === 'running' || status === 'paused') && (
            <progress aria-label={item.filename} value={item.done_count} max={item.row_count} />
          )}
          <div className="acts set-note">
            {status === 'ready' && item.failed_count < item.row_count && (
              <Button kind="primary" onClick={() => void runImportCommand(id, 'start')}>
                {transferMessages.start(item.row_count - item.failed_count)}
              </Button>
            )}
            {status === 'running' && (
              <Button onClick={() => void runImportCommand(id, 'pause')}>
                {transferMessages.pause}
              </Button>
            )}
            {status === 'paused' && (
              <Button kind="primary" onClick={() => void runImportCommand(id, 'start')}>
                {transferMessages.resume}
              </Button>
            )}
            {CANCELABLE_STATUSES.has(status) && (
              <Button kind="plain" onClick={() => void runImportCommand(id, 'cancel')}>
                {transferMessages.cancel}
              </Button>
            )}
            {item.made_count > 0 &&
              (status === 'done' || status === 'canceled' || status === 'failed') && (
                <Button onClick={() => void runImportCommand(id, 'undo')}>
                  {transferMessages.undo}
                </Button>
              )}
          </div>
        </FormLine>
      </div>
      {hasMapping(item) && <ImportMapping item={item} />}
      {item.failed_count > 0 && status !== 'reading' && (
        <ImportMessages item={item} list="faults" count={item.failed_count} />
      )}
      {item.warned_count > 0 && status !== 'reading' && (
        <ImportMessages item={item} list="warnings" count={item.warned_count} />
      )}
    </section>
  )
}

/** What the file holds and no task gets, before the import and after it. */
function NotTakenOver({ item: { status, not_taken_over, headers, columns } }: { item: Imported }) {
  const parts = not_taken_over.map(({ what, count }) => {
    const [one, other] = transferMessages.omissions[what]
    return plural(count, { one: `# ${one}`, other: `# ${other}` })
  })
  const unused = headers.filter((header) => columns.every(({ column }) => column !== header))
  if (unused.length > 0) parts.push(`${transferMessages.columns}: ${unused.join(', ')}`)
  if (parts.length === 0 || status === 'reading' || status === 'failed') return null
  return <p className="hint">{transferMessages.notTakenOver(parts.join(', '))}</p>
}

/**
 * Before the file is read for the first time there is nothing to map; then its kind is unknown. An
 * import that failed after it has made tasks can only be undone.
 */
const hasMapping = ({ status, kind, made_count }: Imported) =>
  status === 'ready' ||
  (status === 'failed' && made_count === 0) ||
  (status === 'reading' && kind !== null)

const CANCELABLE_STATUSES = new Set<Imported['status']>(['reading', 'ready', 'running', 'paused'])

/** The state of an import, as a sentence. */
function describeStatus({
  status,
  error,
  row_count: rows,
  done_count: done,
  ...item
}: Imported): string {
  switch (status) {
    case 'reading':
      return transferMessages.reading(rows)
    case 'ready':
      return rows === item.failed_count
        ? transferMessages.nothing
        : transferMessages.found(rows - item.failed_count, item.failed_count)
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
    case 'failed':
      return error ?? transferMessages[status]
  }
}
