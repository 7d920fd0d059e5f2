import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServerVariant } from '../support/api/rewrite-statements.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { stopPerformanceClock } from '../support/system/performance-clock.ts'

const TOKEN = 'a token of the tests'

test('/readyz checks the database at most once a second and shows no details; /healthz checks nothing', async (t) => {
  const time = stopPerformanceClock(t)
  const served = await openTestDocket('sqlite')
  let checks = 0
  let fails = true
  const server = await createServerVariant(served, {
    storage: {
      ...served.storage,
      isReady: async () => {
        checks += 1
        if (fails) throw new Error('connect ECONNREFUSED 10.1.2.3:5432')
        return true
      },
    },
  })
  const get = async (url: string) => {
    const { statusCode, body } = await server.inject(url)
    return [statusCode, JSON.parse(body)]
  }
  const failed = [503, { status: 'unavailable', checks: { database: 'failed' } }]
  for (let times = 0; times < 20; times++) {
    assert.deepEqual(await get('/healthz'), [200, { status: 'ok' }])
    assert.deepEqual(await get('/readyz'), failed)
  }
  const status = await server.inject('/status')
  assert.equal(status.statusCode, 503)
  assert.match(status.body, /database does not answer/)
  assert.doesNotMatch(status.body, /10\.1\.2\.3/)
  assert.equal(checks, 1)
  fails = false
  time.pass(1_001)
  assert.deepEqual(await get('/readyz'), [200, { status: 'ready', checks: { database: 'ok' } }])
  assert.equal(checks, 2)
  await server.close()
})

test('/metrics needs a local request without a proxy, or the metrics token', async () => {
  const [open, closed] = [{}, { DOCKET_METRICS_TOKEN: TOKEN }].map((env) =>
    openTestDocket('sqlite', env),
  )
  const statusOf = async (
    remoteAddress: string,
    headers: Record<string, string>,
    docket = closed,
  ) =>
    (await (await docket)?.server.inject({ url: '/metrics', remoteAddress, headers }))?.statusCode
  const bearer = { authorization: `Bearer ${TOKEN}` }
  for (const near of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    assert.equal(await statusOf(near, {}), 200, near)
    const forwarding = [
      'forwarded',
      'via',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-real-ip',
      'cf-connecting-ip',
    ]
    for (const name of forwarding) assert.equal(await statusOf(near, { [name]: '127.0.0.1' }), 404)
  }
  for (const far of ['192.0.2.1', '10.0.0.1', '2001:db8::1']) {
    assert.equal(await statusOf(far, {}), 404, far)
    assert.equal(await statusOf(far, bearer), 200, far)
    for (const wrong of [`Bearer ${TOKEN}x`, 'Bearer ', 'Bearer undefined', TOKEN]) {
      assert.equal(await statusOf(far, { authorization: wrong }), 404, wrong)
      assert.equal(await statusOf(far, { authorization: wrong }, open), 404, wrong)
    }
  }
})

test('/metrics needs the token for HTTP/1.0, which nginx speaks without settings', async () => {
  const { server } = await openFreshDocket('sqlite')
  const port = await listenOnPort(server)
  for (const [version, status] of [
    ['1.0', 404],
    ['1.1', 200],
  ] as const) {
    const { replies } = await exchangeRaw(
      port,
      `GET /metrics HTTP/${version}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
    )
    assert.equal(replies[0]?.status, status)
  }
})

test('/metrics needs the token behind a proxy that adds no header', async () => {
  const proxied = { DOCKET_BASE_URL: 'https://docket.example.com' }
  const token = { ...proxied, DOCKET_METRICS_TOKEN: TOKEN }
  for (const [env, authorization, expected] of [
    [proxied, undefined, 404],
    [proxied, 'Bearer undefined', 404],
    [token, undefined, 404],
    [token, `Bearer ${TOKEN}`, 200],
  ] as const) {
    const { server } = await openTestDocket('sqlite', env)
    const headers = authorization === undefined ? {} : { authorization }
    const request = { url: '/metrics', remoteAddress: '127.0.0.1', headers }
    assert.equal((await server.inject(request)).statusCode, expected, String(authorization))
  }
})

test('metrics have routes and statuses as labels, and no ids', async () => {
  const { server } = await openFreshDocket('sqlite')
  await server.inject('/api/v1/tasks/tsk_canary?q=canary')
  await server.inject('/canary')
  const { body } = await server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  assert.match(body, /_count\{method="GET",route="\/api\/v1\/tasks\/:id",status="401"\} 1/)
  assert.doesNotMatch(body, /canary/)
  const ours = body.split('\n').filter((line) => line.startsWith('docket_'))
  const labels =
    /\{(le="[^"]+",)?method="\w+",route="[^"]+",status="\d+"\}|^docket_build_info\{version="[\w.-]+",commit="[\w-]+",schema="\d+",node="v[\d.]+",engine="sqlite"\} 1$/
  for (const line of ours) if (line.includes('{')) assert.match(line, labels)
})
