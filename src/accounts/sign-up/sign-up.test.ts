import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveSetupToken } from '#auth/workspaces/first-owner.ts'
import { parseConfig } from '#config/config.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  ORIGIN_HEADERS,
  setTestPasswords,
  TEST_PASSWORD,
} from '#test/support/world/test-password.ts'

const ADA = {
  email: ' Ada@Example.com ',
  password: TEST_PASSWORD,
  name: 'Ada Lovelace',
  workspace_name: 'Analytics',
  timezone: 'Europe/London',
}

const NO_COMPANY = { company: null, password: true, passkeys: false, setup_token: false }
const ORIGIN = 'https://docket.example.com'
const LOCAL = { remoteAddress: '127.0.0.1' }

for (const engine of ENGINES) {
  test(`the first sign-up owns a workspace, then only invited users can sign up (${engine})`, async () => {
    const { server, config } = await openFreshDocket(engine)
    const { databaseUrl = '' } = config
    const otherProcessEnv = { DOCKET_DATABASE_URL: databaseUrl, OTHER_PROCESS: '1' }
    const other =
      engine === 'postgres' ? (await openTestDocket(engine, otherProcessEnv)).server : server
    const client = createCookieClient(server)
    const state = async () => (await client.send('GET /internal/setup', undefined, LOCAL)).body
    assert.deepEqual(await state(), { signup: 'open', initialized: false, ...NO_COMPANY })
    const userNames = ['ada', 'bea', 'cleo', 'dora']
    const signUps = userNames.map((name, at) => {
      const signUpClient = createCookieClient(at % 2 ? other : server)
      const body = { ...ADA, email: `${name}@example.com`, name, workspace_name: name }
      return signUpClient
        .send('POST /internal/signup', body, LOCAL)
        .then((response) => ({ signUpClient, response, name }))
    })
    const results = await Promise.all(signUps)
    const first = results.filter(({ response }) => response.status === 201)
    assert.deepEqual(results.map(({ response }) => describeReply(response)).toSorted(), [
      '201',
      ...Array(3).fill('403 signup_disabled'),
    ])
    const { signUpClient, name, response } = first[0] ?? assert.fail()
    const { user, workspace } = response.body as Record<string, Record<string, string>>
    assert.deepEqual(
      [user?.email, user?.role, user?.timezone],
      [`${name}@example.com`, 'owner', 'Europe/London'],
    )
    assert.deepEqual(
      [workspace?.name, workspace?.timezone, workspace?.plan],
      [name, 'Europe/London', 'free'],
    )
    assert.deepEqual(await state(), { signup: 'invite', initialized: true, ...NO_COMPANY })
    const members = await signUpClient.send('GET /api/v1/workspace/members')
    assert.equal((members.body.data as unknown[]).length, 1)
    // This is checked before the fields are validated.
    assert.equal(
      describeReply(await client.send('POST /internal/signup', {})),
      '403 signup_disabled',
    )
  })
}

for (const engine of ENGINES) {
  test(`the first account of a public installation needs the setup token, in each process (${engine})`, async () => {
    const env = { DOCKET_BASE_URL: ORIGIN }
    const { server, config } = await openFreshDocket(engine, env)
    const { databaseUrl = '' } = config
    const otherProcessEnv = { ...env, DOCKET_DATABASE_URL: databaseUrl, OTHER_PROCESS: '1' }
    const other =
      engine === 'postgres' ? (await openTestDocket(engine, otherProcessEnv)).server : server
    const setup_token = deriveSetupToken(TEST_SECRET)
    const clients = [server, other].map((process) => createCookieClient(process, ORIGIN))
    for (const client of clients) {
      const { body } = await client.send('GET /internal/setup')
      assert.deepEqual([body.signup, body.setup_token], ['open', true])
      for (const [more, code] of [
        [{}, 'required'],
        [{ setup_token: '' }, 'too_short'],
        [{ setup_token: setup_token.toLowerCase() }, 'invalid_value'],
        [{ setup_token: `${setup_token}x` }, 'invalid_value'],
      ] as const) {
        const reply = await client.send('POST /internal/signup', { ...ADA, ...more })
        assert.equal(describeReply(reply), '422 validation_failed', code)
        const { details } = reply.body.error as { details: object[] }
        assert.partialDeepStrictEqual(details, [{ field: 'setup_token', code }])
        assert.doesNotMatch(JSON.stringify(reply.body), new RegExp(setup_token, 'i'))
      }
    }
    const signUps = clients.map((client, at) =>
      client.send('POST /internal/signup', { ...ADA, email: `${at}@example.com`, setup_token }),
    )
    const outcomes = (await Promise.all(signUps)).map(describeReply)
    assert.deepEqual(outcomes.toSorted(), ['201', '403 signup_disabled'])
    const late = createCookieClient(other, ORIGIN)
    const { body } = await late.send('GET /internal/setup')
    assert.deepEqual([body.signup, body.setup_token], ['invite', false])
    for (const token of [setup_token, 'wrong']) {
      const reply = await late.send('POST /internal/signup', { ...ADA, setup_token: token })
      assert.equal(describeReply(reply), '403 signup_disabled')
    }
  })
}

