import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { atEnd } from '../support/engines/test-database.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { REVERSE_PROXIES, startReverseProxy } from '../support/proxies/reverse-proxy.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import { createCertificate } from '../support/services/certificate.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { readYamlDocuments } from './prometheus.ts'

const DEFAULT_MAX_ATTACHMENT_BYTES = 104_857_600
/** More than stock nginx accepts. */
const UPLOAD_BYTES = 2_000_000

/** A Docket behind one proxy that listens, with a workspace in it and its log in a file. */
async function startDocketBehindProxy() {
  const { storage, config } = await openTestDocket('sqlite')
  const file = join(createTempDir(), 'log')
  const log = openLog('info', openSync(file, 'w'))
  const settings = { ...config, loopback: false, trustProxy: 1 }
  const { server } = await createApp(storage, settings, TEST_SECRET, log, undefined, {
    sheds: false,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => server.close())
  const team = await createTestWorkspace(storage)
  const { headers } = await createTestSession(storage, team, 'owner')
  const readLog = () => {
    log.flushNow()
    return readFileSync(file, 'utf8').trim().split('\n')
  }
  const { port } = server.server.address() as { port: number }
  return { port, team, headers, readLog }
}

/** Addresses of clients in the log of requests to a route. */
const addressesOf = (lines: readonly string[], route: string) =>
  lines
    .map((line) => JSON.parse(line) as { route?: string; address?: string })
    .filter((line) => line.route === route)
    .map(({ address }) => address)

for (const proxy of REVERSE_PROXIES.filter(({ isInstalled }) => isInstalled)) {
  test(`live updates, uploads, addresses and a process that is gone behind ${proxy.name}`, async (t) => {
    const docket = await startDocketBehindProxy()
    const gone = await findFreePort()
    const { port, stop, readOutput } = await startReverseProxy(proxy, [docket.port, gone])
    t.after(stop)
    const { project, keys } = docket.team
    const origin = `http://127.0.0.1:${port}`
    const authorization = `Bearer ${keys.owner}`
    const post = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
      const headers = { authorization, 'content-type': type, 'x-forwarded-for': '10.9.9.9' }
      const reply = await fetch(`${origin}/api/v1${path}`, { method: 'POST', headers, body })
      const text = await reply.text()
      assert.equal(reply.status, 201, `${text} ${readOutput()}`)
      return JSON.parse(text) as { id: string; size_bytes: number }
    }

    const live = await openLiveStream(port, docket.headers)
    t.after(() => live.close())
    const task = JSON.stringify({ project_id: project, title: 'Through a proxy' })
    const { id } = await post('/tasks', 'application/json', task)
    await live.waitForRecord(id)

    const content = new Uint8Array(UPLOAD_BYTES)
    const { size_bytes } = await post(`/tasks/${id}/attachments?filename=a`, 'text/plain', content)
    assert.equal(size_bytes, UPLOAD_BYTES)

    for (let n = 0; n < 10; n += 1) await post('/tasks', 'application/json', task)

    const me = await fetch(`http://[::1]:${port}/api/v1/me`, { headers: { authorization } })
    assert.equal(me.status, 200)
    await me.arrayBuffer()
    const lines = docket.readLog()
    assert.deepEqual(new Set(addressesOf(lines, '/api/v1/tasks')), new Set(['127.0.0.1']))
    assert.deepEqual(addressesOf(lines, '/api/v1/me'), ['::1'])
  })
}

