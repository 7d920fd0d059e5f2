import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ConfigError, parseConfig } from './config.ts'

test('keeps personal files in XDG_CONFIG_HOME or ~/.config', () => {
  const env = { HOME: '/home/ada' }
  const dirs = ['/elsewhere', 'relative', ''].map(
    (XDG_CONFIG_HOME) => parseConfig({ ...env, XDG_CONFIG_HOME }).personalDir,
  )
  assert.deepEqual(dirs, ['/elsewhere', '/home/ada/.config', '/home/ada/.config'])
})

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

test('rejects database URLs with several hosts and a replica without a primary', () => {
  const several = 'postgres://docket:a,b@one:5432,two:5432/docket'
  const one = 'postgres://docket:a,b@one/docket?application_name=a,b'
  assert.match(
    mistakesOf({ DOCKET_DATABASE_URL: several }).join(),
    /DATABASE_URL must name exactly one host/,
  )
  assert.deepEqual(mistakesOf({ DOCKET_DATABASE_URL: one, DOCKET_DATABASE_REPLICA_URL: one }), [])
  const withoutPrimary = mistakesOf({ DOCKET_DATABASE_REPLICA_URL: one })
  assert.match(withoutPrimary.join(), /REPLICA_URL requires DOCKET_DATABASE_URL/)
})

test('validates the settings of single sign-on without repeating the secret', () => {
  const wrong = {
    ...{ DOCKET_OIDC_ISSUER: 'http://sso.example.com', DOCKET_OIDC_CLIENT_SECRET: 'hunter2' },
    ...{ DOCKET_OIDC_WORKSPACE: 'here', DOCKET_OIDC_SCOPES: 'email', DOCKET_OIDC_DOMAINS: 'x' },
    DOCKET_OIDC_ROLE: 'owner',
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
    ...['DOCKET_OIDC_DOMAINS', 'DOCKET_OIDC_ISSUER', 'DOCKET_OIDC_ISSUER', 'DOCKET_OIDC_ROLE'],
    ...['DOCKET_OIDC_SCOPES', 'DOCKET_OIDC_WORKSPACE'],
  ])
  assert.deepEqual(ssoOrMistakes({ DOCKET_OIDC_ONLY: '1' }), ['DOCKET_OIDC_ONLY'])
  assert.equal(ssoOrMistakes({}), undefined)
})
