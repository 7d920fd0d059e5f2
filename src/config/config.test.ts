import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, parseConfig, readSettingSources } from './config.ts'

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.mistakes
  }
}

test('rejects the sample texts of deploy/ as secrets, and says what to do', () => {
  const samples = readFileSync('deploy/kubernetes/secret.example.yaml', 'utf8')
  for (const name of ['DOCKET_SECRET', 'DOCKET_METRICS_TOKEN']) {
    const [, sample = ''] = new RegExp(`${name}: (.+)`).exec(samples) ?? []
    assert.ok(sample.length >= 16, name)
    const [mistake = '', ...more] = mistakesOf({ [name]: sample })
    assert.match(mistake, new RegExp(`^${name} is the sample .* openssl rand -hex 32$`))
    assert.deepEqual(more, [])
  }
  const generated = 'c0ffee'.repeat(10)
  assert.deepEqual(mistakesOf({ DOCKET_SECRET: generated, DOCKET_METRICS_TOKEN: generated }), [])
})

test('rejects a path with a ~ that no shell has replaced', () => {
  for (const name of ['DOCKET_DATA_DIR', 'DOCKET_BACKUP_TO', 'DOCKET_SECRET_FILE']) {
    const [mistake = '', ...more] = mistakesOf({ [name]: '~/docket-data' })
    assert.match(mistake, new RegExp(`^${name} must be a path .* \\$HOME .*"~/docket-data"$`))
    assert.deepEqual(more, [])
  }
  assert.deepEqual(mistakesOf({ DOCKET_DATA_DIR: './~/docket-data' }), [])
})

test('rejects several processes without PostgreSQL', () => {
  const several = { DOCKET_PROCESSES: '2' }
  assert.match(
    mistakesOf(several).join(),
    /^DOCKET_PROCESSES greater than 1 requires PostgreSQL: set DOCKET_DATABASE_URL/,
  )
  const DOCKET_DATABASE_URL = 'postgres://docket@one/docket'
  assert.deepEqual(mistakesOf({ ...several, DOCKET_DATABASE_URL }), [])
  assert.deepEqual(mistakesOf({ DOCKET_PROCESSES: '1' }), [])
})

test('rejects database URLs with several hosts', () => {
  const several = 'postgres://docket:a,b@one:5432,two:5432/docket'
  const one = 'postgres://docket:a,b@one/docket?application_name=a,b'
  assert.match(
    mistakesOf({ DOCKET_DATABASE_URL: several }).join(),
    /DATABASE_URL must name exactly one host/,
  )
  assert.deepEqual(mistakesOf({ DOCKET_DATABASE_URL: one }), [])
})

test('validates the settings of single sign-on without repeating the secret', () => {
  const wrong = {
    DOCKET_OIDC_ISSUER: 'http://sso.example.com',
    DOCKET_OIDC_CLIENT_SECRET: 'hunter2',
    DOCKET_OIDC_WORKSPACE: 'here',
    DOCKET_OIDC_DOMAINS: 'x',
  }
  const ssoOrMistakes = (env: Record<string, string>) => {
    try {
      return parseConfig(env).sso
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      assert.doesNotMatch(error.message, /hunter2/)
      return error.mistakes.map((line) => line.split(' ')[0]).toSorted()
    }
  }
  assert.deepEqual(ssoOrMistakes(wrong), [
    'DOCKET_OIDC_DOMAINS',
    'DOCKET_OIDC_ISSUER',
    'DOCKET_OIDC_ISSUER',
    'DOCKET_OIDC_WORKSPACE',
  ])
  assert.deepEqual(ssoOrMistakes({ DOCKET_OIDC_ONLY: '1' }), ['DOCKET_OIDC_ONLY'])
  assert.equal(ssoOrMistakes({}), undefined)
})

