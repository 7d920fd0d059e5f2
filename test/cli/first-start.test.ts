import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newInstallation, spawnServer } from './run-cli.ts'

const DEMO = { DOCKET_DEMO: '1' }

/** Starts a server, inspects what it prints, and stops it. */
async function startAndStop(env: Record<string, string>, inspect = async (_: string) => {}) {
  const { child, ended, stdout } = await spawnServer(env)
  // The welcome is printed once the demo exists, a moment after the address.
  for (let tries = 0; tries < 40 && !stdout().includes('curl'); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  await inspect(stdout())
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  return stdout()
}

test('the first start prints the workspace id and credentials once, with a working curl command', async (t) => {
  const { env, url, remove } = await newInstallation(DEMO)
  t.after(remove)
  const first = await startAndStop(env, async (text) => {
    assert.match(text, new RegExp(`Address +${url}`))
    assert.match(text, /Email +maya@demo\.example/)
    assert.match(text, /Password +\w{20}/)
    const [, workspace] = /Workspace +(wsp_\w{26})\n/.exec(text) ?? []
    const [, header = '', target = ''] = /curl -H '(.+?)' '(.+?)'/.exec(text) ?? []
    const [name = '', value = ''] = header.split(': ')
    const headers = { [name]: value }
    const me = await fetch(`${url}/api/v1/me`, { headers })
    assert.equal(((await me.json()) as { workspace: { id: string } }).workspace.id, workspace)
    const reply = await fetch(target, { headers })
    assert.equal(reply.status, 200)
    const { data } = (await reply.json()) as { data: object[] }
    assert.ok(data.length > 2)
  })
  assert.match(first, /^Docket is running at /)
  assert.doesNotMatch(await startAndStop(env), /Welcome/)
})

test('creates no demo with DOCKET_DEMO=0, nor on a later start', async (t) => {
  const { env, remove } = await newInstallation()
  t.after(remove)
  assert.doesNotMatch(await startAndStop(env), /Welcome/)
  assert.doesNotMatch(await startAndStop({ ...env, ...DEMO }), /Welcome/)
})
