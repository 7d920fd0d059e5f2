import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterRun } from '../../support/runner/cleanup.ts'
import { closeBrowserAndServers, expect, openBrowserFixture } from '../support/browser-test.ts'
import { getTestServer } from '../support/test-server.ts'

afterRun(closeBrowserAndServers)

/** What a page does, and the violation it must cause. The policy blocks all but the first two. */
const VIOLATIONS: Record<string, [action: () => unknown, violation: RegExp]> = {
  'an error in the console': [() => console.error('oh'), /^console: oh/m],
  'an error that nobody caught': [
    () => setTimeout(() => Reflect.get({}, 'x').y),
    /^script: TypeError/m,
  ],
  'code in a text': [
    () => setTimeout(() => Reflect.construct(Function, ['return 1'])),
    /script-src|trusted/i,
  ],
  'markup in a text': [
    () => setTimeout(() => Reflect.set(document.body, 'innerHTML', '<b>x</b>')),
    /trusted/i,
  ],
  'a style in an attribute': [() => document.body.setAttribute('style', 'top: 0'), /style-src/],
  'a picture of another origin': [
    () => Reflect.set(document.createElement('img'), 'src', 'http://127.0.0.1:9/a.png'),
    /img-src/,
  ],
  'a call to another origin': [
    () => void fetch('http://127.0.0.1:9/').catch(() => undefined),
    /connect-src/,
  ],
  'a frame': [
    () => document.body.append(Object.assign(document.createElement('iframe'), { src: '/docs' })),
    /frame-src|default-src/,
  ],
}

test('a test fails on console errors, policy violations and foreign requests of its pages', async () => {
  const docket = await getTestServer({})
  const { fixture, guard, contexts } = await openBrowserFixture(docket)
  const page = await fixture.visitor()
  await page.goto('/')
  assert.deepEqual(guard.violations(), [])
  for (const [name, [action, violation]] of Object.entries(VIOLATIONS)) {
    // A page that is left reports nothing more, so what follows is of this action.
    await page.goto('/')
    const count = guard.violations().length
    const added = () => guard.violations().slice(count).join('\n')
    await page.evaluate(action)
    // The browser reports violations with a delay.
    await expect.poll(added, { message: name }).toMatch(violation)
  }
  const unprotected = await fixture.visitor({ bypassCSP: true })
  await unprotected.goto('/')
  await unprotected.evaluate(() => fetch('http://127.0.0.1:9/').catch(() => undefined))
  assert.ok(guard.violations().includes('foreign request: http://127.0.0.1:9/'))
  for (const context of contexts) await context.close()
})