test('rejects variables that are no settings and suggests the most similar name', () => {
  const suggestions = {
    DB_URL: 'DATABASE_URL',
    DATADIR: 'DATA_DIR',
    PROT: 'PORT',
    SMTP: 'SMTP_URL',
    LISTEN_PORT: 'PORT',
    LOGLEVEL: 'LOG_LEVEL',
    METRIC_TOKEN: 'METRICS_TOKEN',
    MAX_UPLOAD_BYTES: 'MAX_ATTACHMENT_BYTES',
    TRUSTED_PROXY: 'TRUST_PROXY',
    DB_URL_FILE: 'DATABASE_URL_FILE',
  }
  const names = Object.keys(suggestions)
  const env = Object.fromEntries(names.map((name) => [`DOCKET_${name}`, 'hunter2']))
  const expected = Object.entries(suggestions).map(
    ([name, meant]) => `DOCKET_${name} is not a setting; did you mean DOCKET_${meant}?`,
  )
  const mistakes = mistakesOf({ ...env, DOCKET_HOST: '::1', DOCKET_DEMO: 'no' })
  const value = 'DOCKET_DEMO must be one of 0, 1, not "no"'
  assert.deepEqual(mistakes, [...expected.toSorted(), value])
  const others = { DOCKET_FOO: '', DOCKET_PORT_FILE: '/run/port' }
  assert.deepEqual(mistakesOf(others), [
    'DOCKET_FOO is not a setting; docs/operations-reference.md lists all settings',
    'DOCKET_PORT_FILE is not a setting: only a secret can be in a file; set DOCKET_PORT',
  ])
  const removed =
    'DOCKET_REDIS_URL_FILE is no longer a setting: all processes count their rate limits'
  assert.ok(mistakesOf({ DOCKET_REDIS_URL_FILE: '/run/redis' })[0]?.startsWith(removed))
  const once = mistakesOf({ DOCKET_TRASH_DAYS: '90', DOCKET_BACKUP_S3_REGION: 'r' })
  assert.deepEqual(once, [
    'DOCKET_BACKUP_S3_REGION is no longer a setting: backups use DOCKET_S3_REGION; leave DOCKET_S3_BUCKET out if files stay in the data directory',
    'DOCKET_TRASH_DAYS is no longer a setting: every installation has the same value: remove it',
  ])
  const clients = { DOCKET_KEY: 'dkt_x', DOCKET_URL: 'http://127.0.0.1:4000', docket_port: '1' }
  assert.deepEqual(mistakesOf(clients), [])
})

test('ignores the variables that Kubernetes sets for Services, and names the remedy for the port', () => {
  const links = {
    DOCKET_SERVICE_HOST: '10.0.0.7',
    DOCKET_SERVICE_PORT_HTTP: '80',
    DOCKET_PORT_80_TCP: 'tcp://10.0.0.7:80',
    DOCKET_PORT_80_TCP_ADDR: '10.0.0.7',
    DOCKET_POSTGRES_PORT: 'tcp://10.0.0.8:5432',
    DOCKET_POSTGRES_SERVICE_HOST: '10.0.0.8',
  }
  const inPod = { ...links, KUBERNETES_SERVICE_HOST: '10.0.0.1' }
  assert.deepEqual(mistakesOf(inPod), [])
  assert.equal(mistakesOf(links).length, Object.keys(links).length)
  const [mistake = '', ...more] = mistakesOf({ ...inPod, DOCKET_PORT: 'tcp://10.0.0.7:80' })
  assert.match(mistake, /^DOCKET_PORT is the address of a Service .* enableServiceLinks: false/)
  assert.deepEqual(more, [])
})

test('reads secrets from files without their last line break', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'docket-config-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const fileWith = (name: string, content: string) => {
    writeFileSync(join(dir, name), content)
    return join(dir, name)
  }
  const secret = 'c0ffee'.repeat(10)
  const path = fileWith('secret', `${secret}\n`)
  const { config, readings } = readSettingSources({
    DOCKET_SECRET_FILE: path,
    DOCKET_METRICS_TOKEN_FILE: fileWith('token', ' two\nlines\r\n'),
    DOCKET_SECRET: '',
  })
  assert.deepEqual([config.secret, config.log.metricsToken], [secret, ' two\nlines'])
  const reading = readings.find(({ name }) => name === 'DOCKET_SECRET')
  assert.deepEqual(reading, {
    name: 'DOCKET_SECRET',
    isSecret: true,
    value: secret,
    source: 'file',
    path,
  })

  const wrong = {
    DOCKET_SECRET: secret,
    DOCKET_SECRET_FILE: path,
    DOCKET_METRICS_TOKEN_FILE: fileWith('empty', '\n'),
    DOCKET_DATABASE_URL_FILE: join(dir, 'missing'),
    DOCKET_SMTP_URL_FILE: dir,
    // Without a database this is a mistake, but here one that only follows from another.
    DOCKET_PROCESSES: '2',
  }
  const mistakes = mistakesOf(wrong)
  assert.deepEqual(mistakes.toSorted(), [
    `DOCKET_DATABASE_URL_FILE names ${join(dir, 'missing')}, which does not exist`,
    `DOCKET_METRICS_TOKEN_FILE names ${join(dir, 'empty')}, which is empty`,
    'DOCKET_SECRET_FILE is set, and so is DOCKET_SECRET: remove one of them',
    `DOCKET_SMTP_URL_FILE names ${dir}, which is a directory`,
  ])
})

