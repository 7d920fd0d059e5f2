import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { nextErasure } from '#db/retention/person-erasure.ts'
import { TABLES_KEPT_AFTER_PURGE } from '#db/workspaces/deleted-workspaces.ts'
import { erasePerson } from '#resources/offboarding/handover.ts'
import { createApp } from '#server/app.ts'
import {
  hashWorkspaceFiles,
  omitFromRows,
  readWorkspaceRows,
} from '../support/data/workspace-rows.ts'
import { ENGINES, testLog } from '../support/engines/test-docket.ts'
import { endServer, findEntry, startServer } from '../support/server/server-process.ts'
import { createEmptyInstallation } from '../support/server/write-load.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

const TASKS = 90
const KILLS = 3
const STEPS_BEFORE_KILL = 3

/** Runs the purge until it has reported some steps, and kills it soon afterwards. */
async function runAndKill(env: Record<string, string>): Promise<void> {
  const script = findEntry('test/support/server/programs/cleanup-jobs.ts')
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const steps: string[] = []
  for await (const line of createInterface(child.stdout)) {
    steps.push(line)
    child.stdin.write('on\n')
    if (steps.length === STEPS_BEFORE_KILL) break
  }
  await pause(Math.random() * 10)
  child.kill('SIGKILL')
  const [code, signal] = await ended
  assert.deepEqual([steps.length, code, signal], [STEPS_BEFORE_KILL, null, 'SIGKILL'])
}

for (const engine of ENGINES) {
  test(`an erasure that is killed completes later, and nobody sees half of it (${engine})`, {
    timeout: 120_000,
  }, async () => {
    const env = { ...(await createEmptyInstallation(engine)), DOCKET_LIMIT_PAID: '1000000' }
    const config = parseConfig(env)
    const { storage, secret } = await openStore(config)
    const { server } = await createApp(storage, config, secret, testLog)
    const [gone, stays] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const send = async (team: TestWorkspace, url: string, payload: object | Buffer) => {
      const type = Buffer.isBuffer(payload) ? 'text/plain' : 'application/json'
      const headers = { authorization: `Bearer ${team.keys.member}`, 'content-type': type }
      const reply = await server.inject({ method: 'POST', url, headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
      return reply.json() as { id: string }
    }
    const { headers } = await createTestSession(storage, stays, 'member', config.baseUrl)
    const renamed = await server.inject({
      method: 'PATCH',
      url: '/internal/account',
      payload: { name: 'Ottoline Quwertz' },
      headers: { ...headers, 'content-type': 'application/json' },
    })
    assert.equal(renamed.statusCode, 200, renamed.body)
    for (const team of [gone, stays]) {
      for (let made = 0; made < TASKS; made += 1) {
        const task = { project_id: team.project, title: `Task ${made}` }
        const { id } = await send(team, '/api/v1/tasks', task)
        if (made % 6 > 0) continue
        const url = `/api/v1/tasks/${id}/attachments?filename=a`
        await send(team, url, Buffer.from(`Bytes ${made}`))
      }
    }
    const filesBefore = hashWorkspaceFiles({ config }, stays.workspace)
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: gone.workspace }, (tx) =>
      tx.run(markDeletedLongAgo, {}),
    )
    const by = (workspace_id: string) => ({
      ...ANONYMOUS_ACTOR,
      role: 'owner' as const,
      workspace_id,
    })
    await erasePerson(storage, stays.people.member, { actorIn: by })
    const containsName = async () =>
      JSON.stringify(await readWorkspaceRows({ config }, stays.workspace)).includes('Quwertz')
    assert.ok(await containsName(), 'the control: events tell the name before')

    const stages: (string | undefined)[] = []
    const places: number[] = []
    for (let kill = 0; kill < KILLS; kill += 1) {
      await runAndKill(env)
      const mark = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(nextErasure, {}))
      stages.push(mark && JSON.parse(mark.value).stage)
      const remaining = await readWorkspaceRows({ config }, gone.workspace)
      places.push(remaining.tasks?.length ?? 0)
      // Each row has its file, and each file has a row or a pending deletion.
      const files = new Set(Object.keys(hashWorkspaceFiles({ config }, gone.workspace) ?? {}))
      const idsIn = (table: string) => new Set(remaining[table]?.map(({ id }) => id ?? ''))
      assert.deepEqual(idsIn('attachments').difference(files), new Set(), 'a row without its file')
      const accountedFiles = idsIn('attachments').union(idsIn('doomed_files'))
      assert.deepEqual(files.difference(accountedFiles), new Set(), 'a file of which nothing tells')
      for (const team of [gone, stays]) {
        const authorization = `Bearer ${team.keys.member}`
        const isRefused = async () =>
          (await server.inject({ url: '/api/v1/me', headers: { authorization } })).statusCode ===
          401
        // A server may use what it knows of a credential for another 200 ms.
        await waitUntil('the refusal of the key', isRefused)
      }
    }
    assert.ok(
      places.some((count) => count > 0 && count < TASKS),
      `killed at ${places} tasks`,
    )
    assert.ok(stages.includes('events') || stages.includes('activity'), `killed at ${stages}`)
    await server.close()
    await storage.close()

    const served = await startServer(config.dataDir, { env })
    const isOver = async () =>
      !existsSync(join(config.dataDir, 'files', gone.workspace)) && !(await containsName())
    await waitUntil('the end of what is left', isOver)
    await endServer(served, 'SIGTERM')
    const remaining = omitFromRows(
      await readWorkspaceRows({ config }, gone.workspace),
      TABLES_KEPT_AFTER_PURGE,
    )
    assert.deepEqual(Object.values(remaining).flat(), [])
    assert.ok(!(await containsName()))
    assert.equal((await readWorkspaceRows({ config }, stays.workspace)).tasks?.length, TASKS)
    assert.deepEqual(hashWorkspaceFiles({ config }, stays.workspace), filesBefore)
  })
}

const markDeletedLongAgo = command((db, $: Scoped) =>
  db
    .updateTable('workspaces')
    .set({ deleted_at: '2026-01-01T00:00:00.000Z' })
    .where('id', '=', $.workspace_id),
)
