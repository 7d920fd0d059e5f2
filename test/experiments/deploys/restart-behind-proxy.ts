import assert from 'node:assert/strict'
import { withOwnPostgres } from '../../../bench/support/own-postgres.ts'
import {
  REVERSE_PROXIES,
  type ReverseProxyProgram,
  startReverseProxy,
} from '../../support/proxies/reverse-proxy.ts'
import {
  endServer,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'
import { startBalancedLoad } from '../load/balanced-load.ts'

/**
 * Restarts two servers on PostgreSQL in turn, behind a real proxy with its configuration of
 * deploy/proxies, under a load of which two thirds are writes: `node
 * test/experiments/deploys/restart-behind-proxy.ts --full [nginx HAProxy Caddy]`. No request may
 * fail. It also sends a file of the largest size.
 */
const CLIENTS = 16
/** A third more requests are reads, so these are 3,000 requests. */
const WRITES = 2_000
const MIN_RESTARTS = 4
const WRITES_BETWEEN_RESTARTS = 100
const MAX_ATTACHMENT_BYTES = 104_857_600
/** As in deploy/compose.yaml. */
const SETTINGS = {
  DOCKET_BASE_URL: 'https://docket.example.com',
  DOCKET_DRAIN_SECONDS: '5',
  DOCKET_TRUST_PROXY: '1',
}

interface RestartOptions {
  adapt?: (text: string) => string
  writes?: number
  writesBetween?: number
  DOCKET_DRAIN_SECONDS?: string
}

/** nginx as it is without its configuration of deploy/proxies, but for the size of uploads. */
const toStockNginx = (text: string) =>
  text.replaceAll(' max_fails=0', '').replaceAll(' non_idempotent', '')

async function restartBehind(
  program: ReverseProxyProgram,
  url: string,
  {
    adapt,
    writes = WRITES,
    writesBetween = WRITES_BETWEEN_RESTARTS,
    ...settings
  }: RestartOptions = {},
) {
  const env = { DOCKET_DATABASE_URL: url, ...SETTINGS, ...settings }
  const team = await seedDataDir(createTempDir(), env)
  const dataDirs = [createTempDir(), createTempDir()] as const
  const running: [ServerProcess, ServerProcess] = [
    await startServer(dataDirs[0], { env }),
    await startServer(dataDirs[1], { env }),
  ]
  const proxy = await startReverseProxy(program, [running[0].port, running[1].port], adapt)
  try {
    await uploadLargestFile(proxy.port, team)
    const load = startBalancedLoad([proxy.port], team, CLIENTS, true)
    let restarts = 0
    while (load.acked.length < writes || restarts < MIN_RESTARTS) {
      const before = load.acked.length
      await waitUntil('writes', () => load.acked.length >= before + writesBetween)
      const at = restarts % 2 === 0 ? 0 : 1
      const { port } = running[at]
      assert.equal(await endServer(running[at], 'SIGTERM'), 0)
      running[at] = await startServer(dataDirs[at], { env, port })
      restarts += 1
    }
    await load.stop()
    const failures = [...load.failed.values()].reduce((sum, count) => sum + count, 0)
    const requests = Math.round(load.acked.length * 1.5) + failures
    return {
      requests,
      restarts,
      failures,
      failed: Object.fromEntries(load.failed),
      output: failures > 0 ? proxy.readOutput() : '',
    }
  } finally {
    await proxy.stop()
    await Promise.all(running.map((server) => endServer(server, 'SIGKILL')))
  }
}

async function uploadLargestFile(port: number, { keys, project }: TestWorkspace): Promise<void> {
  const authorization = `Bearer ${keys.owner}`
  const send = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
    })
    const text = await reply.text()
    assert.equal(reply.status, 201, text)
    return JSON.parse(text) as { id: string; size_bytes: number }
  }
  const task = JSON.stringify({ project_id: project, title: 'With a file' })
  const { id } = await send('/tasks', 'application/json', task)
  const file = new Uint8Array(MAX_ATTACHMENT_BYTES)
  const path = `/tasks/${id}/attachments?filename=largest`
  const { size_bytes } = await send(path, 'application/octet-stream', file)
  assert.equal(size_bytes, MAX_ATTACHMENT_BYTES)
}

if (process.argv.includes('--full')) {
  const wanted = process.argv.slice(2).filter((one) => one !== '--full')
  const programs = REVERSE_PROXIES.filter(
    ({ name, isInstalled }) => isInstalled && (wanted.length === 0 || wanted.includes(name)),
  )
  assert.ok(programs.length > 0, 'none of the proxies is installed')
  await withOwnPostgres(async (url) => {
    for (const program of programs) {
      if (program.name === 'nginx') {
        const control = await restartBehind(program, url, {
          adapt: toStockNginx,
          writes: 100,
          writesBetween: 10,
          DOCKET_DRAIN_SECONDS: '1',
        })
        console.log('control: stock nginx', { ...control, output: '' })
        assert.ok(control.failures > 0, 'a proxy that refuses requests must be found out')
      }
      const outcome = await restartBehind(program, url)
      console.log(program.name, outcome)
      if (outcome.failures > 0) process.exitCode = 1
    }
  })
}
