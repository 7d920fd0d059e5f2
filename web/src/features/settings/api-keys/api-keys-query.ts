import { queryOptions } from '@tanstack/react-query'
import type { createKey, listKeys } from '#resources/api-keys/internal.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { fetchAllPages } from '../../../data/cache/fetch-all-pages.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'

/** A new key with its secret, which no later response contains. */
export type ApiKeyWithSecret = EndpointReply<typeof createKey>

/** The keys that the person may see, newest first. */
export const apiKeysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => {
    const keys = await fetchAllPages((page) =>
      requestEndpoint<typeof listKeys>('GET /internal/api-keys', { query: page }, { signal }),
    )
    return keys.toReversed()
  },
})
