import assert from 'node:assert/strict'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
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

browserTest(
  'pauses after a 429, says how long, and then sends the write',
  LIMIT,
  async (fixture) => {
    const { as, team, allow } = fixture
    allow(429)
    const assignee_ids = [team.people.member.id]
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'Kept', assignee_ids }))
    const path = `/api/v1/tasks/${task?.id}/complete`
    const page = await as('member')
    await page.clock.install()
    await page.goto(`/w/${team.workspace}/my`)
    const row = page.getByRole('row').filter({ hasText: 'Kept' })
    const statusButton = row.getByRole('button', { name: /Complete or reopen/ })
    await expect(statusButton).toBeVisible()
    const response = await fetchRateLimitResponse(fixture)
    // Only the write is rejected: if a read were first, the write would wait without being sent. The
    // server counts by its own clock, so the response is another workspace's until the minute ends.
    await routeRequests(page, `**${path}`, (route) => route.fulfill(response))
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) sent.push(`${request.method()} ${request.url()}`)
    })
    const countWrites = () => sent.filter((line) => line.endsWith(path)).length
    await statusButton.click()
    await expect(row).toHaveCount(0)
    const timer = page.getByRole('timer')
    await expect(timer).toContainText(/Resuming in \d+ s/)
    const secondsLeft = async () => Number(/\d+/.exec((await timer.textContent()) ?? '')?.[0])
    const first = await secondsLeft()
    assert.ok(first > 0 && first <= RETRY_AFTER_S, `${first} s`)
    assert.equal(countWrites(), 1)

    const before = sent.length
    await page.getByRole('link', { name: 'Created by me' }).click()
    // Requests with a shorter delay have been sent by then, before the reply to the last request.
    await page.clock.fastForward(5_000)
    await expect.poll(secondsLeft).toBeLessThan(first)
    await page.evaluate(async () => void (await fetch('/healthz')))
    assert.deepEqual(sent.slice(before), [])

    // Leaving the page, which has an unsent write, asks first.
    const question = page.waitForEvent('dialog')
    const leaving = page.close({ runBeforeUnload: true })
    await (await question).dismiss()
    await leaving

    // The minute of the limit is over.
    await page.unroute(`**${path}`)
    const saved = page.waitForResponse((reply) => reply.url().endsWith(path) && reply.ok())
    await page.clock.fastForward((RETRY_AFTER_S + 1) * 1_000)
    await saved
    assert.equal(countWrites(), 2)
  },
)
