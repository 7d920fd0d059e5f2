import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { readYamlDocuments } from './prometheus.ts'

const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8')
/** The command of the image, as the array of its words. */
const [PROGRAM = '', ...ARGUMENTS] = JSON.parse(
  /^ {2}CMD (\[.*\])$/m.exec(DOCKERFILE)?.[1] ?? '[]',
) as string[]

/**
 * Runs the command where no other program is found. A container is asked every few seconds, on a
 * machine that has other work: starting Node each time would take far more processor time.
 */
function runHealthCheck(port: number) {
  const programs = createTempDir()
  symlinkSync(
    execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim(),
    join(programs, 'bash'),
  )
  return new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    const env = { PATH: programs, DOCKET_PORT: String(port) }
    execFile(PROGRAM, ARGUMENTS, { env }, (error, output, errors) =>
      resolve({ code: error ? Number(error.code) : 0, output, errors }),
    )
  })
}

test('the health check of the image asks /readyz and needs no program but bash', async (t) => {
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
  assert.deepEqual([ready.code, ready.errors], [0, ''], ready.output)
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
