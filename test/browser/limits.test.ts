import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { newTeam } from './support/team.ts'

const LIMIT = { env: { DOCKET_LIMIT_PAID: '60', DOCKET_LIMIT_FREE: '60' } }
const RETRY_AFTER_S = 60

/** What the server answers a workspace at its limit, with the time that is left at the start of a minute. */
async function refusalAtLimit({ docket }: Scene) {
  const { people } = await newTeam(docket)
  const headers = { authorization: `Bearer ${people.owner.key}` }
  for (;;) {
    const reply = await fetch(`${docket.url}/api/v1/me`, { headers })
    const body = await reply.text()
    if (reply.status !== 429) continue
    const seconds = Number(reply.headers.get('retry-after'))
    assert.ok(seconds > 0 && seconds <= RETRY_AFTER_S, `${seconds} s`)
    const sent = { ...Object.fromEntries(reply.headers), 'retry-after': String(RETRY_AFTER_S) }
    return { status: 429, headers: sent, body }
  }
}

/**
 * Opens a list of one task and completes it there at the limit. The server counts by its own minute, so the page gets
 * the refusal of another workspace until the test says that the minute is over.
 */
async function limited(scene: Scene) {
  const { as, team, ask, allow } = scene
  allow(429)
  const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    ...{ project_id: team.project, title: 'Kept', assignee_ids: [team.people.member.id] },
  })
  const page = await as('member')
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/my`)
  const mark = page
    .getByRole('listitem')
    .filter({ hasText: 'Kept' })
    .getByRole('button', { name: /Complete or reopen/ })
  await expect(mark).toBeVisible()
  const refusal = await refusalAtLimit(scene)
  await page.route('**/api/v1/**', (route) => route.fulfill(refusal))
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/')) sent.push(`${request.method()} ${request.url()}`)
  })
  await mark.click()
  await expect(mark).toHaveAccessibleName(/^Done/)
  await expect(page.getByRole('timer')).toContainText(/Going on in \d+ s/)
  return { page, sent, path: `/api/v1/tasks/${task.id}/complete` }
}

browse('at the rate limit the page sends nothing and says how long', LIMIT, async (scene) => {
  const { page, sent } = await limited(scene)
  const timer = page.getByRole('timer')
  const first = Number(/\d+/.exec((await timer.textContent()) ?? '')?.[0])
  assert.ok(first > 0 && first <= RETRY_AFTER_S, `${first} s`)
  const before = sent.length
  await page.getByRole('button', { name: 'Created' }).click()
  // All that was put off by less than this has begun by then, and is seen before the reply to the last request.
  await page.clock.fastForward(5_000)
  await expect
    .poll(async () => Number(/\d+/.exec((await timer.textContent()) ?? '')?.[0]))
    .toBeLessThan(first)
  await page.evaluate(async () => void (await fetch('/healthz')))
  assert.deepEqual(sent.slice(before), [])
})

browse('closing a page that keeps writes for later asks first', LIMIT, async (scene) => {
  const { page } = await limited(scene)
  const asked = page.waitForEvent('dialog')
  const left = page.close({ runBeforeUnload: true })
  await (await asked).dismiss()
  await left
})

browse('a write that the rate limit refused is sent again after it', LIMIT, async (scene) => {
  const { page, sent, path } = await limited(scene)
  await expect.poll(() => writes(sent, path)).toBe(1)
  await open(page)
  const saved = page.waitForResponse((reply) => reply.url().endsWith(path) && reply.ok())
  await page.clock.fastForward((RETRY_AFTER_S + 1) * 1_000)
  await saved
  assert.equal(writes(sent, path), 2)
})

const writes = (sent: string[], path: string) =>
  sent.filter((line) => line.startsWith('POST') && line.endsWith(path)).length

/** The minute is over. */
const open = (page: Page) => page.unroute('**/api/v1/**')
