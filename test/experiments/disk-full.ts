import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDir } from '../support/dir.ts'
import { end, isReady, settle, start } from '../support/process.ts'
import { wrongWith } from './check.ts'
import { type Asked, send, writers } from './load.ts'

/** E03 with a real file system that is full; only root may mount one. Gives what was wrong. */
async function fullDisk(rounds: number): Promise<string[]> {
  const dataDir = emptyDir()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dataDir])
  const wrong: string[] = []
  const log: Asked[] = []
  const home = await settle(dataDir)
  const server = await start(dataDir)
  try {
    const agent = new Agent({ keepAlive: true })
    const filler = join(dataDir, 'filler')
    const headers = {
      authorization: `Bearer ${home.keys.owner}`,
      'content-type': 'application/json',
    }
    const statusOf = async (method: string, path: string, body?: object) =>
      (await send(agent, server.port, method, path, headers, body)).status
    for (let round = 0; round < rounds; round++) {
      const load = writers(server.port, home, 8, log)
      await pause(500)
      fill(filler)
      const task = { project_id: home.project, title: 'No room', description: 'x'.repeat(50_000) }
      while ((await statusOf('POST', '/api/v1/tasks', task)) !== 503) await pause(10)
      await load.stop()
      await pause(1_100)
      if (await isReady(server.port)) wrong.push('ready on a full disk')
      const read = await statusOf('GET', '/api/v1/tasks?limit=1')
      if (read !== 200) wrong.push(`reads are ${read} on a full disk`)
      rmSync(filler)
      const freed = performance.now()
      while (!(await isReady(server.port))) await pause(50)
      while ((await statusOf('POST', '/api/v1/tasks', task)) !== 201) await pause(50)
      if (performance.now() - freed > 10_000) wrong.push('healed too late')
    }
    agent.destroy()
    await end(server, 'SIGTERM')
    wrong.push(...wrongWith(join(dataDir, 'docket.db'), log))
    console.log(log.filter(({ ackedAt }) => ackedAt !== undefined).length, 'writes')
    return wrong
  } finally {
    await end(server, 'SIGKILL')
    execFileSync('umount', [dataDir])
  }
}

/** Takes all room that there is; writers beside it may be faster. */
function fill(path: string) {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(65_536))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

if (process.argv.includes('--full')) assert.deepEqual(await fullDisk(10), [])
