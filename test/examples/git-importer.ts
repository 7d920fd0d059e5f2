import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BASE_ENV, newInstallation, spawnServer } from '#test/cli/run-cli.ts'
import { runHostedCliJson } from '#test/cli/run-hosted-cli.ts'

/**
 * Starts a server with a private project GIT of Ada; Bo is a member who cannot see it. `prepare` may
 * change the database before.
 */
export async function startGitImporter(
  repository: string,
  prepare?: (database: DatabaseSync) => void,
) {
  const installation = await newInstallation({ DOCKET_LIMIT_FREE: '5000' })
  const { env, url } = installation
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...owner)
  const { workspace_id = '', api_key = '', user_id: ada = '' } = acme
  const inAcme = ['--workspace', workspace_id]
  const named = ['--name', 'History', '--prefix', 'GIT', '--visibility', 'private']
  const { id: project = '' } = await runHostedCliJson(env, 'project', 'create', ...inAcme, ...named)
  const bo = ['--email', 'bo@example.com', '--name', 'Bo', '--role', 'member']
  await runHostedCliJson(env, 'member', 'add', ...inAcme, ...bo)
  if (prepare) {
    const database = new DatabaseSync(join(installation.dataDir, 'docket.db'))
    prepare(database)
    database.close()
  }
  const server = await spawnServer(env)

  /** Runs the example program to its end. */
  async function runProgram(...args: string[]) {
    const script = 'examples/git-history/main.ts'
    const words = [script, repository, '--project', 'git', '--url', url, ...args]
    const child = spawn(process.execPath, words, {
      env: { ...BASE_ENV, DOCKET_API_KEY: api_key },
    })
    const streams = [child.stdout, child.stderr].map((one) => one.setEncoding('utf8').toArray())
    const [code] = await once(child, 'close')
    const [stdout = '', stderr = ''] = (await Promise.all(streams)).map((parts) => parts.join(''))
    return { code: code as number, stdout, stderr }
  }

  /** Runs the program, fails unless it succeeds, and returns the counts that it prints. */
  async function run(...args: string[]): Promise<Record<string, number>> {
    const { code, stdout, stderr } = await runProgram(...args)
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }

  async function list<T>(path: string): Promise<T[]> {
    const reply = await fetch(url + path, { headers: { authorization: `Bearer ${api_key}` } })
    return ((await reply.json()) as { data: T[] }).data
  }

  async function remove(path: string): Promise<void> {
    const headers = { authorization: `Bearer ${api_key}` }
    await fetch(url + path, { method: 'DELETE', headers })
  }

  async function end(): Promise<void> {
    server.child.kill('SIGTERM')
    await server.ended
    installation.remove()
  }

  return { env, project, ada, runProgram, run, list, remove, end }
}
