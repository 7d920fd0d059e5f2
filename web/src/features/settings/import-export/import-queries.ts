import { queryOptions } from '@tanstack/react-query'
import type {
  getImport,
  Import,
  listImports,
  startImport,
  updateImport,
} from '#resources/imports/internal.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { delay } from '../../../lib/browser/delay.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'

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

type ImportMappingPatch = Parameters<typeof requestEndpoint<typeof updateImport>>[1]['body']

/** The last choice or start of an import; none of them rejects. */
let lastStep = Promise.resolve()

/**
 * Takes a step once those before it are done and the server has read the file for them: until then
 * it would refuse it, or import the file without an earlier choice.
 */
function takeStep(id: string, request: (item: Import) => Promise<Import>): Promise<void> {
  const params = { id }
  const read = () => requestEndpoint<typeof getImport>('GET /internal/imports/:id', { params })
  lastStep = lastStep.then(() =>
    applyResponse(async () => {
      let item = await read()
      while (item.status === 'reading') {
        await delay(POLL_INTERVAL_MS)
        item = await read()
      }
      return request(item)
    }),
  )
  return lastStep
}

/** Saves how the contents of the file map to the workspace, by what is chosen so far. */
export const saveImportMapping = (
  id: string,
  choose: (item: Import) => ImportMappingPatch,
): Promise<void> =>
  takeStep(id, (item) =>
    requestEndpoint<typeof updateImport>('PATCH /internal/imports/:id', {
      params: { id },
      body: choose(item),
    }),
  )

/** Starts, pauses, cancels or undoes an import. */
export function runImportCommand(
  id: string,
  name: 'start' | 'pause' | 'cancel' | 'undo',
): Promise<void> {
  const request = () =>
    requestEndpoint<typeof startImport>(`POST /internal/imports/:id/${name}`, {
      params: { id },
      body: {},
    })
  return name === 'start' ? takeStep(id, request) : applyResponse(request)
}

async function applyResponse(request: () => Promise<Import>): Promise<void> {
  try {
    cacheImport(await request())
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
