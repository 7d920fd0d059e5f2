import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openFiles } from '#files/open.ts'
import { sweepOrphanedFiles } from '#jobs/purges.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'
import { findRowsWithoutFile, type StoredAttachmentRow } from './hostile-uploads.ts'

interface KilledUploadsResult {
  acks: number
  /** Files without a row and drafts that the kills left, counted before their removal. */
  orphans: number
  wrong: string[]
}

const UPLOADERS = 8
/** The least number of uploads that a server acknowledges before it is killed, on a slow machine too. */
const MIN_ACKS = 8

/**
 * Kills a server again and again during uploads. No row may lack its file, every acknowledged
 * upload must exist, and upkeep must remove orphaned files.
 */
export async function killDuringUploads(rounds: number): Promise<KilledUploadsResult> {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const outcome: KilledUploadsResult = { acks: 0, orphans: 0, wrong: [] }
  const acked: string[] = []
  for (let round = 0; round < rounds && outcome.wrong.length === 0; round += 1) {
    const server = await startServer(dataDir)
    const tasks = await Promise.all(
      Array.from({ length: UPLOADERS }, () => newTask(server.port, team)),
    )
    const uploaders = tasks.map((task) => uploadUntilKilled(server.port, team, task, acked))
    const enough = acked.length + MIN_ACKS + Math.floor(Math.random() * MIN_ACKS)
    const drafts = join(dataDir, 'files/drafts')
    await waitUntil(
      'acknowledged uploads, and one under way',
      () => acked.length >= enough && readdirSync(drafts).length > 0,
    )
    await endServer(server, 'SIGKILL')
    await Promise.all(uploaders)
    const rows = readRows(dataDir)
    const existing = new Set(rows.map(({ id }) => id))
    outcome.wrong.push(...findRowsWithoutFile(dataDir, rows))
    outcome.wrong.push(...acked.filter((id) => !existing.has(id)).map((id) => `${id} is lost`))
    outcome.orphans += listFiles(dataDir, team).length - rows.length
    await removeOrphans(dataDir)
    const remaining = listFiles(dataDir, team).filter((id) => !existing.has(id))
    outcome.wrong.push(...remaining.map((id) => `${id} is not swept`))
    outcome.wrong.push(...findRowsWithoutFile(dataDir, rows).map((one) => `swept: ${one}`))
  }
  return { ...outcome, acks: acked.length }
}

const authHeader = (team: TestWorkspace) => ({ authorization: `Bearer ${team.keys.owner}` })

async function newTask(port: number, team: TestWorkspace): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/tasks`, {
    method: 'POST',
    headers: { ...authHeader(team), 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: team.project, title: 'T' }),
  })
  return ((await reply.json()) as { id: string }).id
}

/** Uploads one file after the other until the server is gone or the task is full. */
async function uploadUntilKilled(
  port: number,
  team: TestWorkspace,
  task: string,
  acked: string[],
): Promise<void> {
  const url = `http://127.0.0.1:${port}/api/v1/tasks/${task}/attachments?filename=a`
  try {
    for (;;) {
      const body = randomBytes(1 + Math.floor(Math.random() * 400_000))
      const reply = await fetch(url, { method: 'POST', headers: authHeader(team), body })
      if (reply.status !== 201) return
      acked.push(((await reply.json()) as { id: string }).id)
    }
  } catch {
    // The server is gone.
  }
}

function readRows(dataDir: string): StoredAttachmentRow[] {
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

/** Lists the files of a workspace, and all drafts. */
function listFiles(dataDir: string, { workspace }: TestWorkspace): string[] {
  const all = readdirSync(join(dataDir, 'files'))
  return all
    .filter((name) => name === workspace || name === 'drafts')
    .flatMap((name) => readdirSync(join(dataDir, 'files', name)))
}

/** Removes orphaned files as upkeep does, with a clock that is four hours ahead. */
async function removeOrphans(dataDir: string): Promise<void> {
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET })
  const clock = { now: () => Date.now() + 4 * 60 * 60 * 1000 }
  const { storage } = await openStore({ ...config, clock })
  const step = sweepOrphanedFiles(storage, openFiles(config))
  while (await step());
  await storage.close()
}
