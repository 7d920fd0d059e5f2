import { queryOptions, useQuery } from '@tanstack/react-query'
import type { createExport, Export as Exported, listExports } from '#resources/exports/internal.ts'
import { useBoot } from '../../../data/boot.ts'
import { queries } from '../../../data/refetch.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/transfer.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine } from '../../../ui/field.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { tell } from '../tell.ts'

const SOON_MS = 700

const exportsQuery = queryOptions({
  queryKey: ['exports'],
  queryFn: async ({ signal }) =>
    (await call<typeof listExports>('GET /internal/exports', {}, { signal })).data,
  refetchInterval: ({ state }) =>
    state.data?.some(({ status }) => status === 'running') ? SOON_MS : false,
})

/** The whole workspace as a file that every Docket reads; for owners. */
export function Export() {
  const isOwner = useBoot().session.user.role === 'owner'
  const { data, error, refetch } = useQuery({ ...exportsQuery, enabled: isOwner })
  const [latest] = data ?? []
  const isRunning = latest?.status === 'running'
  const make = async () => {
    try {
      await call<typeof createExport>('POST /internal/exports', { body: {} })
    } catch (problem) {
      tell(problem)
    }
    await queries.invalidateQueries(exportsQuery)
  }
  return (
    <section aria-label={m.export}>
      <Band title={m.export} />
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      <div className="sheet-form set-form">
        <FormLine>
          <p>{m.exportWhy}</p>
          <p className="set-note" role="status">
            {latest && <Told one={latest} />}
          </p>
          <div className="acts">
            <Button
              reason={isOwner ? undefined : m.exportOwners}
              busy={isRunning}
              onClick={() => void make()}
            >
              {m.exportMake}
            </Button>
          </div>
        </FormLine>
      </div>
    </section>
  )
}

function Told({ one: { id, status, filename, progress, error, expires_at } }: { one: Exported }) {
  if (status === 'running') return m.exporting(progress)
  if (status === 'failed') return error
  if (status === 'expired' || expires_at === null) return m.exportExpired
  return (
    <>
      <a href={`/internal/exports/${id}/content`} download={filename}>
        {m.exportDownload(filename)}
      </a>{' '}
      <span className="quiet">
        {m.exportUntil} <Moment at={expires_at} />
      </span>
    </>
  )
}
