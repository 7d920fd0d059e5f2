import { queryOptions } from '@tanstack/react-query'
import type { createKey, listKeys } from '#resources/api-keys/internal.ts'
import type { Reply } from '#wire/endpoint.ts'
import { allPages } from '../../../data/pages.ts'
import { call } from '../../../lib/call.ts'

/** A key as it was just made: with its secret, which no later reply holds. */
export type MadeKey = Reply<typeof createKey>

/** The keys that the person may see, the newest first. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => {
    const keys = await allPages((page) =>
      call<typeof listKeys>('GET /internal/api-keys', { query: page }, { signal }),
    )
    return keys.toReversed()
  },
})
