import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isScriptInstalled, openPseudoTerminal } from '../support/services/script.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { BASE_ENV, CLI_ENTRY, newInstallation, runCliWithInput } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const installation = await newInstallation()
after(installation.remove)
const { env } = installation

const OWNER = ['--owner-email', 'Ada@Example.com', '--owner-name', 'Ada Lovelace']
const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const workspace = ['--workspace', acme.workspace_id ?? '']

/** Runs a command that must fail, and returns its error code. */
async function errorCodeOf(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHostedCli(env, ...words, '--json')
  assert.deepEqual([code, stdout], [1, ''], stderr)
  const { error } = JSON.parse(stderr)
  assert.deepEqual(Object.keys(error), ['code', 'message'])
  return error.code
}

test('workspace create prints an owner, a password and an API key', async () => {
  assert.deepEqual(Object.keys(acme), [
    'workspace_id',
    'name',
    'plan',
    'user_id',
    'owner_email',
    'owner_password',
    'api_key',
    'api_key_id',
    'base_url',
  ])
  assert.match(acme.api_key ?? '', /^dkt_[0-9A-Za-z]{38}$/)
  assert.equal(acme.owner_email, 'ada@example.com')
  assert.equal(acme.owner_password?.length, 20)
  assert.deepEqual([acme.plan, acme.base_url], ['free', installation.url])
})

test('the only workspace is the default, and members are named by email address', async () => {
  const add = ['member', 'add', '--email', 'cy@example.com', '--name', 'Cy']
  const added = await runHostedCliJson(env, ...add)
  assert.partialDeepStrictEqual(added, { role: 'member', status: 'active' } as object)
  const ofCy = ['--email', ' Cy@Example.com ']
  const key = await runHostedCliJson(env, 'key', 'create', ...ofCy, '--scopes', 'read_only')
  assert.equal(key.user_id, added.id)
  const led = ['--name', 'Led', '--lead', 'cy@example.com']
  const project = await runHostedCliJson(env, 'project', 'create', ...led)
  assert.equal(project.lead_id, added.id)
  const ofProject = ['--project', project.id ?? '']
  const person = await runHostedCliJson(env, 'project', 'add-person', ...ofProject, ...ofCy)
  assert.equal(person.user_id, added.id)
  const remove = ['member', 'remove', '--yes', ...ofCy, '--tasks-to', 'ada@example.com']
  assert.equal((await runHostedCliJson(env, ...remove)).status, 'removed')
  assert.equal(await errorCodeOf('member', 'remove', '--yes', '--email', 'x@y'), 'not_found')
  const both = ['--user', added.id ?? '', ...ofCy]
  for (const words of [[], both]) {
    const { code, stderr } = await runHostedCli(env, 'member', 'remove', '--yes', ...words)
    assert.equal(code, 2)
    assert.match(stderr, /^Give one of: --user, --email/)
  }
})

test('member add --from adds all people of a file, or tells each bad line and adds nobody', async () => {
  const path = join(createTempDir(), 'people.csv')
  const add = ['member', 'add', ...workspace, '--from', path]
  const addAll = async (text: string) => {
    writeFileSync(path, text)
    return runHostedCliJson<{ data: Record<string, unknown>[] }>(env, ...add)
  }
  const bad = [
    'Name;E-Mail',
    'email,name,role\nnobody,Nobody,\n,Noname,member\ndi@example.com,Di,boss\nDI@example.com,Di,,more',
    'email,name',
    'email,name,email\na@example.com,A,b@example.com',
  ]
  const reasons = [
    /must name the columns email, name and, if you like, role\. It has name, e-mail\./,
    /Nobody was added\. Line 2: email must be .*Line 3: `email` .*Line 4: `role` .*Line 5: it has 4 cells.*Line 5: email is also that of line 4/,
    /from 1 to 1000 people\. It has 0\./,
    /It has email, name, email\./,
  ]
  for (const [at, text] of bad.entries()) {
    writeFileSync(path, text)
    const { code, stderr } = await runHostedCli(env, ...add)
    assert.equal(code, 1)
    assert.match(stderr, reasons[at] ?? /never/)
  }
  const { data } = await addAll(
    '\ufeffName;Role;Email\r\n"Evi; the first";Admin;Evi@example.com\r\n\r\nFay;;fay@example.com\r\n',
  )
  assert.deepEqual(
    data.map(({ email, name, role, added }) => [email, name, role, added]),
    [
      ['Evi@example.com', 'Evi; the first', 'admin', true],
      ['fay@example.com', 'Fay', 'member', true],
    ],
  )
  assert.deepEqual(
    data.map(({ password }) => String(password).length),
    [20, 20],
  )
  const again = await addAll('email,name\nfay@example.com,Fay\ngus@example.com,Gus\n')
  assert.deepEqual(
    again.data.map(({ added, password }) => [added, password === null]),
    [
      [false, true],
      [true, false],
    ],
  )
  const { code, stderr } = await runHostedCli(env, ...add, '--name', 'One')
  assert.deepEqual([code, /are for one person/.test(stderr)], [2, true])
})

