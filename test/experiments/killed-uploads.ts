import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { openFiles } from '#files/open.ts'
import { openStore } from '#storage/open.ts'
import { sweepOrphans } from '#upkeep/files.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { type Row, withoutFile } from './uploads.ts'

interface Outcome {
  acks: number
  /** Files without a row and drafts that the kills have left, before they were swept. */
  orphans: number
  wrong: string[]
}

const UPLOADERS = 8

/**
 * E30: kills a server again and again while files come in. No row may be without its file, nothing
 * that was acknowledged may be gone, and what is left over is swept.
 */
export async function killedUploads(rounds: number, entry?: string): Promise<Outcome> {
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const outcome: Outcome = { acks: 0, orphans: 0, wrong: [] }
  const acked: string[] = []
  for (let round = 0; round < rounds && outcome.wrong.length === 0; round += 1) {
    const server = await start(dataDir, { entry })
    const tasks = await Promise.all(
      Array.from({ length: UPLOADERS }, () => newTask(server.port, home)),
    )
    const uploaders = tasks.map((task) => uploading(server.port, home, task, acked))
    await pause(150 + Math.random() * 400)
    await end(server, 'SIGKILL')
    await Promise.all(uploaders)
    const rows = rowsIn(dataDir)
    const there = new Set(rows.map(({ id }) => id))
    outcome.wrong.push(...withoutFile(dataDir, rows))
    outcome.wrong.push(...acked.filter((id) => !there.has(id)).map((id) => `${id} is lost`))
    outcome.orphans += filesOf(dataDir, home).length - rows.length
    await sweep(dataDir)
    const left = filesOf(dataDir, home).filter((id) => !there.has(id))
    outcome.wrong.push(...left.map((id) => `${id} is not swept`))
    outcome.wrong.push(...withoutFile(dataDir, rows).map((one) => `swept: ${one}`))
  }
  return { ...outcome, acks: acked.length }
}

const headersOf = (home: Home) => ({ authorization: `Bearer ${home.keys.owner}` })

async function newTask(port: number, home: Home): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/tasks`, {
    method: 'POST',
    headers: { ...headersOf(home), 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: home.project, title: 'T' }),
  })
  return ((await reply.json()) as { id: string }).id
}

/** One file after the other, until the server is gone or the task is full. */
async function uploading(port: number, home: Home, task: string, acked: string[]): Promise<void> {
  const url = `http://127.0.0.1:${port}/api/v1/tasks/${task}/attachments?filename=a`
  try {
    for (;;) {
      const body = randomBytes(1 + Math.floor(Math.random() * 400_000))
      const reply = await fetch(url, { method: 'POST', headers: headersOf(home), body })
      if (reply.status !== 201) return
      acked.push(((await reply.json()) as { id: string }).id)
    }
  } catch {
    // The server is gone.
  }
}

function rowsIn(dataDir: string): Row[] {
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  const rows = db.prepare('select workspace_id, id, size_bytes, sha256 from attachments').all()
  db.close()
  return rows.map(({ workspace_id, id, size_bytes, sha256 }) => ({
    workspace_id: String(workspace_id),
    id: String(id),
    size_bytes: Number(size_bytes),
    sha256: String(sha256),
  }))
}

/** All that lies among the files, drafts included. */
function filesOf(dataDir: string, { workspace }: Home): string[] {
  const all = readdirSync(join(dataDir, 'files'))
  return all
    .filter((name) => name === workspace || name === 'drafts')
    .flatMap((name) => readdirSync(join(dataDir, 'files', name)))
}

/** As the chore does it when enough time has gone by. */
async function sweep(dataDir: string): Promise<void> {
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET })
  const clock = { now: () => Date.now() + 4 * 60 * 60 * 1000 }
  const { storage } = await openStore({ ...config, clock })
  const step = sweepOrphans(storage, openFiles(config))
  while (await step());
  await storage.close()
}

if (process.argv.includes('--full')) {
  const control = await killedUploads(20, 'test/support/row-first.ts')
  assert.match(control.wrong.join(), /has no file/, 'a row without its file must be found out')
  const outcome = await killedUploads(60)
  console.log(outcome)
  assert.deepEqual(outcome.wrong, [])
}
