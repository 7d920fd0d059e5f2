import type { NewApplication } from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Role } from '#wire/rights.ts'
import { createPkce, createTestApplication } from '../../../support/oauth/oauth-client.ts'
import { insertTestGrant } from '../../../support/oauth/test-grant.ts'
import type { BrowserFixture } from '../browser-test.ts'
import { toTestTeam } from '../team.ts'
import { sendPage, startForeignSite } from './foreign-site.ts'

/** Registers a third-party application with a server that browsers are redirected back to. */
export async function createThirdPartyApp(
  fixture: BrowserFixture,
  overrides: Partial<NewApplication> = {},
) {
  const { docket, team } = fixture
  const { origin, requests } = await startForeignSite(fixture, (_, _request, reply) =>
    sendPage(reply, 'Back in the app'),
  )
  const app = await createTestApplication(docket, toTestTeam(team), {
    name: 'Standup Notes',
    redirect_uris: [`${origin}/cb`],
    ...overrides,
  })
  const { verifier, challenge } = createPkce()
  return {
    ...app,
    /** The parameters of the callbacks that browsers have requested, in order. */
    callbacks: () =>
      requests.filter(({ url }) => url.pathname === '/cb').map(({ url }) => url.searchParams),
    /** The authorization request, with additional or replaced parameters. */
    authorizeUrl: (params: Record<string, string> = {}) =>
      `/oauth/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: app.id,
        redirect_uri: app.redirect_uri,
        scope: 'tasks:read comments:write comments:delete',
        state: 'a state',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...params,
      })}`,
    /** Exchanges a code for a token and returns the response of `/api/v1/me`. */
    async me(code: string | null | undefined) {
      const reply = await fetch(`${docket.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: app.id,
          redirect_uri: app.redirect_uri,
          code: code ?? '',
          code_verifier: verifier,
        }),
      })
      const { access_token } = (await reply.json()) as { access_token?: string }
      const headers = { authorization: `Bearer ${access_token}` }
      const meReply = await fetch(`${docket.url}/api/v1/me`, { headers })
      return (await meReply.json()) as {
        user: { id: string }
        workspace: { id: string }
        credential: { scopes: string[] }
      }
    },
  }
}

/** Grants an application access in the workspace of the team, without the consent screen. */
export const createAppGrant = (
  { docket, team }: Pick<BrowserFixture, 'docket' | 'team'>,
  role: Role,
  application_id: string,
): Promise<string> =>
  docket.storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) => {
    const user_id = team.people[role].id
    const scopes = ['tasks:read', 'tasks:write', 'comments:read']
    return insertTestGrant(tx, { in_workspace: team.workspace, user_id, application_id, scopes })
  })
