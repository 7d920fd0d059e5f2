import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createFilledWorkspace } from '#test/archive/filled-workspace.ts'
import { CLI_ENTRY } from '#test/cli/run-cli.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'

const running = new Set<ReturnType<typeof spawn>>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

test('a killed export leaves no file under its name, or a complete one', async () => {
  const served = await openTestDocket('sqlite')
  const { config } = served
  const team = await createFilledWorkspace(served)
  const to = join(config.dataDir, 'killed.tar')
  const env = { DOCKET_DATA_DIR: config.dataDir, DOCKET_SECRET: config.secret ?? '' }
  const words = [CLI_ENTRY, 'export', '--workspace', team.workspace, '--to', to]
  const findDrafts = () =>
    readdirSync(config.dataDir).filter((name) => name.startsWith('killed.tar.part-'))
  const sizeOf = (draft: string) =>
    statSync(join(config.dataDir, draft, 'archive'), { throwIfNoEntry: false })?.size ?? 0
  for (const minBytes of [0, 1]) {
    const earlier = findDrafts()
    const child = spawn(process.execPath, words, {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    })
    running.add(child)
    const hasDraft = () =>
      findDrafts().some((name) => !earlier.includes(name) && sizeOf(name) >= minBytes)
    await waitUntil('its draft, or its end', () => hasDraft() || child.exitCode !== null)
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    running.delete(child)
    const isComplete = readdirSync(config.dataDir).includes('killed.tar')
    if (isComplete) assert.ok(readFileSync(to).includes('manifest.json'))
  }
})
