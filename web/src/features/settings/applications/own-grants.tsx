import { queryOptions, useQuery } from '@tanstack/react-query'
import type { deleteGrant, Grant, listGrants } from '#resources/grants/internal.ts'
import { allPages } from '../../../data/pages.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/applications.ts'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/dialog.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { GrantsTable } from './grants-table.tsx'

const grantsQuery = queryOptions({
  queryKey: ['grants'],
  queryFn: ({ signal }) =>
    allPages((query) => call<typeof listGrants>('GET /internal/grants', { query }, { signal })),
})

/** What the person allows applications in this workspace, and the end of it. */
export function OwnGrants() {
  const { data: grants, error, refetch } = useQuery(grantsQuery)
  return (
    <section aria-label={m.own}>
      <Band title={m.own} count={grants?.length} />
      <div className="line set-note">
        <span className="gut" />
        <p className="quiet">{grants?.length === 0 ? m.ownNone : m.ownWhy}</p>
      </div>
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!grants && !error && <Skeleton rows={2} />}
      {grants && grants.length > 0 && (
        <GrantsTable
          label={m.own}
          columns={m.ownColumns}
          grants={grants}
          nameOf={({ application }) => application.name}
          acts={(grant) => (
            <Button
              kind="plain danger"
              aria-label={m.revokeOf(grant.application.name)}
              onClick={() => revoke(grant)}
            >
              {m.revoke}
            </Button>
          )}
        />
      )}
    </section>
  )
}

async function revoke({ id, application }: Grant): Promise<void> {
  const yes = await confirm({
    title: m.revokeTitle(application.name),
    text: m.revokeWhy,
    action: m.revoke,
    danger: true,
    run: async () => {
      await call<typeof deleteGrant>('DELETE /internal/grants/:id', { params: { id } })
      queries.setQueryData(grantsQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
    },
  })
  if (yes) toast({ text: m.revoked(application.name) })
}