test('workspace create reuses an existing account and keeps its password', async () => {
  const again = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Second', ...OWNER)
  assert.equal(again.user_id, acme.user_id)
  assert.equal(again.owner_password, null)
  assert.notEqual(again.workspace_id, acme.workspace_id)
  const { code, stderr } = await runHostedCli(env, 'member', 'list')
  assert.equal(code, 1)
  assert.match(stderr, /`workspace` must be given: there are several/)
})

test('workspace set-plan shows the plan with its rate limit', async () => {
  const paid = await runHostedCliJson(env, 'workspace', 'set-plan', ...workspace, '--plan', 'paid')
  assert.partialDeepStrictEqual(paid, {
    id: acme.workspace_id,
    plan: 'paid',
    timezone: 'UTC',
    requests_per_minute: 5000,
  } as object)
  const plan = ['workspace', 'set-plan', ...workspace, '--plan', 'gold']
  assert.equal(await errorCodeOf(...plan), 'validation_failed')
})

test('project commands create, update, archive and add a person', async () => {
  const made = await runHostedCliJson(
    env,
    'project',
    'create',
    ...workspace,
    '--name',
    'Rocket science',
  )
  assert.partialDeepStrictEqual(made, { prefix: 'ROC', created_by_id: acme.user_id } as object)
  const project = ['--project', made.id ?? '']
  const changed = await runHostedCliJson(
    env,
    'project',
    'update',
    ...project,
    '--prefix',
    'RKT',
    '--visibility',
    'private',
    '--archived',
    'true',
  )
  assert.partialDeepStrictEqual(changed, { prefix: 'RKT', status: 'archived' } as object)
  const taken = ['project', 'create', ...workspace, '--name', 'x', '--prefix', 'ROC']
  assert.equal(await errorCodeOf(...taken), 'prefix_taken')
  const person = ['project', 'add-person', ...project, '--user', acme.user_id ?? '']
  assert.deepEqual(await runHostedCliJson(env, ...person), {
    project_id: made.id,
    user_id: acme.user_id,
  })
  assert.equal(await errorCodeOf('project', 'update', '--project', 'prj_none'), 'not_found')
  const stranger = ['project', 'create', ...workspace, '--name', 'x', '--lead', 'usr_none']
  assert.equal(await errorCodeOf(...stranger), 'validation_failed')
})

test('member add and remove, except for the last owner', async () => {
  const { id } = await runHostedCliJson(
    env,
    'project',
    'create',
    ...workspace,
    '--name',
    'For guests',
  )
  const guest = ['--email', 'bo@example.com', '--name', 'Bo', '--role', 'guest']
  const add = ['member', 'add', ...workspace, ...guest, '--project', id ?? '']
  const added = await runHostedCliJson(env, ...add)
  assert.partialDeepStrictEqual(added, { name: 'Bo', role: 'guest', status: 'active' } as object)
  assert.deepEqual([added.user_id, added.password?.length], [added.id, 20])
  assert.equal(await errorCodeOf(...add), 'already_member')
  const remove = ['member', 'remove', '--yes', ...workspace, '--user']
  const removed = await runHostedCliJson(env, ...remove, added.id ?? '')
  assert.equal(removed.status, 'removed')
  assert.equal(await errorCodeOf(...remove, added.id ?? ''), 'not_found')
  assert.equal(await errorCodeOf(...remove, acme.user_id ?? ''), 'last_owner')
})

