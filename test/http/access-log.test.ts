import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLog } from '#http/server/log.ts'
import { parseConfig } from '../../src/config/config.ts'
import { createApp } from '../../src/server/app.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { isFail2banInstalled } from '../support/services/fail2ban.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'

const FILTER = 'deploy/fail2ban/filter.d/docket.conf'
/** What fail2ban puts in place of <ADDR>, but for host names, which it would look up. */
const ADDRESS_PATTERN = '(?<address>\\d+\\.\\d+\\.\\d+\\.\\d+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)'

interface SentRequest {
  from: string
  forwardedFor?: string
  /** Whether it is a sign-in that fails; otherwise a read with a wrong key. */
  isSignIn?: boolean
}

/** Sends requests to a server with its own log, and returns the lines of the log. */
async function logOf(
  settings: { trustProxy: number; logAddresses?: boolean },
  requests: readonly SentRequest[],
) {
  const { storage, config: shared } = await openTestDocket('sqlite')
  const config = { ...shared, ...settings }
  const file = join(createTempDir(), 'log')
  const log = openLog('info', openSync(file, 'w'))
  const { server } = await createApp(storage, config, TEST_SECRET, log)
  for (const { from, forwardedFor, isSignIn } of requests) {
    const origin = config.baseUrl
    const json = 'application/json'
    const reply = await server.inject({
      ...(isSignIn ? { method: 'POST', url: '/internal/session' } : { url: '/api/v1/projects' }),
      headers: {
        ...(isSignIn ? { origin, 'content-type': json } : { authorization: 'Bearer x' }),
        ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
      },
      remoteAddress: from,
      ...(isSignIn && { payload: { email: 'nobody@example.com', password: 'no password' } }),
    })
    assert.equal(reply.statusCode, 401)
  }
  await server.close()
  log.flushNow()
  return readFileSync(file, 'utf8').trim().split('\n')
}

const parse = (line: string) => JSON.parse(line) as Record<string, unknown>

test('the access log has the address of the client, by as many proxies as are trusted', async () => {
  const addressesBehind = async (proxies: number, requests: SentRequest[]) =>
    (await logOf({ trustProxy: proxies }, requests)).map((line) => parse(line).address)
  const forwardedFor = '10.9.9.9, 203.0.113.5'
  assert.deepEqual(
    await addressesBehind(0, [
      { from: '192.0.2.1', forwardedFor },
      { from: '::ffff:192.0.2.1' },
      { from: 'FE80:0::1%eth0' },
    ]),
    ['192.0.2.1', '192.0.2.1', 'fe80::1'],
  )
  assert.deepEqual(
    await addressesBehind(1, [
      { from: '10.0.0.1', forwardedFor },
      { from: '10.0.0.1', forwardedFor: '2001:DB8::5' },
      { from: '192.0.2.1' },
      { from: '10.0.0.1', forwardedFor: '"},"status":200,"a":{"' },
    ]),
    ['203.0.113.5', '2001:db8::5', '192.0.2.1', null],
  )
  assert.deepEqual(
    await addressesBehind(2, [
      { from: '10.0.0.1', forwardedFor: `${forwardedFor}, 10.0.0.2` },
      { from: '10.0.0.1', forwardedFor: '203.0.113.6' },
    ]),
    ['203.0.113.5', '203.0.113.6'],
  )
})

test('with DOCKET_LOG_ADDRESSES=0 the log has no address', async () => {
  const { trustProxy, logAddresses } = parseConfig({
    DOCKET_LOG_ADDRESSES: '0',
    DOCKET_TRUST_PROXY: '1',
  })
  const lines = await logOf({ trustProxy, logAddresses }, [
    { from: '192.0.2.1', forwardedFor: '203.0.113.5' },
    { from: '192.0.2.1', forwardedFor: '203.0.113.5', isSignIn: true },
  ])
  assert.equal(lines.length, 3)
  for (const line of lines) assert.ok(!/address|192\.0\.2|203\.0\.113/.test(line), line)
})

/** Lines of which only those of failed sign-ins are to be matched, and their addresses. */
async function logOfFailures() {
  const lines = await logOf({ trustProxy: 1 }, [
    { from: '10.0.0.1', forwardedFor: '203.0.113.5', isSignIn: true },
    { from: '10.0.0.1', forwardedFor: '2001:db8::5', isSignIn: true },
    { from: '10.0.0.1', forwardedFor: '203.0.113.6' },
    { from: '10.0.0.1', forwardedFor: 'not an address', isSignIn: true },
  ])
  const failures = lines.filter((line) => parse(line).msg === 'Sign-in failed')
  assert.equal(failures.length, 3)
  const forged = JSON.stringify({ level: 30, msg: ` ${failures[0]}` })
  return { lines: [...lines, forged], addresses: ['203.0.113.5', '2001:db8::5'] }
}

test('the filter of fail2ban matches logged failures of IPv4 and IPv6 clients', async () => {
  const { lines, addresses } = await logOfFailures()
  const pattern = /^failregex = (.*)$/m.exec(readFileSync(FILTER, 'utf8'))?.[1] ?? ''
  const failure = new RegExp(pattern.replace('<ADDR>', ADDRESS_PATTERN))
  const matched = (prefix: string) =>
    lines.map((line) => failure.exec(prefix + line)?.groups?.address).filter((one) => one)
  assert.deepEqual(matched(''), addresses)
  assert.deepEqual(matched('host docket[7]: '), addresses)
})

if (isFail2banInstalled) {
  test('fail2ban itself finds the logged failures with its filter', async () => {
    const { lines, addresses } = await logOfFailures()
    const log = join(createTempDir(), 'log')
    writeFileSync(log, `${lines.join('\n')}\n`)
    const found = execFileSync('fail2ban-regex', ['--out', 'ip', log, FILTER], { encoding: 'utf8' })
    assert.deepEqual(found.trim().split('\n'), addresses)
  })
}

test('the lines of requests and all others are in the order in which they were logged', () => {
  const file = join(createTempDir(), 'log')
  const log = openLog('info', openSync(file, 'w'))
  log.line('{"msg":"a request"}')
  log.fatal('an error')
  log.line('{"msg":"another request"}')
  log.flushNow()
  const messages = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => parse(line).msg)
  assert.deepEqual(messages, ['a request', 'an error', 'another request'])
})
