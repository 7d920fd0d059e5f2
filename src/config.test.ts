import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFrom, Misconfigured } from './config.ts'

test("a person's own files lie where XDG says, or in .config", () => {
  const given = { HOME: '/home/ada' }
  const dirs = ['/elsewhere', 'relative', ''].map(
    (XDG_CONFIG_HOME) => configFrom({ ...given, XDG_CONFIG_HOME }).personalDir,
  )
  assert.deepEqual(dirs, ['/elsewhere', '/home/ada/.config', '/home/ada/.config'])
})

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    configFrom(env)
    return []
  } catch (error) {
    assert.ok(error instanceof Misconfigured)
    return error.mistakes
  }
}

test('several processes need PostgreSQL', () => {
  const several = { DOCKET_PROCESSES: '2' }
  assert.match(mistakesOf(several).join(), /^DOCKET_PROCESSES above 1 needs DOCKET_DATABASE_URL: /)
  const DOCKET_DATABASE_URL = 'postgres://docket@one/docket'
  assert.deepEqual(mistakesOf({ ...several, DOCKET_DATABASE_URL }), [])
  assert.deepEqual(mistakesOf({ DOCKET_PROCESSES: '1' }), [])
})

test('an address of a database names one host, and a replica has a primary', () => {
  const several = 'postgres://docket:a,b@one:5432,two:5432/docket'
  const one = 'postgres://docket:a,b@one/docket?application_name=a,b'
  assert.match(
    mistakesOf({ DOCKET_DATABASE_URL: several }).join(),
    /DATABASE_URL must name one host/,
  )
  assert.deepEqual(mistakesOf({ DOCKET_DATABASE_URL: one, DOCKET_DATABASE_REPLICA_URL: one }), [])
  const alone = mistakesOf({ DOCKET_DATABASE_REPLICA_URL: one })
  assert.match(alone.join(), /REPLICA_URL needs DOCKET_DATABASE_URL/)
})

test('a company’s sign-in is set as a whole, and its secret is never repeated', () => {
  const wrong = {
    ...{ DOCKET_OIDC_ISSUER: 'http://sso.example.com', DOCKET_OIDC_CLIENT_SECRET: 'hunter2' },
    ...{ DOCKET_OIDC_WORKSPACE: 'here', DOCKET_OIDC_SCOPES: 'email', DOCKET_OIDC_DOMAINS: 'x' },
    DOCKET_OIDC_ROLE: 'owner',
  }
  const told = (env: Record<string, string>) => {
    try {
      return configFrom(env).company
    } catch (error) {
      assert.ok(error instanceof Misconfigured)
      assert.doesNotMatch(error.message, /hunter2/)
      return error.mistakes.map((line) => line.split(' ')[0]).toSorted()
    }
  }
  assert.deepEqual(told(wrong), [
    ...['DOCKET_OIDC_DOMAINS', 'DOCKET_OIDC_ISSUER', 'DOCKET_OIDC_ISSUER', 'DOCKET_OIDC_ROLE'],
    ...['DOCKET_OIDC_SCOPES', 'DOCKET_OIDC_WORKSPACE'],
  ])
  assert.deepEqual(told({ DOCKET_OIDC_ONLY: '1' }), ['DOCKET_OIDC_ONLY'])
  assert.equal(told({}), undefined)
})