/** A server that ends each connection without a reply once it has a request for `/broken`. */
async function startBreakingServer(requests: string[]): Promise<number> {
  const server = createServer(({ method, url, headers, socket }, response) => {
    if (url !== '/broken') return response.end('ok')
    requests.push(`${method} ${headers['idempotency-key'] ?? 'without a key'}`)
    return socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(() => server.close())
  return (server.address() as AddressInfo).port
}

for (const proxy of REVERSE_PROXIES.filter(({ isInstalled }) => isInstalled)) {
  test(`${proxy.name} sends no write without a key twice, and every write past a process that is gone`, async (t) => {
    const requests: string[] = []
    const [one, two] = await Promise.all([1, 2].map(() => startBreakingServer(requests)))
    assert.ok(one && two)
    const breaking = await startReverseProxy(proxy, [one, two])
    t.after(breaking.stop)
    const send = (port: number, path: string, method: string, headers = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method, headers })
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      // HAProxy answers nothing after a connection that it had used before.
      const reply = await send(breaking.port, '/broken', method).catch(() => undefined)
      assert.equal(reply?.status ?? 502, 502)
      assert.deepEqual(requests.splice(0), [`${method} without a key`])
    }
    if (proxy.name === 'nginx') {
      await send(breaking.port, '/broken', 'DELETE', { 'idempotency-key': 'k' })
      assert.deepEqual(requests.splice(0), ['DELETE k', 'DELETE k'])
    }

    const passing = await startReverseProxy(proxy, [await findFreePort(), one])
    t.after(passing.stop)
    for (let n = 0; n < 10; n += 1) {
      for (const method of ['POST', 'DELETE']) {
        const { status } = await send(passing.port, '/', method)
        assert.equal(status, 200, `${method} ${passing.readOutput()}`)
      }
    }
  })
}

test('the proxies accept the largest upload, and give up on nothing that Docket still does', () => {
  const nginx = readFileSync('deploy/proxies/nginx.conf', 'utf8')
  const megabytes = Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1])
  assert.ok(megabytes * 1024 * 1024 > DEFAULT_MAX_ATTACHMENT_BYTES)
  assert.equal([...nginx.matchAll(/^\tserver \S+ max_fails=0;$/gm)].length, 2)
  const repeatable = nginx.indexOf('location @repeatable')
  assert.ok(nginx.indexOf('non_idempotent;') > repeatable, 'only writes with a key are sent twice')
  const [start, routes] = ['traefik', 'docket'].map((name) =>
    JSON.stringify(readYamlDocuments(`deploy/proxies/traefik/${name}.yaml`)[0]),
  )
  assert.match(start ?? '', /"readTimeout":"600s","writeTimeout":"0s"/)
  assert.match(routes ?? '', /"healthCheck":\{"path":"\/readyz","interval":"1s","timeout":"2s"\}/)
})

for (const { name, command } of REVERSE_PROXIES.filter(({ isInstalled }) => isInstalled)) {
  if (name !== 'Caddy') {
    test(`${name} accepts its configuration as it is, with TLS`, async () => {
      const dir = createTempDir()
      const { key, cert } = createCertificate({ names: ['docket.example.com'] })
      const [pem, config] = [join(dir, 'pem'), join(dir, 'config')]
      writeFileSync(pem, cert + key)
      const file = name === 'nginx' ? 'nginx.conf' : 'haproxy.cfg'
      const text = readFileSync(`deploy/proxies/${file}`, 'utf8')
      const filled = text.replace(/\/etc\/(letsencrypt|haproxy)\/[^; ]*\.pem/g, pem)
      if (name === 'nginx') {
        // Its check opens the ports, and only root may open those of the configuration.
        const [port, tlsPort] = [await findFreePort(), await findFreePort()]
        const site = filled
          .replace(/(listen (?:\[::\]:)?)80;/g, `$1${port};`)
          .replace(/(listen (?:\[::\]:)?)443 /g, `$1${tlsPort} `)
        writeFileSync(config, `events {}\npid ${dir}/pid;\nhttp {\naccess_log off;\n${site}}\n`)
        execFileSync(command, ['-t', '-q', '-c', config, '-e', 'stderr'], { stdio: 'pipe' })
      } else {
        writeFileSync(config, filled)
        execFileSync(command, ['-c', '-q', '-f', config], { stdio: 'pipe' })
      }
    })
  }
}
