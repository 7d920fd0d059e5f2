import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
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

/** A task on its page, with a clock that can be let run faster. */
async function openTask(scene: Scene) {
  const { as, team } = scene
  scene.allow(/ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY)|net::/)
  const [task] = await seedTasks(scene, 1, () => ({ title: 'One' }))
  assert.ok(task)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
  return { page, id: task.id, thread: page.getByRole('region', { name: 'Thread' }) }
}

browse('a comment whose reply was lost is sent again and made once', async (scene) => {
  const { page, id, thread } = await openTask(scene)
  const release = Promise.withResolvers<void>()
  let sent = 0
  await page.route(`**/api/v1/tasks/${id}/comments`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    sent += 1
    if (sent > 1) return release.promise.then(() => route.continue())
    await route.fetch()
    await route.abort('connectionreset')
  })
  await say(page, 'Once')
  await expect(thread.getByText('Once')).toBeVisible()
  await expect.poll(() => bodies(scene, id)).toEqual(['Once'])
  await expect.poll(() => sent).toBe(2)
  await expect(thread.getByText('Sending …')).toBeVisible()
  release.resolve()
  await expect(thread.getByText('Sending …')).toBeHidden()
  assert.deepEqual(await bodies(scene, id), ['Once'])
})

browse(
  'a comment and a title written while the server is down are sent when it is back',
  { alone: true },
  async (scene) => {
    const { ask, docket } = scene
    const { page, id, thread } = await openTask(scene)
    await docket.stop()
    await say(page, 'Twice')
    await page.keyboard.press('e')
    await page.getByLabel('Title').fill('Two')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => {
        await page.clock.fastForward(2_000)
        return thread.getByText('Not saved').isVisible()
      })
      .toBe(true)
    await expect(page.getByRole('heading', { level: 1, name: 'Two' })).toBeVisible()
    await docket.start()
    await thread.getByRole('button', { name: 'Retry' }).click()
    await expect.poll(() => bodies(scene, id)).toEqual(['Twice'])
    await expect(thread.getByText('Not saved')).toBeHidden()
    const retry = page.locator('.bars').getByRole('button', { name: 'Retry' })
    // The title is tried again by itself, or has been given up by now and waits for the button.
    await expect
      .poll(async () => {
        await page.clock.fastForward(2_000)
        if (await retry.isVisible()) await retry.click({ timeout: 1_000 }).catch(() => undefined)
        return (await ask<{ title: string }>('owner', `GET /api/v1/tasks/${id}`)).title
      })
      .toBe('Two')
  },
)

browse('a comment that was sent while the page was left is made once', async (scene) => {
  const { page, id, thread } = await openTask(scene)
  const comments = `**/api/v1/tasks/${id}/comments`
  await page.route(comments, async (route) => {
    if (route.request().method() === 'POST') await route.fetch()
    await route.abort()
  })
  await say(page, 'Left behind')
  await expect.poll(() => bodies(scene, id)).toEqual(['Left behind'])
  await page.unroute(comments)
  await page.reload()
  await expect(thread.getByText('Left behind')).toHaveCount(1)
  await expect(thread.getByText('Sending …')).toBeHidden()
  assert.deepEqual(await bodies(scene, id), ['Left behind'])
})