test('a proxy that leads strangers to a server without base URL meets the setup token', async () => {
  const setup_token = deriveSetupToken(TEST_SECRET)
  for (const engine of ENGINES) {
    const { server } = await openFreshDocket(engine)
    const client = createCookieClient(server)
    const strangers = [
      'Forwarded',
      'Via',
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'X-Forwarded-Any',
      'X-Real-IP',
      'CF-Connecting-IP',
    ].map((name) => ({ ...LOCAL, headers: { [name]: '127.0.0.1' } }))
    for (const more of [
      ...strangers,
      { remoteAddress: '192.0.2.1' },
      { remoteAddress: '10.0.0.1' },
    ]) {
      const setup = await client.send('GET /internal/setup', undefined, more)
      assert.equal(setup.body.setup_token, true, JSON.stringify(more))
      for (const input of [{}, { setup_token: 'wrong' }]) {
        const reply = await client.send('POST /internal/signup', { ...ADA, ...input }, more)
        assert.equal(describeReply(reply), '422 validation_failed', JSON.stringify(more))
      }
    }
    for (const remoteAddress of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const { body } = await client.send('GET /internal/setup', undefined, { remoteAddress })
      assert.equal(body.setup_token, false, remoteAddress)
    }
    const signedUp = await client.send(
      'POST /internal/signup',
      { ...ADA, setup_token },
      strangers[0],
    )
    assert.equal(describeReply(signedUp), '201')
  }
})

test('asks for the setup token only where strangers could take the first account', () => {
  const asks = (env: Record<string, string>) => parseConfig(env).accounts.requiresSetupToken
  assert.equal(asks({}), false, 'npm start on a laptop')
  assert.equal(asks({ DOCKET_BASE_URL: 'http://localhost:4000' }), false)
  assert.equal(asks({ DOCKET_BASE_URL: ORIGIN }), true)
  assert.equal(asks({ DOCKET_HOST: '0.0.0.0' }), true)
  assert.equal(asks({ DOCKET_BASE_URL: ORIGIN, DOCKET_SIGNUP: 'open' }), false)
})

const prepare = setTestPasswords
const signUp = { send: 'POST /internal/signup', as: 'nobody', headers: ORIGIN_HEADERS } as const
const uniqueEmail = () => `ada.${process.pid}.${Math.random()}@example.com`
const email = uniqueEmail()
const details = (...faults: [string, string][]) => ({
  error: { details: faults.map(([field, code]) => ({ field, code })) },
})

scenario(
  'open sign-up creates one account per email address',
  [
    { send: 'GET /internal/setup', as: 'nobody', status: 200, reply: { signup: 'open' } },
    {
      ...signUp,
      body: { ...ADA, email: '{own}' },
      prepare: async (tx, known) => {
        await prepare(tx, known)
        known.own = uniqueEmail()
      },
      status: 201,
      keep: { email: 'user.email' },
    },
    {
      ...signUp,
      body: { ...ADA, email: '{email}' },
      status: 409,
      reply: { error: { code: 'email_taken' } },
    },
    { ...signUp, body: { ...ADA, email: '{owner_email}' }, status: 409 },
    { ...signUp, headers: {}, body: ADA, status: 403, reply: { error: { code: 'csrf_rejected' } } },
    {
      ...signUp,
      body: {
        email: 'ada',
        password: 'short',
        name: '',
        workspace_name: 7,
        timezone: 'Mars',
        x: 1,
      },
      status: 422,
      reply: details(
        ['email', 'invalid_format'],
        ['name', 'too_short'],
        ['workspace_name', 'invalid_type'],
        ['timezone', 'invalid_value'],
        ['x', 'unknown_field'],
        ['password', 'too_short'],
      ),
      check: ({ body }) => assert.doesNotMatch(JSON.stringify(body), /"short"/),
    },
    {
      ...signUp,
      body: { ...ADA, email, password: 'password1234' },
      status: 422,
      reply: details(['password', 'invalid_value']),
    },
    {
      ...signUp,
      body: { ...ADA, email: [email] },
      status: 422,
      reply: details(['email', 'invalid_type']),
    },
    { ...signUp, body: { ...ADA, email: `${'a'.repeat(250)}@b.co` }, status: 422 },
  ],
  { DOCKET_SIGNUP: 'open' },
)
