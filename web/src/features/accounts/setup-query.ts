import { queryOptions } from '@tanstack/react-query'
import type { getSetup } from '#accounts/contract.ts'
import { call } from '../../lib/call.ts'

/** Who may sign up, and whether the installation is somebody's already. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: () => call<typeof getSetup>('GET /internal/setup', {}),
})
