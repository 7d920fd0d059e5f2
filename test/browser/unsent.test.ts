import assert from 'node:assert/strict'
import { expect, type Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { seedTasks } from './support/seed.ts'

const bodies = async ({ ask }: Scene, id: string) => {
  const path = `GET /api/v1/tasks/${id}/comments`
  return (await ask<{ data: { body: string }[] }>('owner', path)).data.map(({ body }) => body)
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Comment, or @someone' }).click()
  await page.getByLabel('Comment', { exact: true }).fill(text)
  await page.keyboard.press('ControlOrMeta+Enter')
  // Until the editor has gone, keys are text.
  await page.getByRole('button', { name: 'Comment, or @someone' }).waitFor()
}

browse(
  'what could not be sent says so, is sent again, and happens once',
  { alone: true },
  async (scene) => {
    const { as, team, ask, docket, allow } = scene
    allow(/ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY)/)
    const [task] = await seedTasks(scene, 1, () => ({ title: 'One' }))
    assert.ok(task)
    const page = await as('member')
    await page.clock.install()
    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()

    // The server does it, but its reply is lost.
    const replies = { lost: 0 }
    await page.route(`**/api/v1/tasks/${task.id}/comments`, async (route) => {
      if (replies.lost > 0 || route.request().method() !== 'POST') return route.fallback()
      replies.lost += 1
      await route.fetch()
      await route.abort('connectionreset')
    })
    await say(page, 'Once')
    const thread = page.getByRole('region', { name: 'Thread' })
    await expect(thread.getByText('Once')).toBeVisible()
    await expect(thread.getByText('Sending …')).toBeVisible()
    await expect.poll(() => bodies(scene, task.id)).toEqual(['Once'])
    await page.clock.runFor(1_000)
    await expect(thread.getByText('Sending …')).toBeHidden()
    assert.deepEqual(await bodies(scene, task.id), ['Once'])

    // The server is away: the text stays, and is marked.
    await docket.stop()
    await say(page, 'Twice')
    await expect(thread.getByText('Sending …')).toBeVisible()
    await page.keyboard.press('e')
    await page.getByLabel('Title').fill('Two')
    await page.keyboard.press('Enter')
    await expect(async () => {
      await page.clock.runFor(9_000)
      await expect(thread.getByText('Not saved')).toBeVisible({ timeout: 100 })
    }).toPass()
    await expect(page.getByRole('heading', { level: 1, name: 'Two' })).toBeVisible()
    await docket.start()
    const title = async () =>
      (await ask<{ title: string }>('owner', `GET /api/v1/tasks/${task.id}`)).title
    await thread.getByRole('button', { name: 'Retry' }).click()
    await expect(thread.getByText('Not saved')).toBeHidden()
    assert.deepEqual(await bodies(scene, task.id), ['Once', 'Twice'])
    const retry = page.locator('.bars').getByRole('button', { name: 'Retry' })
    // The title is tried again by itself, or has been given up by now and waits for the button.
    await expect(async () => {
      await page.clock.runFor(2_000)
      if (await retry.isVisible()) await retry.click()
      assert.equal(await title(), 'Two')
    }).toPass({ timeout: 10_000 })
  },
)

browse('a comment that was on its way when the page was left is made once', async (scene) => {
  const { as, team, allow } = scene
  allow(/ERR_FAILED|net::/)
  const [task] = await seedTasks(scene, 1)
  assert.ok(task)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByRole('heading', { level: 1, name: task.title }).waitFor()
  const comments = `**/api/v1/tasks/${task.id}/comments`
  await page.route(comments, async (route) => {
    if (route.request().method() === 'POST') await route.fetch()
    await route.abort()
  })
  await say(page, 'Left behind')
  await expect.poll(() => bodies(scene, task.id)).toEqual(['Left behind'])
  await page.unroute(comments)
  await page.reload()
  const thread = page.getByRole('region', { name: 'Thread' })
  await expect(thread.getByText('Left behind')).toHaveCount(1)
  await expect(thread.getByText('Sending …')).toBeHidden()
  assert.deepEqual(await bodies(scene, task.id), ['Left behind'])
})
