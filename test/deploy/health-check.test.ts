import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { findFreePort } from '../support/system/free-port.ts'
import { readYamlDocuments } from './prometheus.ts'

/** A container is asked every few seconds, on a machine that has other work. */
const MAX_CPU_MS = 50

const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8')
/** The command of the image, as the array of its words. */
const COMMAND = JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(DOCKERFILE)?.[1] ?? '[]') as string[]

/** Runs the command in a shell that says afterwards how much processor time it has taken. */
function runHealthCheck(port: number) {
  const args = ['--norc', '-c', '"$@"; status=$?; times >&2; exit $status', 'times', ...COMMAND]
  return new Promise<{ code: number; output: string; cpuMs: number }>((resolve) => {
    const env = { PATH: process.env.PATH, DOCKET_PORT: String(port) }
    execFile('bash', args, { env }, (error, output, errors) => {
      const children = errors.trim().split('\n').at(-1) ?? ''
      const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
      const seconds = times.map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
      const cpuMs = seconds.reduce((sum, one) => sum + one, 0) * 1000
      resolve({ code: error ? Number(error.code) : 0, output, cpuMs })
    })
  })
}

test('the health check of the image asks /readyz and takes little processor time', async (t) => {
  let status = 200
  const paths: (string | undefined)[] = []
  const server = createServer((request, response) => {
    paths.push(request.url)
    response.writeHead(status).end('{"status":"ready"}')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const ready = await runHealthCheck(port)
  assert.equal(ready.code, 0, ready.output)
  assert.ok(ready.cpuMs < MAX_CPU_MS, `${ready.cpuMs} ms`)
  status = 503
  assert.equal((await runHealthCheck(port)).code, 1)
  assert.deepEqual(paths, ['/readyz', '/readyz'])
  assert.equal((await runHealthCheck(await findFreePort())).code, 1)
})

test('Compose takes the health check of the image', () => {
  const [compose] = readYamlDocuments('deploy/compose.yaml') as [
    { services: Record<string, { healthcheck?: unknown }> },
  ]
  assert.equal(compose.services['docket-1']?.healthcheck, undefined)
  assert.match(readFileSync('deploy/compose.yaml', 'utf8'), /condition: service_healthy/)
})
