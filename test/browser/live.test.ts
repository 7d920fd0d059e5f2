import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

const CUT = /ERR_|Failed to load resource/

browse(
  'shows a change of one browser in the other without moving the list or the focus',
  async (scene) => {
    const { as, team } = scene
    await seedTasks(scene, 60, (n, { people }) => ({
      title: `Errand ${n + 1}`,
      assignee_ids: [people.member.id, people.owner.id],
    }))
    const one = await as('member')
    const other = await as('owner')
    await other.goto(`/w/${team.workspace}/my`)
    await one.goto(`/w/${team.workspace}/search?q=errand`)
    await expect(rowOf(other, 'Errand 60')).toBeAttached()
    await expect(rowOf(one, 'Errand 40')).toBeVisible()

    const link = rowOf(other, 'Errand 45').getByRole('link', { name: 'Errand 45' })
    await link.focus()
    await link.scrollIntoViewIfNeeded()
    const before = await placeOf(other)
    await rowOf(one, 'Errand 40')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    // It is stamped, and gone when the list is read again: either may come first.
    const todo = rowOf(other, 'Errand 40').getByRole('button', { name: /^Todo/ })
    await expect(todo).toHaveCount(0)
    await expect(link).toBeFocused()
    // What is done leaves the list when it is read again; what is pointed at does not move by that.
    assert.ok(Math.abs((await placeOf(other)).top - before.top) <= 34)

    await rowOf(other, 'Errand 45')
      .getByRole('button', { name: /Complete or reopen/ })
      .click()
    await expect(mark(one, 'Errand 45')).toHaveAccessibleName(/^Done/)
  },
)

browse(
  'a page catches up after its server was killed and started again',
  { alone: true },
  async (scene) => {
    const { as, team, ask, docket, allow } = scene
    allow(CUT)
    const tasks = await seedTasks(scene, 3, (n, { people }) => ({
      title: `Errand ${n + 1}`,
      assignee_ids: [people.member.id],
    }))
    const page = await as('member')
    // As in a browser that got the page without https.
    await page.addInitScript(() => {
      Reflect.deleteProperty(Crypto.prototype, 'randomUUID')
      Reflect.deleteProperty(Navigator.prototype, 'locks')
    })
    await page.goto(`/w/${team.workspace}/my`)
    await expect(rowOf(page, 'Errand 3')).toBeVisible()
    await docket.stop('SIGKILL')
    await docket.start()
    await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { title: 'Errand 1, renamed' })
    await ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
    await seedTasks(scene, 1, (_, { people }) => ({
      title: 'Errand 4',
      assignee_ids: [people.member.id],
    }))
    await expect(page.getByText('Errand 1, renamed')).toBeVisible()
    await expect(rowOf(page, 'Errand 4')).toBeVisible()
    await expect(rowOf(page, 'Errand 2')).toHaveCount(0)

    // And on it goes.
    await ask('owner', `PATCH /api/v1/tasks/${tasks[2]?.id}`, { title: 'Errand 3, later' })
    await expect(page.getByText('Errand 3, later')).toBeVisible()
    await rowOf(page, 'Errand 3, later')
      .getByRole('button', { name: /Complete or/ })
      .click()
    await expect(page.getByText('Completed ENG-3')).toBeVisible()
    await expect
      .poll(async () => {
        const { completed_at } = await ask('owner', `GET /api/v1/tasks/${tasks[2]?.id}`)
        return completed_at
      })
      .not.toBeNull()
  },
)

browse('many changes of others are read together, and keys work meanwhile', async (scene) => {
  const { as, team, ask } = scene
  const tasks = await seedTasks(scene, 100, (n, { people }) => ({
    title: `Errand ${n + 1}`,
    assignee_ids: [people.member.id],
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(rowOf(page, 'Errand 100')).toBeAttached()
  let reads = 0
  page.on('request', (request) => {
    if (request.method() === 'GET' && /\/(api|internal)\//.test(request.url())) reads += 1
  })
  const focused = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('*')].indexOf(document.activeElement ?? document.body),
    )
  const begun = Date.now()
  for (let round = 0; round < 12; round += 1) {
    const operations = tasks.map(({ id }) => ({
      ...{ op: 'update', id, data: { title: `Errand of round ${round}` } },
    }))
    await ask('owner', 'POST /api/v1/tasks/bulk', { operations })
    const before = await focused()
    await page.keyboard.press('Tab')
    await expect.poll(focused).not.toBe(before)
  }
  await expect(page.getByText('Errand of round 11').first()).toBeVisible()
  const seconds = (Date.now() - begun) / 1000
  assert.ok(reads <= 4 * (seconds + 2), `${reads} reads in ${seconds} s`)
})

const rowOf = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(title, { exact: true }) })
const mark = (page: Page, title: string) =>
  rowOf(page, title).getByRole('button', { name: /Complete or reopen/ })

const placeOf = (page: Page) =>
  page.evaluate(() => ({ top: document.activeElement?.getBoundingClientRect().top ?? 0 }))