test('a member add that fails creates no account', async () => {
  const bad = ['--email', 'eve@example.com', '--name', 'Eve', '--role', 'member']
  const add = ['member', 'add', ...workspace, ...bad, '--project', 'prj_none']
  assert.equal(await errorCodeOf(...add), 'not_found')
  assert.equal(
    await errorCodeOf('user', 'reset-password', '--yes', '--email', 'eve@example.com'),
    'not_found',
  )
  assert.equal(await errorCodeOf('user', 'sign-in-link', '--email', 'eve@example.com'), 'not_found')
  const cleared = ['user', 'clear-second-factor', '--yes', '--email', 'ada@example.com']
  assert.deepEqual(await runHostedCliJson(env, ...cleared), {
    user_id: acme.user_id,
    was_enabled: false,
  })
})

test('key create, list and revoke, with scopes or a preset', async () => {
  const create = ['key', 'create', ...workspace, '--user', acme.user_id ?? '', '--scopes']
  const key = await runHostedCliJson<{ id: string; api_key: string; scopes: string[] }>(
    env,
    ...create,
    'tasks:write,tasks:read',
    '--expires-at',
    '2099-01-01T00:00:00+01:00',
    '--rate-limit',
    '70',
  )
  assert.partialDeepStrictEqual(key, {
    name: 'cli',
    scopes: ['tasks:read', 'tasks:write'],
    expires_at: '2098-12-31T23:00:00.000Z',
    rate_limit: 70,
  } as object)
  const { data } = await runHostedCliJson<{ data: object[] }>(env, 'key', 'list', ...workspace)
  const { api_key, ...listed } = key
  assert.match(api_key, /^dkt_/)
  assert.deepEqual(data.at(-1), listed)
  const setLimit = ['key', 'set-rate-limit', '--key', key.id, '--rate-limit']
  assert.deepEqual(await runHostedCliJson(env, ...setLimit, '100'), { id: key.id, rate_limit: 100 })
  const limited = await runHostedCliJson<{ data: object[] }>(env, 'key', 'list', ...workspace)
  assert.deepEqual(limited.data.at(-1), { ...listed, rate_limit: 100 })
  assert.deepEqual(await runHostedCliJson(env, ...setLimit, 'none'), {
    id: key.id,
    rate_limit: null,
  })
  for (const wrong of ['0', '1.5', 'many', '100000000']) {
    assert.equal(await errorCodeOf(...setLimit, wrong), 'validation_failed')
  }
  assert.deepEqual(await runHostedCliJson(env, 'key', 'revoke', '--yes', '--key', key.id), {
    id: key.id,
    revoked: true,
  })
  assert.equal(await errorCodeOf('key', 'revoke', '--yes', '--key', key.id), 'not_found')
  assert.equal(await errorCodeOf(...create, 'tasks:burn'), 'validation_failed')
  const past = [...create, 'full', '--expires-at', '2020-01-01T00:00:00Z']
  assert.equal(await errorCodeOf(...past), 'validation_failed')
})

test('user reset-password generates a password or accepts a strong one', async () => {
  const reset = ['user', 'reset-password', '--yes', '--email', ' ADA@example.com ']
  const made = await runHostedCliJson(env, ...reset)
  assert.deepEqual([made.user_id, made.password?.length], [acme.user_id, 20])
  const mail = { DOCKET_SMTP_URL: 'smtp://127.0.0.1:1', DOCKET_MAIL_FROM: 'docket@example.com' }
  const strong = [...reset, '--password', 'correct horse battery']
  const given = await runHostedCliJson({ ...env, ...mail }, ...strong)
  const ofNotices = ['jobs', 'list', '--kind', 'security_email']
  const notices = await runHostedCliJson<{ data: unknown[] }>(env, ...ofNotices)
  assert.equal(notices.data.length, 1, 'an email tells the person of it, where mail is set up')
  assert.equal(given.password, 'correct horse battery')
  assert.equal(await errorCodeOf(...reset, '--password', 'password123'), 'validation_failed')
})

