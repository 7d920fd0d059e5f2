import assert from 'node:assert/strict'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { routeRequests } from '../support/route-requests.ts'
import { createTeam } from '../support/team.ts'

const LIMIT = { env: { DOCKET_LIMIT_PAID: '60', DOCKET_LIMIT_FREE: '60' } }
const RETRY_AFTER_S = 60

/** A real 429 response, with the Retry-After of the start of a minute. */
async function fetchRateLimitResponse({ docket }: BrowserFixture) {
  const { people } = await createTeam(docket)
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
 * Opens a list of one task and completes it at the rate limit. The server counts by its own clock,
 * so the write gets the response of another workspace until the test ends the minute.
 */
async function completeAtLimit(fixture: BrowserFixture) {
  const { as, team, ask, allow } = fixture
  allow(429)
  const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    project_id: team.project,
    title: 'Kept',
    assignee_ids: [team.people.member.id],
  })
  const path = `/api/v1/tasks/${task.id}/complete`
  const page = await as('member')
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/my`)
  const statusButton = page
    .getByRole('listitem')
    .filter({ hasText: 'Kept' })
    .getByRole('button', { name: /Complete or reopen/ })
  await expect(statusButton).toBeVisible()
  const response = await fetchRateLimitResponse(fixture)
  // Only the write is rejected: if a read were first, the write would wait without being sent.
  await routeRequests(page, `**${path}`, (route) => route.fulfill(response))
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/')) sent.push(`${request.method()} ${request.url()}`)
  })
  await statusButton.click()
  await expect(statusButton).toHaveAccessibleName(/^Done/)
  await expect(page.getByRole('timer')).toContainText(/Resuming in \d+ s/)
  return { page, sent, path }
}

browserTest('sends no requests after a 429 and shows how long', LIMIT, async (fixture) => {
  const { page, sent } = await completeAtLimit(fixture)
  const timer = page.getByRole('timer')
  const first = Number(/\d+/.exec((await timer.textContent()) ?? '')?.[0])
  assert.ok(first > 0 && first <= RETRY_AFTER_S, `${first} s`)
  const before = sent.length
  await page.getByRole('link', { name: 'Created by me' }).click()
  // Requests with a shorter delay have been sent by then, before the reply to the last request.
  await page.clock.fastForward(5_000)
  await expect
    .poll(async () => Number(/\d+/.exec((await timer.textContent()) ?? '')?.[0]))
    .toBeLessThan(first)
  await page.evaluate(async () => void (await fetch('/healthz')))
  assert.deepEqual(sent.slice(before), [])
})

browserTest('closing a page with unsent writes asks for confirmation', LIMIT, async (fixture) => {
  const { page } = await completeAtLimit(fixture)
  const confirmDialog = page.waitForEvent('dialog')
  const closed = page.close({ runBeforeUnload: true })
  await (await confirmDialog).dismiss()
  await closed
})

browserTest(
  'resends a write that was rejected with 429 after Retry-After',
  LIMIT,
  async (fixture) => {
    const { page, sent, path } = await completeAtLimit(fixture)
    assert.equal(countWrites(sent, path), 1)
    // The minute of the limit is over.
    await page.unroute(`**${path}`)
    const saved = page.waitForResponse((reply) => reply.url().endsWith(path) && reply.ok())
    await page.clock.fastForward((RETRY_AFTER_S + 1) * 1_000)
    await saved
    assert.equal(countWrites(sent, path), 2)
  },
)

const countWrites = (sent: string[], path: string) =>
  sent.filter((line) => line.startsWith('POST') && line.endsWith(path)).length
