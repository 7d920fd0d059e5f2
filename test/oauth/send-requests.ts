import type { TestContext } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import type { OAuthReply, TestApplication } from '../support/oauth/oauth-client.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'

/** Form fields in their order. A name may occur twice. */
export type FormFields = readonly (readonly [name: string, value: string])[]

/** A code challenge for requests whose code is never redeemed. */
export const UNUSED_CODE_CHALLENGE = 'x'.repeat(43)

/** The fields of a correct authorization request. `twist` replaces fields, or removes them. */
export function authorizationFields(
  app: TestApplication,
  twist: Record<string, string | undefined> = {},
): FormFields {
  const correct = {
    response_type: 'code',
    client_id: app.id,
    redirect_uri: app.redirect_uri,
    scope: 'tasks:read',
    state: 'a state',
    code_challenge: UNUSED_CODE_CHALLENGE,
    code_challenge_method: 'S256',
  }
  return Object.entries({ ...correct, ...twist }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
}

const encodeForm = (fields: FormFields): string =>
  `${new URLSearchParams(fields.map((one) => [...one]))}`

/** The reply to an authorization request. */
export interface AuthorizationReply {
  status: number
  /** Where the browser is redirected to; empty without a redirect. */
  location: string
  headers: Record<string, unknown>
  text: string
}

/** Sends `GET /oauth/authorize` with a query, as raw text or as fields. */
export async function sendAuthorizationRequest(
  { server }: Pick<TestDocket, 'server'>,
  query: FormFields | string,
  headers: Record<string, string> = {},
): Promise<AuthorizationReply> {
  const url = `/oauth/authorize?${typeof query === 'string' ? query : encodeForm(query)}`
  const reply = await server.inject({ url, headers, remoteAddress: newClientAddress() })
  const location = String(reply.headers.location ?? '')
  return { status: reply.statusCode, location, headers: reply.headers, text: reply.body }
}

/** Whether the consent page was opened, as it is for a correct request. */
export const isConsentAsked = ({ status, location }: AuthorizationReply): boolean =>
  status === 303 && location.includes('/oauth/consent/')

/** Posts a form with exactly these fields. */
export async function postForm(
  { server }: Pick<TestDocket, 'server'>,
  path: string,
  fields: FormFields,
  { headers = {}, address = newClientAddress() }: { headers?: object; address?: string } = {},
): Promise<OAuthReply> {
  const reply = await server.inject({
    method: 'POST',
    url: path,
    remoteAddress: address,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: encodeForm(fields),
  })
  const isJson = String(reply.headers['content-type']).startsWith('application/json')
  const body = isJson && reply.body !== '' ? reply.json() : {}
  return { status: reply.statusCode, body, text: reply.body, headers: reply.headers }
}

/** Summarizes a reply of an OAuth endpoint: its status and its error. */
export function summarizeOAuthReply({ status, body }: Pick<OAuthReply, 'status' | 'body'>): string {
  const { error } = body
  if (error === undefined) return String(status)
  return `${status} ${typeof error === 'string' ? error : Object(error).code}`
}

/** oidc-provider only knows `Date.now`, so a Docket uses it too where a test mocks the date. */
const SYSTEM_CLOCK_DEPS = { clock: { now: () => Date.now() } }

/** Starts a Docket for tests that mock the date. */
export const startDocketOnMockedDate = (
  engine: DatabaseEngine,
  env: Record<string, string> = {},
): Promise<TestDocket> => openTestDocket(engine, env, SYSTEM_CLOCK_DEPS)

/** Starts another server on the same store, like a second process or a restart. */
export const startSecondServer = ({ engine, config }: TestDocket): Promise<TestDocket> => {
  const env = { DOCKET_DATA_DIR: config.dataDir, DOCKET_METRICS_TOKEN: 'of the second server' }
  return openTestDocket(engine, env, SYSTEM_CLOCK_DEPS)
}

/** Freezes the date until the end of the test. The returned function lets time pass. */
export function mockDate({ mock }: TestContext) {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  return ({ days = 0, seconds = 0 }: { days?: number; seconds?: number }): void =>
    mock.timers.tick((days * 86_400 + seconds) * 1_000)
}
