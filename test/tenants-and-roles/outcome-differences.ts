import assert from 'node:assert/strict'
import { routes, sessionActions } from '#server/routes.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { Role } from '#wire/rights.ts'
import { type ApiCall, callApi, summarizeReply } from '../support/api/call-api.ts'
import { endpointName } from '../support/api/endpoint-requests.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createTestSession } from '../support/world/test-session.ts'
import type { InternalEndpointCase } from './endpoint-outcomes.ts'
import { ENDPOINTS_WITHOUT_SESSION, INTERNAL_ENDPOINT_CASES } from './internal-endpoints.ts'
import type { SignedInWorkspace } from './internal-records.ts'
import { ALL_ROLES } from './roles.ts'

/** The endpoints of the web app. */
export const ENDPOINTS: readonly Endpoint[] = [...routes, ...sessionActions]
  .map(({ endpoint }) => endpoint)
  .filter(({ path }) => path.startsWith('/internal/'))

/** The lines of the table for an endpoint; none if it needs no session. */
export const casesOf = (endpoint: Endpoint): readonly InternalEndpointCase[] => {
  const name = endpointName(endpoint)
  if (ENDPOINTS_WITHOUT_SESSION.has(name)) return []
  return (
    INTERNAL_ENDPOINT_CASES[name] ??
    assert.fail(`${name} is not in the table of test/tenants-and-roles/internal-endpoints.ts`)
  )
}

/** Builds the request of a case with these ids. */
export function buildCall(
  { method, path, body }: Endpoint,
  line: InternalEndpointCase,
  ids: readonly string[],
  world: SignedInWorkspace,
): ApiCall {
  const requestBody = typeof line.body === 'function' ? line.body(world) : (line.body ?? {})
  const remainingIds = [...ids]
  const url = path.replace(/:\w+/g, () => remainingIds.shift() ?? '') + (line.query ?? '')
  return { method, url, ...(body && { body: requestBody }) }
}

async function callAs(
  { server, storage, config }: TestDocket,
  world: SignedInWorkspace,
  endpoint: Endpoint,
  line: InternalEndpointCase,
  role: Role,
): Promise<string> {
  const ids = (await line.ids?.(world, role)) ?? []
  const session = line.endsSession
    ? await createTestSession(storage, world.team, role, config.baseUrl)
    : world.sessions[role]
  const { headers } = session
  return summarizeReply(
    await callApi(server, undefined, { ...buildCall(endpoint, line, ids, world), headers }),
  )
}

/** Lists outcomes that differ from the table. */
export async function findOutcomeDifferences(
  served: TestDocket,
  world: SignedInWorkspace,
  endpoints = ENDPOINTS,
): Promise<string[]> {
  const differences: string[] = []
  for (const endpoint of endpoints) {
    for (const [at, line] of casesOf(endpoint).entries()) {
      for (const [index, role] of ALL_ROLES.entries()) {
        const actual = await callAs(served, world, endpoint, line, role)
        const expected = line.outcomes[index]
        if (actual !== expected)
          differences.push(
            `${endpointName(endpoint)} (${at}) as ${role}: ${actual}, not ${expected}`,
          )
      }
    }
  }
  return differences
}
