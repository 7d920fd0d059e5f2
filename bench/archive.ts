import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { callApi } from '../test/experiments/shared/call-api.ts'
import { countMissedGoals, reportFigure } from './support/figures.ts'
import { withOwnPostgres } from './support/own-postgres.ts'
import { measureCommand } from './support/processes.ts'
import { createBenchDir, removeBenchDirs, seedWorkspace } from './support/seed.ts'

/*
 * Exports a workspace of 20,000 tasks, with a comment on every second and a file on every
 * twentieth, imports it into an empty installation and exports it again: npx node bench/archive.ts
 */
const TASKS = 20_000
const LIMITS = { DOCKET_LIMIT_FREE: '1000000000', DOCKET_LIMIT_PAID: '1000000000' }
const SECRET = { DOCKET_SECRET: 'a secret of the bench only' }

/** The hashes of all parts of an archive, which are equal for equal content. */
const hashesIn = (path: string) =>
  readFileSync(path, 'latin1')
    .match(/"sha256": "\w+"/g)
    ?.join()

const place = createBenchDir()
await measure('SQLite', (n) => ({ ...SECRET, DOCKET_DATA_DIR: join(place, `s${n}`) }))
await withOwnPostgres(async (url) => {
  const names = ['archive_0', 'archive_1']
  const admin = new pg.Client(url)
  await admin.connect()
  for (const name of names) await admin.query(`create database ${name}`)
  await admin.end()
  await measure('PostgreSQL', (n) => ({
    ...SECRET,
    DOCKET_DATA_DIR: join(place, `p${n}`),
    DOCKET_DATABASE_URL: url.replace(/\/postgres$/, `/${names[n]}`),
  }))
})
removeBenchDirs()
process.exitCode = countMissedGoals() > 0 ? 1 : 0

async function measure(engine: string, envOf: (n: number) => Record<string, string>) {
  const [from, to] = [envOf(0), envOf(1)]
  const workspace = await fill(from)
  const [one, two] = [join(place, `${engine}.1.tar`), join(place, `${engine}.2.tar`)]
  console.log(`${engine}, ${TASKS} tasks`)
  const options = ['export', '--workspace', workspace, '--to']
  const exported = await measureCommand(from, ...options, one)
  reportFigure('export, seconds', exported.seconds, { most: 30 })
  reportFigure('  of them processor time', exported.cpu, { most: 30 })
  reportFigure('  its memory at most, MB', exported.memory, { most: 200 })
  const imported = await measureCommand(to, 'import', one)
  reportFigure('import, seconds', imported.seconds, { most: 60 })
  reportFigure('  of them processor time', imported.cpu, { most: 60 })
  reportFigure('  its memory at most, MB', imported.memory, { most: 200 })
  await measureCommand(to, ...options, two)
  const isSame = hashesIn(one) === hashesIn(two)
  reportFigure('the same hashes (1: yes)', isSame ? 1 : 0, { least: 1 })
  console.log(`  ${Math.round(statSync(one).size / 1e6)} MB`)
}

async function fill(env: Record<string, string>): Promise<string> {
  const config = parseConfig({ ...LIMITS, ...env })
  const { storage, secret } = await openStore(config)
  const { key, workspace, tasks } = await seedWorkspace(storage, TASKS)
  const { server } = await createApp(storage, config, secret, openLog('silent'))
  const headers = { 'content-type': 'text/plain' }
  for (let n = 0; n < TASKS / 2; n += 1) {
    const url = `/api/v1/tasks/${tasks[n % tasks.length]}`
    const body = { body: `Comment ${n}: ${'some words of a comment '.repeat(8)}` }
    const said = [callApi(server, key, { method: 'POST', url: `${url}/comments`, body })]
    if (n % 10 === 0) {
      const file = { body: Buffer.alloc(20_000, n), headers }
      const at = `/api/v1/tasks/${tasks[(n / 10) % tasks.length]}/attachments?filename=a.txt`
      said.push(callApi(server, key, { method: 'POST', url: at, ...file }))
    }
    await Promise.all(said)
  }
  await server.close()
  await storage.close()
  return workspace
}
