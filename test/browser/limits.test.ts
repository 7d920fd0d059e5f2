import assert from 'node:assert/strict'
import { expect } from '@playwright/test'
import { browse } from './support/browse.ts'

const env = { DOCKET_LIMIT_PAID: '20', DOCKET_LIMIT_FREE: '20' }

browse(
  'at the limit reads wait, writes are kept, and it is told how long',
  { env },
  async (scene) => {
    const { as, team, ask, allow } = scene
    allow(429)
    const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
      ...{ project_id: team.project, title: 'Kept', assignee_ids: [team.people.member.id] },
    })
    const page = await as('member')
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
    await mark.click()
    await expect(mark).toHaveAccessibleName(/^Done/)
    const told = page.getByRole('timer')
    await expect(told).toContainText(/Going on in \d+ s/)
    const first = Number(/\d+/.exec((await told.textContent()) ?? '')?.[0])
    assert.ok(first > 0 && first <= 60, `${first} s`)

    // While it lasts nothing more is sent: neither what is read nor what is written.
    const before = sent.length
    await page.getByRole('button', { name: 'Created' }).click()
    await mark.click().catch(() => undefined)
    await expect
      .poll(async () => Number(/\d+/.exec((await told.textContent()) ?? '')?.[0]))
      .toBeLessThan(first)
    assert.deepEqual(sent.slice(before), [])

    // A page that is left now would lose it: the browser asks.
    const asked = page.waitForEvent('dialog')
    const left = page.close({ runBeforeUnload: true })
    await (await asked).dismiss()
    await left
    await expect(told).toBeHidden({ timeout: 20_000 })
    await expect
      .poll(
        () =>
          ask<{ status_category: string }>('owner', `GET /api/v1/tasks/${task.id}`).then(
            (found) => found.status_category,
            () => 'limited',
          ),
        { intervals: [1_000] },
      )
      .toBe('completed')
  },
)
