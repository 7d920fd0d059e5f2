import { queryOptions } from '@tanstack/react-query'
import type { getSetup } from '#accounts/contract.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'

/** Who may sign up, which ways to sign in exist, and whether the installation is set up already. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: () => requestEndpoint<typeof getSetup>('GET /internal/setup', {}),
})
