import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { withOwnPostgres } from '../../../bench/support/own-postgres.ts'
import { DRAIN_SETTINGS, startBalancedLoad } from '../../support/load/balanced-load.ts'
import { endServer, type ServerProcess, startServer } from '../../support/server/server-process.ts'
import { readWorkspaceContent } from '../../support/server/write-load.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'

/**
 * Upgrades a real earlier release: `npx node test/experiments/deploys/upgrade-release.ts --full <revision>`. Two
 * servers of that revision are replaced one after the other under load. If the old release works
 * with the new schema, one server goes back to it in between.
 */
const ROOT = join(import.meta.dirname, '../../..')
const CLIENTS = 16

/** Extracts the code of a revision to a directory of its own. */
function extractRevision(revision: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'docket-release-'))
  const archive = execFileSync('git', ['archive', '--format=tar', revision], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x', '-C', dir], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return dir
}

/** Creates a workspace with the code of that release. */
function createWorkspaceWith(dir: string, env: Record<string, string>): TestWorkspace {
  const script = `import { seedDataDir as seed } from './test/support/server/server-process.ts'
    console.log(JSON.stringify(await seed(${JSON.stringify(createTempDir())}, ${JSON.stringify(env)})))`
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(
    execFileSync(process.execPath, args, { cwd: dir, encoding: 'utf8' }),
  ) as TestWorkspace
}

async function upgradeFrom(url: string, revision: string) {
  const dir = extractRevision(revision)
  const env = { DOCKET_DATABASE_URL: url, DOCKET_LOG_LEVEL: 'warn', ...DRAIN_SETTINGS }
  const before = { env, entry: join(relative(ROOT, dir), 'src/main.ts') }
  const running: ServerProcess[] = []
  try {
    const team = createWorkspaceWith(dir, env)
    for (const _ of [1, 2]) running.push(await startServer(createTempDir(), before))
    const ports = running.map(({ port }) => port)
    const load = startBalancedLoad(ports, team, CLIENTS)
    const said: string[] = []
    const replaceServer = async (at: number, release: { env: typeof env; entry?: string }) => {
      const server = running[at]
      if (!server) return
      await endServer(server, 'SIGTERM')
      running[at] = await startServer(createTempDir(), { ...release, port: server.port })
      await pause(2_000)
      said.push(running[at].readStderr())
    }
    await pause(2_000)
    await replaceServer(0, { env })
    const rollback = await replaceServer(1, before).catch((error: Error) => error.message)
    await replaceServer(1, { env })
    await load.stop()
    const place = { ...env, DOCKET_DATA_DIR: createTempDir(), DOCKET_SECRET: TEST_SECRET }
    const taskIds = new Set((await readWorkspaceContent(place, team)).tasks)
    const lost = load.acked.filter((id) => !taskIds.has(id))
    return { acked: load.acked.length, failed: load.failed, lost, back: rollback, said }
  } finally {
    for (const server of running) await endServer(server, 'SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
}

if (process.argv.includes('--full')) {
  const revision = process.argv.at(-1) ?? ''
  await withOwnPostgres(async (url) => {
    const outcome = await upgradeFrom(url, revision)
    console.log(outcome)
    process.exitCode = outcome.failed.size + outcome.lost.length > 0 ? 1 : 0
  })
}