test('user set-password accepts a strong password from standard input and no argument', async () => {
  const set = ['user', 'set-password', 'ada@example.com']
  const errorOf = async (input: string, ...words: string[]) => {
    const { code, stdout, stderr } = await runCliWithInput(env, input, ...words)
    assert.deepEqual([code, stdout], [1, ''])
    return JSON.parse(stderr).error as { code: string; message: string }
  }
  const refused = await errorOf('tulips in the rain', ...set)
  assert.match(refused.message, /run this in a terminal, or pass the password with --stdin/)
  assert.match((await errorOf('password123\n', ...set, '--stdin')).message, /too common/)
  const unknown = ['user', 'set-password', 'eve@example.com', '--stdin']
  assert.equal((await errorOf('tulips in the rain', ...unknown)).code, 'not_found')
  assert.equal((await runHostedCli(env, ...set, '--password', 'tulips in the rain')).code, 2)
})

if (isScriptInstalled) {
  test('user set-password asks in a terminal without showing the password', async () => {
    const ask = ['user', 'set-password', 'ada@example.com', '--json']
    const words = [process.execPath, CLI_ENTRY, ...ask].map((word) => `'${word}'`).join(' ')
    const run = async (first: string, second: string) => {
      const terminal = openPseudoTerminal(words, { ...BASE_ENV, ...env })
      await terminal.type('New password: ', `${first}\r`)
      await terminal.type('Again: ', `${second}\r`)
      return { code: await terminal.end(), screen: terminal.screen() }
    }
    const set = await run('tulips in the sun', 'tulips in the sun')
    assert.deepEqual(set, {
      code: 0,
      screen: `New password: \nAgain: \n{"user_id":"${acme.user_id}"}\n`,
    })
    const differs = await run('tulips in the sun', 'tulips in the fog')
    assert.equal(differs.code, 1)
    assert.match(differs.screen, /the two passwords differ/)
    assert.doesNotMatch(differs.screen, /tulips/)
  })
}

test('wrong usage prints the usage and exits with 2', async () => {
  const wrong = [
    ['workspace', 'make'],
    ['workspace', 'create', '--name', 'x'],
    ['key', 'list', ...workspace, '--all', 'x'],
    ['key', 'list', ...workspace, ...workspace],
    ['key', 'list', '--workspace'],
    ['key', 'list', ...workspace, 'more'],
    [],
  ]
  for (const words of wrong) {
    const { code, stdout, stderr } = await runHostedCli(env, ...words)
    assert.equal(code, 2, words.join(' '))
    assert.match(stdout + stderr, /Usage: npm run --silent docket --/)
  }
  const extra = await runCliWithInput(env, '', 'key', 'list', ...workspace, 'more')
  assert.equal(extra.code, 2, 'in a process of its own')
  assert.match(extra.stderr, /^Unexpected argument: more\n/)
  const { code, stdout } = await runHostedCli(env, 'key', 'create', '--help')
  assert.equal(code, 0)
  assert.match(stdout, /--scopes <scopes> +full, read_only/)
})

test('migrate applies pending migrations, and nothing the second time', async () => {
  const fresh = await newInstallation()
  const first = await runHostedCliJson<{ from: number; to: number; applied: string[] }>(
    fresh.env,
    'migrate',
  )
  assert.deepEqual([first.from, first.applied.length], [0, first.to])
  assert.deepEqual(await runHostedCliJson<object>(fresh.env, 'migrate'), {
    engine: 'sqlite',
    from: first.to,
    to: first.to,
    applied: [],
  })
  fresh.remove()
})

