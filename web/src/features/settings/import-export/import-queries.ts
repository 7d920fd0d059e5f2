import { queryOptions } from '@tanstack/react-query'
import type {
  Import,
  listImportFaults,
  listImports,
  listImportWarnings,
  startImport,
  updateImport,
} from '#resources/imports/internal.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { showErrorToast } from '../show-error-toast.ts'

const POLL_INTERVAL_MS = 700
const isInProgress = ({ status }: Import) =>
  status === 'reading' || status === 'running' || status === 'undoing'

/** The latest imports, newest first; polled while one is in progress. */
export const importsQuery = queryOptions({
  queryKey: ['imports'],
  queryFn: async ({ signal }) =>
    (await requestEndpoint<typeof listImports>('GET /internal/imports', {}, { signal })).data,
  refetchInterval: ({ state }) => (state.data?.some(isInProgress) ? POLL_INTERVAL_MS : false),
})

/** The rows of an import that cannot become tasks, or not with all of their values. */
export const importMessagesQuery = (id: string, list: 'faults' | 'warnings', count: number) =>
  queryOptions({
    queryKey: ['imports', id, list, count],
    queryFn: async ({ signal }) => {
      const [input, options] = [{ params: { id } }, { signal }]
      const { data } = await (list === 'faults'
        ? requestEndpoint<typeof listImportFaults>(
            'GET /internal/imports/:id/faults',
            input,
            options,
          )
        : requestEndpoint<typeof listImportWarnings>(
            'GET /internal/imports/:id/warnings',
            input,
            options,
          ))
      return data
    },
  })

export type ImportMappingPatch = Parameters<typeof requestEndpoint<typeof updateImport>>[1]['body']

/** Saves how the contents of the file map to the workspace. */
export const saveImportMapping = (id: string, body: ImportMappingPatch): Promise<void> =>
  applyResponse(
    requestEndpoint<typeof updateImport>('PATCH /internal/imports/:id', { params: { id }, body }),
  )

/** Starts, pauses, cancels or undoes an import. */
export const runImportCommand = (
  id: string,
  name: 'start' | 'pause' | 'cancel' | 'undo',
): Promise<void> =>
  applyResponse(
    requestEndpoint<typeof startImport>(`POST /internal/imports/:id/${name}`, {
      params: { id },
      body: {},
    }),
  )

async function applyResponse(response: Promise<Import>): Promise<void> {
  try {
    cacheImport(await response)
  } catch (error) {
    showErrorToast(error)
    await queryClient.invalidateQueries(importsQuery)
  }
}

/** Puts an import from a response into the cached list, and refetches the list. */
export function cacheImport(item: Import): void {
  queryClient.setQueryData(importsQuery.queryKey, (all = []) => [
    item,
    ...all.filter(({ id }) => id !== item.id),
  ])
  void queryClient.invalidateQueries(importsQuery)
}
