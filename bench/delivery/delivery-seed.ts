import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Actor, createUserActor } from '#core/actor.ts'
import { parsePageRequest } from '#core/page-request.ts'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createdRecord } from '#demo/demo-step.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { create } from '#resources/webhooks/operations.ts'
import { parseConfig } from '../../src/config/config.ts'
import { type SeededWorkspace, seedWorkspace } from '../support/seed.ts'

const TASKS = 100
const BATCH_SIZE = 500

/** An installation without a server, with its open store. */
export interface StoppedInstallation extends SeededWorkspace {
  dataDir: string
  storage: Storage
  owner: Actor
}

/** Creates a directory that is removed when the process exits. */
export function createBenchDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  if (dirs.length === 0) process.once('exit', removeDirs)
  dirs.push(dir)
  return dir
}

const dirs: string[] = []

function removeDirs(): void {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
}

/** Creates a workspace on SQLite with some tasks and no webhooks. Nothing sends its events. */
export async function openStoppedInstallation(
  dataDir = createBenchDir(),
): Promise<StoppedInstallation> {
  const { storage } = await openStore(parseConfig({ DOCKET_DATA_DIR: dataDir }))
  const seeded = await seedWorkspace(storage, TASKS)
  const owner: Actor = {
    ...createUserActor(seeded.people[0] ?? '', seeded.workspace),
    role: 'owner',
  }
  return { ...seeded, dataDir, storage, owner }
}

/** Adds a webhook for new tasks for each URL, and returns their ids. */
export async function addWebhooks(
  { storage, owner }: StoppedInstallation,
  urls: readonly string[],
) {
  const ids: string[] = []
  for (const url of urls) {
    const body = { url, events: ['task.created' as const] }
    const asked = {
      params: undefined,
      query: undefined,
      body,
      page: parsePageRequest('', '', {}, ''),
    }
    const made = await storage.write(owner, (tx) => create(tx, undefined, asked))
    ids.push(createdRecord(made).id)
  }
  return ids
}

/** Creates tasks and their events. */
export async function addTasks({ storage, owner, project }: StoppedInstallation, count: number) {
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const made = Array.from({ length: Math.min(BATCH_SIZE, count - from) }, (_, at) =>
      storage.write(owner, (tx) => createTaskFromInput(tx, createSampleTask(project, from + at))),
    )
    await Promise.all(made)
  }
}

/** A typical task. */
export const createSampleTask = (project_id: string, n: number) => ({
  project_id,
  title: `The export of invoice ${n} fails when the customer has moved`,
  priority: 'high' as const,
  due_date: '2027-03-01',
})
