import assert from 'node:assert/strict'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'

const env = { DOCKET_LIMIT_PAID: '30', DOCKET_LIMIT_FREE: '30' }

browse(
  'at the limit reads wait, writes are kept, and it is told how long',
  { env, alone: true },
  async (scene) => {
    const { as, team, ask, docket, allow } = scene
    allow(429, /ERR_/)
    // The server counts by the minute: not at the end of one.
    const left_ms = 60_000 - (Date.now() % 60_000)
    if (left_ms < 8_000) await new Promise((later) => setTimeout(later, left_ms))
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
    const spent = { left: true }
    while (spent.left) {
      spent.left = await ask('owner', `GET /api/v1/tasks/${task.id}`).then(
        () => true,
        () => false,
      )
    }

    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) sent.push(`${request.method()} ${request.url()}`)
    })
    const saved = page.waitForResponse((reply) => reply.url().endsWith('/complete') && reply.ok(), {
      timeout: 15_000,
    })
    await mark.click()
    await expect(mark).toHaveAccessibleName(/^Done/)
    const told = page.getByRole('timer')
    await expect(told).toContainText(/Going on in \d+ s/)
    const first = Number(/\d+/.exec((await told.textContent()) ?? '')?.[0])
    assert.ok(first > 0 && first <= 60, `${first} s`)

    // While it lasts nothing more is sent: neither what is read nor what is written.
    const before = sent.length
    await page.getByRole('button', { name: 'Created' }).click()
    await page.evaluate(() => new Promise((later) => setTimeout(later, 300)))
    await expect(told).toBeVisible()
    assert.deepEqual(sent.slice(before), [])

    // A page that is left now would lose it: the browser asks.
    const asked = page.waitForEvent('dialog')
    const left = page.close({ runBeforeUnload: true })
    await (await asked).dismiss()
    await left
    // The minute is over, for the server (which begins to count anew) and for the page: out it goes.
    await docket.stop()
    await docket.start()
    await page.clock.fastForward(61_000)
    await saved
    assert.equal(sent.filter((line) => line.startsWith('POST')).length >= 2, true)
  },
)
