import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Actor, NOBODY } from '#core/actor.ts'
import { openPage } from '#core/page.ts'
import type { Storage } from '#core/tx.ts'
import { found } from '#demo/play.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import { create } from '#resources/webhooks/operations.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { type Seeded, seed } from './seed.ts'

const TASKS = 100
const AT_ONCE = 500

/** An installation that nobody serves yet, and how it is given back. */
export interface Unserved extends Seeded {
  dataDir: string
  storage: Storage
  owner: Actor
}

/** A directory that goes with the process. */
export function benchDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  if (dirs.length === 0) process.once('exit', removeDirs)
  dirs.push(dir)
  return dir
}

const dirs: string[] = []

function removeDirs(): void {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
}

/** A workspace on SQLite with some tasks and no webhooks; its store is open, and sends nothing. */
export async function unserved(dataDir = benchDir()): Promise<Unserved> {
  const { storage } = await openStore(configFrom({ DOCKET_DATA_DIR: dataDir }))
  const seeded = await seed(storage, TASKS)
  const owner: Actor = {
    ...NOBODY,
    role: 'owner',
    user_id: seeded.people[0] ?? '',
    workspace_id: seeded.workspace,
  }
  return { ...seeded, dataDir, storage, owner }
}

/** Webhooks for new tasks, one for each URL; gives their ids. */
export async function addWebhooks({ storage, owner }: Unserved, urls: readonly string[]) {
  const ids: string[] = []
  for (const url of urls) {
    const body = { url, events: ['task.created' as const] }
    const asked = { params: undefined, query: undefined, body, page: openPage('', '', {}, '') }
    const made = await storage.write(owner, (tx) => create(tx, undefined, asked))
    ids.push(found(made).id)
  }
  return ids
}

/** Creates tasks, each with its event. */
export async function addTasks({ storage, owner, project }: Unserved, count: number) {
  for (let from = 0; from < count; from += AT_ONCE) {
    const made = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) =>
      storage.write(owner, (tx) => createIn(tx, wish(project, from + at))),
    )
    await Promise.all(made)
  }
}

/** A task such as people create. */
export const wish = (project_id: string, n: number) => ({
  project_id,
  title: `The export of invoice ${n} fails when the customer has moved`,
  priority: 'high' as const,
  due_date: '2027-03-01',
})