test('reads the settings of backups, and reports every mistake without the passphrase', () => {
  const to = { DOCKET_BACKUP_TO: '/backups' }
  for (const [schedule, hour] of [
    ['daily', 2],
    ['hourly', 0],
    ['30 4 * * mon-fri', 4],
  ] as const) {
    const { backup } = parseConfig({ ...to, DOCKET_BACKUP_SCHEDULE: schedule })
    assert.equal(backup.plan?.schedule?.hours[0], hour)
  }
  const keys = {
    DOCKET_S3_ENDPOINT: 'https://s3.example.com',
    DOCKET_S3_REGION: 'r',
    DOCKET_S3_ACCESS_KEY_ID: 'k',
    DOCKET_S3_SECRET_ACCESS_KEY: 's',
  }
  const bucket = { DOCKET_BACKUP_TO: 's3://backups/docket/one', ...keys }
  assert.deepEqual(parseConfig(bucket).backup.plan?.place, {
    kind: 'bucket',
    prefix: 'docket/one/',
    s3: {
      endpoint: 'https://s3.example.com',
      bucket: 'backups',
      region: 'r',
      accessKeyId: 'k',
      secretAccessKey: 's',
    },
  })
  const { readings } = readSettingSources(to)
  const keep = readings.find(({ name }) => name === 'DOCKET_BACKUP_KEEP')
  assert.deepEqual([keep?.value, keep?.source], ['24h 7d 4w 12m', 'default'])
  const wrong: [env: Record<string, string>, mistake: RegExp][] = [
    [{ DOCKET_BACKUP_SCHEDULE: 'daily' }, /^DOCKET_BACKUP_SCHEDULE requires DOCKET_BACKUP_TO/],
    [{ ...to, DOCKET_BACKUP_SCHEDULE: 'weekly' }, /^DOCKET_BACKUP_SCHEDULE must be .* in UTC/],
    [{ ...to, DOCKET_BACKUP_SCHEDULE: '0 0 31 2 *' }, /^DOCKET_BACKUP_SCHEDULE must be/],
    [{ ...to, DOCKET_BACKUP_KEEP: '7 days' }, /^DOCKET_BACKUP_KEEP must be .*"7 days"/],
    [{ DOCKET_BACKUP_TO: 's3://backups' }, /^DOCKET_BACKUP_TO with s3:.* requires endpoint/],
    [{ ...bucket, DOCKET_BACKUP_TO: 's3://backups/../x' }, /^DOCKET_BACKUP_TO must be/],
    [{ DOCKET_BACKUP_TO: 'ftp://backups/x' }, /^DOCKET_BACKUP_TO must be/],
    [{ ...bucket, DOCKET_S3_REGION: '' }, /^DOCKET_S3_REGION is missing/],
    [{ ...keys, ...to }, /^DOCKET_S3_BUCKET is missing/],
    [keys, /^DOCKET_S3_BUCKET is missing/],
    [{ DOCKET_BACKUP_PASSPHRASE: 'hunter2' }, /^DOCKET_BACKUP_PASSPHRASE must have at least 12/],
    [{ DOCKET_OPERATOR_EMAIL: 'a@b.c, d@e.f' }, /^DOCKET_OPERATOR_EMAIL must be one email/],
  ]
  for (const [env, mistake] of wrong) {
    const [first = '', ...more] = mistakesOf(env)
    assert.match(first, mistake)
    assert.doesNotMatch(first, /hunter2/)
    assert.deepEqual(more, [])
  }
})

test('offers plans where owners may choose between two that differ', () => {
  const offersPlans = (env: Record<string, string>) => parseConfig(env).settings.web.offers_plans
  assert.equal(offersPlans({}), true)
  assert.equal(offersPlans({ DOCKET_SIGNUP: 'open' }), false)
})
