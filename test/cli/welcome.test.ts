import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPlace, serve } from './run.ts'

const DEMO = { DOCKET_DEMO: '1' }

/** Starts, looks at what is printed, and stops. */
async function printed(env: Record<string, string>, look = async (_: string) => {}) {
  const { child, ended, stdout } = await serve(env)
  // The welcome is printed when the demo is there, a moment after the address.
  for (let tries = 0; tries < 40 && !stdout().includes('curl'); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  await look(stdout())
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  return stdout()
}

test('the very first start says once how to come in, and its curl line works', async (t) => {
  const { env, url, remove } = await newPlace(DEMO)
  t.after(remove)
  const first = await printed(env, async (text) => {
    assert.match(text, new RegExp(`Address +${url}`))
    assert.match(text, /E-mail +maya@demo\.example/)
    assert.match(text, /Password +\w{20}/)
    const [, header = '', target = ''] = /curl -H '(.+?)' '(.+?)'/.exec(text) ?? []
    const [name = '', value = ''] = header.split(': ')
    const reply = await fetch(target, { headers: { [name]: value } })
    assert.equal(reply.status, 200)
    const { data } = (await reply.json()) as { data: object[] }
    assert.ok(data.length > 2)
  })
  assert.match(first, /^Docket serves at /)
  assert.doesNotMatch(await printed(env), /Welcome/)
})

test('no demo is made where it is not wanted, nor later', async (t) => {
  const { env, remove } = await newPlace()
  t.after(remove)
  assert.doesNotMatch(await printed(env), /Welcome/)
  assert.doesNotMatch(await printed({ ...env, ...DEMO }), /Welcome/)
})
