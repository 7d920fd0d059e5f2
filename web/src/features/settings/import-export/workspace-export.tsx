import { queryOptions, useQuery } from '@tanstack/react-query'
import type { MouseEvent } from 'react'
import type { createExport, Export as Exported, listExports } from '#resources/exports/internal.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { useRight } from '../../../data/session/boot.ts'
import { fetchOrThrow } from '../../../lib/http/fetch-or-throw.ts'
import { askForConfirmation } from '../../../lib/http/page-session.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { SectionHeader } from '../settings-header.tsx'

const POLL_INTERVAL_MS = 700

const exportsQuery = queryOptions({
  queryKey: ['exports'],
  queryFn: async ({ signal }) =>
    (await requestEndpoint<typeof listExports>('GET /internal/exports', {}, { signal })).data,
  refetchInterval: ({ state }) =>
    state.data?.some(({ status }) => status === 'running') ? POLL_INTERVAL_MS : false,
})

/** Exports the whole workspace as a file that any Docket can import; for owners. */
export function WorkspaceExport() {
  const isOwner = useRight('own_workspace')
  const { data, error, refetch } = useQuery({ ...exportsQuery, enabled: isOwner })
  const [latest] = data ?? []
  const isRunning = latest?.status === 'running'
  const startExport = async () => {
    try {
      await requestEndpoint<typeof createExport>('POST /internal/exports', { body: {} })
    } catch (cause) {
      showErrorToast(cause)
    }
    await queryClient.invalidateQueries(exportsQuery)
  }
  return (
    <section aria-label={transferMessages.export}>
      <SectionHeader title={transferMessages.export} />
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      <div className="sheet-form set-form">
        <FormLine>
          <p>{transferMessages.exportWhy}</p>
          <p className="set-note" role="status">
            {latest && <ExportStatus item={latest} />}
          </p>
          <div className="acts">
            <Button
              reason={isOwner ? undefined : transferMessages.exportOwners}
              busy={isRunning}
              onClick={() => void startExport()}
            >
              {transferMessages.exportMake}
            </Button>
          </div>
        </FormLine>
      </div>
    </section>
  )
}

function ExportStatus({ item }: { item: Exported }) {
  const { id, status, filename, progress, error, expires_at } = item
  if (status === 'running') return transferMessages.exporting(progress)
  if (status === 'failed') return error
  if (status === 'expired' || expires_at === null) return transferMessages.exportExpired
  const address = `/internal/exports/${id}/content`
  return (
    <>
      <a href={address} download={filename} onClick={(event) => void download(event, address)}>
        {transferMessages.exportDownload(filename)}
      </a>{' '}
      <span className="quiet">
        {transferMessages.exportUntil} <FormattedInstant at={expires_at} />
      </span>
    </>
  )
}

/**
 * Asks for the password first if the session has not been confirmed of late. The browser itself
 * downloads, because an archive may be larger than what fits into the memory of a page.
 */
async function download(event: MouseEvent, address: string): Promise<void> {
  event.preventDefault()
  try {
    const { status } = await fetchOrThrow(address, { method: 'HEAD' })
    if (status !== 403 || (await askForConfirmation())) location.assign(address)
  } catch (cause) {
    showErrorToast(cause)
  }
}
