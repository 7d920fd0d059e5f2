import assert from 'node:assert/strict'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { openTestDocket, withoutRowLevelSecurity } from '../engines/test-docket.ts'
import { OIDC_CLIENT, type startOidcProvider } from '../services/oidc-provider.ts'
import type { TestClock } from '../system/test-clock.ts'
import { type createCookieClient, describeReply } from './cookie-client.ts'
import { setTestPassword } from './test-password.ts'
import { createTestWorkspace } from './test-workspace.ts'

export const BEGIN_SSO = 'POST /internal/company-sign-in'
export const FINISH_SSO = 'POST /internal/company-sign-in/finish'

type OidcProvider = Awaited<ReturnType<typeof startOidcProvider>>
export type SsoBrowser = ReturnType<typeof createCookieClient>

/** The settings of a server whose users sign in with a provider. */
export const createOidcSettings = ({ issuer }: Pick<OidcProvider, 'issuer'>) => ({
  DOCKET_OIDC_ISSUER: issuer,
  DOCKET_OIDC_CLIENT_ID: OIDC_CLIENT.id,
  DOCKET_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
})

let serial = 0
/** The subject of another person at the provider. */
export const newSubject = (): string => {
  serial += 1
  return `employee-${process.pid}-${Date.now()}-${serial}`
}

/** What a browser does to sign in with a provider. */
export function createSsoSteps(company: OidcProvider) {
  /** Follows the redirect to the provider and returns the parameters of its response. */
  async function getProviderResponse(client: SsoBrowser, body: object = { purpose: 'sign_in' }) {
    const redirect = await client.send(BEGIN_SSO, body)
    assert.equal(describeReply(redirect), '200')
    const callback = await company.visit(String(redirect.body.redirect_to))
    assert.equal(`${callback.origin}${callback.pathname}`, 'http://127.0.0.1:4000/sign-in/company')
    return Object.fromEntries(callback.searchParams) as { code: string; state: string; iss: string }
  }

  const signInWithSso = async (client: SsoBrowser, body?: object) =>
    client.send(FINISH_SSO, await getProviderResponse(client, body))

  return { getProviderResponse, signInWithSso }
}

/** A workspace whose member has a password; `verify` marks the member's address as verified. */
export async function openSsoWorkspace(
  engine: DatabaseEngine,
  clock: TestClock,
  env: Record<string, string>,
) {
  const served = await openTestDocket(
    engine,
    { ...withoutRowLevelSecurity(engine), ...env },
    { clock },
  )
  const { storage } = served
  const team = await createTestWorkspace(storage)
  const email = await setTestPassword(storage, team, 'member')
  const verify = () =>
    storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(markVerified, { id: team.people.member }))
  return { ...served, team, email, verify }
}

const markVerified = unscopedCommand((db, $: { id: string }) =>
  db
    .updateTable('users')
    .set((is) => ({ verified_email: is.ref('email') }))
    .where('id', '=', $.id),
)
