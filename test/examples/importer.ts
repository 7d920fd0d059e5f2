import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { answerOf, newPlace, SURROUNDINGS, serve } from '#test/cli/run.ts'

/** A server with a private project GIT, its owner Ada, and Bo, a member who does not see it. */
export async function newImporter(repository: string) {
  const place = await newPlace({ DOCKET_LIMIT_FREE: '5000' })
  const { env, url } = place
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  const acme = await answerOf(env, 'workspace', 'create', '--name', 'Acme', ...owner)
  const { workspace_id = '', api_key = '', user_id: ada = '' } = acme
  const inAcme = ['--workspace', workspace_id]
  const named = ['--name', 'History', '--prefix', 'GIT', '--visibility', 'private']
  const { id: project = '' } = await answerOf(env, 'project', 'create', ...inAcme, ...named)
  const bo = ['--email', 'bo@example.com', '--name', 'Bo', '--role', 'member']
  await answerOf(env, 'member', 'add', ...inAcme, ...bo)
  const server = await serve(env)

  /** Runs the program to its end. */
  async function ran(...args: string[]) {
    const script = 'examples/git-history/main.ts'
    const words = [script, repository, '--project', 'git', '--url', url, ...args]
    const child = spawn(process.execPath, words, {
      env: { ...SURROUNDINGS, DOCKET_API_KEY: api_key },
    })
    const streams = [child.stdout, child.stderr].map((one) => one.setEncoding('utf8').toArray())
    const [code] = await once(child, 'close')
    const [stdout = '', stderr = ''] = (await Promise.all(streams)).map((parts) => parts.join(''))
    return { code: code as number, stdout, stderr }
  }

  /** The same where nothing should go wrong: what it counted. */
  async function run(...args: string[]): Promise<Record<string, number>> {
    const { code, stdout, stderr } = await ran(...args)
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }

  async function listed<T>(path: string): Promise<T[]> {
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
    place.remove()
  }

  return { env, project, ada, ran, run, listed, remove, end }
}
