import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, PASSWORD, passwords } from '#test/support/account.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { scenario } from '#test/support/scenario.ts'

const ADA = {
  email: ' Ada@Example.com ',
  password: PASSWORD,
  name: 'Ada Lovelace',
  workspace_name: 'Analytics',
  timezone: 'Europe/London',
}

const NO_COMPANY = { company: null, password: true, passkeys: false }

for (const engine of ENGINES) {
  test(`the first to sign up owns a workspace, and then only invited persons come (${engine})`, async () => {
    const { server, config } = await freshDocket(engine)
    const { databaseUrl = '' } = config
    const beside = { DOCKET_DATABASE_URL: databaseUrl, OTHER_PROCESS: '1' }
    const other = engine === 'postgres' ? (await docketOn(engine, beside)).server : server
    const one = browser(server)
    const state = async () => (await one.send('GET /internal/setup')).body
    assert.deepEqual(await state(), { signup: 'open', initialized: false, ...NO_COMPANY })
    const names = ['ada', 'bea', 'cleo', 'dora']
    const crowd = names.map((name, at) => {
      const who = browser(at % 2 ? other : server)
      const body = { ...ADA, email: `${name}@example.com`, name, workspace_name: name }
      return who.send('POST /internal/signup', body).then((shown) => ({ who, shown, name }))
    })
    const ended = await Promise.all(crowd)
    const first = ended.filter(({ shown }) => shown.status === 201)
    assert.deepEqual(ended.map(({ shown }) => endOf(shown)).toSorted(), [
      '201',
      ...Array(3).fill('403 signup_disabled'),
    ])
    const { who, name, shown } = first[0] ?? assert.fail()
    const { user, workspace } = shown.body as Record<string, Record<string, string>>
    assert.deepEqual(
      [user?.email, user?.role, user?.timezone],
      [`${name}@example.com`, 'owner', 'Europe/London'],
    )
    assert.deepEqual(
      [workspace?.name, workspace?.timezone, workspace?.plan],
      [name, 'Europe/London', 'free'],
    )
    assert.deepEqual(await state(), { signup: 'invite', initialized: true, ...NO_COMPANY })
    const made = await who.send('GET /api/v1/workspace/members')
    assert.equal((made.body.data as unknown[]).length, 1)
    // Before anything is said about the fields.
    assert.equal(endOf(await one.send('POST /internal/signup', {})), '403 signup_disabled')
  })
}

const prepare = passwords
const sent = { send: 'POST /internal/signup', as: 'nobody', headers: ORIGIN } as const
const unique = () => `ada.${process.pid}.${Math.random()}@example.com`
const email = unique()
const details = (...faults: [string, string][]) => ({
  error: { details: faults.map(([field, code]) => ({ field, code })) },
})

scenario(
  'where it is open, whoever comes signs up once',
  [
    { send: 'GET /internal/setup', as: 'nobody', status: 200, reply: { signup: 'open' } },
    {
      ...sent,
      body: { ...ADA, email: '{own}' },
      prepare: async (tx, known) => {
        await prepare(tx, known)
        known.own = unique()
      },
      status: 201,
      keep: { email: 'user.email' },
    },
    {
      ...sent,
      body: { ...ADA, email: '{email}' },
      status: 409,
      reply: { error: { code: 'email_taken' } },
    },
    { ...sent, body: { ...ADA, email: '{owner_email}' }, status: 409 },
    { ...sent, headers: {}, body: ADA, status: 403, reply: { error: { code: 'csrf_rejected' } } },
    {
      ...sent,
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
      ...sent,
      body: { ...ADA, email, password: 'password1234' },
      status: 422,
      reply: details(['password', 'invalid_value']),
    },
    {
      ...sent,
      body: { ...ADA, email: [email] },
      status: 422,
      reply: details(['email', 'invalid_type']),
    },
    { ...sent, body: { ...ADA, email: `${'a'.repeat(250)}@b.co` }, status: 422 },
  ],
  { DOCKET_SIGNUP: 'open' },
)
