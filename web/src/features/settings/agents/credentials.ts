import type { ApiKey, updateKey } from '#resources/api-keys/internal.ts'
import type { Grant, updateGrant } from '#resources/applications/grants/internal.ts'
import type { Supervision } from '#wire/supervision.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { apiKeysQuery } from '../api-keys/api-keys-query.ts'
import { grantsQuery } from '../applications/application-queries.ts'

/** What acts for a program in a person's name: an API key, or the authorization of an application. */
export interface AgentCredential {
  type: 'api_key' | 'app'
  id: string
  name: string
  user_id: string
  /** By which its operations are found: an application has one for all its authorizations. */
  credential_id: string
  scopes: readonly string[]
  last_used_at: string | null
  supervision: Supervision | null
  allowed_until: string | null
  paused_at: string | null
}

/** The credentials that still work: the person's own first, the last used of them first. */
export function toCredentials(
  keys: readonly ApiKey[],
  grants: readonly Grant[],
  viewerId: string,
): AgentCredential[] {
  const lasting = keys.filter(
    ({ expires_at }) => expires_at === null || Date.parse(expires_at) > Date.now(),
  )
  const credentials: AgentCredential[] = [
    ...lasting.map((key) => ({ ...key, type: 'api_key' as const, credential_id: key.id })),
    ...grants.map(({ application, ...grant }) => ({
      ...grant,
      type: 'app' as const,
      name: application.name,
      user_id: viewerId,
      credential_id: application.id,
    })),
  ]
  const isOthers = ({ user_id }: AgentCredential) => Number(user_id !== viewerId)
  return credentials.toSorted(
    (a, b) =>
      isOthers(a) - isOthers(b) || (b.last_used_at ?? '').localeCompare(a.last_used_at ?? ''),
  )
}

/** Pauses or resumes a credential, or changes how it is supervised. */
export async function updateCredential(
  { type, id }: AgentCredential,
  body: { paused: boolean } | { supervision: Supervision | null },
): Promise<void> {
  const input = { params: { id }, body }
  if (type === 'api_key') {
    await requestEndpoint<typeof updateKey>('PATCH /internal/api-keys/:id', input)
    await queryClient.invalidateQueries(apiKeysQuery)
    return
  }
  await requestEndpoint<typeof updateGrant>('PATCH /internal/grants/:id', input)
  await queryClient.invalidateQueries(grantsQuery)
}
