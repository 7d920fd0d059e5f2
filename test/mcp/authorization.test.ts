import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { documentApplicationId } from '#auth/oauth/applications.ts'
import { mockDate, startDocketOnMockedDate, startSecondServer } from '../oauth/send-requests.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import {
  createOAuthClient,
  createTestApplication,
  parseTokenReply,
} from '../support/oauth/oauth-client.ts'
import { createCertificate } from '../support/services/certificate.ts'
import { formatHttpReply, startRawServer } from '../support/services/raw-server.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { callTool, openMcpDocket } from './mcp-client.ts'

const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'
const PROCESSES = 5
const ROUNDS = 100

const authority = createCertificate({})
const LOCALHOST = createCertificate({ names: ['localhost'], issuer: authority })

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

for (const engine of ENGINES) {
  const opening = openMcpDocket(engine)
  const openTeam = async () => (await opening).openTeam()

  test(`leads clients without a credential to its authorization server (${engine})`, async () => {
    const { port, storage } = await opening
    const { baseUrl } = (await openTestDocket(engine)).config
    const { team } = await openTeam()
    const post = (headers: Record<string, string>, body: unknown = LIST_TOOLS) =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(body),
      })
    const challenge = `Bearer realm="docket", resource_metadata="${baseUrl}${METADATA_PATH}"`
    const session = await createTestSession(storage, team, 'owner', baseUrl)
    // A cookie is not enough: a page of another origin could send it along.
    for (const headers of [{}, { cookie: session.headers.cookie }]) {
      const reply = await post(headers)
      assert.equal(reply.status, 401)
      assert.equal(reply.headers.get('www-authenticate'), challenge)
    }
    const wrong = await post({ authorization: 'Bearer dkt_wrong' })
    assert.equal(wrong.status, 401)
    assert.match(wrong.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
    assert.ok(wrong.headers.get('www-authenticate')?.startsWith(challenge))

    const authorization = `Bearer ${team.keys.owner}`
    assert.equal((await post({ authorization })).status, 200)
    assert.equal((await post({ authorization }, [LIST_TOOLS])).status, 400)
    assert.equal((await post({ authorization, origin: 'http://localhost:1234' })).status, 200)
    assert.equal((await post({ authorization, origin: 'https://evil.example' })).status, 403)
    assert.equal((await post({ authorization, 'content-type': 'text/plain' })).status, 415)
    const get = await fetch(`http://127.0.0.1:${port}/mcp`, { headers: { authorization } })
    assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST'])

    const metadata = await (await fetch(`http://127.0.0.1:${port}${METADATA_PATH}`)).json()
    assert.deepEqual(metadata, {
      resource: `${baseUrl}/mcp`,
      authorization_servers: [baseUrl],
      scopes_supported: [
        'projects:read',
        'tasks:read',
        'tasks:write',
        'comments:read',
        'comments:write',
        'time_entries:read',
        'time_entries:write',
        'tags:read',
        'members:read',
      ],
      bearer_methods_supported: ['header'],
      resource_documentation: `${baseUrl}/docs/guides/mcp`,
    })
  })

  test(`accepts access tokens for either address of the resource (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { team, connect } = await openTeam()
    const app = await createTestApplication(docket, team)
    const { tokensFor, refresh, ask, codeFor, exchange } = createOAuthClient(docket, team, app)
    const { baseUrl } = docket.config
    const scope = 'tasks:read tasks:write'
    for (const resource of [undefined, baseUrl, `${baseUrl}/`, `${baseUrl}/mcp`]) {
      const { code, verifier } = await codeFor('member', { scope, resource })
      const exchanged = await exchange(code, verifier, resource ? { resource } : {})
      const tokens = parseTokenReply(exchanged)
      const refreshed = parseTokenReply(
        await refresh(tokens.refresh_token, resource ? { resource } : {}),
      )
      for (const { access_token } of [tokens, refreshed]) {
        const client = await connect({ token: access_token })
        assert.equal((await callTool(client, 'list_tasks')).text, 'No tasks.')
      }
    }
    // Without scopes a program gets those that tools need.
    const { code, verifier } = await codeFor('member', {
      scope: undefined,
      resource: `${baseUrl}/mcp`,
    })
    const unscoped = parseTokenReply(await exchange(code, verifier))
    const all = await (await connect({ token: unscoped.access_token })).listTools()
    assert.equal(all.tools.length, 12)
    assert.doesNotMatch(unscoped.scope, /delete|webhooks|events|attachments/)
    const elsewhere = await ask({ code_challenge: 'x'.repeat(43), resource: `${baseUrl}/other` })
    assert.doesNotMatch(elsewhere.location, /consent/)
    const { access_token } = await tokensFor('member', { scope: 'tasks:read' })
    const { tools } = await (await connect({ token: access_token })).listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['search', 'fetch', 'list_tasks', 'get_task'],
    )
  })

  test(`counts a call and each of its requests for the rate limit (${engine})`, async () => {
    const { connect, port, team } = { ...(await opening), ...(await openTeam()) }
    const client = await connect()
    const remaining = async () => {
      const headers = { authorization: `Bearer ${team.keys.owner}` }
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers })
      return Number(reply.headers.get('x-ratelimit-remaining'))
    }
    const before = await remaining()
    await callTool(client, 'list_tasks')
    const after = await remaining()
    // A new minute has begun if more remains.
    if (after < before) assert.equal(before - after, 3)
  })

  test(`knows clients by their metadata documents (${engine})`, async (t) => {
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, authority.cert])
    t.after(() => setDefaultCACertificates(before))
    const documents = new Map<string, object>()
    const { port, requests } = await startRawServer(
      t,
      (socket, request) => {
        const path = request.split(' ')[1] ?? ''
        const document = documents.get(path)
        socket.write(formatHttpReply(document ? 200 : 404, JSON.stringify(document ?? {})))
      },
      { tls: LOCALHOST },
    )
    const origin = `https://localhost:${port}`
    const redirect_uri = 'http://127.0.0.1/callback'
    const client_id = `${origin}/agent.json`
    const document = { client_id, client_name: 'Agent', redirect_uris: [redirect_uri] }
    documents.set('/agent.json', document)
    documents.set('/copy.json', document)
    documents.set('/secret.json', {
      ...document,
      client_id: `${origin}/secret.json`,
      client_secret: 'x',
    })
    const docket = await openTestDocket(engine)
    const { team, connect } = await openTeam()
    const client = (id: string) =>
      createOAuthClient(docket, team, { id, secret: undefined, redirect_uri })
    const { tokensFor, refresh } = client(client_id)
    const tokens = await tokensFor('member', { resource: `${docket.config.baseUrl}/mcp` })
    const refreshed = parseTokenReply(await refresh(tokens.refresh_token))
    const agent = await connect({ token: refreshed.access_token })
    assert.equal((await callTool(agent, 'list_tasks')).text, 'No tasks.')
    assert.equal(requests.length, 1)

    const problemOf = async (id: string) => {
      const asked = await client(id).ask({ code_challenge: 'x'.repeat(43) })
      assert.equal(asked.status, 400)
      assert.equal(asked.location, '')
      return asked.text
    }
    assert.match(await problemOf(`${origin}/copy.json`), /names another client_id/)
    assert.match(await problemOf(`${origin}/secret.json`), /must not contain a client_secret/)
    assert.match(await problemOf(`${origin}/missing.json`), /cannot be read/)
    assert.match(await problemOf('https://10.0.0.1/agent.json'), /cannot be read/)
    const count = requests.length
    await problemOf(`${origin}/agent.json#fragment`)
    await problemOf(`http://localhost:${port}/agent.json`)
    assert.equal(requests.length, count)
    const other = await client(client_id).ask({
      code_challenge: 'x'.repeat(43),
      redirect_uri: 'https://evil.example/callback',
    })
    assert.equal(other.status, 400)
    // The page that asks people shows from where the document came.
    const signedIn = await createTestSession(docket.storage, team, 'member', docket.config.baseUrl)
    const asked = await client(client_id).ask({ code_challenge: 'x'.repeat(43) }, signedIn)
    const interaction = await docket.server.inject({
      url: `/internal/oauth/interactions/${asked.uid}`,
      headers: { ...signedIn.headers, cookie: `${signedIn.headers.cookie}; ${asked.cookies}` },
    })
    const { application } = interaction.json()
    assert.deepEqual(
      [application.id, application.name, application.homepage_url],
      [documentApplicationId(client_id), 'Agent', origin],
    )
  })

  test(`keeps ${PROCESSES} processes of one agent signed in that refresh at once, ${ROUNDS} times (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const docket = await startDocketOnMockedDate(engine)
    const servers = [docket, await startSecondServer(docket)]
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team)
    const address = newClientAddress()
    const clients = servers.map((server) => createOAuthClient(server, team, app, address))
    const [first] = clients
    assert.ok(first)
    const resource = `${docket.config.baseUrl}/mcp`
    let { refresh_token } = await first.tokensFor('member', { resource })
    for (let round = 0; round < ROUNDS; round += 1) {
      const refreshing = Array.from({ length: PROCESSES }, (_, process) =>
        clients[process % clients.length]?.refresh(refresh_token, { resource }),
      )
      const replies = await Promise.all(refreshing)
      const pairs = replies.map((reply) => {
        assert.ok(reply?.status === 200, `round ${round}: ${reply?.text}`)
        return parseTokenReply(reply)
      })
      assert.equal(new Set(pairs.map((pair) => pair.refresh_token)).size, 1)
      for (const { access_token } of pairs)
        assert.equal((await first.me(access_token)).status, 200, `round ${round}`)
      refresh_token = pairs[0]?.refresh_token ?? ''
      passTime({ seconds: 3_600 })
    }
  })
}
