import { queryOptions } from '@tanstack/react-query'
import type {
  Import,
  listImportFaults,
  listImports,
  startImport,
  updateImport,
} from '#resources/imports/internal.ts'
import { queries } from '../../../data/refetch.ts'
import { call } from '../../../lib/call.ts'
import { tell } from '../tell.ts'

const SOON_MS = 700
const isMoving = ({ status }: Import) =>
  status === 'reading' || status === 'running' || status === 'undoing'

/** The latest imports, the newest first; asked again and again while one is under way. */
export const importsQuery = queryOptions({
  queryKey: ['imports'],
  queryFn: async ({ signal }) =>
    (await call<typeof listImports>('GET /internal/imports', {}, { signal })).data,
  refetchInterval: ({ state }) => (state.data?.some(isMoving) ? SOON_MS : false),
})

/** The rows of an import that make no task. */
export const faultsQuery = ({ id, failed_count }: Import) =>
  queryOptions({
    queryKey: ['imports', id, 'faults', failed_count],
    queryFn: async ({ signal }) => {
      const sent = { params: { id } }
      return (
        await call<typeof listImportFaults>('GET /internal/imports/:id/faults', sent, { signal })
      ).data
    },
  })

type Choices = Parameters<typeof call<typeof updateImport>>[1]['body']

/** Chooses what becomes of what the file holds. */
export const choose = (id: string, body: Choices): Promise<void> =>
  settled(call<typeof updateImport>('PATCH /internal/imports/:id', { params: { id }, body }))

/** Starts, pauses, cancels or undoes an import. */
export const act = (id: string, name: 'start' | 'pause' | 'cancel' | 'undo'): Promise<void> =>
  settled(
    call<typeof startImport>(`POST /internal/imports/:id/${name}`, { params: { id }, body: {} }),
  )

async function settled(asked: Promise<Import>): Promise<void> {
  try {
    keep(await asked)
  } catch (error) {
    tell(error)
    await queries.invalidateQueries(importsQuery)
  }
}

/** Puts what the server has said of an import among the others. */
export function keep(one: Import): void {
  queries.setQueryData(importsQuery.queryKey, (all = []) => [
    one,
    ...all.filter(({ id }) => id !== one.id),
  ])
  void queries.invalidateQueries(importsQuery)
}
