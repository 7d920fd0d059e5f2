import { useQuery } from '@tanstack/react-query'
import { type DragEvent, useState } from 'react'
import { toCsv } from '#lib/csv.ts'
import type { Import } from '#resources/imports/internal.ts'
import { uploadFile } from '../../../lib/http/upload.ts'
import { parsePastedRows } from '../../../lib/text/pasted-rows.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine, TextArea } from '../../../ui/form/form-field.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { ImportColumns, ImportFormat } from './import-columns.tsx'
import { ImportPreview, ImportResult } from './import-preview.tsx'
import { cacheImport, importsQuery } from './import-queries.ts'
import { ImportQuestions } from './import-questions.tsx'

const { steps } = transferMessages

/**
 * Imports tasks from a file: its steps stand below each other, from the file to the tasks. What is
 * chosen in one of them shows at once in those below it.
 */
export function ImportScreen() {
  const { data, error, refetch } = useQuery(importsQuery)
  const latest = data?.[0]
  return (
    <section aria-label={transferMessages.import}>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && <FileStep latest={latest} />}
      {latest &&
        (hasMapping(latest) ? <MappingSteps item={latest} /> : <ImportResult item={latest} />)}
    </section>
  )
}

/**
 * Before the file is read for the first time there is nothing to map; then its kind is unknown. An
 * import that failed after it has made tasks can only be undone.
 */
const hasMapping = ({ status, kind, made_count }: Import) =>
  status === 'ready' ||
  (status === 'failed' && made_count === 0) ||
  (status === 'reading' && kind !== null)

const MappingSteps = ({ item }: { item: Import }) => (
  <>
    <SectionHeader count={2} title={steps.format} />
    <ImportFormat item={item} />
    {item.status !== 'failed' && (
      <>
        {item.kind === 'csv' && <ImportColumns item={item} />}
        <ImportQuestions item={item} />
        <ImportPreview item={item} />
      </>
    )}
  </>
)

/** The states of an import in which no other file can be uploaded. */
const BLOCKING_STATUSES = new Set<Import['status']>(['reading', 'running', 'paused', 'undoing'])

/** Takes a file that is dropped or chosen, or rows that are pasted. */
function FileStep({ latest }: { latest: Import | undefined }) {
  const [progress, setProgress] = useState<number>()
  const [rows, setRows] = useState<string>()
  const isBlocked = progress !== undefined || (latest && BLOCKING_STATUSES.has(latest.status))
  const send = async (file: File | undefined) => {
    if (!file || isBlocked) return
    setProgress(0)
    try {
      const url = `/internal/imports?filename=${encodeURIComponent(file.name)}`
      const { signal } = new AbortController()
      const idempotencyKey = crypto.randomUUID()
      cacheImport(
        (await uploadFile<Import>(url, file, { onProgress: setProgress, signal, idempotencyKey }))
          .body,
      )
      setRows(undefined)
    } catch (error) {
      showErrorToast(error)
    }
    setProgress(undefined)
  }
  const sendRows = () => {
    // A comma in pasted text means nothing: only a spreadsheet puts tabs between its cells.
    const csv = toCsv(parsePastedRows(rows ?? ''))
    void send(new File([csv], transferMessages.pastedName, { type: 'text/csv' }))
  }
  return (
    <section aria-label={steps.file}>
      <SectionHeader count={1} title={steps.file} />
      <div className="sheet-form set-form">
        <FormLine>
          <DropZone onDrop={send}>
            <p>{transferMessages.drop}</p>
            <div className="acts">
              <label className="btn" aria-disabled={isBlocked || undefined}>
                {transferMessages.choose}
                <input
                  type="file"
                  className="sr"
                  disabled={isBlocked}
                  onChange={({ target }) => {
                    void send(target.files?.[0])
                    // Otherwise choosing the same file again would not fire a change event.
                    target.value = ''
                  }}
                />
              </label>
              <Button
                disabled={isBlocked}
                aria-expanded={rows !== undefined}
                onClick={() => setRows((shown) => (shown === undefined ? '' : undefined))}
              >
                {transferMessages.paste}
              </Button>
              {progress !== undefined && (
                <output>{transferMessages.sending(formatPercent(progress))}</output>
              )}
            </div>
            <p className="hint">{transferMessages.importWhy}</p>
          </DropZone>
        </FormLine>
        {rows !== undefined && (
          <>
            <TextArea
              label={transferMessages.rows}
              name="rows"
              hint={transferMessages.rowsHint}
              autoFocus
              rows={6}
              value={rows}
              onChange={({ target }) => setRows(target.value)}
            />
            <FormLine>
              <div className="acts">
                <Button
                  kind="primary"
                  onClick={sendRows}
                  {...(rows.trim() === '' && { reason: transferMessages.rowsMissing })}
                >
                  {transferMessages.useRows}
                </Button>
              </div>
            </FormLine>
          </>
        )}
      </div>
    </section>
  )
}

const formatPercent = (ratio: number) => `${Math.round(ratio * 100)} %`

interface DropZoneProps {
  onDrop: (file: File | undefined) => unknown
  children: React.ReactNode
}

/** A place that takes a dropped file. The buttons in it do the same without a pointer. */
function DropZone({ onDrop, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onDrop(event.dataTransfer.files[0])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside is the way by keyboard.
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  )
}
