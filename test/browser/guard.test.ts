import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '@playwright/test'
import { atRunEnd } from '../support/endings.ts'
import { finish, sceneOn } from './support/browse.ts'
import { docketFor } from './support/docket.ts'
import { expect } from './support/expect.ts'

atRunEnd(finish)

/** What a page does, and what must be told of it. The policy must stop all but the first two. */
const MISDEEDS: Record<string, [deed: () => unknown, told: RegExp]> = {
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

test('whatever a page does behind the back of a test is told of, and the policy stops it', async () => {
  const docket = await docketFor({})
  for (const [name, [deed, told]] of Object.entries(MISDEEDS)) {
    const { scene, guard, contexts } = await sceneOn(docket)
    const page = await scene.visitor()
    await page.goto('/')
    assert.deepEqual(guard.complaints(), [])
    await page.evaluate(deed)
    // What the browser itself reports comes after the deed.
    await expect.poll(() => guard.complaints().join('\n'), { message: name }).toMatch(told)
    for (const context of contexts) await context.close()
  }
})

test('requests to another origin are told of where no policy stops them', async () => {
  const docket = await docketFor({})
  const { scene, guard, contexts } = await sceneOn(docket)
  const page = await scene.visitor({ bypassCSP: true })
  await page.goto('/')
  await page.evaluate(() => fetch('http://127.0.0.1:9/').catch(() => undefined))
  assert.ok(guard.complaints().some((line) => line === 'foreign request: http://127.0.0.1:9/'))
  for (const context of contexts) await context.close()
})

test('what a page may not do in a browser holds here too', async () => {
  const [docket, other] = [await docketFor({}), await docketFor({ env: { DOCKET_LANDING: 'off' } })]
  const { scene, contexts } = await sceneOn(docket)
  const page = await scene.visitor({ bypassCSP: true })
  await page.goto('/')
  assert.equal(await reads(page, `${other.url}/healthz`), false, 'another origin is closed')
  assert.equal(await reads(page, `${docket.url}/healthz`), true)
  for (const context of contexts) await context.close()
})

/** Whether a page can read an address: it cannot where browsers run without web security. */
const reads = (page: Page, url: string) =>
  page.evaluate(
    (address) =>
      fetch(address).then(
        () => true,
        () => false,
      ),
    url,
  )
