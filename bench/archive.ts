import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../src/app.ts'
import { configFrom } from '../src/config.ts'
import { call } from '../test/experiments/world/call.ts'
import { misses, tell } from './figures.ts'
import { onPostgres } from './own-postgres.ts'
import { seed } from './seed.ts'

/*
 * A workspace of 20,000 tasks (TASKS=…), a comment on every second and a file on every twentieth, goes
 * into a file, comes into an empty place and goes into a file again: node bench/archive.ts
 */
const TASKS = Number(process.env.TASKS ?? 20_000)
const LIMITS = { DOCKET_LIMIT_FREE: '1000000000', DOCKET_LIMIT_PAID: '1000000000' }

/** Of all parts, and of nothing else. */
const hashesIn = (path: string) =>
  readFileSync(path, 'latin1')
    .match(/"sha256": "\w+"/g)
    ?.join()

const place = mkdtempSync(join(tmpdir(), 'docket-bench-'))
await measure('SQLite', (n) => ({ DOCKET_DATA_DIR: join(place, `s${n}`) }))
await onPostgres(async (url) => {
  const names = ['archive_0', 'archive_1']
  const admin = new pg.Client(url)
  await admin.connect()
  for (const name of names) await admin.query(`create database ${name}`)
  await admin.end()
  await measure('PostgreSQL', (n) => ({
    DOCKET_DATA_DIR: join(place, `p${n}`),
    DOCKET_DATABASE_URL: url.replace(/\/postgres$/, `/${names[n]}`),
  }))
})
rmSync(place, { recursive: true, force: true })
process.exitCode = misses() > 0 ? 1 : 0

async function measure(engine: string, envOf: (n: number) => Record<string, string>) {
  const [from, to] = [envOf(0), envOf(1)]
  const workspace = await fill(from)
  const [one, two] = [join(place, `${engine}.1.tar`), join(place, `${engine}.2.tar`)]
  console.log(`${engine}, ${TASKS} tasks`)
  const options = ['export', '--workspace', workspace, '--to']
  const written = await run(from, ...options, one)
  tell('export, seconds', written.seconds, { most: 30 })
  tell('  of them processor time', written.cpu, { most: 30 })
  tell('  its memory at most, MB', written.memory, { most: 200 })
  const came = await run(to, 'import', one)
  tell('import, seconds', came.seconds, { most: 60 })
  tell('  of them processor time', came.cpu, { most: 60 })
  tell('  its memory at most, MB', came.memory, { most: 200 })
  await run(to, ...options, two)
  const isSame = hashesIn(one) === hashesIn(two)
  tell('the same hashes (1: yes)', isSame ? 1 : 0, { least: 1 })
  console.log(`  ${Math.round(statSync(one).size / 1e6)} MB`)
}

async function fill(env: Record<string, string>): Promise<string> {
  const config = configFrom({ ...LIMITS, ...env, DOCKET_SECRET: 'a secret of the bench only' })
  const { storage, secret } = await openStore(config)
  const { key, workspace, tasks } = await seed(storage, TASKS)
  const { server } = await app(storage, config, secret, openLog('silent'))
  const headers = { 'content-type': 'text/plain' }
  for (let n = 0; n < TASKS / 2; n += 1) {
    const url = `/api/v1/tasks/${tasks[n % tasks.length]}`
    const body = { body: `Comment ${n}: ${'some words of a comment '.repeat(8)}` }
    const said = [call(server, key, { method: 'POST', url: `${url}/comments`, body })]
    if (n % 10 === 0) {
      const file = { body: Buffer.alloc(20_000, n), headers }
      const at = `/api/v1/tasks/${tasks[(n / 10) % tasks.length]}/attachments?filename=a.txt`
      said.push(call(server, key, { method: 'POST', url: at, ...file }))
    }
    await Promise.all(said)
  }
  await server.close()
  await storage.close()
  return workspace
}

/** A command as an operator runs it: how long it took, and how much memory it had at most, in MB. */
async function run(env: Record<string, string>, ...words: string[]) {
  const began = performance.now()
  const child = spawn(process.execPath, ['src/cli/main.ts', ...words], {
    env: { ...process.env, ...env, DOCKET_SECRET: 'a secret of the bench only' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  let [memory, cpu] = [0, 0]
  while (child.exitCode === null) {
    memory = Math.max(memory, peakOf(child.pid))
    cpu = Math.max(cpu, cpuOf(child.pid))
    await Promise.race([ended, pause(50)])
  }
  if (child.exitCode !== 0) throw new Error(`${words[0]}: ${child.exitCode}`)
  return { seconds: (performance.now() - began) / 1000, memory, cpu }
}

function peakOf(pid = 0): number {
  return Number(/VmHWM:\s+(\d+)/.exec(saidOf(pid, 'status'))?.[1] ?? 0) / 1000
}

/** Seconds, as the kernel counts them: in hundredths. */
function cpuOf(pid = 0): number {
  const [user = 0, system = 0] = saidOf(pid, 'stat').split(' ').slice(13, 15).map(Number)
  return (user + system) / 100
}

function saidOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It has ended just now.
    return ''
  }
}
