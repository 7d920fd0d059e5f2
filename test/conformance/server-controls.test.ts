import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newToken } from '#lib/token.ts'
import { BROKEN_SERVERS, type HandleProxied, startProxy } from './controls/broken-servers.ts'
import { type DocketUnderTest, serverArguments, startDocketUnderTest } from './docket-under-test.ts'
import { runChecksOf, runKit } from './run-kit.ts'

let opened: Promise<DocketUnderTest> | undefined
/** One server for all controls: the proxies before it differ. */
const openDocket = () => {
  opened ??= startDocketUnderTest('sqlite')
  return opened
}

for (const group of BROKEN_SERVERS) {
  const mistakes = group.map(({ mistake }) => mistake).join(', ')
  test(`control: a server that ${mistakes} fails the checks about that, and no other`, async (t) => {
    const docket = await openDocket()
    const handle = group.reduce<HandleProxied>(
      (inner, { create }) => {
        const outer = create(docket)
        return (request, forward) => outer(request, (changed) => inner(changed, forward))
      },
      (request, forward) => forward(request),
    )
    const port = await startProxy(t, docket.port, handle)
    const run = await runChecksOf(...serverArguments(docket, port))
    const fails = group.flatMap((one) => one.fails)
    assert.deepEqual(run.failed.toSorted(), fails.toSorted())
    assert.deepEqual(run.skipped, [])
    assert.equal(run.passed.length, run.results.length - fails.length)
    assert.equal(run.code, 1)
  })
}

test('the kit waits as long as a 429 says, and deletes all that it has created', async (t) => {
  const docket = await openDocket()
  let refused = 0
  const port = await startProxy(t, docket.port, async (request, forward) => {
    if (request.method !== 'POST' || request.path !== '/api/v1/tasks' || refused === 2) {
      return forward(request)
    }
    const headers = { ...request.headers, authorization: `Bearer ${docket.key}` }
    const invalid = { method: 'GET', path: '/api/v1/projects?limit=0', headers, body: undefined }
    const reply = await forward(invalid)
    refused += 1
    reply.headers.set('retry-after', '1')
    const text = reply.text.replace('"invalid_request"', '"rate_limited"')
    return { ...reply, status: 429, text }
  })
  const run = await runChecksOf(...serverArguments(docket, port))
  assert.deepEqual([run.failed, run.code, refused], [[], 0, 2])
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${docket.key}` }
    const reply = await fetch(`http://127.0.0.1:${docket.port}/api/v1${path}`, { headers })
    return (await reply.json()).data as { id: string }[]
  }
  assert.deepEqual(await read('/webhooks'), [])
  for (const { id } of await read('/projects')) {
    assert.deepEqual(await read(`/projects/${id}/tasks`), [])
    assert.deepEqual(await read(`/projects/${id}/tags`), [])
  }
})

test('the kit ends with 3 where it cannot run, and does not print the key', async () => {
  const docket = await openDocket()
  const url = `http://127.0.0.1:${docket.port}`
  const wrongKey = newToken('dkt_')
  const runs: [args: string[], message: RegExp][] = [
    [['--key', wrongKey], /^expected 200 from GET \/projects\?limit=200, saw 401 invalid_token\n$/],
    [['--key', docket.key, '--project', 'prj_x'], /saw 404 not_found\n$/],
    [['--key', docket.key, '--receive-at', url], /^listen EADDRINUSE: /],
  ]
  for (const [args, message] of runs) {
    const { code, stdout, stderr } = await runKit('server', url, ...args)
    assert.deepEqual([code, stdout], [3, ''])
    assert.match(stderr, message)
    assert.ok(!stderr.includes(wrongKey))
  }
})