test('without --json the output is a table', async () => {
  const { stdout } = await runHostedCli(env, 'key', 'list', ...workspace)
  assert.match(stdout, /^id +name +user_id/)
})

test('a password option without a value is read from standard input', async () => {
  const member = [...workspace, '--name', 'Grace Hopper', '--role', 'member', '--json']
  const password = 'correct horse battery staple'
  const cases = [
    ['member', 'add', ...member, '--email', 'grace@example.com', '--password'],
    ['member', 'add', '--password', ...member, '--email', 'grace2@example.com'],
    [
      'user',
      'reset-password',
      '--yes',
      '--email',
      'grace@example.com',
      '--json',
      '--password',
      '-',
    ],
    [
      'workspace',
      'create',
      '--name',
      'B',
      ...OWNER.with(1, 'b@example.com'),
      '--owner-password',
      '--json',
    ],
  ]
  for (const words of cases) {
    const { code, stdout, stderr } = await runCliWithInput(env, `${password}\n`, ...words)
    assert.equal(code, 0, stderr)
    const { password: printed, owner_password = printed } = JSON.parse(stdout)
    assert.equal(owner_password, password, words.join(' '))
  }
  const short = await runCliWithInput(env, 'short', ...(cases[0] ?? []))
  assert.equal(JSON.parse(short.stderr).error.code, 'validation_failed')
})

const createApp = ['app', 'create', ...workspace, '--name', 'Reports']

test('app create, list and delete manage OAuth applications', async () => {
  const web = ['--redirect-uri', 'https://b.example/cb', '--redirect-uri', 'https://a.example/cb']
  const created = await runHostedCliJson<Record<string, unknown>>(
    env,
    ...createApp,
    '--type',
    'confidential',
    ...web,
    '--scopes',
    'tasks:write,tasks:read',
  )
  assert.partialDeepStrictEqual(created, {
    client_id: created.id,
    name: 'Reports',
    type: 'confidential',
    distribution: 'private',
    description: null,
    homepage_url: null,
    created_by_id: acme.user_id,
    redirect_uris: ['https://b.example/cb', 'https://a.example/cb'],
    scopes: ['tasks:read', 'tasks:write'],
  })
  const { client_id, client_secret, ...listed } = created
  assert.match(String(client_secret), /^dcs_[0-9A-Za-z]{38}$/)
  const { data } = await runHostedCliJson<{ data: object[] }>(env, 'app', 'list', ...workspace)
  assert.deepEqual(data, [listed])
  const remove = ['app', 'delete', '--yes', '--app', String(client_id)]
  assert.deepEqual(await runHostedCliJson<object>(env, ...remove), { id: client_id, deleted: true })
  assert.equal(await errorCodeOf(...remove), 'not_found')
  // The built-in application of the command line cannot be deleted.
  const own = ['app', 'delete', '--yes', '--app', 'app_00000000000000000000000001']
  assert.equal(await errorCodeOf(...own), 'not_found')
})

test('a public application has no secret and may use a custom URI scheme', async () => {
  const native = ['--redirect-uri', 'com.example.app:/cb', '--scopes', 'read_only']
  const words = [...createApp, ...native, '--distribution', 'public', '--type']
  const created = await runHostedCliJson<Record<string, unknown>>(env, ...words, 'public')
  assert.partialDeepStrictEqual(created, { client_secret: null, distribution: 'public' })
  const misleading = ['app', 'create', ...workspace, '--name', 'Docket \u202eppa', ...native]
  const { stderr } = await runHostedCli(env, ...misleading, '--type', 'confidential', '--json')
  const { code, message } = JSON.parse(stderr).error
  assert.equal(code, 'validation_failed')
  assert.match(
    message,
    /^`name` must not contain characters that change the direction.*\. `redirect-uri\[0\]` must be https/,
  )
  const { code: usageExitCode } = await runHostedCli(
    env,
    ...createApp,
    '--type',
    'public',
    '--scopes',
    'full',
  )
  assert.equal(usageExitCode, 2)
})
