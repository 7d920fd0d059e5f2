import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NOBODY, type Role } from '#core/actor.ts'
import type { NewApplication } from '#identity/applications.ts'
import { allowed } from '../../support/grant.ts'
import { newApp, newPkce } from '../../support/oauth.ts'
import type { Scene } from './browse.ts'

/** An application of somebody else, with a server of its own that browsers come back to. */
export async function thirdParty(scene: Scene, wanted: Partial<NewApplication> = {}) {
  const { docket, team, allow } = scene
  const came: URL[] = []
  const server = createServer((request, reply) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/cb') came.push(url)
    reply.writeHead(url.pathname === '/cb' ? 200 : 204, { 'content-type': 'text/html' })
    reply.end('<!doctype html><html lang="en"><title>App</title><h1>Back in the app</h1></html>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It lasts as long as the tests of the file.
  server.unref()
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  allow(new RegExp(`foreign request: ${origin}/`))
  const { owner, admin, member, guest } = team.people
  const people = { owner: owner.id, admin: admin.id, member: member.id, guest: guest.id }
  const wishes = { name: 'Standup Notes', redirect_uris: [`${origin}/cb`], ...wanted }
  const app = await newApp(docket, { workspace: team.workspace, people }, wishes)
  const { verifier, challenge } = newPkce()
  return {
    ...app,
    /** Where it has been come back to, in order. */
    came,
    /** The address at which it asks. */
    asks: (given: Record<string, string> = {}) =>
      `/oauth/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: app.id,
        redirect_uri: app.redirect_uri,
        scope: 'tasks:read comments:write comments:delete',
        state: 'a state',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...given,
      })}`,
    /** Takes a code for a token, and gives what the API says of it. */
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
      const asked = await fetch(`${docket.url}/api/v1/me`, { headers })
      return (await asked.json()) as {
        user: { id: string }
        workspace: { id: string }
        credential: { scopes: string[] }
      }
    },
  }
}

/** What a person allows an application in the workspace of the team, as if it had been asked for. */
export const newGrant = (
  { docket, team }: Pick<Scene, 'docket' | 'team'>,
  role: Role,
  application_id: string,
): Promise<string> =>
  docket.storage.write({ ...NOBODY, workspace_id: team.workspace }, (tx) => {
    const user_id = team.people[role].id
    const scopes = ['tasks:read', 'tasks:write', 'comments:read']
    return allowed(tx, { in_workspace: team.workspace, user_id, application_id, scopes })
  })
